/* cards.c - before processes of different jobs are in one communicator, each gets the cards of all (net/others.h):
 * those of its own group by a collective, the others' through the leaders.
 */
#include "construct/newcomm.h"
#include "net/others.h"

static struct tf_card *new_cards(int n)
{
    return tf_alloc((size_t)n * sizeof(struct tf_card), "the cards of a group of processes");
}

/* Those of this process's group, on all of it. */
static int gather(struct tf_comm *comm, enum tf_caller caller, struct tf_card *own, int err)
{
    struct tf_card mine;
    if (!err)
        err = own ? tf_others_card(&mine) : MPI_ERR_NO_MEM;
    return err ? tf_coll_give_up(comm, err) : tf_coll_allgather_bytes(comm, caller, &mine, sizeof mine, own);
}

/* The leaders: an error of either, told to both. */
static int trade(const struct tf_meeting *meeting, const struct tf_card *own, int n, struct tf_card *theirs, int m,
                 int err)
{
    int others = MPI_SUCCESS;
    int failed = meeting->exchange(meeting, &err, sizeof err, &others, sizeof others);
    if (err || failed)
        return err ? err : failed;
    if (others)
        return tf_error(others == MPI_ERR_NO_MEM ? others : MPI_ERR_OTHER,
                        "a process of the other group %s, so that no process gets the new communicator",
                        others == MPI_ERR_NO_MEM ? "ran out of memory" : "cannot be reached by other jobs");
    return meeting->exchange(meeting, own, (size_t)n * sizeof *own, theirs, (size_t)m * sizeof *theirs);
}

/* What the leader has learnt goes to its group. */
static int spread(struct tf_comm *comm, int leader, enum tf_caller caller, struct tf_card *theirs, int m, int err)
{
    int told = err;
    int failed = tf_coll_bcast_bytes(comm, caller, &told, sizeof told, leader);
    if (failed)
        return failed;
    if (told)
        return err ? err
                   : tf_error(told, "rank %d of %s, the leader, reports an error", leader, tf_comm_describe(comm));
    return tf_coll_bcast_bytes(comm, caller, theirs, (size_t)m * sizeof *theirs, leader);
}

int tf_newcomm_trade_cards(struct tf_comm *comm, int leader, enum tf_caller caller, const struct tf_meeting *meeting,
                           int remote_size, int err)
{
    struct tf_card *own = new_cards(comm->size), *theirs = new_cards(remote_size);
    int failed = gather(comm, caller, own, err ? err : theirs ? MPI_SUCCESS : MPI_ERR_NO_MEM);
    err = failed;
    if (comm->rank == leader)
        err = trade(meeting, own, comm->size, theirs, remote_size, failed);
    if (!failed) /* otherwise all of the group know it */
        err = spread(comm, leader, caller, theirs, remote_size, err);
    if (!err)
        err = tf_others_know(own, comm->size);
    if (!err)
        err = tf_others_know(theirs, remote_size);
    free(own);
    free(theirs);
    return err;
}
