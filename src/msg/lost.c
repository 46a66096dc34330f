/* lost.c - see lost.h. */
#include "msg/lost.h"

#include <stdio.h>

#include "base/settings.h"
#include "comm/part.h"
#include "msg/await.h"
#include "msg/fingerprint.h"
#include "msg/match.h"
#include "msg/progress.h"
#include "msg/request.h"
#include "msg/revoked.h"

/* ---- in words ---- */

static int rank_of(const struct tf_comm *comm, const struct tf_peer *peer)
{
    for (int r = 0; r < comm->npeers; r++)
        if (comm->peers[r] == peer)
            return r;
    return MPI_UNDEFINED;
}

static int gone(const struct tf_comm *comm, const struct tf_peer *peer)
{
    return tf_error(MPIX_ERR_PROC_FAILED, "rank %d of %s is gone: %s", rank_of(comm, peer), tf_comm_describe(comm),
                    tf_failure_words(peer));
}

void tf_lost_say_revoked(const struct tf_comm *comm, struct tf_peer *peer)
{
    struct tf_header word = {.kind = TF_MSG_REVOKE, .tag = comm->remote != NULL, .context = comm->context};
    if (!tf_out_say(peer, &word, NULL))
        tf_fatal(1, "treefold[%d]: no memory to say that %s is revoked", tf_job.rank, tf_comm_describe(comm));
}

/* Who had heard the word before it had the communicator answers by it at once, and may be heard before the word itself
 * is, which others send.  Nobody is told that a communicator is revoked where it is not (MPIX_Comm_is_revoked, what is
 * left in MPI_Comm_free): this process gives itself the word. */
static void take_as_revoked(const struct tf_comm *comm)
{
    const struct tf_match *before = tf_match_of(comm->context - 1);
    bool is_joint = before && before->comm->joint == comm;
    tf_lost_say_revoked(is_joint ? before->comm : comm, tf_net_peer(tf_job.rank));
}

static int revoked(const struct tf_comm *comm)
{
    if (comm->maker)
        return revoked(comm->maker);
    if (comm->match->broken != MPIX_ERR_REVOKED)
        take_as_revoked(comm);
    if (comm->hidden && tf_lost_count(comm) > 0)
        return gone(comm, comm->peers[tf_lost_rank(comm, 0)]);
    if (comm->hidden)
        return tf_error(MPIX_ERR_PROC_FAILED, "a process of %s is gone", tf_comm_describe(comm));
    return tf_error(MPIX_ERR_REVOKED, "%s has been revoked", tf_comm_describe(comm));
}

int tf_lost_error(const struct tf_comm *comm, const struct tf_peer *peer)
{
    if (comm->match->broken == MPIX_ERR_REVOKED)
        return revoked(comm);
    return gone(comm, peer);
}

int tf_lost_send(const struct tf_send *send)
{
    const struct tf_comm *comm = tf_match_of(send->header.context)->comm;
    return tf_failure_is(send->peer) ? tf_lost_error(comm, send->peer) : revoked(comm);
}

void tf_lost_note(struct tf_recv *recv, const struct tf_peer *peer)
{
    if (recv->comm && !recv->error)
        recv->error = tf_lost_error(recv->comm, peer);
}

void tf_lost_fail(struct tf_recv *recv, const struct tf_peer *peer)
{
    tf_lost_note(recv, peer);
    recv->done(recv);
}

int tf_lost_broken(const struct tf_comm *comm)
{
    if (comm->match->broken == MPIX_ERR_REVOKED || comm->joint->match->broken == MPIX_ERR_REVOKED)
        return revoked(comm);
    int rank = tf_lost_count(comm) > 0 ? tf_lost_rank(comm, 0) : comm->joint->rank;
    return tf_lost_error(comm->joint, comm->joint->peers[rank]);
}

int tf_lost_culprit(const struct tf_comm *comm, int err)
{
    if (err == MPIX_ERR_REVOKED || (err == MPIX_ERR_PROC_FAILED && comm->match->broken == MPIX_ERR_REVOKED))
        return TF_FINGERPRINT_NOBODY;
    return err == MPIX_ERR_PROC_FAILED && tf_lost_count(comm) > 0 ? tf_lost_rank(comm, 0) : comm->rank;
}

int tf_lost_explains(const struct tf_comm *comm)
{
    if (!tf_settings.keep_going)
        return MPI_SUCCESS;
    tf_failure_look(); /* before it called the other one had heard of it */
    for (int r = 0; r < comm->joint->npeers; r++)
        if (comm->joint->peers[r]->failed)
            return tf_lost_error(comm->joint, comm->joint->peers[r]);
    return MPI_SUCCESS;
}

int tf_lost_told(const struct tf_comm *comm, int culprit)
{
    if (culprit == TF_FINGERPRINT_NOBODY)
        return revoked(comm);
    tf_failure_look(); /* the launcher may know already how it ended */
    return tf_lost_error(comm, comm->peers[culprit]);
}

int tf_lost_wild(const struct tf_comm *comm, int err)
{
    int rank = tf_lost_rank(comm, comm->acknowledged);
    return tf_error(err, "the sender may be any rank of %s, and of those %s, which was not acknowledged",
                    tf_comm_describe(comm), tf_failure_words(comm->joint->peers[rank]));
}

/* ---- whom it matters to ---- */

static int place_of(const struct tf_comm *comm, int failure)
{
    int process = tf_failure_process(failure);
    return process == MPI_UNDEFINED ? MPI_UNDEFINED : rank_of(comm->joint, tf_net_peer(process));
}

int tf_lost_count(const struct tf_comm *comm)
{
    int n = 0;
    for (int i = 0; i < tf_failure_count; i++)
        n += place_of(comm, i) != MPI_UNDEFINED;
    return n;
}

int tf_lost_rank(const struct tf_comm *comm, int i)
{
    int rank = MPI_UNDEFINED;
    for (int f = 0; f < tf_failure_count && i >= 0; f++) {
        rank = place_of(comm, f);
        i -= rank != MPI_UNDEFINED;
    }
    return rank;
}

/* ---- receives ---- */

static bool needs(const struct tf_recv *recv, const struct tf_peer *peer)
{
    return recv->source >= 0 && recv->comm->peers[recv->source] == peer;
}

static void end_recv(struct tf_recv *recv, int err)
{
    tf_recv_withdraw(recv);
    tf_point_calm(recv);
    recv->error = err;
    recv->matched_source = recv->source;
    recv->matched_tag = recv->tag;
    recv->total = recv->received = 0;
    recv->done(recv);
}

static bool is_wild(const struct tf_recv *recv)
{
    return recv->source == MPI_ANY_SOURCE && recv->tag > TF_TAG_INTERNAL;
}

/* Whether it will never find a message; it has ended then. */
static bool refuse(struct tf_recv *recv)
{
    const struct tf_comm *comm = recv->comm;
    const struct tf_peer *peer = recv->source >= 0 ? comm->peers[recv->source] : NULL;
    if (comm->match->broken != MPIX_ERR_REVOKED && !(peer && tf_failure_is(peer)))
        return false;
    recv->link = NULL;
    end_recv(recv, comm->match->broken == MPIX_ERR_REVOKED ? revoked(comm) : tf_lost_error(comm, peer));
    return true;
}

void tf_lost_post(struct tf_recv *recv)
{
    if (refuse(recv))
        return;
    tf_posted_append(&recv->comm->match->posted, recv);
    if (is_wild(recv) && tf_lost_any(recv->comm))
        tf_point_alarm(recv);
}

/* Who is called at the end may post others and end some. */
static void end_those_from(struct tf_match *match, const struct tf_peer *peer)
{
    struct tf_recv *recv = match->posted.first;
    while (recv)
        if (needs(recv, peer)) {
            end_recv(recv, tf_lost_error(match->comm, peer));
            recv = match->posted.first;
        } else
            recv = recv->next;
}

static void alarm_wild(struct tf_match *match)
{
    struct tf_recv *recv = match->posted.first;
    while (recv) {
        struct tf_recv *next = recv->next;
        if (is_wild(recv) && tf_point_alarm(recv))
            next = match->posted.first;
        recv = next;
    }
}

static void end_all(struct tf_match *match)
{
    while (match->posted.first)
        end_recv(match->posted.first, revoked(match->comm));
}

/* Whoever sends to its processes looks closely. */
static void revoke(struct tf_match *match)
{
    for (int r = 0; r < match->comm->npeers; r++)
        match->comm->peers[r]->tx.until_turn = 0;
    tf_revoked_any++;
    tf_match_refuse(match);
    end_all(match);
}

void tf_lost_acknowledge(struct tf_comm *comm, int n)
{
    if (n <= comm->acknowledged)
        return;
    comm->acknowledged = n;
    if (tf_lost_any(comm))
        return;
    for (struct tf_recv *recv = comm->match->posted.first; recv; recv = recv->next)
        if (recv->source == MPI_ANY_SOURCE)
            tf_point_calm(recv);
}

/* ---- a communicator ---- */

/* Announced by one who does not answer any more. */
static void forget_announced(struct tf_match *match, const struct tf_peer *peer)
{
    for (struct tf_unexpected *m = match->unexpected.list.first, *next; m; m = next) {
        next = m->next;
        if (m->peer == peer && m->header.kind == TF_MSG_RTS)
            tf_match_forget(match, m);
    }
}

void tf_lost_break(struct tf_match *match, int err)
{
    if (match->broken == MPIX_ERR_REVOKED)
        return;
    if (!match->broken)
        tf_match_slow_down(match);
    match->broken = err;
    if (err == MPIX_ERR_REVOKED)
        revoke(match);
    tf_part_broken(match->comm);
}

static void hear_of(struct tf_match *match, struct tf_peer *peer)
{
    if (rank_of(match->comm->joint, peer) == MPI_UNDEFINED)
        return;
    tf_lost_break(match, MPIX_ERR_PROC_FAILED);
    forget_announced(match, peer);
    end_those_from(match, peer);
    if (tf_lost_any(match->comm))
        alarm_wild(match);
}

static void hear(struct tf_peer *peer)
{
    tf_out_lose(peer);
    tf_pull_lose(peer);
    tf_match_each(hear_of, peer);
}

void tf_lost_setup(void)
{
    tf_failure_call(tf_msg_look_soon);
    tf_failure_tell(hear);
}
