/* slots.h - callbacks without a context, for a library that has no MPIX_..._x procedures: a table of C functions, each
 * of which calls the Fortran function of its slot.  A slot is not used again, as nothing tells when an operator's or an
 * error handler's last use is over.
 */
#ifndef TF_SLOTS_H
#define TF_SLOTS_H

#include "fortran.h"

#define TF_SLOTS 256

/* What a trampoline of this library calls, with the Fortran function as its context. */
void tf_call_operator(void *in, void *inout, MPI_Count length, MPI_Datatype datatype, void *context);

/* MPI_ERR_OTHER, and a message, when all slots are taken. */
int tf_op_create_by_slot(void *context, int commute, MPI_Op *op);
/* A function of the kind MPI_X_errhandler_function, for handles of any class X, which calls call(handle, code,
 * context); NULL, and a message, when all slots are taken: then tf_slots_full() tells the error handler of
 * MPI_COMM_SELF. */
tf_function *tf_errhandler_slot(tf_function *call, void *context);
int tf_slots_full(void);

#endif
