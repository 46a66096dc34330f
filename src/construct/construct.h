/* construct.h - constructors of communicators: collective calls that end with an object on every process.
 *
 * The objects are comm/'s, the agreement on what they are is a collective's; neither knows of the other here.
 */
#ifndef TF_CONSTRUCT_H
#define TF_CONSTRUCT_H

#include "comm/comm.h"

/* newcomm.c: MPI-5.0 section 7.4.2.  On success *newcomm is the new handle, or MPI_COMM_NULL where this process is not
 * in it. */
int tf_comm_dup(struct tf_comm *comm, MPI_Comm *newcomm);
int tf_comm_dup_with_info(struct tf_comm *comm, struct tf_info *info, MPI_Comm *newcomm);
int tf_comm_idup(struct tf_comm *comm, MPI_Comm *newcomm, MPI_Request *request);
int tf_comm_idup_with_info(struct tf_comm *comm, struct tf_info *info, MPI_Comm *newcomm, MPI_Request *request);
int tf_comm_split(struct tf_comm *comm, int color, int key, MPI_Comm *newcomm);
int tf_comm_split_type(struct tf_comm *comm, int split_type, int key, struct tf_info *info, MPI_Comm *newcomm);
int tf_comm_create(struct tf_comm *comm, struct tf_group *group, MPI_Comm *newcomm);
int tf_comm_create_group(struct tf_comm *comm, struct tf_group *group, int tag, MPI_Comm *newcomm);

/* intercomm.c; peer_comm, remote_leader and tag count at the local leader only. */
int tf_intercomm_create(struct tf_comm *local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
                        MPI_Comm *newintercomm);
/* from_group.c; collective over the group, or both, only.  `name` is the string tag. */
int tf_comm_create_from_group(struct tf_group *group, const char *name, struct tf_info *info,
                              struct tf_errhandler *errhandler, MPI_Comm *newcomm);
int tf_intercomm_create_from_groups(struct tf_group *local_group, int local_leader, MPI_Group remote_group,
                                    int remote_leader, const char *name, struct tf_info *info,
                                    struct tf_errhandler *errhandler, MPI_Comm *newintercomm);
int tf_intercomm_merge(struct tf_comm *intercomm, int high, MPI_Comm *newintracomm);

/* disconnect.c: section 11.10.4; processes of different jobs that no other communicator connects need each other no
 * longer. */
int tf_comm_disconnect(struct tf_comm *comm);

/* resource.c: the color for MPI_Comm_split_type, MPI_UNDEFINED for no part in it, and the resource that was chosen if
 * the program did not, NULL otherwise (in static memory); and what this process is bound to. */
int tf_resource_color(const struct tf_comm *comm, int split_type, const struct tf_info *info, int *color,
                      const char **chosen);
int tf_get_hw_resource_info(MPI_Info *hw_info);

#endif
