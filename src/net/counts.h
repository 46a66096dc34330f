/* counts.h - what went through each transport, from what the rings count anyway (ring.h).
 *
 * Bytes are those of payloads of more than TF_CELL_INLINE bytes: shorter ones travel in the message's own cell.
 */
#ifndef TF_NET_COUNTS_H
#define TF_NET_COUNTS_H

#include "net/net.h"

enum tf_net_count {
    TF_NET_SENT, /* messages */
    TF_NET_RECEIVED,
    TF_NET_BYTES_SENT, /* without what the peer has read by itself */
    TF_NET_BYTES_RECEIVED,
    TF_NET_BYTES_READ,    /* out of the peers' memory */
    TF_NET_BYTES_WRITTEN, /* into it, by the network */
    TF_NET_COUNTS
};

/* Since the start of the process, of jobs that have ended too. */
uint64_t tf_net_count(const struct tf_net *net, enum tf_net_count which);
/* The peers are about to go. */
void tf_net_count_keep(void);
void tf_net_count_keep_of(const struct tf_peer *peer); /* of that one alone */

#endif
