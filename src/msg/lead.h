/* lead.h - of threads that wait at the same time one leads: it makes the passes, and the others follow, asleep, each
 * until somebody has found what it waits for.
 *
 * Who has led for long, as a server does that waits for whatever is asked next, steps back once others wait beside: a
 * switch between threads for each of their waits would cost more than these.  As their deputy he makes a pass now and
 * then, since they may look at one peer only, and leads again when they wait no more.
 */
#ifndef TF_LEAD_H
#define TF_LEAD_H

#include <stdbool.h>

struct tf_pause;

/* Wait until over() says so, as the leader or behind one: it is asked by whichever thread makes a pass, with the lock,
 * until it has been true once.  tf_await_begin() comes before. */
void tf_lead_or_follow(bool (*over)(void *state, bool *moved), void *state);

/* Lead, if nobody does: of a thread that makes passes of its own until its wait has ended. */
void tf_lead(const struct tf_pause *me);
void tf_lead_end(const struct tf_pause *me);
/* Whoever leads calls a function of the program: another one is to lead, and he finds out in his next turn. */
void tf_lead_hand_over(void);

/* After a pass: those whose waits are over are woken. */
void tf_lead_wake(void);

/* Pauses of all that look for themselves. */
extern unsigned tf_lead_turns;

#endif
