/* apply.c - see apply.h. */
#include "rma/apply.h"

#include "op/kernels.h"
#include "rma/single.h"

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
        int stripe = tf_share_stripe(owner);
        tf_share_take(a->share, stripe);
        combine_row(a, at, some, data ? data + done * (size_t)e->size : NULL,
                    old ? old + done * (size_t)e->size : NULL);
        tf_share_drop(a->share, stripe);
    }
}

/* Of elements that lie anywhere. */
static void take_all(const struct tf_apply *a)
{
    for (int i = 0; a->share && i < TF_STRIPES; i++)
        tf_share_take(a->share, i);
}

static void drop_all(const struct tf_apply *a)
{
    for (int i = 0; a->share && i < TF_STRIPES; i++)
        tf_share_drop(a->share, i);
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

/* One element, beside others who do the same. */
static bool is_single(const struct tf_apply *a, const char *memory)
{
    return a->share && a->length == (size_t)a->element->size && tf_single_can(a->element, (uintptr_t)memory);
}

/* Where its owner has it. */
static uint64_t there(const struct tf_apply *a, const char *memory)
{
    return (uint64_t)(uintptr_t)memory - (uint64_t)a->shift;
}

static void combine_single(const struct tf_apply *a, char *memory, const void *data, void *old)
{
    tf_share_enter(a->share, there(a, memory), a->own);
    tf_single_combine(memory, a->element, a->op, data, old);
    tf_share_leave(a->own);
}

void tf_apply_combine(const struct tf_apply *a, const void *data, void *old)
{
    const struct tf_type *e = a->element;
    if (!is_row(a)) {
        combine_scattered(a, data, old);
        return;
    }
    char *memory = (char *)a->at + a->type->true_lb + a->position / (size_t)e->size * (size_t)e->extent;
    if (is_single(a, memory))
        combine_single(a, memory, data, old);
    else
        combine_locked(a, memory, a->length / (size_t)e->size, data, old);
}

static void swap_single(const struct tf_apply *a, const void *compare, const void *data, void *old)
{
    tf_share_enter(a->share, there(a, (char *)a->at), a->own);
    tf_single_swap((void *)a->at, (size_t)a->element->size, compare, data, old);
    tf_share_leave(a->own);
}

void tf_apply_swap(const struct tf_apply *a, const void *compare, const void *data, void *old)
{
    char *memory = (char *)a->at;
    size_t bytes = (size_t)a->element->size;
    char was[TF_CACHE_LINE];
    int stripe = tf_share_stripe(there(a, memory));
    if (a->share && tf_single_can(a->element, a->at)) {
        swap_single(a, compare, data, old);
        return;
    }
    if (a->share)
        tf_share_take(a->share, stripe);
    memcpy(was, memory, bytes);
    if (memcmp(was, compare, bytes) == 0)
        memcpy(memory, data, bytes);
    if (a->share)
        tf_share_drop(a->share, stripe);
    memcpy(old, was, bytes);
}
