/* intercomm.c - MPI_Intercomm_create and MPI_Intercomm_merge (MPI-5.0 section 7.6.2).
 *
 * The two leaders exchange what their groups are and what each proposes, and tell their groups; from the same facts
 * every process draws the same conclusion.  The group whose leader comes first (tf_process_compare(): has the
 * lower rank in MPI_COMM_WORLD, where both are of one job) is the first: it has the lower ranks in the joint
 * communicator, and its leader's context id is taken.
 */
#include "comm/group.h"
#include "construct/newcomm.h"
#include "msg/msg.h"
#include "net/process.h"

/* What a leader says of its group to the other, and of the other to its group; the processes follow. */
struct introduction {
    uint64_t context; /* it proposes this */
    struct tf_process leader;
    int size;  /* of its group; 0: it failed, with this error: */
    int error; /* of the other leader: of their meeting */
    int mixed; /* processes of several jobs take part */
    int unused;
};

static int exchange(const struct tf_meeting *meeting, const void *mine, size_t send, void *theirs, size_t receive)
{
    struct tf_type *byte = tf_type_find(MPI_BYTE);
    int tag = tf_newcomm_tag(meeting->tag, true), peer = meeting->remote_leader;
    return tf_sendrecv(mine, (MPI_Count)send, byte, peer, tag, theirs, (MPI_Count)receive, byte, peer, tag,
                       meeting->peer_comm, MPI_STATUS_IGNORE);
}

static struct tf_process *new_processes(int n)
{
    return tf_alloc((size_t)n * sizeof(struct tf_process), "the processes of a group");
}

static struct tf_process *processes_of(const struct tf_group *group)
{
    struct tf_process *processes = new_processes(group->size);
    for (int r = 0; r < group->size && processes; r++)
        processes[r] = tf_process_of(group->processes[r]);
    return processes;
}

/* The leaders meet: *theirs and *members, the other group.  An error of either is in theirs->error. */
static void meet(const struct tf_group *group, const struct tf_meeting *meeting, struct introduction *mine,
                 struct introduction *theirs, struct tf_process **members)
{
    size_t each = sizeof **members;
    int other = MPI_SUCCESS;
    int err = meeting->exchange(meeting, mine, sizeof *mine, theirs, sizeof *theirs);
    struct tf_process *own = processes_of(group);
    *members = err ? NULL : new_processes(theirs->size);
    int memory = own && *members ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    if (!err)
        err = meeting->exchange(meeting, &memory, sizeof memory, &other, sizeof other);
    if (!err && other && !memory)
        tf_error(other, "the leader of the other group ran out of memory");
    if (!err && !other && !memory)
        err = meeting->exchange(meeting, own, (size_t)group->size * each, *members, (size_t)theirs->size * each);
    free(own);
    theirs->error = err ? err : memory ? memory : other;
}

/* All processes of the group have what the leader knows; *members is theirs to free. */
static int spread(struct tf_comm *comm, int leader, enum tf_caller caller, struct introduction facts[2],
                  struct tf_process **members)
{
    int err = tf_coll_bcast_bytes(comm, caller, facts, 2 * sizeof *facts, leader);
    if (!err && facts[1].error)
        err = comm->rank == leader ? facts[1].error
                                   : tf_error(facts[1].error, "rank %d of %s, the local leader, reports an error",
                                              leader, tf_comm_describe(comm));
    if (!err && comm->rank != leader && !(*members = new_processes(facts[1].size)))
        err = MPI_ERR_NO_MEM;
    return err ? tf_coll_give_up(comm, err)
               : tf_coll_bcast_bytes(comm, caller, *members, (size_t)facts[1].size * sizeof **members, leader);
}

/* The groups must have no process in common (section 7.6.2). */
static int check_disjoint(const struct tf_group *group, const struct tf_process *members, int n)
{
    for (int r = 0; r < n; r++) {
        int process = tf_process_number(&members[r]);
        if (process != MPI_UNDEFINED && tf_group_rank_of(group, process) != MPI_UNDEFINED)
            return tf_error(MPI_ERR_COMM, "the two groups overlap: rank %d of MPI_COMM_WORLD is in both", process);
    }
    return MPI_SUCCESS;
}

static int group_of(const struct tf_process *members, int n, struct tf_group **group)
{
    int *processes = tf_alloc((size_t)n * sizeof *processes, "the processes of the remote group");
    if (!processes)
        return MPI_ERR_NO_MEM;
    for (int r = 0; r < n; r++) {
        processes[r] = tf_process_number(&members[r]);
        if (processes[r] == MPI_UNDEFINED) {
            free(processes);
            return tf_error(MPI_ERR_COMM, "rank %d of the remote group is a process that this one does not know", r);
        }
    }
    *group = tf_group_create_object(n, processes);
    return *group ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static bool leads(const struct introduction facts[2])
{
    return tf_process_compare(&facts[0].leader, &facts[1].leader) < 0;
}

static uint64_t context_of(const struct introduction facts[2])
{
    return facts[leads(facts) ? 0 : 1].context;
}

static int make(struct tf_comm *comm, const struct introduction facts[2], const struct tf_process *members,
                struct tf_comm **made)
{
    struct tf_group *remote;
    int err = tf_newcomm_context_check(context_of(facts));
    if (!err)
        err = group_of(members, facts[1].size, &remote);
    if (err)
        return err;
    *made = tf_comm_prepare(comm->group, remote, leads(facts), comm);
    tf_group_release(remote);
    return *made ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* Whether all processes of both groups have come so far: those of a group ask each other, then the leaders, if they
 * have met, and these tell. */
static int agree(struct tf_comm *comm, int leader, enum tf_caller caller, const struct introduction *theirs,
                 const struct tf_meeting *meeting, int err)
{
    int mine = tf_newcomm_agree(comm, caller, err), others = MPI_SUCCESS;
    if (comm->rank == leader && !theirs->error) {
        int failed = meeting->exchange(meeting, &mine, sizeof mine, &others, sizeof others);
        others = failed ? failed : others;
    }
    if (mine)
        return tf_coll_give_up(comm, mine);
    int failed = tf_coll_bcast_bytes(comm, caller, &others, sizeof others, leader);
    if (failed)
        return failed;
    return others ? tf_error(others == MPI_ERR_NO_MEM ? others : MPI_ERR_OTHER,
                             "a process of the other group %s, so that no process gets the new communicator",
                             others == MPI_ERR_NO_MEM ? "ran out of memory" : "failed in this call")
                  : MPI_SUCCESS;
}

static int check_meeting(const struct tf_meeting *meeting)
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
    struct tf_meeting meeting = {
        .exchange = exchange, .peer_comm = tf_comm_find(peer_comm), .remote_leader = remote_leader, .tag = tag};
    int err = check_local(comm, local_leader), wrong = MPI_SUCCESS;
    if (err)
        return err;
    if (comm->rank == local_leader)
        wrong = check_meeting(&meeting);
    meeting.mixed = !wrong && meeting.peer_comm && tf_comm_mixed(meeting.peer_comm);
    return tf_intercomm_build(comm, local_leader, TF_CALLER_INTERCOMM_CREATE, &meeting, wrong, newcomm);
}

int tf_intercomm_build(struct tf_comm *comm, int leader, enum tf_caller caller, const struct tf_meeting *meeting,
                       int err, MPI_Comm *newcomm)
{
    struct introduction facts[2] = {{0}};
    struct tf_comm *made = NULL;
    struct tf_process *members = NULL;
    int overlap;
    if (comm->rank == leader) {
        facts[0] = (struct introduction){.context = tf_newcomm_context_take(),
                                         .leader = tf_process_of(tf_job.rank),
                                         .size = comm->size,
                                         .mixed = comm->group->mixed || meeting->mixed};
        facts[1].error = err;
        if (!err)
            meet(comm->group, meeting, &facts[0], &facts[1], &members);
    }
    err = spread(comm, leader, caller, facts, &members);
    if (!facts[1].error && (facts[0].mixed || facts[1].mixed))
        err = tf_newcomm_trade_cards(comm, leader, caller, meeting, facts[1].size, err);
    if (!err && (overlap = check_disjoint(comm->group, members, facts[1].size))) {
        free(members); /* all of both groups know, and who is in both could not agree with itself */
        return overlap;
    }
    if (!err)
        err = make(comm, facts, members, &made);
    err = agree(comm, leader, caller, &facts[1], meeting, err);
    free(members);
    return tf_newcomm_deliver(err, made, context_of(facts), newcomm);
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
    return tf_newcomm_context_check(sides[0].context);
}

/* The group of both, in the order that they say. */
static struct tf_group *merge(const struct tf_group *both, const struct side *sides, int first)
{
    int *processes = tf_alloc((size_t)both->size * sizeof *processes, "the ranks of a merged group");
    if (!processes)
        return NULL;
    bool swap = sides[0].high && !sides[first].high;
    for (int i = 0; i < both->size; i++)
        processes[i] = both->processes[swap ? (i + first) % both->size : i];
    return tf_group_create_object(both->size, processes);
}

static int make_merged(struct tf_comm *comm, const struct side *sides, struct tf_comm **made)
{
    int first = tf_comm_leads(comm) ? comm->size : comm->npeers;
    int err = check_sides(comm, sides, first);
    if (err)
        return err;
    struct tf_group *group = merge(comm->joint->group, sides, first);
    if (group) {
        *made = tf_comm_prepare(group, NULL, false, comm);
        tf_group_release(group);
    }
    return *made ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int tf_intercomm_merge(struct tf_comm *comm, int high, MPI_Comm *newcomm)
{
    struct tf_comm *joint = comm->joint, *made = NULL;
    if (!comm->remote)
        return tf_error(MPI_ERR_COMM, "%s is an intracommunicator; only an intercommunicator can be merged",
                        tf_comm_describe(comm));
    struct side mine = {high, joint->rank == 0 ? tf_newcomm_context_take() : 0};
    struct side *sides = tf_alloc((size_t)joint->size * sizeof *sides, "the sides of a merge");
    int err = sides ? tf_coll_allgather_bytes(joint, TF_CALLER_INTERCOMM_MERGE, &mine, sizeof mine, sides)
                    : tf_coll_give_up(joint, MPI_ERR_NO_MEM);
    if (!err)
        err = make_merged(comm, sides, &made);
    err = tf_newcomm_agree(comm, TF_CALLER_INTERCOMM_MERGE, err);
    err = tf_newcomm_deliver(err, made, err ? 0 : sides[0].context, newcomm);
    free(sides);
    return err;
}
