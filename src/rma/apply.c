/* apply.c - see apply.h. */
#include "rma/apply.h"

#include "op/kernels.h"

enum { PIECE = 8192 }; /* bytes of the stream that are laid out at a time */

void tf_apply_put(const struct tf_apply *a, const void *data)
{
    tf_type_unpack(a->type, (void *)a->at, a->count, a->position, data, a->length);
}

void tf_apply_get(const struct tf_apply *a, void *data)
{
    tf_type_pack(a->type, (const void *)a->at, a->count, a->position, data, a->length);
}

static bool is_replace(const struct tf_op *op)
{
    return op->obj.handle == (uint32_t)(uintptr_t)MPI_REPLACE;
}

static bool is_no_op(const struct tf_op *op)
{
    return op->obj.handle == (uint32_t)(uintptr_t)MPI_NO_OP;
}

/* n elements that lie in a row at `memory`, as in an array; data and old are packed. */
static void combine_row(const struct tf_apply *a, char *memory, size_t n, const char *data, char *old)
{
    const struct tf_type *e = a->element;
    size_t bytes = n * (size_t)e->size;
    if (old)
        tf_type_pack(e, memory, (MPI_Count)n, 0, old, bytes);
    if (is_no_op(a->op))
        return;
    if (is_replace(a->op)) {
        tf_type_unpack(e, memory, (MPI_Count)n, 0, data, bytes);
        return;
    }
    tf_kernel *kernel = a->op->kernels[e->basic];
    if (e->dense) {
        kernel(memory, memory, data, n);
        return;
    }
    _Alignas(64) char laid_out[PIECE * 2]; /* a pair with a gap is at most twice as long as its bytes */
    for (size_t i = 0, some; i < n; i += some) {
        some = PIECE / (size_t)e->size < n - i ? PIECE / (size_t)e->size : n - i;
        tf_type_unpack(e, laid_out, (MPI_Count)some, 0, data + i * (size_t)e->size, some * (size_t)e->size);
        char *there = memory + i * (size_t)e->extent;
        kernel(there, there, laid_out, some);
    }
}

/* The same under the locks of the places where the elements begin, each for those that begin there. */
static void combine_locked(const struct tf_apply *a, char *memory, size_t n, const char *data, char *old)
{
    const struct tf_type *e = a->element;
    if (!a->share) {
        combine_row(a, memory, n, data, old);
        return;
    }
    for (size_t done = 0, some; done < n; done += some) {
        char *at = memory + done * (size_t)e->extent;
        uint64_t owner = (uint64_t)(uintptr_t)at - (uint64_t)a->shift;
        size_t room = TF_STRIPE_BYTES - owner % TF_STRIPE_BYTES,
               fit = (room + (size_t)e->extent - 1) / (size_t)e->extent;
        some = fit < n - done ? fit : n - done;
        _Atomic uint32_t *stripe = tf_share_stripe(a->share, owner);
        tf_share_take(stripe);
        combine_row(a, at, some, data ? data + done * (size_t)e->size : NULL,
                    old ? old + done * (size_t)e->size : NULL);
        tf_share_drop(stripe);
    }
}

/* Of elements that lie anywhere. */
static void take_all(const struct tf_apply *a)
{
    for (int i = 0; a->share && i < TF_STRIPES; i++)
        tf_share_take(&a->share->stripes[i].taken);
}

static void drop_all(const struct tf_apply *a)
{
    for (int i = 0; a->share && i < TF_STRIPES; i++)
        tf_share_drop(&a->share->stripes[i].taken);
}

/* Whether the type's elements lie as in an array of the element. */
static bool is_row(const struct tf_apply *a)
{
    return a->type == a->element || (a->type->dense && a->element->dense);
}

/* Elements with gaps around them are laid out in a row, combined there, and put back. */
static void combine_scattered(const struct tf_apply *a, const char *data, char *old)
{
    const struct tf_type *e = a->element;
    size_t most = PIECE / (size_t)e->size * (size_t)e->size;
    _Alignas(64) char packed[PIECE], row[PIECE * 2];
    for (size_t done = 0, length; done < a->length; done += length) {
        length = a->length - done < most ? a->length - done : most;
        size_t n = length / (size_t)e->size;
        struct tf_apply part = *a;
        part.position += done;
        part.length = length;
        take_all(a);
        tf_apply_get(&part, packed);
        tf_type_unpack(e, row, (MPI_Count)n, 0, packed, length);
        combine_row(a, row, n, data ? data + done : NULL, old ? old + done : NULL);
        tf_type_pack(e, row, (MPI_Count)n, 0, packed, length);
        tf_apply_put(&part, packed);
        drop_all(a);
    }
}

void tf_apply_combine(const struct tf_apply *a, const void *data, void *old)
{
    const struct tf_type *e = a->element;
    if (is_row(a))
        combine_locked(a, (char *)a->at + a->type->true_lb + a->position / (size_t)e->size * (size_t)e->extent,
                       a->length / (size_t)e->size, data, old);
    else
        combine_scattered(a, data, old);
}

void tf_apply_swap(const struct tf_apply *a, const void *compare, const void *data, void *old)
{
    char *memory = (char *)a->at;
    size_t bytes = (size_t)a->element->size;
    char was[TF_CACHE_LINE];
    _Atomic uint32_t *stripe = a->share ? tf_share_stripe(a->share, (uint64_t)a->at - (uint64_t)a->shift) : NULL;
    if (stripe)
        tf_share_take(stripe);
    memcpy(was, memory, bytes);
    if (memcmp(was, compare, bytes) == 0)
        memcpy(memory, data, bytes);
    if (stripe)
        tf_share_drop(stripe);
    memcpy(old, was, bytes);
}
