/* absent.h - collectives on communicators that this process does not have: not yet, or not any more.
 *
 * Who gives a call up tells the others at once, and may then end the communicator before they have it; and who has it
 * asks, when the other one's is gone.  Both are remembered in small circles, which take no memory when it is short.
 */
#ifndef TF_ABSENT_H
#define TF_ABSENT_H

#include "msg/history.h"
#include "net/net.h"

/* A communicator ends; calls on it were given up, and those from number `next` on will not be made. */
void tf_absent_leave(uint64_t context, const struct tf_history *history, uint32_t next);
/* How that process gave up that call, as tf_history_gave_up() tells, or the last one before the communicator ended
 * without it; 0: it did not, or that is forgotten. */
uint32_t tf_absent_gave_up(uint64_t context, uint32_t sequence);

/* The peer has told of a call on a communicator that may come. */
void tf_absent_keep(struct tf_peer *peer, uint64_t context, uint32_t sequence, const struct tf_terms *terms);
/* It has come: one of what was told of it, which is then forgotten; false: nothing (more). */
bool tf_absent_take(uint64_t context, struct tf_peer **peer, uint32_t *sequence, struct tf_terms *terms);

void tf_absent_setup(void); /* nothing is known */

#endif
