/* match.c - which message meets which receive (MPI-5.0 section 3.5), and what arrives.
 *
 * Each communicator has two lists of each kind, both in order: receives that wait (posted), and messages that came
 * before their receive (unexpected); point-to-point and collective messages never meet.  A message of a communicator
 * that this process has not finished creating waits in `early`.
 */
#include "msg/fingerprint.h"
#include "msg/mismatch.h"
#include "msg/request.h"

enum { TABLE = 64 };
static struct tf_match *table[TABLE];
static struct tf_unexpected *early, **early_end = &early;

/* Communicators that only other processes have. */
static struct forgotten {
    struct forgotten *next;
    uint64_t context;
} * forgotten;

uint32_t tf_match_posted;

static struct tf_match **table_place(uint64_t context)
{
    return &table[(context ^ context >> 32) % TABLE];
}

static struct tf_match *match_of(uint64_t context)
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

struct tf_match *tf_match_create(struct tf_comm *comm)
{
    struct tf_match *match = tf_alloc(sizeof *match, "a communicator's message queues");
    if (!match)
        return NULL;
    *match = (struct tf_match){.comm = comm, .context = comm->context};
    match->posted_end = &match->posted;
    match->unexpected_end = &match->unexpected;
    match->coll_posted_end = &match->coll_posted;
    for (int i = 0; i < TF_KEPT_LISTS; i++)
        match->coll_unexpected[i].end = &match->coll_unexpected[i].first;
    struct tf_match **place = table_place(comm->context);
    match->next = *place;
    *place = match;
    for (struct tf_unexpected **p = &early; *p;) {
        if ((*p)->header.context == comm->context)
            queue_message(match, unlink_message(p, &early_end));
        else
            p = &(*p)->next;
    }
    return match;
}

static void free_messages(struct tf_unexpected *m)
{
    while (m) {
        struct tf_unexpected *next = m->next;
        free(m);
        m = next;
    }
}

int tf_match_leave(struct tf_comm *comm)
{
    struct tf_match *match = comm->joint->match; /* that of collectives */
    return match ? tf_mismatch_left(match, TF_FINGERPRINT_COMM_FREE) : MPI_SUCCESS;
}

int tf_match_leave_all(void)
{
    int err = MPI_SUCCESS;
    tf_msg_progress();
    for (int i = 0; i < TABLE && !err; i++)
        for (struct tf_match *m = table[i]; m && !err; m = m->next)
            err = tf_mismatch_left(m, TF_FINGERPRINT_FINALIZE);
    return err;
}

void tf_match_destroy(struct tf_match *match)
{
    tf_buffer_forget(match->comm);
    struct tf_match **place = table_place(match->context);
    while (*place != match)
        place = &(*place)->next;
    *place = match->next;
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
    return recv->peer == peer && recv->sequence == h->source && recv->tag == h->tag;
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
        recv->error =
            tf_fingerprint_check(recv->comm, recv->fingerprint, recv->capacity, peer, facts->fingerprint, total);
    else if (TF_UNLIKELY(total > recv->capacity))
        too_long(recv, h);
    recv->echo = recv->echo && (h->flags & TF_FLAG_ECHO) && !recv->error;
    if (recv->met)
        recv->met(recv);
    if (is_announcement(h)) {
        recv->sender_id = h->id;
        if (facts->address && recv->error && is_coll(h)) {
            tf_recv_answer(recv, TF_MSG_ACK); /* what it says is of no use */
        } else if (is_to_be_read(recv, facts)) {
            tf_pull_start(recv, h, facts, payload);
        } else {
            recv->id = tf_id_take(recv);
            tf_recv_answer(recv, TF_MSG_CTS);
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

void tf_recv_take(struct tf_recv *recv, struct tf_unexpected *message)
{
    meet(recv, message->peer, &message->header, &message->facts, message->data);
    free(message);
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
        if ((*p)->peer != peer || h->source != sequence || h->tag != tag)
            continue;
        comm->match->coll_kept -= take;
        return take ? unlink_message(p, &kept->end) : *p;
    }
    return NULL;
}

/* Whether it is the message of that number, or of that id (wire.h). */
static bool is_message(const struct tf_unexpected *m, const struct tf_peer *peer, const struct tf_header *cancel)
{
    bool by_id = m->header.kind == TF_MSG_EAGER && (m->header.flags & TF_FLAG_SYNC);
    return m->peer == peer && !is_coll(&m->header) && m->header.context == cancel->context &&
           by_id == (cancel->flags & TF_FLAG_SYNC) && m->facts.fingerprint == cancel->id;
}

bool tf_match_take_back(const struct tf_peer *peer, const struct tf_header *cancel, uint32_t *id)
{
    struct tf_match *match = match_of(cancel->context);
    struct tf_unexpected **p = match ? &match->unexpected : &early;
    while (*p && !is_message(*p, peer, cancel))
        p = &(*p)->next;
    if (!*p)
        return false;
    struct tf_unexpected *message = unlink_message(p, match ? &match->unexpected_end : &early_end);
    bool waits = message->header.kind == TF_MSG_RTS || (message->header.flags & TF_FLAG_SYNC);
    *id = waits ? message->header.id : 0;
    free(message);
    return true;
}

/* ---- messages that nobody will receive ---- */

static void ignore_data(struct tf_recv *recv, void *data, size_t length)
{
    (void)recv, (void)data, (void)length;
}

static void free_recv(struct tf_recv *recv)
{
    free(recv);
}

/* The sender of a long or synchronous message waits for an answer: it gets one, and what it sends is ignored. */
static void discard(struct tf_peer *peer, const struct tf_header *h, const struct tf_rts *facts)
{
    bool announced = is_announcement(h), cleared = announced && !facts->address;
    if (!announced && !(h->flags & TF_FLAG_SYNC))
        return;
    struct tf_recv *recv = calloc(1, sizeof *recv);
    if (!recv)
        return;
    recv->peer = peer;
    recv->total = facts->total;
    recv->sink = ignore_data;
    recv->done = free_recv;
    recv->sender_id = h->id;
    if (cleared)
        recv->id = tf_id_take(recv);
    tf_recv_answer(recv, cleared ? TF_MSG_CTS : TF_MSG_ACK);
}

static void discard_kept(struct tf_match *match, bool all)
{
    for (int i = 0; i < TF_KEPT_LISTS; i++) {
        struct tf_kept *kept = &match->coll_unexpected[i];
        for (struct tf_unexpected **p = &kept->first; *p;) {
            const struct tf_unexpected *m = *p;
            if (!all && !tf_mismatch_is_stray(match, m->peer, m->header.source, m->facts.fingerprint)) {
                p = &(*p)->next;
                continue;
            }
            struct tf_unexpected *stray = unlink_message(p, &kept->end);
            match->coll_kept--;
            discard(stray->peer, &stray->header, &stray->facts);
            free(stray);
        }
    }
}

static void discard_queue(struct tf_unexpected **first, struct tf_unexpected ***end, uint64_t context)
{
    for (struct tf_unexpected **p = first; *p;) {
        if ((*p)->header.context != context) {
            p = &(*p)->next;
            continue;
        }
        struct tf_unexpected *message = unlink_message(p, end);
        discard(message->peer, &message->header, &message->facts);
        free(message);
    }
}

static bool is_forgotten(uint64_t context)
{
    const struct forgotten *f = forgotten;
    while (f && f->context != context)
        f = f->next;
    return f;
}

void tf_match_forget(uint64_t context)
{
    struct forgotten *f = tf_alloc(sizeof *f, "the record of a communicator that was given up");
    if (f) {
        *f = (struct forgotten){forgotten, context};
        forgotten = f;
    }
    struct tf_match *match = match_of(context);
    if (match) {
        discard_queue(&match->unexpected, &match->unexpected_end, context);
        discard_kept(match, true);
    }
    discard_queue(&early, &early_end, context);
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
                  m->header.source == h->source && m->header.tag == h->tag))
        m = m->next;
    if (m)
        m->facts.fingerprint = TF_FINGERPRINT_GIVEN_UP;
    return m || tf_pull_revoke(peer, h);
}

static void keep(struct tf_match *match, struct tf_peer *peer, const struct tf_header *h, const struct tf_rts *facts,
                 const void *payload)
{
    if (h->kind == TF_MSG_COLL && facts->fingerprint == TF_FINGERPRINT_GIVEN_UP && revoke(match, peer, h))
        return;
    if (match ? is_coll(h) && tf_mismatch_is_stray(match, peer, h->source, facts->fingerprint)
              : is_forgotten(h->context)) {
        discard(peer, h, facts);
        return;
    }
    size_t length = is_announcement(h) ? h->length - sizeof *facts : h->length;
    struct tf_unexpected *message = malloc(sizeof *message + length);
    if (!message)
        tf_fatal(1, "no memory to keep a message of %zu bytes from rank %d of the job that has no receive yet", length,
                 peer->rank);
    message->peer = peer;
    message->header = *h;
    message->facts = *facts;
    if (length)
        memcpy(message->data, payload, length);
    if (match)
        queue_message(match, message);
    else
        append_message(message, &early_end);
}

static void arrive_new(struct tf_peer *peer, const struct tf_header *h, void *payload)
{
    struct tf_match *match = match_of(h->context);
    struct tf_rts facts = {h->length, 0, h->id};
    if (is_announcement(h)) {
        memcpy(&facts, payload, sizeof facts);
        payload = (char *)payload + sizeof facts;
    }
    if (match && is_coll(h)) {
        for (struct tf_recv *r = match->coll_posted; r; r = r->next)
            if (fits_coll(r, peer, h)) {
                unlink_recv(r, &match->coll_posted_end);
                meet(r, peer, h, &facts, payload);
                return;
            }
    } else if (match) {
        for (struct tf_recv *r = match->posted; r; r = r->next)
            if (fits(r->source, r->tag, h)) {
                unlink_recv(r, &match->posted_end);
                meet(r, peer, h, &facts, payload);
                return;
            }
    }
    keep(match, peer, h, &facts, payload);
}

static void arrive_data(struct tf_peer *peer, const struct tf_header *h, void *payload)
{
    struct tf_recv *recv = tf_id_object(h->id);
    if (TF_UNLIKELY(h->flags & TF_FLAG_VOID) && !recv->error && recv->comm)
        recv->error = tf_fingerprint_mismatch(recv->comm, recv->fingerprint, 0, peer, TF_FINGERPRINT_GIVEN_UP, 0);
    tf_recv_consume(recv, payload, h->length);
    if (recv->received < recv->total)
        return;
    tf_id_give(recv->id);
    recv->done(recv);
}

void tf_msg_arrive(struct tf_peer *peer, const struct tf_header *header, void *payload)
{
    switch (header->kind) {
    case TF_MSG_CTS:
        tf_send_cleared(header);
        break;
    case TF_MSG_DATA:
        arrive_data(peer, header, payload);
        break;
    case TF_MSG_ACK:
        tf_send_acknowledged(header);
        break;
    case TF_MSG_ASK:
    case TF_MSG_DIFFERS:
        tf_mismatch_hear(match_of(header->context), peer, header);
        break;
    case TF_MSG_CANCEL:
        tf_cancel_hear(peer, header);
        break;
    case TF_MSG_CANCELLED:
        tf_cancel_answered(header);
        break;
    default:
        arrive_new(peer, header, payload);
    }
}
