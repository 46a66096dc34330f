/* failure.h - processes that have died, in a job that goes on without them (the setting keep_going).
 *
 *     launcher's word, connection, beacon -> told -> between two passes of progress: what it has sent is taken in, its
 *     rings go, whoever has something to do with it is told
 *
 * Agreement of those who are left needs failures that are true.  So what a connection or the beacon says goes to the
 * launcher where that tells of the dead, and comes back as its word.
 *
 * Who has died is met as one to whom everything can be said and who never answers (dead.c): so whatever is on its way
 * ends as it would, and only what waits for an answer has to be looked for.
 */
#ifndef TF_FAILURE_H
#define TF_FAILURE_H

#include "net/net.h"

/* Those that have died as far as this process has taken note, in the order in which it has: their numbers;
 * MPI_UNDEFINED: of a job that is not known any more. */
extern int tf_failure_count;
int tf_failure_process(int i);
/* Whether that one is among them. */
static inline bool tf_failure_is(const struct tf_peer *peer)
{
    return TF_UNLIKELY(peer->failed) && peer->net == &tf_net_dead;
}
/* How it came to its end, in words: "rank 3 was killed by signal 9 (Killed)". */
const char *tf_failure_words(const struct tf_peer *peer);

/* Before tf_net_open(): soon() is called when somebody has died; and for each, once, when its rings have gone, all
 * those that want to hear of it, in this order. */
void tf_failure_call(void (*soon)(void));
void tf_failure_tell(void (*hear)(struct tf_peer *peer));
/* Look whether the launcher says anything new, at most every so often; between two passes of progress. */
void tf_failure_look(void);
/* Whether somebody has died of whom nobody was told yet: tf_failure_settle() is to be called soon. */
extern bool tf_failure_any;
/* The same as what is above, all of it: between two passes of progress. */
void tf_failure_settle(void);

void tf_failure_open(void);
void tf_failure_again(void);                 /* another job is known */
void tf_failure_forget(int first, int size); /* the one with these numbers is known no longer */
void tf_failure_close(void);

#endif
