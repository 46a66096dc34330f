/* single.c - see single.h.  A function for each width; what no instruction does is tried until nobody has come in
 * between. */
#include "rma/single.h"

#include <stdatomic.h>

enum way { REPLACES, READS, ADDS, TRIES };

static bool is(const struct tf_op *op, MPI_Op handle)
{
    return op->obj.handle == (uint32_t)(uintptr_t)handle;
}

static bool is_integer(const struct tf_type *type)
{
    switch (type->basic) {
    case TF_INT8:
    case TF_INT16:
    case TF_INT32:
    case TF_INT64:
    case TF_UINT8:
    case TF_UINT16:
    case TF_UINT32:
    case TF_UINT64:
    case TF_MULTI:
    case TF_FORTRAN_INT8:
    case TF_FORTRAN_INT16:
    case TF_FORTRAN_INT32:
    case TF_FORTRAN_INT64:
        return true;
    default:
        return false;
    }
}

static enum way way_of(const struct tf_type *type, const struct tf_op *op)
{
    return is(op, MPI_SUM) && is_integer(type) ? ADDS
           : is(op, MPI_NO_OP)                 ? READS
           : is(op, MPI_REPLACE)               ? REPLACES
                                               : TRIES;
}

#define WIDTH(bits)                                                                                                    \
    static uint##bits##_t combine_##bits(void *memory, enum way way, tf_kernel *kernel, uint##bits##_t value)          \
    {                                                                                                                  \
        _Atomic uint##bits##_t *at = memory;                                                                           \
        uint##bits##_t was, next;                                                                                      \
        if (way == ADDS)                                                                                               \
            return atomic_fetch_add(at, value);                                                                        \
        if (way == REPLACES)                                                                                           \
            return atomic_exchange(at, value);                                                                         \
        was = atomic_load(at);                                                                                         \
        if (way == READS)                                                                                              \
            return was;                                                                                                \
        do                                                                                                             \
            kernel(&next, &was, &value, 1);                                                                            \
        while (!atomic_compare_exchange_weak(at, &was, next));                                                         \
        return was;                                                                                                    \
    }                                                                                                                  \
    static uint##bits##_t swap_##bits(void *memory, uint##bits##_t was, uint##bits##_t next)                           \
    {                                                                                                                  \
        atomic_compare_exchange_strong((_Atomic uint##bits##_t *)memory, &was, next);                                  \
        return was;                                                                                                    \
    }
WIDTH(8)
WIDTH(16)
WIDTH(32)
WIDTH(64)

void tf_single_combine(void *memory, const struct tf_type *type, const struct tf_op *op, const void *data, void *old)
{
    enum way way = way_of(type, op);
    tf_kernel *kernel = way == TRIES ? op->kernels[type->basic] : NULL;
    size_t bytes = (size_t)type->size;
    uint64_t value = 0, was; /* the first bytes of both count */
    if (way != READS)
        memcpy(&value, data, bytes);
    was = bytes == 8   ? combine_64(memory, way, kernel, value)
          : bytes == 4 ? combine_32(memory, way, kernel, (uint32_t)value)
          : bytes == 2 ? combine_16(memory, way, kernel, (uint16_t)value)
                       : combine_8(memory, way, kernel, (uint8_t)value);
    if (old)
        memcpy(old, &was, bytes);
}

void tf_single_swap(void *memory, size_t bytes, const void *compare, const void *data, void *old)
{
    uint64_t want = 0, next = 0, was;
    memcpy(&want, compare, bytes);
    memcpy(&next, data, bytes);
    was = bytes == 8   ? swap_64(memory, want, next)
          : bytes == 4 ? swap_32(memory, (uint32_t)want, (uint32_t)next)
          : bytes == 2 ? swap_16(memory, (uint16_t)want, (uint16_t)next)
                       : swap_8(memory, (uint8_t)want, (uint8_t)next);
    memcpy(old, &was, bytes);
}
