/* habit.h - whether the next messages of a length are read where they lie or copied, by what was said of the last reads
 * (gauge.h).
 *
 *     read x IN_A_ROW, all slow -> copied x 32 -> read x IN_A_ROW, all slow -> copied x 64 -> ... x 512
 *                  one was not: read on
 *
 * So many reads must have been slow one after the other: the first ones after a while are so because what they read is
 * no longer in the receiver's cache.  What this process says of what it has read counts as what its peers say of what
 * they have: where one of two that exchange read while the other one copied, each would wait for the other.
 */
#ifndef TF_HABIT_H
#define TF_HABIT_H

#include "base/base.h"

/* So many copies are made to see how long they take. */
enum { TF_HABIT_TRIES = 12 };

/* What a peer says of its read of so many bytes, at least 1, and what we say of ours: flags of an answer (wire.h). */
void tf_habit_hear(size_t bytes, uint8_t flags);
void tf_habit_say(size_t bytes, uint8_t flags);
/* The next such message is copied; others_are_read: there are some whose answer is not there yet. */
bool tf_habit_copies(size_t bytes, bool others_are_read);

#endif
