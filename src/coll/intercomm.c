/* intercomm.c - MPI_Intercomm_create and MPI_Intercomm_merge (MPI-5.0 section 7.6.2).
 *
 * The two leaders exchange what their groups are and what each proposes, and tell their groups; from the same facts
 * every process draws the same conclusion.  The group whose leader has the lower rank in MPI_COMM_WORLD is the first:
 * it has the lower ranks in the joint communicator, and its leader's context id is taken.
 */
#include "coll/newcomm.h"
#include "comm/group.h"
#include "msg/msg.h"

/* What a leader says of its group to the other, and of the other to its group; the ranks follow. */
struct introduction {
    uint64_t context; /* it proposes this */
    int leader, size; /* rank of the leader in MPI_COMM_WORLD, size of its group; 0: it failed, with this error: */
    int error;
};

/* Of this process's leader, which alone has the last three. */
struct meeting {
    struct tf_comm *peer_comm;
    int remote_leader, tag;
};

static int exchange(const void *mine, size_t send, void *theirs, size_t receive, const struct meeting *meeting)
{
    struct tf_type *byte = tf_type_find(MPI_BYTE);
    int tag = tf_newcomm_tag(meeting->tag, true), peer = meeting->remote_leader;
    return tf_sendrecv(mine, (MPI_Count)send, byte, peer, tag, theirs, (MPI_Count)receive, byte, peer, tag,
                       meeting->peer_comm, MPI_STATUS_IGNORE);
}

/* The leaders meet: *theirs and *world, the other group.  An error is in theirs->error too. */
static void meet(const struct tf_group *group, const struct meeting *meeting, struct introduction *mine,
                 struct introduction *theirs, int **world)
{
    *world = NULL;
    int err = exchange(mine, sizeof *mine, theirs, sizeof *theirs, meeting);
    if (!err) {
        *world = tf_alloc((size_t)theirs->size * sizeof **world, "the ranks of the remote group");
        err = *world ? exchange(group->world, (size_t)group->size * sizeof **world, *world,
                                (size_t)theirs->size * sizeof **world, meeting)
                     : MPI_ERR_NO_MEM;
    }
    theirs->error = err;
}

/* All processes of the group have what the leader knows; *world is theirs to free. */
static int spread(struct tf_comm *comm, int leader, struct introduction facts[2], int **world)
{
    int err = tf_coll_bcast_bytes(comm, facts, 2 * sizeof *facts, leader);
    if (err)
        return err;
    if (facts[1].error)
        return comm->rank == leader ? facts[1].error
                                    : tf_error(facts[1].error, "rank %d of %s, the local leader, reports an error",
                                               leader, tf_comm_describe(comm));
    size_t bytes = (size_t)facts[1].size * sizeof **world;
    if (comm->rank != leader && !(*world = tf_alloc(bytes, "the ranks of the remote group")))
        return MPI_ERR_NO_MEM;
    return tf_coll_bcast_bytes(comm, *world, bytes, leader);
}

/* The groups must have no process in common (section 7.6.2). */
static int check_disjoint(const struct tf_group *group, const struct tf_group *remote)
{
    for (int r = 0; r < remote->size; r++)
        if (tf_group_rank_of(group, remote->world[r]) != MPI_UNDEFINED)
            return tf_error(MPI_ERR_COMM, "the two groups overlap: rank %d of MPI_COMM_WORLD is in both",
                            remote->world[r]);
    return MPI_SUCCESS;
}

static int finish(struct tf_comm *comm, const struct introduction facts[2], int *world, MPI_Comm *newcomm)
{
    struct tf_group *remote = tf_group_create_object(facts[1].size, world);
    if (!remote)
        return MPI_ERR_NO_MEM;
    bool leads = facts[0].leader < facts[1].leader;
    uint64_t context = facts[leads ? 0 : 1].context;
    int err = check_disjoint(comm->group, remote);
    if (!err)
        err = tf_context_check(context);
    if (!err) {
        struct tf_comm *new = tf_comm_create_inter(comm->group, remote, leads, context, comm);
        if (new)
            *newcomm = tf_newcomm_handle(new);
        else
            err = MPI_ERR_NO_MEM;
    }
    tf_group_release(remote);
    return err;
}

static int check_meeting(const struct meeting *meeting)
{
    const struct tf_comm *peer = meeting->peer_comm;
    if (!peer)
        return tf_error(MPI_ERR_COMM, "peer_comm is no communicator; at the local leader it must be one");
    if (meeting->remote_leader < 0 || meeting->remote_leader >= peer->npeers)
        return tf_error(MPI_ERR_RANK, "remote_leader is %d; it must be between 0 and %d, the highest rank of peer_comm",
                        meeting->remote_leader, peer->npeers - 1);
    if (meeting->tag < 0)
        return tf_error(MPI_ERR_TAG, "tag is %d; it must be at least 0", meeting->tag);
    if (!peer->remote && meeting->remote_leader == peer->rank)
        return tf_error(MPI_ERR_RANK, "remote_leader is %d, which is this process itself: the two groups overlap",
                        meeting->remote_leader);
    return MPI_SUCCESS;
}

static int check_local(const struct tf_comm *comm, int leader)
{
    if (comm->remote)
        return tf_error(MPI_ERR_COMM, "local_comm is %s, an intercommunicator; it must be an intracommunicator",
                        tf_comm_describe(comm));
    if (leader < 0 || leader >= comm->size)
        return tf_error(MPI_ERR_RANK, "local_leader is %d; it must be between 0 and %d, the highest rank of %s", leader,
                        comm->size - 1, tf_comm_describe(comm));
    return MPI_SUCCESS;
}

int tf_intercomm_create(struct tf_comm *comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
                        MPI_Comm *newcomm)
{
    struct introduction facts[2] = {{0}};
    int *world = NULL;
    int err = check_local(comm, local_leader);
    if (err)
        return err;
    if (comm->rank == local_leader) {
        struct meeting meeting = {tf_comm_find(peer_comm), remote_leader, tag};
        facts[0] = (struct introduction){tf_context_take(), tf_world.rank, comm->size, MPI_SUCCESS};
        facts[1].error = check_meeting(&meeting);
        if (!facts[1].error)
            meet(comm->group, &meeting, &facts[0], &facts[1], &world);
    }
    err = spread(comm, local_leader, facts, &world);
    if (!err)
        return finish(comm, facts, world, newcomm);
    free(world);
    return err;
}

/* ---- merge ---- */

struct side {
    int high;
    uint64_t context; /* rank 0's counts */
};

static int check_sides(const struct tf_comm *comm, const struct side *sides, int first)
{
    for (int r = 0; r < comm->joint->size; r++) {
        int like = r < first ? 0 : first;
        if (!sides[r].high != !sides[like].high)
            return tf_error(MPI_ERR_ARG,
                            "high is %s on rank %d of a group and %s on rank 0; it must be the same within "
                            "a group",
                            sides[r].high ? "true" : "false", r - like, sides[r].high ? "false" : "true");
    }
    return tf_context_check(sides[0].context);
}

int tf_intercomm_merge(struct tf_comm *comm, int high, MPI_Comm *newcomm)
{
    struct tf_comm *joint = comm->joint;
    if (!comm->remote)
        return tf_error(MPI_ERR_COMM, "%s is an intracommunicator; only an intercommunicator can be merged",
                        tf_comm_describe(comm));
    struct side mine = {high, joint->rank == 0 ? tf_context_take() : 0};
    struct side *sides = tf_alloc((size_t)joint->size * sizeof *sides, "the sides of a merge");
    if (!sides)
        return MPI_ERR_NO_MEM;
    int first = tf_comm_leads(comm) ? comm->size : comm->npeers;
    int err = tf_coll_allgather_bytes(joint, &mine, sizeof mine, sides);
    if (!err)
        err = check_sides(comm, sides, first);
    int *world = err ? NULL : tf_alloc((size_t)joint->size * sizeof *world, "the ranks of a merged group");
    if (world) {
        bool swap = sides[0].high && !sides[first].high;
        for (int i = 0; i < joint->size; i++)
            world[i] = joint->group->world[swap ? (i + first) % joint->size : i];
        struct tf_group *group = tf_group_create_object(joint->size, world);
        struct tf_comm *new = group ? tf_comm_create_object(group, sides[0].context, comm, 0) : NULL;
        if (new)
            *newcomm = tf_newcomm_handle(new);
        else
            err = MPI_ERR_NO_MEM;
        if (group)
            tf_group_release(group);
    } else if (!err) {
        err = MPI_ERR_NO_MEM;
    }
    free(sides);
    return err;
}
