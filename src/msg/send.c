/* send.c - a message on its way out: the eager and rendezvous protocols (wire.h). */
#include "base/settings.h"
#include "heap/heap.h"
#include "launch/nodes.h"
#include "msg/fingerprint.h"
#include "msg/gauge.h"
#include "msg/habit.h"
#include "msg/lost.h"
#include "msg/match.h"
#include "msg/request.h"
#include "msg/revoked.h"
#include "msg/transfer.h"

static __attribute__((noinline)) void take_other_bytes(const struct tf_send *send, size_t from, void *to, size_t length)
{
    if (length == 0)
        return;
    if (send->given_up)
        memset(to, 0, length);
    else if (send->type)
        tf_type_pack(send->type, send->buf, send->count, send->position + from, to, length);
    else
        tf_gauge_store(to, send->buf + send->position + from, length);
}

/* Neither none nor so many that the time is looked at: one comparison. */
static inline void take_bytes(const struct tf_send *send, size_t from, void *to, size_t length)
{
    if (TF_LIKELY(length - 1 < TF_GAUGE_LEAST - 1 && !send->given_up && !send->type))
        memcpy(to, send->buf + send->position + from, length);
    else
        take_other_bytes(send, from, to, length);
}

/* Where the next bytes lie if they may be sent from there; shorter ones are better copied, with their header. */
static const char *lies_at(const struct tf_peer *peer, const struct tf_send *send, size_t length)
{
    bool plain = peer->net->send && length >= TF_NET_SEND_LEAST && send->memory == TF_MEMORY_HOST && !send->type &&
                 !send->given_up;
    return plain ? send->buf + send->position + send->sent : NULL;
}

/* Past the ring nothing turns. */
static void look_some_time(struct tf_msg_peer *peer, uint32_t bytes)
{
    peer->unlooked += bytes;
    if (peer->unlooked < tf_net_chunk(&peer->base))
        return;
    peer->unlooked = 0;
    peer->base.tx.until_turn = 0;
}

/* While a chunk is packed into a ring in memory that is shared the one before is unpacked: these take turns in the
 * first cache.  From CUT on that is worth asking the receiver. */
enum { PACKED_CHUNK = 16 * 1024, CUT = 24 * 1024 };

static bool push_rts(struct tf_peer *peer, struct tf_out *out);

static bool push_eager(struct tf_peer *peer, struct tf_out *out)
{
    struct tf_send *send = TF_CONTAINER(out, struct tf_send, out);
    const char *at = lies_at(peer, send, send->total);
    send->header.length = (uint32_t)send->total;
    if (TF_UNLIKELY(at) && peer->net->send(peer, &send->header, at, send->total, send->header.length)) {
        peer->bytes_sent += send->total;
        look_some_time(tf_msg_peer(peer), send->header.length);
    } else {
        void *room = tf_net_reserve(peer, (uint32_t)send->total);
        if (!room)
            return false;
        tf_ring_fetch_later(room);
        if (TF_UNLIKELY(send->type) && send->total >= CUT && !peer->net->send) {
            out->push = push_rts;
            return push_rts(peer, out);
        }
        take_bytes(send, 0, room, send->total);
        tf_net_commit(peer, &send->header);
    }
    send->sent = send->total;
    if (TF_LIKELY(!(send->header.flags & TF_FLAG_SYNC)))
        send->done(send);
    return true;
}

/* ---- whoever waits for an answer of one who has died ---- */

static const struct tf_peer *peer_of_send(const void *object)
{
    return ((const struct tf_send *)object)->peer;
}

static void do_without_echo(struct tf_send *send);

static void lose_send(void *object)
{
    struct tf_send *send = object;
    tf_point_lose(send);
    if (send->echo)
        do_without_echo(send);
    tf_send_end(send);
}

static const struct tf_id_kind sends = {peer_of_send, lose_send};

void tf_send_lose_streams(struct tf_msg_peer *peer)
{
    while (peer->streams) {
        struct tf_out *out = peer->streams;
        peer->streams = out->next;
        lose_send(TF_CONTAINER(out, struct tf_send, out));
    }
}

/* A message to one who has died, or of a revoked communicator, ends in the next pass, as if it had waited for room. */
static bool push_lost(struct tf_peer *peer, struct tf_out *out)
{
    struct tf_send *send = TF_CONTAINER(out, struct tf_send, out);
    (void)peer;
    tf_point_lose(send);
    send->done(send);
    return true;
}

static TF_COLD void start_lost(struct tf_send *send)
{
    send->given_up = send->offered = send->lost = false;
    send->id = 0;
    send->out.push = push_lost;
    tf_out_submit_first(send->peer, &send->out);
}

/* ---- announced ---- */

/* Where a job goes on without the dead, who gives a collective up says so and goes on.  What a network reads overtakes
 * that word, and the receiver would take for data what the program has written since: there they are sent. */
static bool may_be_taken_back(const struct tf_send *send)
{
    return tf_settings.keep_going && send->peer->net->expose && send->header.kind == TF_MSG_COLL;
}

/* Where a few processes share processors, what goes through their rings stays in the caches and is combined there,
 * which costs less than the system's look at each page and a buffer: scans of 4 processes on two processors take 0.8 of
 * the time, from 128 KiB to 1 MiB.  What only moves takes 1.3 to 1.7 times as long that way.  A setting other than the
 * usual one says what is wanted. */
enum { USUAL = 32768, MODERATE = 1024 * 1024 };

static bool is_better_by_ring(const struct tf_send *send)
{
    return tf_settings.single_copy == USUAL && send->total <= MODERATE && send->header.kind == TF_MSG_COLL &&
           tf_fingerprint_reduces(send->fingerprint) && tf_pause_crowded && tf_nodes.size <= TF_FEW &&
           send->peer->net->shared;
}

uint32_t tf_send_readers;

/* Of two that run at once neither has to be woken for the announcement: a round trip of 16 KiB takes half of the time
 * that two copies one after the other take, and an exchange three quarters, though a stream in one direction, whose
 * copies are made at once, takes 1.2 times as long.  Of more, what is not announced need not be waited for. */
static inline size_t least_read(const struct tf_send *send)
{
    static const size_t running[TF_NET_COMPANIES] = {TF_SEND_RUNNING, 2 * USUAL, USUAL};
    bool reduces = send->header.kind == TF_MSG_COLL && tf_fingerprint_reduces(send->fingerprint);
    bool usual = tf_settings.single_copy == USUAL && !reduces && send->peer->net->shared;
    return usual ? running[tf_net_company] : (size_t)tf_settings.single_copy;
}

/* Those who read the memory of one process at once wait for each other at the locks of its page tables: 7 readers of
 * 16 KiB take 6 times as long as one, 15 readers 15 times.  So only a few get short messages that way, and the sender,
 * who would have nothing to do, copies the others': a scatter of 64 or 128 KiB to 7 or 15 others takes 0.6 to 0.8 of
 * the time.  Long ones lie apart. */
enum { NEAR = 256 * 1024 };

static bool has_readers(const struct tf_send *send)
{
    return tf_net_company == TF_NET_MANY && tf_send_readers >= TF_SEND_READERS && send->total < NEAR &&
           tf_settings.single_copy == USUAL;
}

static bool is_better_copied(const struct tf_send *send)
{
    return tf_settings.single_copy == USUAL &&
           send->total <= tf_gauge_most(send->peer, send->header.kind == TF_MSG_COLL) &&
           tf_habit_copies(send->total, tf_send_readers > 0);
}

static bool is_read_by(struct tf_peer *peer)
{
    return !peer->net->is_read_by || peer->net->is_read_by(peer);
}

/* Whether the receiver may read the whole message where it lies.  What it can load from in any case; that alone instead
 * of an echo. */
static __attribute__((noinline)) bool is_readable(const struct tf_send *send)
{
    return send->peer->net->read && !may_be_taken_back(send) && send->memory == TF_MEMORY_HOST && !send->type &&
           !send->given_up && send->available == send->total && send->total > 0 && send->total >= least_read(send) &&
           ((!send->echo && !is_better_by_ring(send) && !has_readers(send) && !is_better_copied(send) &&
             is_read_by(send->peer)) ||
            tf_heap_find(send->buf + send->position, send->total) != TF_HEAP_NOWHERE);
}

static void count_offer(const struct tf_send *send)
{
    tf_send_readers += tf_msg_peer(send->peer)->offers++ == 0;
}

static void uncount_offer(const struct tf_send *send)
{
    tf_send_readers -= --tf_msg_peer(send->peer)->offers == 0;
}

/* The key, if reads need one; its length. */
static size_t offer(struct tf_send *send, void *key)
{
    const struct tf_net *net = send->peer->net;
    size_t length = 0;
    send->offered = is_readable(send);
    if (send->offered && net->expose) {
        length = net->expose(send->peer, send->buf + send->position, send->total, key, &send->hold);
        send->offered = length > 0;
    }
    if (send->offered)
        count_offer(send);
    return length;
}

/* The receiver has answered. */
static void take_offer_back(struct tf_send *send)
{
    if (!send->offered)
        return;
    if (send->peer->net->conceal)
        send->peer->net->conceal(send->peer, send->hold);
    uncount_offer(send);
    send->offered = false;
}

static bool push_rts(struct tf_peer *peer, struct tf_out *out)
{
    struct tf_send *send = TF_CONTAINER(out, struct tf_send, out);
    _Alignas(16) unsigned char key[TF_NET_KEY];
    struct tf_rts rts = {.total = send->total, .fingerprint = send->fingerprint};
    if (TF_UNLIKELY(!send->id) && !(send->header.id = send->id = tf_id_try(send, &sends)))
        return false; /* until there is memory, or another one has ended */
    if (TF_UNLIKELY(peer->failed) && tf_failure_is(peer)) {
        lose_send(send);
        return true;
    }
    if (!tf_net_reserve(peer, sizeof rts + (peer->net->expose ? TF_NET_KEY : 0)))
        return false;
    size_t length = offer(send, key);
    if (send->offered)
        rts.address = (uintptr_t)(send->buf + send->position);
    char *room = tf_net_reserve(peer, (uint32_t)(sizeof rts + length)); /* no more than was there before */
    memcpy(room, &rts, sizeof rts);
    if (length)
        memcpy(room + sizeof rts, key, length);
    struct tf_header header = send->header;
    header.flags |= send->echo ? TF_FLAG_ECHO : 0;
    header.kind++; /* the kind of its announcement: wire.h */
    header.length = (uint32_t)(sizeof rts + length);
    tf_net_commit(peer, &header);
    return true;
}

/* The pieces of the result that the peer has put into the cells. */
static bool collect(struct tf_peer *peer, struct tf_send *send)
{
    uint32_t length;
    const void *data;
    while ((data = tf_ring_returned(&peer->tx, &length))) {
        send->returned(send, data, send->collected, length);
        send->collected += length;
        tf_ring_collected(&peer->tx);
    }
    if (send->collected < send->total)
        return false;
    tf_msg_peer(peer)->echoing = false;
    return true;
}

/* Chunks of what is available: how many bytes have gone, 0 if there is no room now.  What is sent from where it lies
 * waits for the network: a copy would have to wait too. */
static size_t push_chunks(struct tf_peer *peer, const struct tf_send *send, struct tf_header *header, size_t chunk)
{
    size_t length = send->available - send->sent;
    const char *at = lies_at(peer, send, length);
    if (at) {
        size_t taken = peer->net->send(peer, header, at, length, (uint32_t)chunk);
        peer->bytes_sent += taken;
        return taken;
    }
    length = length < chunk ? length : chunk;
    void *room = tf_net_reserve(peer, (uint32_t)length);
    if (!room)
        return 0;
    take_bytes(send, send->sent, room, length);
    header->length = (uint32_t)length;
    tf_net_commit(peer, header);
    return length;
}

/* A message of few chunks is cut into more, so that one is combined while the next one comes. */
enum { CHUNKS = 4, LEAST_CHUNK = 16 * 1024 };

/* Whole units, where one fits. */
static size_t chunk_of(const struct tf_peer *peer, const struct tf_send *send)
{
    size_t chunk = tf_net_chunk(peer);
    if (send->type && !peer->net->send && send->unit <= PACKED_CHUNK && chunk > PACKED_CHUNK)
        chunk = PACKED_CHUNK;
    size_t part = send->total / CHUNKS / TF_CACHE_LINE * TF_CACHE_LINE;
    if (part < LEAST_CHUNK)
        part = LEAST_CHUNK;
    if (peer->net->shared && send->unit <= part && chunk > part)
        chunk = part;
    return chunk > send->unit ? chunk - chunk % send->unit : chunk;
}

static bool push_stream(struct tf_peer *peer, struct tf_out *out)
{
    struct tf_send *send = TF_CONTAINER(out, struct tf_send, out);
    struct tf_header header = {.kind = TF_MSG_DATA,
                               .flags = (send->echo ? TF_RING_HOLD : 0) | (send->given_up ? TF_FLAG_VOID : 0),
                               .word = send->fingerprint,
                               .id = send->receiver_id};
    size_t chunk = chunk_of(peer, send);
    for (size_t gone = 1; gone > 0 && send->sent < send->available; send->sent += gone)
        gone = push_chunks(peer, send, &header, chunk);
    if (send->echo ? !collect(peer, send) : send->sent < send->total)
        return false;
    tf_send_end(send);
    return true;
}

/* One that has not been received may be cancelled as if it had been sent without an announcement: it has no id. */
static void end(struct tf_send *send, bool received)
{
    take_offer_back(send);
    tf_id_give(send->id);
    if (!received)
        send->id = 0;
    send->done(send);
}

void tf_send_end(struct tf_send *send)
{
    end(send, true);
}

/* Whether something has come from the peer since this was asked last. */
static bool has_heard(struct tf_peer *base)
{
    struct tf_msg_peer *peer = tf_msg_peer(base);
    bool heard = peer->heard != base->rx.taken;
    peer->heard = base->rx.taken;
    return heard;
}

/* Where processors are shared the answer to an announcement may cost a turn of all others: exchanges of 32 KiB with
 * neighbors take 0.7 to 0.95 of the time without, with a master 0.4 to 0.7; of 64 KiB the second copy costs as much.
 * Of what follows without a word from there the answers come together.  Collectives wait for each other anyway. */
static bool is_better_unasked(const struct tf_send *send)
{
    return tf_net_company == TF_NET_SHARING && send->header.kind != TF_MSG_COLL && send->total < 2 * USUAL &&
           tf_settings.single_copy == USUAL && has_heard(send->peer);
}

/* What might be sent at once.  Through a network it is not read any faster. */
static inline bool is_better_read(const struct tf_send *send)
{
    bool long_enough = send->total >= TF_SEND_RUNNING || send->total >= (size_t)tf_settings.single_copy;
    return TF_UNLIKELY(long_enough) && !send->peer->net->expose && !is_better_unasked(send) && is_readable(send);
}

bool tf_send_is_awaited(struct tf_peer *peer, size_t bytes)
{
    return has_heard(peer) && tf_net_company == TF_NET_TWO && bytes >= TF_SEND_RUNNING &&
           tf_settings.single_copy == USUAL && peer->net->shared && is_read_by(peer) && !tf_habit_copies(bytes, false);
}

static inline void start(struct tf_send *send, bool eager, bool unasked)
{
    send->given_up = send->offered = send->lost = false;
    eager = eager && (unasked || !is_better_read(send));
    send->sent = send->collected = 0;
    send->id = send->receiver_id = 0;
    if (!eager)
        send->header.id = send->id = tf_id_try(send, &sends);
    else if (send->header.flags & TF_FLAG_SYNC)
        send->header.id = send->id = tf_id_take(send, &sends);
    send->out.push = eager ? push_eager : push_rts;
    tf_out_submit(send->peer, &send->out);
}

static bool is_revoked(const struct tf_send *send)
{
    return TF_UNLIKELY(tf_revoked_any) && tf_match_of(send->header.context)->broken == MPIX_ERR_REVOKED;
}

/* What is announced in any case is so before anybody looks what has come: that might be a long message, which would be
 * read first, while its sender waits for ours. */
static TF_COLD bool may_be_eager(struct tf_send *send)
{
    tf_net_meet(send->peer);
    send->given_up = false;
    return !is_revoked(send) && !is_better_read(send) && tf_credit_allows(send->peer, send->total);
}

void tf_send_start(struct tf_send *send)
{
    bool at_once = TF_LIKELY(send->total < send->peer->tx.until_turn), eager = at_once || may_be_eager(send);
    if (!eager && (tf_failure_is(send->peer) || is_revoked(send)))
        start_lost(send);
    else
        start(send, eager, !at_once);
}

bool tf_send_at_once(struct tf_send *send)
{
    struct tf_peer *peer = send->peer;
    bool short_enough = send->total < peer->tx.until_turn && send->total < TF_SEND_RUNNING &&
                        send->total < (size_t)tf_settings.single_copy;
    if (!short_enough || tf_msg_peer(peer)->first_out)
        return false;
    send->given_up = send->lost = false;
    send->sent = 0;
    send->id = 0;
    send->out.push = push_eager;
    return push_eager(peer, &send->out);
}

void tf_send_announce(struct tf_send *send)
{
    tf_net_meet(send->peer); /* nobody has asked for credit */
    start(send, false, false);
}

void tf_send_start_coll(struct tf_send *send)
{
    if (send->echo)
        tf_msg_peer(send->peer)->echoing = true;
    start(send, send->total <= tf_msg_peer(send->peer)->eager && !send->echo, false);
}

void tf_send_start_unasked(struct tf_send *send)
{
    start(send, send->total <= tf_msg_peer(send->peer)->eager, true);
}

void tf_send_announce_all(struct tf_peer *peer)
{
    for (struct tf_out *out = tf_msg_peer(peer)->first_out; out; out = out->next) {
        struct tf_send *send = TF_CONTAINER(out, struct tf_send, out);
        if (out->push != push_eager || send->header.kind != TF_MSG_EAGER)
            continue;
        if (!send->id)
            send->header.id = send->id = tf_id_take(send, &sends);
        out->push = push_rts;
    }
}

bool tf_send_is_short_synchronous(const struct tf_send *send)
{
    return send->out.push == push_eager && (send->header.flags & TF_FLAG_SYNC);
}

struct tf_send *tf_send_withdraw(struct tf_peer *base, uint64_t context, uint32_t ticket)
{
    struct tf_msg_peer *peer = tf_msg_peer(base);
    for (struct tf_out **p = &peer->first_out; *p; p = &(*p)->next) {
        if ((*p)->push != push_eager && (*p)->push != push_rts)
            continue;
        struct tf_send *send = TF_CONTAINER(*p, struct tf_send, out);
        if (send->header.kind != TF_MSG_EAGER || send->header.context != context || send->ticket != ticket)
            continue;
        *p = send->out.next;
        if (!*p)
            peer->last_out = p;
        if (send->id)
            tf_id_give(send->id);
        return send;
    }
    return NULL;
}

static void do_without_echo(struct tf_send *send)
{
    send->echo = tf_msg_peer(send->peer)->echoing = false;
    send->declined(send);
}

static void hear_cts(struct tf_peer *peer, const struct tf_header *cts, void *payload)
{
    (void)peer, (void)payload;
    struct tf_send *send = tf_id_object(cts->id);
    send->receiver_id = (uint32_t)cts->receiver;
    take_offer_back(send);
    if (send->echo && !(cts->flags & TF_FLAG_ECHO))
        do_without_echo(send);
    send->out.push = push_stream;
    tf_out_add_stream(send->peer, &send->out);
}

static void say_given_up(const struct tf_send *send)
{
    struct tf_header header = send->header;
    header.fingerprint = send->fingerprint;
    if (!tf_out_say(send->peer, &header, NULL))
        tf_fatal(1, "no memory to tell rank %d of the job that a collective was given up", send->peer->rank);
}

void tf_send_give_up(struct tf_send *send, uint32_t word)
{
    send->given_up = true;
    send->fingerprint = word;
    if (!send->id)
        send->header.fingerprint = word;
    if (send->offered)
        say_given_up(send);
    tf_send_more(send, send->total);
}

void tf_send_more(struct tf_send *send, size_t available)
{
    send->available = available;
    if (send->receiver_id)
        tf_out_push_streams(send->peer);
}

static void hear_ack(struct tf_peer *peer, const struct tf_header *ack, void *payload)
{
    (void)payload;
    struct tf_send *send = tf_id_object(ack->id);
    tf_msg_peer(peer)->heard = peer->rx.taken + 1; /* and this one */
    if (send->offered)
        tf_habit_hear(send->total, ack->flags);
    if (send->echo) /* its receiver wants none of it */
        do_without_echo(send);
    end(send, !(ack->flags & TF_FLAG_KEPT));
}

/* It was not received, and will not be. */
static void hear_refused(struct tf_peer *peer, const struct tf_header *refused, void *payload)
{
    tf_point_lose(tf_id_object(refused->id));
    hear_ack(peer, refused, payload);
}

void tf_send_setup(void)
{
    tf_net_handle(TF_MSG_CTS, hear_cts);
    tf_net_handle(TF_MSG_ACK, hear_ack);
    tf_net_handle(TF_MSG_REFUSED, hear_refused);
}
