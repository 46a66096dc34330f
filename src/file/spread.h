/* spread.h - ranks that share processors go apart before they move much.
 *
 * Who waits and yields keeps close to those that he waits for, on one processor, and the system evens out only after
 * some milliseconds, in which all is moved: it sees tasks that are always ready, and that have just run where they are.
 */
#ifndef TF_SPREAD_H
#define TF_SPREAD_H

#include "base/base.h"

#include <sched.h>

/* The calling thread goes on on the processor, of those it may use, that is the rank's turn: `first_alone` leaves rank
 * 0 one that the others do not get.  It may use the same ones afterwards. */
void tf_spread(int rank, bool first_alone);
/* Which one it is. */
int tf_spread_processor(const cpu_set_t *allowed, int rank, bool first_alone);
/* It may use these processors again; if they are all that its cpuset has, then also those that this gets later. */
void tf_spread_allow(const cpu_set_t *allowed);

#endif
