/* gauge.c - see gauge.h. */
#include "msg/gauge.h"

#include "base/base.h"
#include "msg/habit.h"
#include "msg/wire.h"

uint8_t tf_gauge_verdict;
bool tf_gauge_sends;

/* Of fresh memory a read takes two to three times as long.  Two copies, which are made at the same time where messages
 * follow each other, take 1 to 2 times as long as one; of more than two processes reading has to cost more than both of
 * them together.  In halves. */
enum { LONG = 3, BOTH = 4 };

/* How long a read of so many bits of bytes took when it was not fresh, at last; 0: it is not known. */
static int64_t usual[64];

/* Whatever interrupts one measurement is forgotten after so many reads. */
enum { TRUSTED = 64 };

/* How long a copy of so many bytes out of the ring takes, and one into it: the least, but for a little more with each
 * that took longer, as processes move.  0: not known. */
enum { UNIT = 1024 * 1024 };
static int64_t copying, storing;

/* Reads since copies were looked at, and copies since the last read: of these the first few, as many as TF_FLAG_TRY
 * brings, are looked at, and one in SAMPLED. */
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
 * with.  What they took at least is less than they take, by an eighth or more.  In eighths. */
enum { EXCHANGED = 128 * 1024, TAKEN = 9 };

static bool is_exchanged(size_t total)
{
    return tf_net_company == TF_NET_TWO && total >= EXCHANGED;
}

static bool is_slow(size_t bytes, int64_t time)
{
    int64_t copy = copying * (int64_t)bytes / UNIT, both = (copying + storing) * (int64_t)bytes / UNIT;
    bool sends = tf_gauge_sends || tf_send_readers > 0;
    tf_gauge_sends = false;
    if (copying == 0)
        return false;
    if (tf_net_company == TF_NET_TWO && sends && storing > 0)
        return 8 * time > TAKEN * both;
    return 2 * time > (tf_net_company == TF_NET_TWO ? LONG : BOTH) * copy;
}

static uint8_t judge(struct tf_peer *peer, struct tf_net_access *read, int64_t time)
{
    copies = 0;
    if (reads++ % AGED == AGED - 1 || (copying == 0 && reads % FEW == 0))
        return TF_FLAG_TRY;
    bool slow = is_slow(read->bytes, time);
    return slow || (tf_net_company == TF_NET_TWO && is_fresh(peer, read, time)) ? TF_FLAG_SLOW : 0;
}

enum tf_net_outcome tf_gauge_read(struct tf_peer *peer, struct tf_net_access *read, size_t total)
{
    int64_t begin = tf_time();
    enum tf_net_outcome reading = peer->net->read(peer, read);
    if (reading == TF_NET_DONE) {
        tf_gauge_verdict = judge(peer, read, tf_time() - begin);
        if (is_exchanged(total))
            tf_habit_say(total, tf_gauge_verdict);
    }
    return reading;
}

static void measure(void *to, const void *from, size_t bytes, int64_t *least)
{
    int64_t begin = tf_time();
    memcpy(to, from, bytes);
    int64_t now = (tf_time() - begin) * UNIT / (int64_t)bytes, most = *least + *least / 8;
    *least = *least == 0 || now < most ? now : most;
}

void tf_gauge_copy(void *to, const void *from, size_t bytes)
{
    if (copies < FEW || copies % SAMPLED == 0) {
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
    tf_gauge_sends = true;
    if (stores++ % FEW == 0)
        measure(to, from, bytes, &storing);
    else
        memcpy(to, from, bytes);
}
