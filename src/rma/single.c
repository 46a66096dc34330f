/* single.c - see single.h.  A function for each width; what no instruction does is tried until nobody has come in
 * between. */
#include "rma/single.h"

enum way { REPLACES, READS, ADDS, TRIES };

static enum way way_of(const struct tf_type *type, const struct tf_op *op)
{
    return tf_single_op_is(op, MPI_SUM) && tf_single_is_integer(type) ? ADDS
           : tf_single_op_is(op, MPI_NO_OP)                           ? READS
           : tf_single_op_is(op, MPI_REPLACE)                         ? REPLACES
                                                                      : TRIES;
}

#define WIDTH(bits)                                                                                                    \
    static void combine_##bits(void *memory, enum way way, tf_kernel *kernel, const void *data, void *old)             \
    {                                                                                                                  \
        _Atomic uint##bits##_t *at = memory;                                                                           \
        uint##bits##_t value = 0, was, next;                                                                           \
        if (way != READS)                                                                                              \
            memcpy(&value, data, sizeof value);                                                                        \
        if (way == ADDS) {                                                                                             \
            was = atomic_fetch_add(at, value);                                                                         \
        } else if (way == REPLACES) {                                                                                  \
            was = atomic_exchange(at, value);                                                                          \
        } else {                                                                                                       \
            was = atomic_load(at);                                                                                     \
            do                                                                                                         \
                if (way == TRIES)                                                                                      \
                    kernel(&next, &was, &value, 1);                                                                    \
            while (way == TRIES && !atomic_compare_exchange_weak(at, &was, next));                                     \
        }                                                                                                              \
        if (old)                                                                                                       \
            memcpy(old, &was, sizeof was);                                                                             \
    }                                                                                                                  \
    static void swap_##bits(void *memory, const void *compare, const void *data, void *old)                            \
    {                                                                                                                  \
        uint##bits##_t was, next;                                                                                      \
        memcpy(&was, compare, sizeof was);                                                                             \
        memcpy(&next, data, sizeof next);                                                                              \
        atomic_compare_exchange_strong((_Atomic uint##bits##_t *)memory, &was, next);                                  \
        memcpy(old, &was, sizeof was);                                                                                 \
    }
WIDTH(8)
WIDTH(16)
WIDTH(32)
WIDTH(64)

void tf_single_combine(void *memory, const struct tf_type *type, const struct tf_op *op, const void *data, void *old)
{
    enum way way = way_of(type, op);
    tf_kernel *kernel = way == TRIES ? op->kernels[type->basic] : NULL;
    if (type->size == 8)
        combine_64(memory, way, kernel, data, old);
    else if (type->size == 4)
        combine_32(memory, way, kernel, data, old);
    else if (type->size == 2)
        combine_16(memory, way, kernel, data, old);
    else
        combine_8(memory, way, kernel, data, old);
}

void tf_single_swap(void *memory, size_t bytes, const void *compare, const void *data, void *old)
{
    if (bytes == 8)
        swap_64(memory, compare, data, old);
    else if (bytes == 4)
        swap_32(memory, compare, data, old);
    else if (bytes == 2)
        swap_16(memory, compare, data, old);
    else
        swap_8(memory, compare, data, old);
}
