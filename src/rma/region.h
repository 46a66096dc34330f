/* region.h - puts and gets that the network does by itself (net->regions), without the target's processor.
 *
 * A process registers its memory of a window when the first one of another node asks for the key, and each asks when it
 * first has a use for it: a job pays for the pairs that communicate.  Until the key is there operations are messages,
 * and so is what is not a row of bytes on both sides, and every accumulate.
 */
#ifndef TF_RMA_REGION_H
#define TF_RMA_REGION_H

#include "rma/op.h"

/* Whether the network can do that operation; where that is not known the target is asked. */
bool tf_region_takes(const struct tf_win_op *op);
/* Have it do the next bytes; false: not now.  What it refuses is for messages: op->by_network is false then. */
bool tf_region_push(struct tf_win_op *op);
/* The operation is about to go: what is under way of it ends without a word. */
void tf_region_leave(struct tf_win_op *op);

/* The key of this process's memory for that peer, at most TF_NET_KEY bytes; NULL: it has none. */
const void *tf_region_key(struct tf_win *win, const struct tf_peer *peer, size_t *length);
/* The answer of a target; length 0: it has none. */
void tf_region_learn(struct tf_target *target, const void *key, size_t length);
/* The window goes: nobody uses its memory any more. */
void tf_region_close(struct tf_win *win);

#endif
