/* caller.h - the begin and the end of a call of the program: the big lock, and, where calls are checked strictly,
 * whether this thread may call (MPI-5.0 section 11.6.2).
 *
 * Below MPI_THREAD_MULTIPLE no two threads may at once, below MPI_THREAD_SERIALIZED only the one that called MPI_Init.
 * Another ends the job before it changes what the first is in the midst of, with the words of who was where.  What may
 * be called at any time, any thread may call: that only takes the lock.  What needs of objects only what never changes
 * takes none: who has the handles must not free them meanwhile, and waits for nobody who is in a long call.
 */
#ifndef TF_CALLER_H
#define TF_CALLER_H

#include "base/base.h"

/* The levels of threads and their words. */
struct tf_thread_level {
    const char *word;
    int level;
};
extern const struct tf_thread_level tf_thread_levels[4];
const char *tf_thread_level_word(int level);

/* By the thread that has called MPI_Init: others are held to tf_world.thread_level from now on, or no longer. */
void tf_caller_judge(bool judging);

void tf_caller_come(const char *procedure); /* a name that stays */
void tf_caller_go(void);
void tf_caller_begin(const char *procedure) TF_COLD; /* the same without the lock */
void tf_caller_end(void) TF_COLD;

/* While an error handler of the program runs, which need not return (longjmp, an exception), this thread counts as
 * outside.  What it was within, 0 if nothing, and back. */
int tf_caller_lend(void) TF_COLD;
void tf_caller_take_back(int depth) TF_COLD;

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
static inline void tf_caller_ask(const char *procedure)
{
    if (TF_UNLIKELY(tf_library.judging))
        tf_caller_begin(procedure);
}
static inline void tf_caller_asked(void)
{
    if (TF_UNLIKELY(tf_library.judging))
        tf_caller_end();
}

#endif
