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
void tf_call_errhandler(MPI_Comm comm, int error_code, void *context);

/* MPI_ERR_OTHER, and a message, when all slots are taken. */
int tf_op_create_by_slot(void *context, int commute, MPI_Op *op);
int tf_errhandler_create_by_slot(void *context, MPI_Errhandler *errhandler);

#endif
