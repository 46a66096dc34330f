/* stacked.h - whether the one who is waited for runs on the same processor.
 *
 * Two that wait for each other and yield are content with one processor between them, and where all are busy with
 * others the system leaves them there.  Looking is in vain then: what is waited for comes with the yield behind it.  So
 * waits that end with their first yields are followed by some that yield at once, and by the more of them the more
 * often a wait that looks for long again is in vain.  But waits that last, as of a process that only serves others, do
 * so no longer than some milliseconds.
 */
#ifndef TF_BASE_STACKED_H
#define TF_BASE_STACKED_H

#include <stdbool.h>
#include <stdint.h>

/* Whether to yield after a few looks. */
bool tf_stacked(void);
/* A wait is over that looked in vain, then yielded or slept so many times, from `since` to `now`; whether it seems that
 * the one waited for runs here. */
bool tf_stacked_waited(uint32_t pauses, int64_t since, int64_t now);
/* In the midst of one: whether tf_stacked() has changed, as what it goes by is long ago. */
bool tf_stacked_is_past(int64_t now);
/* It does not any more. */
void tf_stacked_end(int64_t now);

#endif
