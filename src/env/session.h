/* session.h - the Sessions Model (MPI-5.0 section 11.3).
 *
 * A session is one more user of the library (open.c), and local: it needs nobody else.  Process sets:
 *
 *     mpi://WORLD   the processes of the job
 *     mpi://SELF    this one
 *     mpix://NODE   those of this node, where that is known: from the start under mpiexec, elsewhere from MPI_Init or
 *                   the first communicator on
 *     others        whose names the launcher was given
 *
 * net/pset.h finds them.
 */
#ifndef TF_SESSION_H
#define TF_SESSION_H

#include "object/errhandler.h"

struct tf_info;
struct tf_group;

struct tf_session {
    struct tf_object obj;
    int thread_level;
    struct tf_errhandler *errhandler; /* holds a reference */
};

/* info may be NULL. */
int tf_session_init(const struct tf_info *info, struct tf_errhandler *errhandler, MPI_Session *session);
int tf_session_finalize(struct tf_session *session);
int tf_session_get_info(const struct tf_session *session, MPI_Info *info);

int tf_session_get_num_psets(int *n);
/* *length: the room in `name`, and then what it takes, with the final 0; 0: the name is not wanted. */
int tf_session_get_nth_pset(int n, int *length, char *name);
int tf_session_get_pset_info(const char *name, MPI_Info *info);
/* MPI_GROUP_NULL too, with an error, where there is no such set. */
int tf_group_from_session_pset(struct tf_session *session, const char *name, MPI_Group *group);

#endif
