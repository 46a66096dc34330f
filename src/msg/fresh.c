/* fresh.c - see fresh.h. */
#include "msg/fresh.h"

#include "base/base.h"

bool tf_fresh;

/* Of fresh memory a read takes two to three times as long; a copy instead of a read, 1.2 to 1.7 times. */
static const double LONG = 1.5;

/* Seconds that a read of so many bits of bytes took when it was not fresh, at last; 0: it is not known. */
static double usual[64];

/* Whatever interrupts one measurement is forgotten after so many reads. */
enum { TRUSTED = 64 };

/* What has just been read is in the cache: to read it again tells what the system takes for that alone, wherever the
 * two processes run now. */
static bool is_fresh(struct tf_peer *peer, struct tf_net_access *read, double seconds)
{
    static unsigned reads;
    double *stale = &usual[__builtin_clzll(read->bytes)], begin = tf_time();
    if ((seconds > LONG * *stale || reads++ % TRUSTED == 0) && peer->net->read(peer, read) == TF_NET_DONE)
        *stale = tf_time() - begin;
    return seconds > LONG * *stale;
}

enum tf_net_outcome tf_fresh_read(struct tf_peer *peer, struct tf_net_access *read)
{
    double begin = tf_time();
    enum tf_net_outcome reading = peer->net->read(peer, read);
    if (reading == TF_NET_DONE)
        tf_fresh = is_fresh(peer, read, tf_time() - begin);
    return reading;
}
