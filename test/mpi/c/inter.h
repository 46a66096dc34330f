/* inter.h - intercommunicators between the first few ranks of MPI_COMM_WORLD and the others.
 *
 * In the second arrangement the groups are numbered backwards and led by their last ranks, so that neither ranks nor
 * leaders are in the order of MPI_COMM_WORLD.
 */
#ifndef INTER_H
#define INTER_H

#include "check.h"

struct inter {
    MPI_Comm comm, local;
    int rank, size, others; /* in this process's group; the size of the other */
    bool low;               /* this is the group of world ranks 0..first-1 */
    int first;
    bool backwards;
};

/* The rank in MPI_COMM_WORLD of a rank of either group. */
static inline int inter_world(const struct inter *x, bool low, int rank)
{
    int begin = low ? 0 : x->first, n = low ? x->first : check_size - x->first;
    return begin + (x->backwards ? n - 1 - rank : rank);
}

static inline void inter_open(struct inter *x, int first, bool backwards)
{
    x->first = first;
    x->backwards = backwards;
    x->low = check_rank < first;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, x->low, backwards ? -check_rank : check_rank, &x->local));
    CHECK_OK(MPI_Comm_rank(x->local, &x->rank));
    CHECK_OK(MPI_Comm_size(x->local, &x->size));
    x->others = check_size - x->size;
    int leader = backwards ? x->size - 1 : 0, remote = backwards ? x->others - 1 : 0;
    CHECK_OK(MPI_Intercomm_create(x->local, leader, MPI_COMM_WORLD, inter_world(x, !x->low, remote), first, &x->comm));
}

static inline void inter_close(struct inter *x)
{
    CHECK_OK(MPI_Comm_free(&x->comm));
    CHECK_OK(MPI_Comm_free(&x->local));
}

/* The root argument of this process where the root is rank `root` of the low or the other group. */
static inline int inter_root(const struct inter *x, bool low, int root)
{
    return x->low != low ? root : x->rank == root ? MPI_ROOT : MPI_PROC_NULL;
}

#endif
