/* single.h - one element of memory that others change too, by an atomic instruction of the processor. */
#ifndef TF_SINGLE_H
#define TF_SINGLE_H

#include <stdatomic.h>

#include "op/op.h"

/* Whether an element of that (predefined) datatype at that address can be done so. */
static inline bool tf_single_can(const struct tf_type *type, uintptr_t at)
{
    size_t size = (size_t)type->size;
    return type->dense && size <= 8 && (size & (size - 1)) == 0 && (at & (size - 1)) == 0;
}

/* Integers that MPI_SUM and MPI_Compare_and_swap take, all of them elements that can be done so if they are aligned. */
static inline bool tf_single_is_integer(const struct tf_type *type)
{
    const uint64_t integers = 1ull << TF_INT8 | 1ull << TF_INT16 | 1ull << TF_INT32 | 1ull << TF_INT64 |
                              1ull << TF_UINT8 | 1ull << TF_UINT16 | 1ull << TF_UINT32 | 1ull << TF_UINT64 |
                              1ull << TF_MULTI | 1ull << TF_FORTRAN_INT8 | 1ull << TF_FORTRAN_INT16 |
                              1ull << TF_FORTRAN_INT32 | 1ull << TF_FORTRAN_INT64;
    return type->basic < 64 && (integers >> type->basic & 1);
}

static inline bool tf_single_op_is(const struct tf_op *op, MPI_Op handle)
{
    return op->obj.handle == (uint32_t)(uintptr_t)handle;
}

/* Whether it is a predefined operator for elements of that datatype, a predefined one, or MPI_REPLACE or MPI_NO_OP. */
static inline bool tf_single_is_defined(const struct tf_op *op, const struct tf_type *type)
{
    return type->obj.handle < 4096 && type->basic != TF_BASIC_NONE && op->kernels &&
           (op->kernels[type->basic] || tf_single_op_is(op, MPI_REPLACE) || tf_single_op_is(op, MPI_NO_OP));
}

/* memory = memory op data; `old`, if not NULL, gets what was there.  As tf_apply_combine(), of one packed element. */
void tf_single_combine(void *memory, const struct tf_type *type, const struct tf_op *op, const void *data, void *old);
/* The same of a sum of 8 bytes. */
static inline void tf_single_add_64(void *memory, const void *data, void *old)
{
    uint64_t value;
    memcpy(&value, data, sizeof value);
    value = atomic_fetch_add((_Atomic uint64_t *)memory, value);
    if (old)
        memcpy(old, &value, sizeof value);
}
/* As tf_apply_swap(). */
void tf_single_swap(void *memory, size_t bytes, const void *compare, const void *data, void *old);

#endif
