/* gauge.c - see gauge.h. */
#include "msg/gauge.h"

#include "base/base.h"
#include "msg/wire.h"

uint8_t tf_gauge_verdict;

/* Of fresh memory a read takes two to three times as long.  Two copies, which are made at the same time where messages
 * follow each other, take 1 to 2 times as long as one; where processors are shared, twice. */
static const double LONG = 1.5, SHARED = 2.0;

/* Seconds that a read of so many bits of bytes took when it was not fresh, at last; 0: it is not known. */
static double usual[64];

/* Whatever interrupts one measurement is forgotten after so many reads. */
enum { TRUSTED = 64 };

/* Seconds a byte that a copy takes out of the ring: the least, but for a little more with each that took longer, as
 * processes move.  0: not known. */
static double copying;
static const double MORE = 1.1;

/* Reads since copies were looked at, and copies since the last read: of these the first few, as many as TF_FLAG_TRY
 * brings, are looked at, and one in SAMPLED. */
enum { AGED = 1024, FEW = 4, SAMPLED = 16 };
static unsigned reads, copies;

/* What has just been read is in the cache: to read it again tells what the system takes for that alone, wherever the
 * two processes run now. */
static bool is_fresh(struct tf_peer *peer, struct tf_net_access *read, double seconds)
{
    static unsigned all;
    double *stale = &usual[__builtin_clzll(read->bytes)], begin = tf_time();
    if ((seconds > LONG * *stale || all++ % TRUSTED == 0) && peer->net->read(peer, read) == TF_NET_DONE)
        *stale = tf_time() - begin;
    return seconds > LONG * *stale;
}

static uint8_t judge(struct tf_peer *peer, struct tf_net_access *read, double seconds)
{
    copies = 0;
    if (reads++ % AGED == AGED - 1 || (copying == 0 && reads % FEW == 0))
        return TF_FLAG_TRY;
    bool two = tf_net_company == TF_NET_TWO;
    bool slow = copying > 0 && seconds > (two ? LONG : SHARED) * copying * (double)read->bytes;
    return slow || (two && is_fresh(peer, read, seconds)) ? TF_FLAG_SLOW : 0;
}

enum tf_net_outcome tf_gauge_read(struct tf_peer *peer, struct tf_net_access *read)
{
    double begin = tf_time();
    enum tf_net_outcome reading = peer->net->read(peer, read);
    if (reading == TF_NET_DONE)
        tf_gauge_verdict = judge(peer, read, tf_time() - begin);
    return reading;
}

void tf_gauge_copy(void *to, const void *from, size_t bytes)
{
    bool looks = copies < FEW || copies % SAMPLED == 0;
    double begin = looks ? tf_time() : 0;
    copies++;
    memcpy(to, from, bytes);
    if (!looks)
        return;
    double now = (tf_time() - begin) / (double)bytes, most = copying * MORE;
    copying = copying == 0 || now < most ? now : most;
    reads = 0;
}
