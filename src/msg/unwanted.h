/* unwanted.h - messages that nobody will receive: of calls that were given up, and of revoked communicators. */
#ifndef TF_UNWANTED_H
#define TF_UNWANTED_H

#include "msg/match.h"

/* The sender of a long or synchronous message waits for an answer. */
void tf_unwanted_discard(struct tf_peer *peer, const struct tf_header *h);
/* The same of a revoked communicator: the sender of a point-to-point message learns that it was not received. */
void tf_unwanted_refuse(struct tf_peer *peer, const struct tf_header *h) TF_COLD;
/* Whether the communicator, which this process may not have any more, is revoked.  match: its own, or NULL. */
bool tf_unwanted_is_revoked(const struct tf_match *match, uint64_t context);

#endif
