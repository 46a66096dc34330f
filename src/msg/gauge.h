/* gauge.h - whether ranks with a processor each, or a few that share processors, do better to copy what they would
 * read.
 *
 *     read:    the system looks up each page and copies from the sender's memory     all of it the receiver's work
 *     copied:  the sender stores into the ring, the receiver copies out of it        half of it each
 *
 * Which is faster differs by machine, and from one minute to the next: on two threads of one core both copies stay in
 * its caches, and take half of the time of a read or less; on two cores far from each other they take longer.  What the
 * sender has just stored, as programs do, is read at a half to a third of the speed of what lies in this processor's
 * cache since it was read the last time, and the sender has to get its lines back before it can store again.  Of many
 * that read the memory of one at a time each waits for the others.
 *
 * So the receiver looks at the times that reads and copies take, and says with its answer to a read that it was slow
 * (TF_FLAG_SLOW); the sender then sends the next messages, and has another one read some time later (habit.h).  Where
 * it does not know what copies take it asks for a few (TF_FLAG_TRY).
 */
#ifndef TF_GAUGE_H
#define TF_GAUGE_H

#include "launch/nodes.h"
#include "msg/transfer.h"

/* Messages that are looked at are at least so long: less is copied anyway. */
enum { TF_GAUGE_LEAST = 16 * 1024 };

/* The longest message that is sent instead; 0: none.  Longer ones of collectives do not stay in the caches, nor do the
 * rings of many processes that share them; longer ones of others would wait for the sender's next call. */
static inline size_t tf_gauge_most(struct tf_peer *peer, bool coll)
{
    static const size_t most[TF_NET_COMPANIES] = {
        [TF_NET_TWO] = 2048 * 1024, [TF_NET_MANY] = 512 * 1024, [TF_NET_SHARING] = 256 * 1024};
    if (!coll)
        return tf_msg_peer(peer)->eager;
    return tf_net_company == TF_NET_SHARING && tf_nodes.size > TF_FEW ? 0 : most[tf_net_company];
}

/* The receiver: the flags for the answer to the message that was read last. */
extern uint8_t tf_gauge_verdict;
/* net->read() of some of a message of so many bytes, with a look at the time. */
enum tf_net_outcome tf_gauge_read(struct tf_peer *peer, struct tf_net_access *read, size_t total);
/* memcpy() of at least TF_GAUGE_LEAST out of a ring, or into one, with a look at the time now and then. */
void tf_gauge_copy(void *to, const void *from, size_t bytes);
void tf_gauge_store(void *to, const void *from, size_t bytes);
/* Any number of bytes out of a ring. */
static inline void tf_gauge_take(void *to, const void *from, size_t bytes)
{
    if (TF_LIKELY(bytes < TF_GAUGE_LEAST))
        memcpy(to, from, bytes);
    else
        tf_gauge_copy(to, from, bytes);
}

#endif
