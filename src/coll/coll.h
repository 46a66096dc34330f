/* coll.h - collective calls: a call becomes a shape, a shape a cached plan, a plan a run.
 *
 * A binding fills a struct tf_call (arguments already checked) and hands it to one of three entries; each algorithm
 * serves all three.
 */
#ifndef TF_COLL_H
#define TF_COLL_H

#include "comm/comm.h"
#include "op/op.h"
#include "plan/collective.h"

/* The root that tells the barrier of MPI_Finalize, which no other collective matches. */
enum { TF_LAST_BARRIER = -1 };

struct tf_call {
    enum tf_coll coll;
    int root; /* rooted collectives; TF_LAST_BARRIER */
    struct tf_comm *comm;
    const void *sendbuf;                 /* may be MPI_IN_PLACE; bcast: unused */
    void *recvbuf;                       /* may be MPI_IN_PLACE (scatter's root); bcast: the buffer */
    MPI_Count sendcount, recvcount;      /* reductions and bcast: recvcount is the count (sendcount unused);
                                            reduce_scatter_block: recvcount */
    struct tf_type *sendtype, *recvtype; /* reductions and bcast: recvtype */
    struct tf_op *op;                    /* reductions */
    struct tf_counts sendcounts, sdispls, recvcounts, rdispls; /* v forms; reduce_scatter: recvcounts */
    const MPI_Datatype *sendtypes, *recvtypes;                 /* alltoallw, whose displacements are bytes */
};

int tf_coll_run(const struct tf_call *call);                                                 /* MPI_X */
int tf_coll_begin(const struct tf_call *call, MPI_Request *request);                         /* MPI_Ix */
int tf_coll_prepare(const struct tf_call *call, struct tf_info *info, MPI_Request *request); /* MPI_X_init */

/* For the library itself (communicator constructors, MPI_Finalize): bytes among the ranks of comm. */
int tf_coll_bcast_bytes(struct tf_comm *comm, void *buffer, size_t bytes, int root);
int tf_coll_allgather_bytes(struct tf_comm *comm, const void *mine, size_t bytes, void *all);
int tf_coll_barrier(struct tf_comm *comm, bool last); /* last: that of MPI_Finalize, which no other call matches */
/* Nonblocking bcast through the joint communicator, whose request is of comm and, when it completes, first calls
 * done(context, its error), whose error then is the request's; used by MPI_Comm_idup. */
int tf_coll_bcast_then(struct tf_comm *comm, void *buffer, size_t bytes, int root, int (*done)(void *context, int err),
                       void *context, MPI_Request *request);

/* Communicator constructors (newcomm.c).  MPI-5.0 section 7.4.2.  On success *newcomm is the new handle, or
 * MPI_COMM_NULL where this process is not in it. */
int tf_comm_dup(struct tf_comm *comm, MPI_Comm *newcomm);
int tf_comm_dup_with_info(struct tf_comm *comm, struct tf_info *info, MPI_Comm *newcomm);
int tf_comm_idup(struct tf_comm *comm, MPI_Comm *newcomm, MPI_Request *request);
int tf_comm_idup_with_info(struct tf_comm *comm, struct tf_info *info, MPI_Comm *newcomm, MPI_Request *request);
int tf_comm_split(struct tf_comm *comm, int color, int key, MPI_Comm *newcomm);
int tf_comm_split_type(struct tf_comm *comm, int split_type, int key, struct tf_info *info, MPI_Comm *newcomm);
/* resource.c: the color for MPI_Comm_split_type, MPI_UNDEFINED for no part in it; and what this process is bound to. */
int tf_coll_resource(const struct tf_comm *comm, int split_type, const struct tf_info *info, int *color);
int tf_get_hw_resource_info(MPI_Info *hw_info);
int tf_comm_create(struct tf_comm *comm, struct tf_group *group, MPI_Comm *newcomm);
int tf_comm_create_group(struct tf_comm *comm, struct tf_group *group, int tag, MPI_Comm *newcomm);
/* intercomm.c; peer_comm, remote_leader and tag count at the local leader only. */
int tf_intercomm_create(struct tf_comm *local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
                        MPI_Comm *newintercomm);
int tf_comm_disconnect(struct tf_comm *comm); /* disconnect.c */
int tf_intercomm_merge(struct tf_comm *intercomm, int high, MPI_Comm *newintracomm);

#endif
