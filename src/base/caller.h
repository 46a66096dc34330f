/* caller.h - the begin and the end of a call of the program: the big lock, and, where calls are checked strictly,
 * whether this thread may call (MPI-5.0 section 11.6.2).
 *
 * Below MPI_THREAD_MULTIPLE no two threads may at once, below MPI_THREAD_SERIALIZED only the one that called MPI_Init.
 * Another ends the job before it changes what the first is in the midst of, with the words of who was where.  What may
 * be called at any time, any thread may call: that only takes the lock.
 */
#ifndef TF_CALLER_H
#define TF_CALLER_H

#include "base/base.h"

/* This thread has called MPI_Init, and got that level.  MPI_THREAD_MULTIPLE: all may call, from now on. */
void tf_caller_limit(int thread_level);

void tf_caller_come(const char *procedure); /* a name that stays */
void tf_caller_go(void);

static inline void tf_caller_enter(const char *procedure)
{
    if (TF_UNLIKELY(tf_library.guarded))
        tf_caller_come(procedure);
}
static inline void tf_caller_leave(void)
{
    if (TF_UNLIKELY(tf_library.guarded))
        tf_caller_go();
}

#endif
