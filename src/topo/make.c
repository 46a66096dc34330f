/* make.c - all processes get the new communicator, or none does.
 *
 * Each has made its part, and tells the others whether it could and a digest of the arguments that must agree; rank 0
 * tells the context id besides.
 */
#include "topo/make.h"

#include "comm/group.h"
#include "construct/newcomm.h"

int tf_topo_check_intra(const struct tf_comm *comm)
{
    if (!comm->remote)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_COMM, "%s is an intercommunicator; only an intracommunicator can have a topology",
                    tf_comm_describe(comm));
}

uint64_t tf_topo_digest(uint64_t digest, const int *numbers, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        digest = (digest ^ (uint32_t)numbers[i]) * 0x9e3779b97f4a7c15u;
        digest ^= digest >> 29;
    }
    return digest;
}

struct vote {
    uint64_t context; /* rank 0's counts */
    uint64_t digest;
    int err;
};

/* *made stays NULL if this process is not in it. */
static int prepare(const struct tf_making *m, struct tf_comm **made)
{
    int *processes = tf_alloc((size_t)m->size * sizeof *processes, "the processes of a topology");
    if (!processes)
        return MPI_ERR_NO_MEM;
    for (int r = 0; r < m->size; r++)
        processes[r] = m->comm->group->processes[m->ranks ? m->ranks[r] : r];
    struct tf_group *group = tf_group_create_object(m->size, processes);
    if (!group)
        return MPI_ERR_NO_MEM;
    int err = MPI_SUCCESS;
    if (group->rank != MPI_UNDEFINED) {
        *made = tf_comm_prepare(group, NULL, false, m->comm);
        err = *made ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    tf_group_release(group);
    if (*made)
        (*made)->topo = tf_topo_retain(m->topo);
    return *made && m->info ? tf_comm_set_info(*made, m->info) : err;
}

static int count_votes(const struct tf_making *m, const struct vote *votes, int err)
{
    for (int r = 0; r < m->comm->size && !err; r++) {
        if (votes[r].err)
            err = tf_error(votes[r].err,
                           "rank %d of %s has an error in this call, so that no process gets the new "
                           "communicator",
                           r, tf_comm_describe(m->comm));
        else if (votes[r].digest != votes[0].digest)
            err =
                tf_error(MPI_ERR_ARG, "ranks 0 and %d of %s give different %s", r, tf_comm_describe(m->comm), m->what);
    }
    return err ? err : tf_newcomm_context_check(votes[0].context);
}

/* Nobody has an error: then *context is the same on all. */
static int agree(const struct tf_making *m, int err, uint64_t *context)
{
    struct vote mine = {.err = err, .digest = m->digest}, *votes;
    votes = tf_alloc((size_t)m->comm->size * sizeof *votes, "the processes of a topology");
    if (!votes)
        return tf_coll_give_up(m->comm, MPI_ERR_NO_MEM);
    if (m->comm->rank == 0)
        mine.context = tf_newcomm_context_take();
    int failed = tf_coll_allgather_bytes(m->comm, m->caller, &mine, sizeof mine, votes);
    err = failed ? failed : count_votes(m, votes, err);
    *context = votes[0].context;
    free(votes);
    return err;
}

int tf_topo_make(const struct tf_making *making, int err, MPI_Comm *newcomm)
{
    struct tf_comm *made = NULL;
    uint64_t context = 0;
    if (!err)
        err = prepare(making, &made);
    err = agree(making, err, &context);
    err = tf_newcomm_deliver(err, made, context, newcomm);
    tf_topo_release(making->topo);
    return err;
}
