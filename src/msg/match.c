/* match.c - which message is for which receive (MPI-5.0 section 3.5), and what arrives.  What the two do then is in
 * meet.c, what becomes of messages without any receive in unwanted.c.
 *
 * Each communicator has two queues of each kind, both in order: receives that wait (posted), and messages that came
 * before their receive (unexpected); queue.h has how they are searched.  Point-to-point and collective messages never
 * meet.  A message of a communicator that this process has not finished creating waits in tf_match_early.
 */
#include "msg/match.h"
#include "base/listen.h"
#include "comm/part.h"
#include "msg/accord.h"
#include "msg/fetch.h"
#include "msg/fingerprint.h"
#include "msg/lost.h"
#include "msg/meet.h"
#include "msg/progress.h"
#include "msg/request.h"
#include "msg/revoked.h"
#include "msg/transfer.h"
#include "msg/unwanted.h"

enum { TABLE = 1024 };
static struct tf_match *table[TABLE];
struct tf_messages tf_match_early = {.end = &tf_match_early.first};

uint32_t tf_match_posted, tf_match_unexpected;
uint64_t tf_match_collectives;

static struct tf_match **table_place(uint64_t context)
{
    return &table[(context ^ context >> 32) % TABLE];
}

struct tf_match *tf_match_of(uint64_t context)
{
    struct tf_match *m = *table_place(context);
    while (m && m->context != context)
        m = m->next;
    return m;
}

void tf_match_walk(void (*look)(const struct tf_match *match, void *state), void *state)
{
    for (int i = 0; i < TABLE; i++)
        for (const struct tf_match *m = table[i]; m; m = m->next)
            look(m, state);
}

struct tf_match *tf_match_made_of(const struct tf_comm *comm)
{
    for (int i = 0; i < TABLE; i++)
        for (struct tf_match *m = table[i]; m; m = m->next)
            if (m->comm->maker == comm && m->broken != MPIX_ERR_REVOKED)
                return m;
    return NULL;
}

/* The function may end receives, but no communicator. */
void tf_match_each(void (*call)(struct tf_match *match, struct tf_peer *peer), struct tf_peer *peer)
{
    for (int i = 0; i < TABLE; i++)
        for (struct tf_match *m = table[i], *next; m; m = next) {
            next = m->next;
            call(m, peer);
        }
}

/* ---- the queue of those without a receive ---- */

static TF_COLD void tell(enum tf_news news, const struct tf_match *match, const struct tf_unexpected *message)
{
    tf_listen_tell(news, match->comm->obj.handle, (int)message->header.source, message->header.tag,
                   (int64_t)message->facts.total);
}

/* Out of the queue, by its receive or its sender. */
static void take_message(struct tf_match *match, struct tf_unexpected *message)
{
    tf_arrived_remove(&match->unexpected, message);
    tf_match_unexpected--;
    if (TF_UNLIKELY(tf_listen_to & 1u << TF_NEWS_TAKEN))
        tell(TF_NEWS_TAKEN, match, message);
}

static void queue_message(struct tf_match *match, struct tf_unexpected *message)
{
    if (tf_header_is_coll(&message->header)) {
        match->coll_kept++;
        tf_messages_append(tf_match_kept(match, message->peer), message);
    } else {
        tf_arrived_append(&match->unexpected, message);
        tf_match_unexpected++;
        if (TF_UNLIKELY(tf_listen_to & 1u << TF_NEWS_ARRIVED))
            tell(TF_NEWS_ARRIVED, match, message);
    }
}

/* ---- one that is broken ---- */

void tf_match_slow_down(struct tf_match *match)
{
    struct tf_unexpected *stop = calloc(1, sizeof *stop);
    if (!stop)
        tf_fatal(1, "treefold[%d]: no memory to go on with %s, of which a process has died", tf_job.rank,
                 tf_comm_describe(match->comm));
    stop->header.tag = TF_TAG_INTERNAL - 1;
    stop->header.source = (uint32_t)MPI_PROC_NULL;
    tf_arrived_append(&match->unexpected, stop);
    match->coll_kept++;
}

void tf_match_forget(struct tf_match *match, struct tf_unexpected *message)
{
    take_message(match, message);
    tf_credit_give(message);
}

/* ---- a communicator's state ---- */

static int match_create(struct tf_comm *comm)
{
    struct tf_match *match = comm->match = tf_alloc(sizeof *match, "a communicator's message queues");
    if (!match)
        return MPI_ERR_NO_MEM;
    *match = (struct tf_match){.comm = comm};
    tf_posted_open(&match->posted);
    tf_posted_open(&match->coll_posted);
    tf_messages_open(&match->unexpected.list);
    for (int i = 0; i < TF_KEPT_LISTS; i++)
        tf_messages_open(&match->coll_unexpected[i]);
    return MPI_SUCCESS;
}

static void match_start(struct tf_comm *comm)
{
    struct tf_match *match = comm->match, **place = table_place(comm->context);
    match->context = comm->context;
    match->next = *place;
    *place = match;
    if (TF_UNLIKELY(tf_failure_count > 0) && tf_lost_count(comm) > 0)
        tf_lost_break(match, MPIX_ERR_PROC_FAILED);
    for (struct tf_unexpected *m = tf_match_early.first, *next; m; m = next) {
        next = m->next;
        if (m->header.context == match->context) {
            tf_messages_remove(&tf_match_early, m);
            queue_message(match, m);
        }
    }
    tf_accord_open(&match->accord);
    if (TF_UNLIKELY(tf_revoked_is(match->context)))
        tf_lost_break(match, MPIX_ERR_REVOKED);
}

static void match_close(struct tf_match *match)
{
    struct tf_match **place = table_place(match->context);
    while (*place != match)
        place = &(*place)->next;
    *place = match->next;
}

static void free_messages(struct tf_messages *messages)
{
    for (struct tf_unexpected *m = messages->first, *next; m; m = next) {
        next = m->next;
        if (tf_match_is_stop(m)) {
            free(m);
            continue;
        }
        tf_match_unexpected -= !tf_header_is_coll(&m->header);
        tf_credit_give(m);
    }
}

/* Receives that are still posted are not its own. */
static void free_queues(struct tf_match *match)
{
    tf_index_free(match->posted.index);
    tf_index_free(match->coll_posted.index);
    for (int i = 0; i < TF_QUEUE_KINDS; i++)
        tf_index_free(match->unexpected.index[i]);
    free_messages(&match->unexpected.list);
    for (int i = 0; i < TF_KEPT_LISTS; i++)
        free_messages(&match->coll_unexpected[i]);
}

static int match_leave(struct tf_comm *comm)
{
    struct tf_match *match = comm->joint->match; /* that of collectives */
    /* What came for calls given up is answered as long as they are known; and that the communicator is revoked may be
     * all that is to be said of what is kept. */
    if (match && (match->accord.history.ngiven_up > 0 || match->coll_kept > 0))
        tf_msg_progress();
    return match ? tf_accord_left(&match->accord, TF_FINGERPRINT_COMM_FREE) : MPI_SUCCESS;
}

int tf_match_leave_all(void)
{
    int err = MPI_SUCCESS;
    while (tf_msg_progress())
        ;
    for (int i = 0; i < TABLE && !err; i++)
        for (struct tf_match *m = table[i]; m && !err; m = m->next)
            err = tf_accord_left(&m->accord, TF_FINGERPRINT_FINALIZE);
    for (int i = 0; i < TABLE && !err; i++)
        for (struct tf_match *m = table[i]; m && !err; m = m->next)
            err = tf_leftover_tell(m);
    return err;
}

static void match_destroy(struct tf_comm *comm)
{
    struct tf_match *match = comm->match;
    if (!match)
        return;
    tf_buffered_forget(comm);
    tf_accord_close(&match->accord);
    if (match->broken == MPIX_ERR_REVOKED)
        tf_revoked_leave(match->context);
    if (match->context)
        match_close(match);
    tf_match_collectives += comm->coll_seq;
    free_queues(match);
    free(match);
}

/* ---- a message that came before its receive ---- */

struct tf_unexpected *tf_match_find(struct tf_comm *comm, int source, int tag, bool take)
{
    struct tf_unexpected *message = tf_arrived_find(&comm->match->unexpected, source, tag);
    if (message && take)
        take_message(comm->match, message);
    return message;
}

struct tf_unexpected *tf_match_find_coll(struct tf_comm *comm, const struct tf_peer *peer, uint32_t sequence, int tag,
                                         bool take)
{
    struct tf_messages *kept = tf_match_kept(comm->match, peer);
    struct tf_unexpected *m = kept->first;
    while (m && !(m->peer == peer && m->header.sequence == sequence && m->header.tag == tag))
        m = m->next;
    if (!m || !take)
        return m;
    comm->match->coll_kept--;
    tf_messages_remove(kept, m);
    return m;
}

/* Whether it is the message of that ticket, or of that id (wire.h). */
static bool is_message(const struct tf_unexpected *m, const struct tf_peer *peer, const struct tf_header *cancel)
{
    bool by_id = m->header.kind == TF_MSG_EAGER && (m->header.flags & TF_FLAG_SYNC);
    if (m->peer != peer || tf_header_is_coll(&m->header) || m->header.context != cancel->context ||
        by_id != (cancel->flags & TF_FLAG_SYNC))
        return false;
    return by_id ? m->header.id == cancel->id : m->facts.ticket == cancel->ticket;
}

bool tf_match_take_back(const struct tf_peer *peer, const struct tf_header *cancel, uint32_t *id)
{
    struct tf_match *match = tf_match_of(cancel->context);
    struct tf_unexpected *message = match ? match->unexpected.list.first : tf_match_early.first;
    while (message && !is_message(message, peer, cancel))
        message = message->next;
    if (!message)
        return false;
    if (match)
        take_message(match, message);
    else
        tf_messages_remove(&tf_match_early, message);
    bool waits = message->header.kind == TF_MSG_RTS || (message->header.flags & TF_FLAG_SYNC);
    *id = waits ? message->header.id : 0;
    tf_credit_give(message);
    return true;
}

/* ---- receives are posted ---- */

/* Where messages may overtake each other, one whose data are here comes before one whose sender still has them. */
static struct tf_unexpected *find_for(const struct tf_recv *recv)
{
    struct tf_match *match = recv->comm->match;
    struct tf_unexpected *first = tf_arrived_find(&match->unexpected, recv->source, recv->tag);
    if (first && TF_UNLIKELY(recv->comm->asserted & TF_ASSERTS_OVERTAKING) &&
        tf_header_is_announcement(&first->header) && !(first->header.flags & TF_FLAG_TOLD))
        first = tf_arrived_pass(first, recv->source, recv->tag);
    if (first)
        take_message(match, first);
    return first;
}

/* A function of its own, so that the other way has no registers to save. */
static __attribute__((noinline)) void post_where_some_wait(struct tf_recv *recv)
{
    struct tf_unexpected *message = find_for(recv);
    recv->link = NULL;
    if (message)
        tf_recv_take(recv, message);
    else if (!recv->comm->match->broken)
        tf_posted_append(&recv->comm->match->posted, recv);
    else
        tf_lost_post(recv);
}

void tf_recv_post(struct tf_recv *recv)
{
    recv->collective = false;
    if (TF_UNLIKELY(recv->comm->match->unexpected.list.first))
        post_where_some_wait(recv);
    else
        tf_posted_append(&recv->comm->match->posted, recv);
}

void tf_recv_post_coll(struct tf_recv *recv)
{
    struct tf_unexpected *message = NULL;
    recv->link = NULL;
    recv->collective = true;
    if (recv->comm->match->coll_kept)
        message = tf_match_find_coll(recv->comm, recv->peer, recv->sequence, recv->tag, true);
    if (message) {
        tf_recv_meet(recv, message->peer, &message->header, &message->facts, message->data);
        tf_credit_give(message);
    } else
        tf_posted_append(&recv->comm->match->coll_posted, recv);
}

bool tf_recv_withdraw(struct tf_recv *recv)
{
    if (!recv->link)
        return false;
    struct tf_match *match = recv->comm->match;
    tf_posted_withdraw(recv->collective ? &match->coll_posted : &match->posted, recv);
    return true;
}

/* ---- arrival ---- */

/* The sender of a collective's message gave it up after it had offered its memory: that must not be read any more. */
static TF_COLD bool revoke(const struct tf_match *match, const struct tf_peer *peer, const struct tf_header *h)
{
    struct tf_unexpected *m = match ? tf_match_kept((struct tf_match *)match, peer)->first : tf_match_early.first;
    while (m && !(m->peer == peer && m->header.kind == TF_MSG_COLL_RTS && m->header.context == h->context &&
                  m->header.sequence == h->sequence && m->header.tag == h->tag))
        m = m->next;
    if (m)
        m->facts.fingerprint = h->fingerprint;
    return m || tf_pull_revoke(peer, h);
}

static void keep(struct tf_match *match, struct tf_peer *peer, const struct tf_header *h, const struct tf_rts *facts,
                 const void *payload)
{
    if (h->kind == TF_MSG_COLL && tf_fingerprint_is_given_up(facts->fingerprint) && revoke(match, peer, h))
        return;
    if (TF_UNLIKELY(tf_unwanted_is_revoked(match, h->context))) {
        tf_unwanted_refuse(peer, h);
        return;
    }
    if (match && tf_header_is_coll(h) && tf_accord_is_stray(&match->accord, peer, h->sequence, facts->fingerprint)) {
        tf_unwanted_discard(peer, h);
        return;
    }
    struct tf_unexpected *message = TF_UNLIKELY(tf_fetch_waiting) && match ? tf_fetch(peer, h, facts) : NULL;
    if (message) {
        queue_message(match, message);
        return;
    }
    size_t length = tf_header_is_announcement(h) ? h->length - sizeof *facts : h->length;
    message = tf_credit_take(peer, h, length);
    if (!message && match && tf_header_is_coll(h) && tf_accord_note_lost(&match->accord, peer, h->sequence)) {
        tf_unwanted_discard(peer, h);
        return;
    }
    if (!message && !tf_header_is_coll(h)) {
        message = tf_credit_take_lost(peer, h);
        length = 0;
    }
    if (!message)
        tf_fatal(1, "no memory to keep a message of %zu bytes from rank %d of the job that has no receive yet", length,
                 peer->rank);
    message->facts = *facts;
    if (length)
        memcpy(message->data, payload, length);
    if (match)
        queue_message(match, message);
    else
        tf_messages_append(&tf_match_early, message);
}

static __attribute__((noinline)) void arrive_among_many(struct tf_match *match, struct tf_peer *peer,
                                                        const struct tf_header *h, const struct tf_rts *facts,
                                                        void *payload)
{
    struct tf_recv *recv = match ? tf_posted_take(&match->posted, h) : NULL;
    if (recv)
        tf_recv_meet(recv, peer, h, facts, payload);
    else
        keep(match, peer, h, facts, payload);
}

static inline void arrive(struct tf_peer *peer, const struct tf_header *h, void *payload, bool announced)
{
    struct tf_match *match = tf_match_of(h->context);
    struct tf_rts facts;
    payload = tf_header_facts(h, payload, announced, &facts);
    struct tf_recv *recv = match ? tf_posted_take_first(&match->posted, h) : NULL;
    if (recv)
        tf_recv_meet(recv, peer, h, &facts, payload);
    else
        arrive_among_many(match, peer, h, &facts, payload);
}

static void arrive_eager(struct tf_peer *peer, const struct tf_header *h, void *payload)
{
    arrive(peer, h, payload, false);
}

static void arrive_announced(struct tf_peer *peer, const struct tf_header *h, void *payload)
{
    arrive(peer, h, payload, true);
}

static void arrive_coll(struct tf_peer *peer, const struct tf_header *h, void *payload)
{
    struct tf_match *match = tf_match_of(h->context);
    struct tf_rts facts;
    payload = tf_header_facts(h, payload, tf_header_is_announcement(h), &facts);
    struct tf_recv *recv = match ? tf_posted_take_coll(&match->coll_posted, peer, h) : NULL;
    if (recv)
        tf_recv_meet(recv, peer, h, &facts, payload);
    else
        keep(match, peer, h, &facts, payload);
}

void tf_match_setup(void)
{
    static const struct tf_part part = {
        .create = match_create, .start = match_start, .leave = match_leave, .destroy = match_destroy};
    tf_part_hang(TF_PART_MATCH, &part);
    tf_net_handle(TF_MSG_EAGER, arrive_eager);
    tf_net_handle(TF_MSG_RTS, arrive_announced);
    tf_net_handle(TF_MSG_COLL, arrive_coll);
    tf_net_handle(TF_MSG_COLL_RTS, arrive_coll);
}
