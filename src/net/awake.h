/* awake.h - how many of the processes that share a machine are awake.
 *
 * Where there are more of them than processors, who waits hands the processor on.  But most of them may sleep, as a
 * wait lasts: workers without work, a part of the ranks in a barrier while the others talk.  Those that are awake have
 * a processor each then, and wait like processes that are not crowded.
 */
#ifndef TF_NET_AWAKE_H
#define TF_NET_AWAKE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* They count in `asleep` who sleeps; so many there are, and processors for them.  NULL: they do not count any more. */
void tf_awake_share(_Atomic int32_t *asleep, int processes, int processors);
/* Whether more are awake than there are processors; true where nobody counts. */
bool tf_awake_crowd(void);
/* How many there are for each processor, rounded up; many where nobody counts. */
int tf_awake_turns(void);
/* One more of them sleeps, or one fewer: who wakes one says so for it, before it has a processor. */
void tf_awake_sleeps(bool sleeps);

#endif
