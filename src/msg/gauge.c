/* gauge.c - see gauge.h. */
#include "msg/gauge.h"

#include "base/base.h"
#include "msg/habit.h"
#include "msg/wire.h"

uint8_t tf_gauge_verdict;

/* Of fresh memory a read takes two to three times as long.  Two copies, which are made at the same time where messages
 * follow each other, take 1 to 2 times as long as one; of more than two processes reading has to cost more than both of
 * them together.  In halves. */
enum { LONG = 3, BOTH = 4 };

/* How long a read of so many bits of bytes took when it was not fresh, at last; 0: it is not known. */
static int64_t usual[64];

/* Whatever interrupts one measurement is forgotten after so many reads. */
enum { TRUSTED = 64 };

/* How long a copy of so many bytes out of the ring takes, and one into it.  Usually (0: not known): as the last one, or
 * a little more than before if it took longer than that.  At least: the fastest, which is forgotten slowly, as
 * processes move. */
enum { UNIT = 1024 * 1024, FORGOTTEN = 32 };
static struct cost {
    int64_t usual, least;
} copying, storing;

/* Reads since copies were looked at, and copies since the last read: of these the first, as many as TF_FLAG_TRY brings,
 * are looked at, and one in SAMPLED. */
enum { AGED = 1024, FEW = 4, SAMPLED = 16 };
static unsigned reads, copies;

/* What has just been read is in the cache: to read it again tells what the system takes for that alone, wherever the
 * two processes run now. */
static bool is_fresh(struct tf_peer *peer, struct tf_net_access *read, int64_t time)
{
    static unsigned all;
    int64_t *stale = &usual[__builtin_clzll(read->bytes)], begin = tf_time();
    if ((2 * time > LONG * *stale || all++ % TRUSTED == 0) && peer->net->read(peer, read) == TF_NET_DONE)
        *stale = tf_time() - begin;
    return 2 * time > LONG * *stale;
}

/* Of two who send each other something long at once both copy, into a ring and out of the other one, and neither gains
 * by waiting; of two who take turns one copies after the other: both copies together are what a read has to compare
 * with, and an eighth more, for the messages.  Copies of an exchange take as long as usual, those of turns as those
 * that follow each other do, of which few are seen among reads: the fastest. */
enum { EXCHANGED = 128 * 1024 };

static bool is_exchanged(size_t total)
{
    return tf_net_company == TF_NET_TWO && total >= EXCHANGED;
}

/* Since it read the last message it has sent something other than the answer to that. */
static bool takes_turns(struct tf_peer *peer)
{
    struct tf_msg_peer *sender = tf_msg_peer(peer);
    bool answers = peer->tx.sent - sender->told > 1;
    sender->told = peer->tx.sent;
    return answers || tf_send_readers > 0;
}

static bool is_slow(struct tf_peer *peer, size_t bytes, size_t total, int64_t time)
{
    int64_t units = (int64_t)bytes, scaled = time * UNIT;
    bool in_turns = takes_turns(peer);
    if (copying.usual == 0)
        return false;
    if (tf_net_company != TF_NET_TWO || !in_turns)
        return 2 * scaled > (tf_net_company == TF_NET_TWO ? LONG : BOTH) * copying.usual * units;
    const struct cost *other = storing.usual > 0 ? &storing : &copying;
    int64_t both = is_exchanged(total) ? copying.usual + other->usual : copying.least + other->least;
    return 8 * scaled > 9 * both * units;
}

static uint8_t judge(struct tf_peer *peer, struct tf_net_access *read, size_t total, int64_t time)
{
    copies = 0;
    if (reads++ % AGED == AGED - 1 || (copying.usual == 0 && reads % FEW == 0))
        return TF_FLAG_TRY;
    bool slow = is_slow(peer, read->bytes, total, time);
    return slow || (tf_net_company == TF_NET_TWO && is_fresh(peer, read, time)) ? TF_FLAG_SLOW : 0;
}

enum tf_net_outcome tf_gauge_read(struct tf_peer *peer, struct tf_net_access *read, size_t total)
{
    int64_t begin = tf_time();
    enum tf_net_outcome reading = peer->net->read(peer, read);
    if (reading == TF_NET_DONE) {
        tf_gauge_verdict = judge(peer, read, total, tf_time() - begin);
        if (is_exchanged(total))
            tf_habit_say(total, tf_gauge_verdict);
    }
    return reading;
}

static void measure(void *to, const void *from, size_t bytes, struct cost *cost)
{
    int64_t begin = tf_time();
    memcpy(to, from, bytes);
    int64_t now = (tf_time() - begin) * UNIT / (int64_t)bytes, most = cost->usual + cost->usual / 8;
    bool known = cost->usual > 0;
    cost->usual = !known || now < most ? now : most;
    cost->least = !known || now < cost->least ? now : cost->least + (now - cost->least) / FORGOTTEN;
}

void tf_gauge_copy(void *to, const void *from, size_t bytes)
{
    if (copies < TF_HABIT_TRIES || copies % SAMPLED == 0) {
        measure(to, from, bytes, &copying);
        reads = 0;
    } else {
        memcpy(to, from, bytes);
    }
    copies++;
}

void tf_gauge_store(void *to, const void *from, size_t bytes)
{
    static unsigned stores;
    if (stores++ % 2 == 0)
        measure(to, from, bytes, &storing);
    else
        memcpy(to, from, bytes);
}
