/* fresh.h - whether two ranks with a processor each do better to copy what they would read.
 *
 * The system reads memory that lies in this processor's cache since it was read the last time two to three times as
 * fast as what the sender has just stored, as programs do, and after that the sender has to get its lines back before
 * it can store again.  Through a ring each side copies what is its own.  So the receiver looks at the time that a read
 * takes, and says with its answer (TF_FLAG_FRESH) that it was long; the sender then sends the next messages, and has
 * another one read some time later.
 */
#ifndef TF_FRESH_H
#define TF_FRESH_H

#include "msg/peer.h"

/* The longest message that is sent instead.  Longer ones of collectives do not stay in the caches; of others, they
 * would wait for the sender's next call. */
static inline size_t tf_fresh_most(struct tf_peer *peer, bool coll)
{
    return tf_net_company != TF_NET_TWO ? 0 : coll ? 512 * 1024 : tf_msg_peer(peer)->eager;
}

/* The receiver: the last message that was read was fresh. */
extern bool tf_fresh;
/* net->read(), with a look at the time. */
enum tf_net_outcome tf_fresh_read(struct tf_peer *peer, struct tf_net_access *read);

#endif
