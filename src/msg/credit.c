/* credit.c - how much one process may send another before its time (MPI-5.0 section 3.5 leaves the limit to us).
 *
 *     sender     EAGER EAGER ... EAGER   RTS RTS ...                     EAGER ...
 *                                      ^                               ^
 *     receiver   keeps them       ENOUGH    receives what it keeps   MORE
 *
 * The receiver counts what it keeps of each sender.  Past `unexpected_limit` it says ENOUGH, and the sender announces
 * all messages, whose data then stay with it until they are received; below the half of the limit it says MORE.  Order
 * is kept: announcements match like messages.
 *
 * A sender whose ring always has room need not look what comes.  It does after each turn of the ring: its limit is then
 * 0 (tx.until_turn), so that the next message comes by here, and a message that goes before has nothing more to test.
 */
#include <malloc.h>

#include "base/settings.h"
#include "msg/await.h"
#include "msg/match.h"
#include "msg/revoked.h"
#include "msg/spare.h"
#include "msg/transfer.h"
#include "net/failure.h"

/* Memory of short pieces does not go back by itself; that it does is worth a walk through all of it. */
enum { WORTH_A_WALK = 4 * 1024 * 1024 };
static size_t kept, most; /* bytes of all senders; the most since the last walk */

static bool is_short(const struct tf_header *h)
{
    return h->kind == TF_MSG_EAGER;
}

static bool say(struct tf_peer *peer, enum tf_message_kind kind)
{
    return tf_out_say(peer, &(struct tf_header){.kind = (uint8_t)kind}, NULL);
}

/* ---- the receiver's side ---- */

/* Where memory has run out, short messages and announcements are kept here: a collective that all others have finished
 * does not fail on this process because of one that came early.  Pages that are never touched cost nothing. */
enum { RESERVED = 4096 };
static _Alignas(16) unsigned char reserve[RESERVED][sizeof(struct tf_unexpected) + TF_CREDIT_ALWAYS];
_Static_assert((int)TF_CREDIT_ALWAYS >= (int)TF_NET_KEY, "announcements have keys");
static bool reserve_used[RESERVED];

static TF_COLD struct tf_unexpected *from_reserve(size_t length)
{
    for (int i = 0; length <= TF_CREDIT_ALWAYS && i < RESERVED; i++)
        if (!reserve_used[i]) {
            reserve_used[i] = true;
            return (void *)reserve[i];
        }
    return NULL;
}

static struct tf_unexpected *take(size_t bytes)
{
    struct tf_unexpected *message = tf_spare_take(bytes);
    if (TF_LIKELY(message != NULL))
        return message;
    tf_spare_drop();
    return tf_spare_take(bytes);
}

static void free_message(struct tf_unexpected *message)
{
    size_t place = (uintptr_t)message - (uintptr_t)reserve;
    if (TF_UNLIKELY(place < sizeof reserve))
        reserve_used[place / sizeof reserve[0]] = false;
    else
        tf_spare_give(message, message->bytes);
}

static void keep(struct tf_msg_peer *peer, size_t bytes)
{
    peer->kept += bytes;
    /* What it sends to itself it may keep: nobody else could receive it meanwhile. */
    if (TF_UNLIKELY(peer->kept > (size_t)tf_settings.unexpected_limit) && !peer->sated &&
        peer->base.rank != tf_job.rank)
        peer->sated = say(&peer->base, TF_MSG_ENOUGH);
}

struct tf_unexpected *tf_credit_take(struct tf_peer *peer, const struct tf_header *header, size_t length)
{
    struct tf_unexpected *message = take(sizeof *message + length);
    if (TF_UNLIKELY(!message))
        message = from_reserve(length);
    if (!message)
        return NULL;
    message->peer = peer;
    message->header = *header;
    message->bytes = sizeof *message + length;
    kept += message->bytes;
    if (kept > most)
        most = kept;
    if (!is_short(header))
        return message;
    keep(tf_msg_peer(peer), message->bytes);
    return message;
}

struct tf_unexpected *tf_credit_take_lost(struct tf_peer *peer, const struct tf_header *header)
{
    struct tf_unexpected *message = from_reserve(0);
    if (!message)
        return NULL;
    message->peer = peer;
    message->header = *header;
    message->bytes = 0;
    return message;
}

/* Without memory, and at the end, when nobody listens any more, it is not said. */
static TF_COLD void call_for_more(struct tf_msg_peer *peer)
{
    if (!tf_job.leaving)
        peer->sated = !say(&peer->base, TF_MSG_MORE);
}

static TF_COLD void give_back(void)
{
    tf_spare_drop();
#ifdef HAVE_MALLOC_TRIM
    malloc_trim(0);
#endif
    most = kept;
}

void tf_credit_give(struct tf_unexpected *message)
{
    struct tf_msg_peer *peer = tf_msg_peer(message->peer);
    kept -= message->bytes;
    if (is_short(&message->header))
        peer->kept -= message->bytes;
    free_message(message);
    if (TF_UNLIKELY(peer->sated) && peer->kept <= (size_t)tf_settings.unexpected_limit / 2)
        call_for_more(peer);
    if (TF_UNLIKELY(most >= WORTH_A_WALK) && kept < most / 8)
        give_back();
}

/* ---- the sender's side ---- */

static void hear(struct tf_peer *base, const struct tf_header *header, void *payload)
{
    struct tf_msg_peer *peer = tf_msg_peer(base);
    (void)payload;
    peer->enough = header->kind == TF_MSG_ENOUGH;
    tf_log(2, "rank %d of the job has %s messages without a receive", base->rank,
           peer->enough ? "enough" : "room again for");
    peer->base.tx.until_turn = 0;
    if (peer->enough)
        tf_send_announce_all(base);
}

TF_COLD bool tf_credit_allows(struct tf_peer *base, size_t total)
{
    struct tf_msg_peer *peer = tf_msg_peer(base);
    if (total > peer->eager || tf_failure_is(base))
        return false;
    tf_await_poll(base, TF_RING_CELLS);
    if (!peer->enough)
        peer->base.tx.until_turn = tf_revoked_any ? 0 : peer->eager + 1;
    return !peer->enough;
}

void tf_credit_setup(void)
{
    tf_net_handle(TF_MSG_ENOUGH, hear);
    tf_net_handle(TF_MSG_MORE, hear);
}
