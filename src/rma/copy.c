/* copy.c - see copy.h. */
#include "rma/copy.h"

#include <sys/uio.h>

#include "msg/request.h"
#include "rma/dynamic.h"

/* A put that is shorter costs less as a message, where the target takes part in the end of the epoch and so takes it
 * while it waits for that, and the ring has room; elsewhere, where an answer of the target is waited for anyway. */
enum { SHORT = 512, SHORT_FOR_BOTH = 16 * 1024 + 1 };
enum { MOST = 256, MUCH = 64 * 1024 }; /* pieces, and bytes, that are copied at once */

struct piece {
    uint64_t there;
    char *here;
    size_t bytes;
    struct tf_request *request; /* or NULL */
};

struct tf_copies {
    struct pile {
        size_t count, bytes;
        bool refused;
        struct piece pieces[MOST];
    } puts, gets;
};

/* ---- which way? ---- */

/* The epoch is one of MPI_Win_start, or of MPI_Win_fence with few processes, all of a node. */
static bool is_of_both(const struct tf_target *target)
{
    return target->started || (target->win->fences_by_memory && target->win->fenced && !target->lock);
}

static bool is_better_sent(const struct tf_win_op *op)
{
    const struct tf_target *target = op->target;
    if (op->verb != TF_VERB_PUT)
        return false;
    return is_of_both(target) ? op->total < SHORT_FOR_BOTH && !target->first : op->total < SHORT && target->dirty;
}

static const struct tf_win_side *side_of(const struct tf_win_op *op)
{
    return op->verb == TF_VERB_PUT ? &op->from : op->verb == TF_VERB_GET ? &op->into : NULL;
}

static struct pile *pile_of(struct tf_copies *copies, const struct tf_win_op *op)
{
    return op->verb == TF_VERB_PUT ? &copies->puts : &copies->gets;
}

/* Where the system may be asked for the target's memory, as far as this process knows. */
static bool is_reachable(const struct tf_win_op *op)
{
    const struct tf_target *target = op->target;
    if (target->win->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return target->share && tf_dynamic_is_told(target, op->at.at + (uintptr_t)op->at.type->true_lb, op->total);
    return target->win->flavor == MPI_WIN_FLAVOR_CREATE;
}

bool tf_copy_takes(const struct tf_win_op *op)
{
    const struct tf_win_side *side = side_of(op);
    struct tf_target *target = op->target;
    if (!side || op->type || !op->at.type->dense || !side->type->dense || target->lost || !target->peer->net->move ||
        is_better_sent(op) || !is_reachable(op))
        return false;
    return !target->copies || !pile_of(target->copies, op)->refused;
}

/* ---- copying ---- */

/* One more, or as the end of the one before. */
static size_t add_row(struct iovec *rows, size_t n, void *at, size_t bytes)
{
    if (n > 0 && (char *)rows[n - 1].iov_base + rows[n - 1].iov_len == at) {
        rows[n - 1].iov_len += bytes;
        return n;
    }
    rows[n] = (struct iovec){at, bytes};
    return n + 1;
}

/* Returns the bytes that were moved. */
static size_t copy_from(struct tf_target *target, const struct pile *pile, size_t first)
{
    struct iovec there[MOST], here[MOST];
    struct tf_net_rows rows = {.there = there, .here = here, .write = pile == &target->copies->puts};
    for (size_t i = first; i < pile->count; i++) {
        const struct piece *piece = &pile->pieces[i];
        rows.rows_there = add_row(there, rows.rows_there, (void *)(uintptr_t)piece->there, piece->bytes);
        rows.rows_here = add_row(here, rows.rows_here, piece->here, piece->bytes);
    }
    return target->peer->net->move ? target->peer->net->move(target->peer, &rows) : 0;
}

static void queue(struct tf_target *target, const struct pile *pile, const struct piece *piece)
{
    bool puts = pile == &target->copies->puts;
    struct tf_type *byte = tf_type_find(MPI_BYTE);
    struct tf_win_side side = {piece->here, (MPI_Count)piece->bytes, byte};
    struct tf_win_op op = {.target = target, .verb = puts ? TF_VERB_PUT : TF_VERB_GET, .total = piece->bytes};
    *(puts ? &op.from : &op.into) = side;
    op.at = (struct tf_apply){.at = (uintptr_t)piece->there, .count = side.count, .type = byte};
    op.request = piece->request;
    tf_op_queue(&op);
}

/* The pile is empty, and those from number `first` on go by messages. */
static void leave(struct tf_target *target, struct pile *pile, size_t first)
{
    for (size_t i = first; i < pile->count; i++)
        queue(target, pile, &pile->pieces[i]);
    target->collected -= (uint32_t)pile->count;
    pile->count = pile->bytes = 0;
}

/* Returns whether all of the piece is among these bytes, of which it takes its own. */
static bool has_moved(struct piece *piece, size_t *bytes)
{
    size_t n = *bytes < piece->bytes ? *bytes : piece->bytes;
    *bytes -= n;
    piece->there += n;
    piece->here += n;
    piece->bytes -= n;
    if (piece->bytes == 0 && piece->request)
        tf_request_part_done(piece->request);
    return piece->bytes == 0;
}

/* The system copies less than all before something that it refuses, and where it is gigabytes. */
static void copy(struct tf_target *target, struct pile *pile)
{
    size_t at = 0;
    while (at < pile->count && !pile->refused) {
        size_t moved = copy_from(target, pile, at);
        pile->refused = moved == 0;
        while (at < pile->count && has_moved(&pile->pieces[at], &moved))
            at++;
    }
    leave(target, pile, at);
}

void tf_copy_push(struct tf_target *target)
{
    if (!target->collected)
        return;
    copy(target, &target->copies->gets);
    copy(target, &target->copies->puts);
}

void tf_copy_leave(struct tf_target *target)
{
    if (!target->collected)
        return;
    leave(target, &target->copies->gets, 0);
    leave(target, &target->copies->puts, 0);
}

/* ---- collecting ---- */

static struct tf_copies *copies_of(struct tf_target *target)
{
    if (!target->copies && (target->copies = tf_alloc(sizeof *target->copies, "the puts and gets of a window")))
        memset(target->copies, 0, sizeof *target->copies);
    return target->copies;
}

int tf_copy_collect(const struct tf_win_op *op)
{
    struct tf_target *target = op->target;
    const struct tf_win_side *side = side_of(op);
    struct tf_copies *copies = copies_of(target);
    if (!copies)
        return MPI_ERR_NO_MEM;
    struct pile *pile = pile_of(copies, op);
    pile->pieces[pile->count++] = (struct piece){.there = (uint64_t)op->at.at + (uint64_t)op->at.type->true_lb,
                                                 .here = (char *)side->buf + side->type->true_lb,
                                                 .bytes = op->total,
                                                 .request = op->request};
    pile->bytes += op->total;
    target->collected++;
    if (pile->count == MOST || pile->bytes >= MUCH)
        copy(target, pile);
    return MPI_SUCCESS;
}
