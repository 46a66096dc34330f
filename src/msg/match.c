/* match.c - which message meets which receive (MPI-5.0 section 3.5), and what arrives.
 *
 * Each communicator has two lists of each kind, both in order: receives that wait (posted), and messages that came
 * before their receive (unexpected); point-to-point and collective messages never meet.  A message of a communicator
 * that this process has not finished creating waits in `early`.
 */
#include "msg/match.h"
#include "comm/part.h"
#include "msg/accord.h"
#include "msg/fingerprint.h"
#include "msg/progress.h"
#include "msg/request.h"
#include "msg/transfer.h"

enum { TABLE = 64 };
static struct tf_match *table[TABLE];
static struct tf_unexpected *early, **early_end = &early;

uint32_t tf_match_posted;

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

/* ---- lists ---- */

static void append_recv(struct tf_recv *recv, struct tf_recv ***end)
{
    tf_match_posted++;
    recv->next = NULL;
    recv->link = *end;
    **end = recv;
    *end = &recv->next;
}

static void unlink_recv(struct tf_recv *recv, struct tf_recv ***end)
{
    tf_match_posted--;
    *recv->link = recv->next;
    if (recv->next)
        recv->next->link = recv->link;
    else
        *end = recv->link;
    recv->link = NULL;
}

static struct tf_unexpected *unlink_message(struct tf_unexpected **place, struct tf_unexpected ***end)
{
    struct tf_unexpected *message = *place;
    *place = message->next;
    if (*end == &message->next)
        *end = place;
    return message;
}

static void append_message(struct tf_unexpected *message, struct tf_unexpected ***end)
{
    message->next = NULL;
    **end = message;
    *end = &message->next;
}

static bool is_coll(const struct tf_header *h)
{
    return h->kind == TF_MSG_COLL || h->kind == TF_MSG_COLL_RTS;
}

static bool is_announcement(const struct tf_header *h)
{
    return h->kind == TF_MSG_RTS || h->kind == TF_MSG_COLL_RTS;
}

static void queue_message(struct tf_match *match, struct tf_unexpected *message)
{
    if (is_coll(&message->header)) {
        match->coll_kept++;
        append_message(message, &tf_match_kept(match, message->peer)->end);
    } else {
        append_message(message, &match->unexpected_end);
    }
}

/* ---- a communicator's state ---- */

static int match_create(struct tf_comm *comm)
{
    struct tf_match *match = comm->match = tf_alloc(sizeof *match, "a communicator's message queues");
    if (!match)
        return MPI_ERR_NO_MEM;
    *match = (struct tf_match){.comm = comm};
    match->posted_end = &match->posted;
    match->unexpected_end = &match->unexpected;
    match->coll_posted_end = &match->coll_posted;
    for (int i = 0; i < TF_KEPT_LISTS; i++)
        match->coll_unexpected[i].end = &match->coll_unexpected[i].first;
    return MPI_SUCCESS;
}

static void match_start(struct tf_comm *comm)
{
    struct tf_match *match = comm->match, **place = table_place(comm->context);
    match->context = comm->context;
    match->next = *place;
    *place = match;
    for (struct tf_unexpected **p = &early; *p;) {
        if ((*p)->header.context == match->context)
            queue_message(match, unlink_message(p, &early_end));
        else
            p = &(*p)->next;
    }
}

static void match_close(struct tf_match *match)
{
    struct tf_match **place = table_place(match->context);
    while (*place != match)
        place = &(*place)->next;
    *place = match->next;
}

static void free_messages(struct tf_unexpected *m)
{
    while (m) {
        struct tf_unexpected *next = m->next;
        tf_credit_give(m);
        m = next;
    }
}

static int match_leave(struct tf_comm *comm)
{
    struct tf_match *match = comm->joint->match;      /* that of collectives */
    if (match && match->accord.history.ngiven_up > 0) /* what came for these is answered as long as they are known */
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
    if (match->context)
        match_close(match);
    free_messages(match->unexpected);
    for (int i = 0; i < TF_KEPT_LISTS; i++)
        free_messages(match->coll_unexpected[i].first);
    free(match);
}

/* ---- a receive and its message ---- */

/* MPI_ANY_TAG matches what users sent, not the library's own messages. */
static bool fits(int source, int tag, const struct tf_header *h)
{
    return (source == (int)h->source || source == MPI_ANY_SOURCE) &&
           (tag == h->tag || (tag == MPI_ANY_TAG && h->tag >= 0));
}

static bool fits_coll(const struct tf_recv *recv, const struct tf_peer *peer, const struct tf_header *h)
{
    return recv->peer == peer && recv->sequence == h->sequence && recv->tag == h->tag;
}

static void put_bytes(struct tf_recv *recv, void *data, size_t length)
{
    if (recv->received >= recv->capacity)
        return;
    if (length > recv->capacity - recv->received)
        length = recv->capacity - recv->received;
    if (!recv->type)
        memcpy(recv->buf + recv->position + recv->received, data, length);
    else
        tf_type_unpack(recv->type, recv->buf, recv->count, recv->position + recv->received, data, length);
}

void tf_recv_consume(struct tf_recv *recv, void *data, size_t length)
{
    if (length == 0) /* a signal has no buffer */
        return;
    if (recv->sink)
        recv->sink(recv, data, length);
    else
        put_bytes(recv, data, length);
    recv->received += length;
}

static TF_COLD void too_long(struct tf_recv *recv, const struct tf_header *h)
{
    recv->error = tf_error(MPI_ERR_TRUNCATE,
                           "message of %zu bytes from rank %d with tag %d is longer than the receive buffer of %zu "
                           "bytes",
                           recv->total, (int)h->source, h->tag, recv->capacity);
}

static bool is_to_be_read(const struct tf_recv *recv, const struct tf_rts *facts)
{
    return facts->address && !recv->echo && (recv->pull || recv->peer->net->expose);
}

static void compare(struct tf_recv *recv, const struct tf_rts *facts)
{
    recv->error = tf_accord_check(recv->comm, recv->sequence, recv->fingerprint, recv->capacity, recv->peer,
                                  facts->fingerprint, facts->total);
    if (TF_UNLIKELY(recv->error))
        recv->fingerprint = facts->fingerprint;
}

/* The payload of an RTS is its key. */
static void meet(struct tf_recv *recv, struct tf_peer *peer, const struct tf_header *h, const struct tf_rts *facts,
                 void *payload)
{
    size_t total = facts->total;
    recv->peer = peer;
    recv->matched_source = (int)h->source;
    recv->matched_tag = h->tag;
    recv->total = total;
    recv->received = 0;
    recv->error = MPI_SUCCESS;
    if (is_coll(h))
        compare(recv, facts);
    else if (TF_UNLIKELY(total > recv->capacity))
        too_long(recv, h);
    recv->echo = recv->echo && (h->flags & TF_FLAG_ECHO) && !recv->error;
    if (recv->met)
        recv->met(recv);
    if (is_announcement(h)) {
        recv->sender_id = h->id;
        if (total == 0 || (facts->address && recv->error && is_coll(h))) {
            tf_recv_answer(recv, TF_MSG_ACK); /* nothing is to come, or what would come is of no use */
        } else if (is_to_be_read(recv, facts)) {
            tf_pull_start(recv, h, facts, payload);
        } else {
            tf_recv_clear(recv);
        }
        return;
    }
    tf_recv_consume(recv, payload, total);
    if (h->flags & TF_FLAG_SYNC) {
        recv->sender_id = h->id;
        tf_recv_answer(recv, TF_MSG_ACK);
        return;
    }
    recv->done(recv);
}

void tf_recv_void(struct tf_recv *recv, uint32_t word)
{
    if (!recv->comm || recv->error)
        return;
    recv->error = tf_accord_mismatch(recv->comm, recv->sequence, recv->fingerprint, 0, recv->peer, word, 0);
    recv->fingerprint = word;
}

void tf_recv_take(struct tf_recv *recv, struct tf_unexpected *message)
{
    meet(recv, message->peer, &message->header, &message->facts, message->data);
    tf_credit_give(message);
}

struct tf_unexpected *tf_match_find(struct tf_comm *comm, int source, int tag, bool take)
{
    struct tf_match *match = comm->match;
    for (struct tf_unexpected **p = &match->unexpected; *p; p = &(*p)->next)
        if (fits(source, tag, &(*p)->header))
            return take ? unlink_message(p, &match->unexpected_end) : *p;
    return NULL;
}

struct tf_unexpected *tf_match_find_coll(struct tf_comm *comm, const struct tf_peer *peer, uint32_t sequence, int tag,
                                         bool take)
{
    struct tf_kept *kept = tf_match_kept(comm->match, peer);
    for (struct tf_unexpected **p = &kept->first; *p; p = &(*p)->next) {
        const struct tf_header *h = &(*p)->header;
        if ((*p)->peer != peer || h->sequence != sequence || h->tag != tag)
            continue;
        comm->match->coll_kept -= take;
        return take ? unlink_message(p, &kept->end) : *p;
    }
    return NULL;
}

/* Whether it is the message of that ticket, or of that id (wire.h). */
static bool is_message(const struct tf_unexpected *m, const struct tf_peer *peer, const struct tf_header *cancel)
{
    bool by_id = m->header.kind == TF_MSG_EAGER && (m->header.flags & TF_FLAG_SYNC);
    if (m->peer != peer || is_coll(&m->header) || m->header.context != cancel->context ||
        by_id != (cancel->flags & TF_FLAG_SYNC))
        return false;
    return by_id ? m->header.id == cancel->id : m->facts.ticket == cancel->ticket;
}

bool tf_match_take_back(const struct tf_peer *peer, const struct tf_header *cancel, uint32_t *id)
{
    struct tf_match *match = tf_match_of(cancel->context);
    struct tf_unexpected **p = match ? &match->unexpected : &early;
    while (*p && !is_message(*p, peer, cancel))
        p = &(*p)->next;
    if (!*p)
        return false;
    struct tf_unexpected *message = unlink_message(p, match ? &match->unexpected_end : &early_end);
    bool waits = message->header.kind == TF_MSG_RTS || (message->header.flags & TF_FLAG_SYNC);
    *id = waits ? message->header.id : 0;
    tf_credit_give(message);
    return true;
}

/* ---- messages that nobody will receive ---- */

/* The sender of a long or synchronous message waits for an answer. */
static void discard(struct tf_peer *peer, const struct tf_header *h)
{
    if (!is_announcement(h) && !(h->flags & TF_FLAG_SYNC))
        return;
    if (!tf_out_say(peer, &(struct tf_header){.kind = TF_MSG_ACK, .id = h->id}, NULL))
        tf_fatal(1, "no memory to answer rank %d of the job, whose message nobody will receive", peer->rank);
}

static void discard_kept(struct tf_match *match, bool all)
{
    for (int i = 0; i < TF_KEPT_LISTS; i++) {
        struct tf_kept *kept = &match->coll_unexpected[i];
        for (struct tf_unexpected **p = &kept->first; *p;) {
            const struct tf_unexpected *m = *p;
            if (!all && !tf_accord_is_stray(&match->accord, m->peer, m->header.sequence, m->facts.fingerprint)) {
                p = &(*p)->next;
                continue;
            }
            struct tf_unexpected *stray = unlink_message(p, &kept->end);
            match->coll_kept--;
            discard(stray->peer, &stray->header);
            tf_credit_give(stray);
        }
    }
}

void tf_match_sift(struct tf_match *match)
{
    discard_kept(match, false);
}

void tf_match_discard_all(struct tf_match *match)
{
    discard_kept(match, true);
}

void tf_recv_post(struct tf_recv *recv)
{
    struct tf_unexpected *message = NULL;
    recv->link = NULL;
    recv->collective = false;
    if (TF_UNLIKELY(recv->comm->match->unexpected))
        message = tf_match_find(recv->comm, recv->source, recv->tag, true);
    if (message)
        tf_recv_take(recv, message);
    else
        append_recv(recv, &recv->comm->match->posted_end);
}

void tf_recv_post_coll(struct tf_recv *recv)
{
    struct tf_unexpected *message = NULL;
    recv->link = NULL;
    recv->collective = true;
    if (recv->comm->match->coll_kept)
        message = tf_match_find_coll(recv->comm, recv->peer, recv->sequence, recv->tag, true);
    if (message)
        tf_recv_take(recv, message);
    else
        append_recv(recv, &recv->comm->match->coll_posted_end);
}

bool tf_recv_withdraw(struct tf_recv *recv)
{
    if (!recv->link)
        return false;
    struct tf_match *match = recv->comm->match;
    unlink_recv(recv, recv->collective ? &match->coll_posted_end : &match->posted_end);
    return true;
}

/* ---- arrival ---- */

/* The sender of a collective's message gave it up after it had offered its memory: that must not be read any more. */
static TF_COLD bool revoke(const struct tf_match *match, const struct tf_peer *peer, const struct tf_header *h)
{
    struct tf_unexpected *m = match ? tf_match_kept((struct tf_match *)match, peer)->first : early;
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
    if (match && is_coll(h) && tf_accord_is_stray(&match->accord, peer, h->sequence, facts->fingerprint)) {
        discard(peer, h);
        return;
    }
    size_t length = is_announcement(h) ? h->length - sizeof *facts : h->length;
    struct tf_unexpected *message = tf_credit_take(peer, h, length);
    if (!message && match && is_coll(h) && tf_accord_note_lost(&match->accord, peer, h->sequence)) {
        discard(peer, h);
        return;
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
        append_message(message, &early_end);
}

/* What is announced, or what came (with a fingerprint or a ticket); the key of an announcement is left of its payload.
 */
static inline void *read_facts(const struct tf_header *h, void *payload, struct tf_rts *facts)
{
    *facts = (struct tf_rts){.total = h->length, .fingerprint = h->fingerprint};
    if (!is_announcement(h))
        return payload;
    memcpy(facts, payload, sizeof *facts);
    return (char *)payload + sizeof *facts;
}

static void arrive(struct tf_peer *peer, const struct tf_header *h, void *payload)
{
    struct tf_match *match = tf_match_of(h->context);
    struct tf_rts facts;
    payload = read_facts(h, payload, &facts);
    for (struct tf_recv *r = match ? match->posted : NULL; r; r = r->next)
        if (fits(r->source, r->tag, h)) {
            unlink_recv(r, &match->posted_end);
            meet(r, peer, h, &facts, payload);
            return;
        }
    keep(match, peer, h, &facts, payload);
}

static void arrive_coll(struct tf_peer *peer, const struct tf_header *h, void *payload)
{
    struct tf_match *match = tf_match_of(h->context);
    struct tf_rts facts;
    payload = read_facts(h, payload, &facts);
    for (struct tf_recv *r = match ? match->coll_posted : NULL; r; r = r->next)
        if (fits_coll(r, peer, h)) {
            unlink_recv(r, &match->coll_posted_end);
            meet(r, peer, h, &facts, payload);
            return;
        }
    keep(match, peer, h, &facts, payload);
}

void tf_match_setup(void)
{
    static const struct tf_part part = {
        .create = match_create, .start = match_start, .leave = match_leave, .destroy = match_destroy};
    tf_part_hang(TF_PART_MATCH, &part);
    tf_net_handle(TF_MSG_EAGER, arrive);
    tf_net_handle(TF_MSG_RTS, arrive);
    tf_net_handle(TF_MSG_COLL, arrive_coll);
    tf_net_handle(TF_MSG_COLL_RTS, arrive_coll);
}
