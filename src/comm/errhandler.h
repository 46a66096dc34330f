/* errhandler.h - error handlers (MPI-5.0 section 9.3): arguments in MPI's order, handlers as objects. */
#ifndef TF_ERRHANDLER_H
#define TF_ERRHANDLER_H

#include "comm/comm.h"
#include "comm/error_class.h"

extern struct tf_errhandler tf_errors_are_fatal;

static inline struct tf_errhandler *tf_errhandler_find(MPI_Errhandler handle)
{
    return tf_pool_find(&tf_errhandler_pool, (uintptr_t)handle);
}

int tf_comm_create_errhandler(MPI_Comm_errhandler_function *fn, MPI_Errhandler *errhandler);
/* A handler that carries a context; the destructor, if there is one, gets it once, when nothing uses the handler. */
int tf_comm_create_errhandler_x(MPIX_Comm_errhandler_function_x *fn, MPIX_Destructor_function *destructor,
                                void *context, MPI_Errhandler *errhandler);
int tf_comm_set_errhandler(struct tf_comm *comm, struct tf_errhandler *errhandler);
/* A new handle of the handler in force, which the user frees. */
int tf_comm_get_errhandler(struct tf_comm *comm, MPI_Errhandler *errhandler);
/* MPI_SUCCESS once the handler has returned (section 9.5). */
int tf_comm_call_errhandler(struct tf_comm *comm, int errorcode);
/* The caller sets the user's variable to MPI_ERRHANDLER_NULL. */
int tf_errhandler_free(struct tf_errhandler *errhandler);

void tf_errhandler_retain(struct tf_errhandler *errhandler);
void tf_errhandler_release(struct tf_errhandler *errhandler);

#endif
