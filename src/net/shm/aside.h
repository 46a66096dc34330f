/* aside.h - processes of a job that the system runs on one processor, while those that are awake use fewer than there
 * are.
 *
 * Two that wait for each other and yield are content with one processor between them (base/stacked.h), and while other
 * programs keep the other processors busy the system leaves them there: each has run too lately to be moved.  A message
 * takes ten times as long then, and what they compute twice as long.  So who seems to be so says
 * where it runs, and, if it finds one that comes before it in the job there too, steps aside, to a processor where
 * nobody of the job is: it asks for that one, and at once for all those again that it was given, so that the system is
 * free to move it as before.  If they soon meet again it takes longer until the next try: the system may have its
 * reasons.
 */
#ifndef TF_SHM_ASIDE_H
#define TF_SHM_ASIDE_H

#include "base/base.h"

#include <stdatomic.h>

struct tf_aside_place {
    _Atomic int32_t *at;            /* the number of the processor that it runs on, and one; 0: it has not said so */
    const _Atomic uint32_t *asleep; /* not 0 while it sleeps (pause.h) */
};
typedef struct tf_aside_place tf_aside_places(int i); /* of process number i of the node */

/* There are so many processes, of which this is number `own`. */
void tf_aside_begin(tf_aside_places *places, int n, int own);
void tf_aside_end(void);

#endif
