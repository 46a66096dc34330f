/* user.h - operators as a program sees them: create, free, ask, apply (MPI-5.0 sections 6.9.5 to 6.9.7).
 */
#ifndef TF_OP_USER_H
#define TF_OP_USER_H

#include "op/op.h"

/* A new operator around the user's function; errors: MPI_ERR_ARG (no function), MPI_ERR_NO_MEM.
 *
 * A function with an int length gets at most INT_MAX elements at a time.  The datatype it is given is the one of the
 * reduction call. */
int tf_op_create(MPI_User_function *fn, int commute, MPI_Op *op);
int tf_op_create_c(MPI_User_function_c *fn, int commute, MPI_Op *op);
/* fn(in, inout, count, datatype, context); destructor(context), if there is one, runs once, when the operator is freed
 * and the last operation that uses it has ended. */
int tf_op_create_x(MPIX_User_function_x *fn, MPIX_Destructor_function *destructor, int commute, void *context,
                   MPI_Op *op);

/* Give back the program's reference; MPI_ERR_OP for a predefined operator. */
int tf_op_free(struct tf_op *op);

int tf_op_commutative(const struct tf_op *op, int *commute);

/* inout = in op inout, without communication; MPI_ERR_OP if the operator does not take the datatype. */
int tf_reduce_local(const void *in, void *inout, MPI_Count count, struct tf_type *type, struct tf_op *op);

#endif
