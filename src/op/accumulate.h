/* accumulate.h - exact sums as a program sees them: datatypes of accumulators, adding to one, its value.
 *
 * An accumulator is a struct tf_binned for each part of the element that is summed (op/binned.h); in mpi.h it is called
 * MPIX_Binned.  MPI_SUM adds accumulators.
 */
#ifndef TF_ACCUMULATE_H
#define TF_ACCUMULATE_H

#include "op/binned.h"
#include "op/op.h"

static inline bool tf_binned_is(const struct tf_type *type)
{
    return type->basic == TF_BINNED || type->basic == TF_COMPLEX_BINNED;
}

/* A new datatype, committed, of the accumulator for sums of `type`; MPI_ERR_TYPE if these have none. */
int tf_type_create_binned(const struct tf_type *type, MPI_Datatype *newtype);
/* Add `count` elements to one accumulator; make elements of `count` accumulators. */
int tf_binned_add_buffer(const void *buf, MPI_Count count, const struct tf_type *type, void *accumulator);
int tf_binned_value_buffer(const void *accumulators, MPI_Count count, const struct tf_type *type, void *values);

/* MPI_Reduce_local on elements: inout[i] = the exact sum of in[i] and inout[i], as a reduction gives it. */
void tf_binned_local(const void *in, void *inout, size_t n, struct tf_binned_form form);

#endif
