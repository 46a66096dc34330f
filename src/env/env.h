/* env.h - the environment chapter: init, finalize, abort, clocks, names (MPI-5.0 chapters 9 and 11).
 */
#ifndef TF_ENV_H
#define TF_ENV_H

#include "comm/comm.h"

/* MPI_Init_thread; MPI_Init is required = MPI_THREAD_SINGLE.  `provided` may be NULL. */
int tf_env_init(int required, int *provided);
int tf_env_finalize(void);
int tf_env_abort(struct tf_comm *comm, int errorcode); /* does not return; comm may be NULL */

int tf_env_query_thread(int *provided);
int tf_env_is_thread_main(int *flag);

int tf_env_processor_name(char *name, int *resultlen);
int tf_env_version(int *version, int *subversion);
int tf_env_library_version(char *version, int *resultlen);
int tf_env_abi_version(int *abi_major, int *abi_minor);
int tf_env_abi_info(MPI_Info *info); /* a new info object, the caller's */
double tf_env_wtime(void);
double tf_env_wtick(void);

/* The Fortran types that the library's predefined datatypes stand for; they are fixed when it is built, so what a
 * program sets has to agree with them: MPI_ERR_ABI. */
int tf_env_fortran_info(MPI_Info *info); /* a new info object, the caller's */
int tf_env_set_fortran_info(struct tf_info *info);
int tf_env_fortran_booleans(int logical_size, void *logical_true, void *logical_false, int *is_set);
int tf_env_set_fortran_booleans(int logical_size, const void *logical_true, const void *logical_false);

/* "Treefold 0.1.0" */
const char *tf_env_release(void);

#endif
