/* coll.h - collective calls: a call becomes a shape, a shape a cached plan, a plan a run.
 *
 * A binding fills a struct tf_call (arguments already checked) and hands it to one of three entries; each algorithm
 * serves all three.
 */
#ifndef TF_COLL_H
#define TF_COLL_H

#include "comm/comm.h"
#include "msg/terms.h"
#include "op/op.h"
#include "plan/collective.h"
#include "plan/neighbors.h"

struct tf_call {
    enum tf_coll coll;
    int root; /* rooted collectives */
    struct tf_comm *comm;
    const void *sendbuf;                 /* may be MPI_IN_PLACE; bcast: unused */
    void *recvbuf;                       /* may be MPI_IN_PLACE (scatter's root); bcast: the buffer */
    MPI_Count sendcount, recvcount;      /* reductions and bcast: recvcount is the count (sendcount unused);
                                            reduce_scatter_block: recvcount */
    struct tf_type *sendtype, *recvtype; /* reductions and bcast: recvtype */
    struct tf_op *op;                    /* reductions */
    struct tf_counts sendcounts, sdispls, recvcounts, rdispls; /* v forms; reduce_scatter: recvcounts */
    const MPI_Datatype *sendtypes, *recvtypes;                 /* alltoallw, whose displacements are bytes */
    enum tf_caller caller;
};

/* Communicators have what collectives keep with them, comm->colls. */
void tf_coll_setup(void);

/* This process's neighbors in the topology of a communicator, comm->topo, which live as long as that; or an error. */
typedef int tf_coll_finder(const struct tf_comm *comm, const struct tf_neighbors **neighbors);
/* From now on that function says who they are. */
void tf_coll_set_finder(tf_coll_finder *finder);
/* An error, too, if there is no topology. */
int tf_coll_neighbors(const struct tf_comm *comm, const struct tf_neighbors **neighbors);

int tf_coll_run(const struct tf_call *call);                                                 /* MPI_X */
int tf_coll_begin(const struct tf_call *call, MPI_Request *request);                         /* MPI_Ix */
int tf_coll_prepare(const struct tf_call *call, struct tf_info *info, MPI_Request *request); /* MPI_X_init */

int tf_coll_run_own(const struct tf_call *call); /* MPI_X in the place of call->caller, not of the program's own */
/* For the library itself, in the place of `caller`: bytes among the ranks of comm. */
int tf_coll_bcast_bytes(struct tf_comm *comm, enum tf_caller caller, void *buffer, size_t bytes, int root);
int tf_coll_allgather_bytes(struct tf_comm *comm, enum tf_caller caller, const void *mine, size_t bytes, void *all);
/* *result: the greatest of all ranks' words. */
int tf_coll_max(struct tf_comm *comm, enum tf_caller caller, uint64_t mine, uint64_t *result);
/* This process cannot take part in the next collective because of `err`, which is returned: whoever waits for it is
 * told. */
int tf_coll_give_up(struct tf_comm *comm, int err) TF_COLD;
int tf_coll_barrier(struct tf_comm *comm, enum tf_caller caller);
/* Nonblocking tf_coll_max(), in place, through the joint communicator; the request is of comm and, when it completes,
 * first calls done(context, its error), whose error then is the request's.  Used by MPI_Comm_idup. */
int tf_coll_max_then(struct tf_comm *comm, enum tf_caller caller, uint64_t *word, int (*done)(void *context, int err),
                     void *context, MPI_Request *request);

#endif
