/* single.h - one element of memory that others change too, by an atomic instruction of the processor. */
#ifndef TF_SINGLE_H
#define TF_SINGLE_H

#include "op/op.h"

/* Whether an element of that (predefined) datatype at that address can be done so. */
static inline bool tf_single_can(const struct tf_type *type, uintptr_t at)
{
    size_t size = (size_t)type->size;
    return type->dense && size <= 8 && (size & (size - 1)) == 0 && at % size == 0;
}

/* memory = memory op data; `old`, if not NULL, gets what was there.  As tf_apply_combine(), of one packed element. */
void tf_single_combine(void *memory, const struct tf_type *type, const struct tf_op *op, const void *data, void *old);
/* As tf_apply_swap(). */
void tf_single_swap(void *memory, size_t bytes, const void *compare, const void *data, void *old);

#endif
