/* fetch.h - programs whose processes send to each other before they receive.
 *
 *     0   MPI_Send to 1   ---- RTS ---->  <---- RTS ----   MPI_Send to 0   1
 *
 * MPI-5.0 section 3.5 calls them unsafe: an announced message is not sent before its receive.  Many count on it all the
 * same that short ones are kept.  So a process that waits in MPI_Send, or for long in another call, reads what it could
 * have been sent unasked, and keeps it, as it keeps what comes without an announcement.
 */
#ifndef TF_FETCH_H
#define TF_FETCH_H

#include "msg/match.h"

/* Blocking sends that wait now. */
extern uint32_t tf_fetch_waiting;
/* The message of that announcement, which came before its receive, with its data and as if they had come with it: its
 * sender is answered.  NULL: it stays announced. */
struct tf_unexpected *tf_fetch(struct tf_peer *peer, const struct tf_header *h, const struct tf_rts *facts) TF_COLD;
/* All that have come: by who begins to wait in such a send, or, if it has lasted or is about to sleep, in another wait
 * that has come to more than looking. */
void tf_fetch_all(void) TF_COLD;
void tf_fetch_late(const struct tf_pause *pause) TF_COLD;

#endif
