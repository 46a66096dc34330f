/* failed.c - which processes of a communicator have died, and which of these the program knows of. */
#include "comm/group.h"
#include "msg/lost.h"
#include "msg/progress.h"
#include "survive/survive.h"

static void look(void)
{
    tf_msg_look_soon();
    tf_msg_progress();
}

/* The first n. */
static int group_of(const struct tf_comm *comm, int n, MPI_Group *group)
{
    int *processes = tf_alloc((size_t)(n ? n : 1) * sizeof *processes, "the ranks of a group");
    if (!processes)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < n; i++)
        processes[i] = comm->joint->group->processes[tf_lost_rank(comm, i)];
    return tf_group_deliver(n, processes, comm->group, group);
}

int tf_comm_get_failed(const struct tf_comm *comm, MPI_Group *failedgrp)
{
    look();
    return group_of(comm, tf_lost_count(comm), failedgrp);
}

int tf_comm_ack_failed(struct tf_comm *comm, int num_to_ack, int *num_acked)
{
    if (num_to_ack < 0)
        return tf_error(MPI_ERR_ARG, "num_to_ack is %d; it must be at least 0", num_to_ack);
    look();
    int known = tf_lost_count(comm);
    tf_lost_acknowledge(comm, num_to_ack < known ? num_to_ack : known);
    *num_acked = comm->acknowledged;
    return MPI_SUCCESS;
}

int tf_comm_failure_ack(struct tf_comm *comm)
{
    look();
    tf_lost_acknowledge(comm, tf_lost_count(comm));
    return MPI_SUCCESS;
}

int tf_comm_failure_get_acked(const struct tf_comm *comm, MPI_Group *failedgrp)
{
    return group_of(comm, comm->acknowledged, failedgrp);
}
