/* gauge.c - see gauge.h. */
#include "msg/gauge.h"

#include "base/base.h"
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

/* How long a copy of so many bytes out of the ring takes: the least, but for a little more with each that took longer,
 * as processes move.  0: not known. */
enum { UNIT = 1024 * 1024 };
static int64_t copying;

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

static uint8_t judge(struct tf_peer *peer, struct tf_net_access *read, int64_t time)
{
    copies = 0;
    if (reads++ % AGED == AGED - 1 || (copying == 0 && reads % FEW == 0))
        return TF_FLAG_TRY;
    bool two = tf_net_company == TF_NET_TWO;
    int64_t copy = copying * (int64_t)read->bytes / UNIT;
    bool slow = copying > 0 && 2 * time > (two ? LONG : BOTH) * copy;
    return slow || (two && is_fresh(peer, read, time)) ? TF_FLAG_SLOW : 0;
}

enum tf_net_outcome tf_gauge_read(struct tf_peer *peer, struct tf_net_access *read)
{
    int64_t begin = tf_time();
    enum tf_net_outcome reading = peer->net->read(peer, read);
    if (reading == TF_NET_DONE)
        tf_gauge_verdict = judge(peer, read, tf_time() - begin);
    return reading;
}

void tf_gauge_copy(void *to, const void *from, size_t bytes)
{
    bool looks = copies < FEW || copies % SAMPLED == 0;
    int64_t begin = looks ? tf_time() : 0;
    copies++;
    memcpy(to, from, bytes);
    if (!looks)
        return;
    int64_t now = (tf_time() - begin) * UNIT / (int64_t)bytes, most = copying + copying / 8;
    copying = copying == 0 || now < most ? now : most;
    reads = 0;
}
