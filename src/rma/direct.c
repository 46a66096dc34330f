/* direct.c - see direct.h. */
#include "rma/direct.h"

#include "rma/dynamic.h"

enum { PIECE = 8192 }; /* bytes of the stream that are packed at a time */

static struct tf_apply part_of(const struct tf_apply *whole, size_t position, size_t length)
{
    struct tf_apply part = *whole;
    part.position = position;
    part.length = length;
    return part;
}

/* Where the packed stream of a side lies as it is; NULL: nowhere. */
static char *stream_of(const struct tf_win_side *side)
{
    return side->type && side->type->dense ? (char *)side->buf + side->type->true_lb : NULL;
}

/* In pieces, but for what lies as it is on both sides. */
static void combine(const struct tf_win_op *op)
{
    char packed[PIECE], was[PIECE];
    char *data = stream_of(&op->from), *old = stream_of(&op->into);
    size_t unit = (size_t)op->at.element->size;
    bool whole = (data || !op->from.type) && (old || !op->into.type);
    size_t most = whole ? op->total : sizeof packed / unit * unit;
    for (size_t at = 0, n; at < op->total; at += n) {
        n = op->total - at < most ? op->total - at : most;
        struct tf_apply part = part_of(&op->at, at, n);
        if (op->from.type && !data)
            tf_type_pack(op->from.type, op->from.buf, op->from.count, at, packed, n);
        tf_apply_combine(&part,
                         !op->from.type ? NULL
                         : data         ? data + at
                                        : packed,
                         !op->into.type ? NULL
                         : old          ? old + at
                                        : was);
        if (op->into.type && !old)
            tf_type_unpack(op->into.type, op->into.buf, op->into.count, at, was, n);
    }
}

int tf_direct(struct tf_win_op *op)
{
    const struct tf_target *target = op->target;
    struct tf_apply *a = &op->at;
    a->length = op->total;
    if (target->win->flavor == MPI_WIN_FLAVOR_DYNAMIC) {
        char words[300];
        if (!tf_dynamic_covers(target->win, a, words, sizeof words))
            return tf_error(MPI_ERR_RMA_RANGE, "rank %d: %s", target->rank, words);
    }
    tf_win_share(target, a);
    op->target->stored = true;
    a->shift = target->here ? (ptrdiff_t)((uintptr_t)target->here - (uintptr_t)target->base) : 0;
    a->at += (uintptr_t)a->shift;
    switch (op->verb) {
    case TF_VERB_PUT:
        tf_type_copy((void *)a->at, a->count, a->type, op->from.buf, op->from.count, op->from.type);
        break;
    case TF_VERB_GET:
        tf_type_copy(op->into.buf, op->into.count, op->into.type, (const void *)a->at, a->count, a->type);
        break;
    case TF_VERB_COMBINE:
        combine(op);
        break;
    default:
        tf_apply_swap(a, op->compare.buf, op->from.buf, op->into.buf);
    }
    return MPI_SUCCESS;
}
