/* leave.c - see leave.h. */
#include "msg/leave.h"

#include "comm/group.h"
#include "launch/launch.h"
#include "msg/await.h"
#include "msg/peer.h"
#include "net/failure.h"
#include "net/others.h"

static void hear(struct tf_peer *peer, const struct tf_header *header, void *payload)
{
    const struct tf_card *card = tf_others_card_of(peer);
    (void)header, (void)payload;
    if (card)
        tf_others_of(tf_process_number(&card->process))->heard = true;
}

void tf_leave_setup(void)
{
    tf_net_handle(TF_MSG_LEAVE, hear);
}

static bool has_talked(const struct tf_peer *peer)
{
    return peer->net && (tf_ring_sent(&peer->tx) > 0 || tf_ring_taken(&peer->rx) > 0);
}

/* Behind everything else that waits to go there. */
static bool tell(struct tf_peer *peer)
{
    const struct tf_msg_peer *mine = tf_msg_peer(peer);
    if (mine->first_out || mine->streams || !tf_net_reserve(peer, 0))
        return false;
    tf_net_commit(peer, &(struct tf_header){.kind = TF_MSG_LEAVE});
    return true;
}

struct leaving {
    const int *processes;
    int n;
    int at; /* who is waited for */
};

/* Whom there is anything to say to: perhaps only by now, as the first word of theirs has come. */
static bool tell_all(const struct leaving *leaving)
{
    bool any = false;
    for (int i = 0; i < leaving->n; i++) {
        struct tf_peer *peer = tf_net_peer(leaving->processes[i]);
        struct tf_other *other = tf_others_of(leaving->processes[i]);
        if (!other->told && has_talked(peer))
            any |= other->told = tell(peer);
    }
    return any;
}

static bool is_over(void *state, bool *moved)
{
    const struct leaving *leaving = state;
    int process = leaving->processes[leaving->at];
    struct tf_peer *peer = tf_net_peer(process);
    const struct tf_other *other = tf_others_of(process);
    *moved |= tell_all(leaving);
    return tf_failure_is(peer) ||
           (other->told && other->heard && !(peer->net->unsent_to && peer->net->unsent_to(peer)));
}

/* Everybody is told before anybody is waited for, and meanwhile: those who are waited for may wait for others. */
static void take_leave(const int *processes, int n)
{
    struct leaving leaving = {processes, n, 0};
    tell_all(&leaving);
    for (; leaving.at < n; leaving.at++) {
        struct tf_peer *peer = tf_net_peer(processes[leaving.at]);
        if (has_talked(peer))
            tf_await(TF_AWAITS_OTHERS, peer, is_over, &leaving);
    }
    for (int i = 0; i < n; i++)
        tf_others_leave(processes[i]);
}

static int *list(int n)
{
    int *processes = calloc((size_t)n + 1, sizeof *processes);
    if (!processes)
        tf_fatal(1, "treefold[%d]: no memory to take leave of %d processes", tf_job.rank, n);
    return processes;
}

/* What becomes of a job that this process was connected with is none of its business any more. */
static void tell_launcher(const int *processes, int n)
{
    for (int i = 0; i < n; i++) {
        const struct tf_card *card = tf_others_of(processes[i])->card;
        bool last = i + 1 == n || tf_process_of(processes[i + 1]).job != tf_process_of(processes[i]).job;
        if (last && card && !tf_others_is_job_connected(processes[i]))
            tf_launch_part(card->job);
    }
}

void tf_leave_group(const struct tf_group *group)
{
    int n = 0;
    if (!group->mixed)
        return;
    int *processes = list(group->size);
    for (int r = 0; r < group->size; r++) {
        const struct tf_other *other = tf_others_of(group->processes[r]);
        if (other && other->paths == 0 && !other->freed && tf_net_peer(group->processes[r])->net)
            processes[n++] = group->processes[r];
    }
    take_leave(processes, n);
    tell_launcher(processes, n);
    free(processes);
}

void tf_leave_comm(struct tf_comm *comm)
{
    struct tf_group *group = comm->group;
    tf_group_retain(group);
    comm->parted = true;
    tf_comm_release(comm);
    tf_leave_group(group);
    tf_group_release(group);
}

void tf_leave_all(void)
{
    int n = 0, *processes = list(tf_others_count());
    for (int p = 0; (p = tf_others_next(p)) != MPI_UNDEFINED; p++)
        processes[n++] = p;
    take_leave(processes, n);
    free(processes);
}
