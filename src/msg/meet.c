/* meet.c - a receive and its message: how the data come, and where they go; see meet.h. */
#include "msg/meet.h"
#include "base/settings.h"
#include "heap/heap.h"
#include "launch/nodes.h"
#include "msg/gauge.h"
#include "msg/lost.h"
#include "msg/match.h"

static void put_bytes(struct tf_recv *recv, void *data, size_t length);

static TF_COLD void put_what_fits(struct tf_recv *recv, void *data)
{
    if (recv->received < recv->capacity)
        put_bytes(recv, data, recv->capacity - recv->received);
}

static void put_bytes(struct tf_recv *recv, void *data, size_t length)
{
    if (TF_UNLIKELY(recv->received + length > recv->capacity)) {
        put_what_fits(recv, data);
        return;
    }
    size_t at = recv->position + recv->received;
    if (recv->type)
        tf_type_unpack(recv->type, recv->buf, recv->count, at, data, length);
    else
        tf_gauge_take(recv->buf + at, data, length);
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

static TF_COLD void too_short(struct tf_recv *recv, const struct tf_header *h)
{
    recv->error = tf_error(MPI_ERR_COUNT,
                           "message of %zu bytes from rank %d with tag %d is shorter than the receive buffer of %zu "
                           "bytes, but the hint mpi_assert_exact_length was given to %s",
                           recv->total, (int)h->source, h->tag, recv->capacity, tf_comm_describe(recv->comm));
}

/* They differ.  A function of its own, so that the usual way has one comparison. */
static __attribute__((noinline)) void compare_lengths(struct tf_recv *recv, const struct tf_header *h)
{
    if (recv->total > recv->capacity)
        too_long(recv, h);
    else if (TF_UNLIKELY(recv->comm->asserted & TF_ASSERTS_EXACT_LENGTH) && h->tag >= 0 &&
             tf_settings.check != TF_CHECK_OFF)
        too_short(recv, h);
}

/* A network that reads what is exposed at once only has to find the place of all of it. */
static bool is_to_be_read(const struct tf_recv *recv, const struct tf_rts *facts)
{
    const struct tf_net *net = recv->peer->net;
    bool fits = recv->direct && !recv->sink && recv->total <= recv->capacity;
    return facts->address && !recv->echo && (recv->pull || net->expose) &&
           (fits || !net->reads_whole || !net->reads_whole());
}

/* Shorter results come faster by an echo than by loads of what a peer has just stored (test/bench/heap). */
enum { LOADED_RATHER_THAN_ECHOED = 2 * 1024 * 1024 };

/* What is combined with what the receiver has: a sender that has a processor of its own, and would only wait, copies
 * the chunks meanwhile, which is faster than loads by the receiver alone; and where many share processors, more vectors
 * than a few are loaded from farther away than a ring is (test/bench/heap). */
static bool is_better_in_chunks(const struct tf_recv *recv)
{
    return recv->sink && !recv->pull && (tf_pause_crowded ? tf_nodes.size > TF_FEW : tf_send_readers == 0);
}

/* How an announced message is to come, if not by chunks: by an echo, or from the address that is returned.  An echo is
 * better if its result could not be loaded as well. */
static __attribute__((noinline)) const void *choose_way(struct tf_recv *recv, const struct tf_header *h,
                                                        const struct tf_rts *facts)
{
    const void *here = NULL;
    recv->echo = recv->echo && (h->flags & TF_FLAG_ECHO) && !recv->error;
    if (facts->address && tf_settings.shared_heap && recv->memory == TF_MEMORY_HOST && !is_better_in_chunks(recv) &&
        (!recv->echo ||
         (facts->total >= LOADED_RATHER_THAN_ECHOED && tf_heap_find(recv->buf, recv->capacity) != TF_HEAP_NOWHERE)))
        here = tf_net_map(recv->peer, facts->address, facts->total);
    recv->echo = recv->echo && !here;
    return here;
}

static void compare(struct tf_recv *recv, const struct tf_rts *facts)
{
    recv->error = tf_accord_check(recv->comm, recv->sequence, recv->fingerprint, recv->capacity, recv->peer,
                                  facts->fingerprint, facts->total);
    if (TF_UNLIKELY(recv->error))
        recv->fingerprint = facts->fingerprint;
}

/* The receive and a message that was announced. */
static void answer(struct tf_recv *recv, const struct tf_header *h, const struct tf_rts *facts, const void *key,
                   const void *here)
{
    recv->sender_id = h->id;
    if (recv->total == 0 || (facts->address && recv->error && tf_header_is_coll(h))) {
        tf_recv_answer(recv, TF_MSG_ACK); /* nothing is to come, or what would come is of no use */
    } else if (here || is_to_be_read(recv, facts)) {
        tf_pull_start(recv, h, facts, key, here);
    } else {
        tf_recv_clear(recv);
    }
}

void tf_recv_announced(struct tf_recv *recv, struct tf_peer *peer, const struct tf_header *h, void *payload)
{
    struct tf_rts facts;
    const void *key = tf_header_facts(h, payload, true, &facts);
    recv->peer = peer;
    recv->total = facts.total;
    recv->received = 0;
    recv->error = MPI_SUCCESS;
    answer(recv, h, &facts, key, choose_way(recv, h, &facts));
}

void tf_recv_meet(struct tf_recv *recv, struct tf_peer *peer, const struct tf_header *h, const struct tf_rts *facts,
                  void *payload)
{
    size_t total = facts->total;
    recv->peer = peer;
    recv->matched_source = (int)h->source;
    recv->matched_tag = h->tag;
    recv->total = total;
    recv->received = 0;
    recv->error = MPI_SUCCESS;
    if (tf_header_is_coll(h)) {
        compare(recv, facts);
        recv->echo = recv->echo && h->kind == TF_MSG_COLL_RTS;
    } else if (TF_UNLIKELY(total != recv->capacity))
        compare_lengths(recv, h);
    bool announced = tf_header_is_announcement(h);
    const void *here = announced ? choose_way(recv, h, facts) : NULL;
    if (recv->met)
        recv->met(recv);
    if (announced) {
        answer(recv, h, facts, payload, here);
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

/* The sender has done what it had to. */
static TF_COLD void take_lost(struct tf_recv *recv, const struct tf_unexpected *message)
{
    recv->peer = message->peer;
    recv->matched_source = (int)message->header.source;
    recv->matched_tag = message->header.tag;
    recv->total = recv->received = 0;
    recv->error = tf_error(MPI_ERR_NO_MEM,
                           "a message of %zu bytes from rank %d with tag %d came when this process had no memory to "
                           "keep it until its receive, and is lost",
                           message->facts.total, recv->matched_source, recv->matched_tag);
    recv->sender_id = message->header.id;
    if (message->header.flags & TF_FLAG_SYNC)
        tf_recv_answer(recv, TF_MSG_ACK);
    else
        recv->done(recv);
}

void tf_recv_take(struct tf_recv *recv, struct tf_unexpected *message)
{
    if (TF_UNLIKELY(message->bytes == 0))
        take_lost(recv, message);
    else
        tf_recv_meet(recv, message->peer, &message->header, &message->facts, message->data);
    tf_credit_give(message);
}

/* ---- what the sender of an announced message is told, and what it sends then ---- */

static const struct tf_peer *peer_of_recv(const void *object)
{
    return ((const struct tf_recv *)object)->peer;
}

static void lose_recv(void *object)
{
    struct tf_recv *recv = object;
    tf_id_give(recv->id);
    tf_lost_fail(recv, recv->peer);
}

static const struct tf_id_kind receives = {peer_of_recv, lose_recv};

static bool push_cts(struct tf_peer *peer, struct tf_out *out)
{
    struct tf_recv *recv = TF_CONTAINER(out, struct tf_recv, out);
    struct tf_header header = {
        .kind = TF_MSG_CTS, .flags = recv->echo ? TF_FLAG_ECHO : 0, .receiver = recv->id, .id = recv->sender_id};
    if (!tf_net_reserve(peer, 0))
        return false;
    tf_net_commit(peer, &header);
    return true;
}

static bool push_ack(struct tf_peer *peer, struct tf_out *out)
{
    struct tf_recv *recv = TF_CONTAINER(out, struct tf_recv, out);
    struct tf_header header = {.kind = TF_MSG_ACK, .flags = tf_gauge_verdict, .id = recv->sender_id};
    if (!tf_net_reserve(peer, 0))
        return false;
    tf_net_commit(peer, &header);
    tf_gauge_verdict = 0;
    recv->done(recv);
    return true;
}

void tf_recv_clear(struct tf_recv *recv)
{
    if (tf_failure_is(recv->peer)) {
        tf_lost_fail(recv, recv->peer);
        return;
    }
    recv->id = tf_id_try(recv, &receives);
    if (!recv->id)
        recv->error = MPI_ERR_NO_MEM;
    tf_recv_answer(recv, recv->id ? TF_MSG_CTS : TF_MSG_ACK);
}

void tf_recv_answer(struct tf_recv *recv, enum tf_message_kind kind)
{
    recv->out.push = kind == TF_MSG_CTS ? push_cts : push_ack;
    tf_out_submit(recv->peer, &recv->out);
}

static void hear_data(struct tf_peer *peer, const struct tf_header *h, void *payload)
{
    (void)peer;
    struct tf_recv *recv = tf_id_object(h->id);
    if (TF_UNLIKELY(h->flags & TF_FLAG_VOID))
        tf_recv_void(recv, h->word);
    if (!recv->sink && payload == recv->buf + recv->position + recv->received) /* it has landed */
        recv->received += h->length;
    else
        tf_recv_consume(recv, payload, h->length);
    if (recv->received < recv->total)
        return;
    tf_id_give(recv->id);
    recv->done(recv);
}

/* It stays where it comes to, if it may. */
static void *land_data(const struct tf_header *h)
{
    const struct tf_recv *recv = tf_id_object(h->id);
    bool wanted = recv->comm && recv->direct && !recv->echo && recv->received + h->length <= recv->capacity;
    return wanted ? recv->buf + recv->position + recv->received : NULL;
}

void tf_meet_setup(void)
{
    tf_net_land(TF_MSG_DATA, land_data);
    tf_net_handle(TF_MSG_DATA, hear_data);
}
