/* caller.c - see caller.h. */
#include "base/caller.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    pid_t first;                     /* the thread that called MPI_Init */
    _Atomic pid_t inside;            /* the one that is in a call, 0 if none */
    _Atomic(const char *) procedure; /* what it has called */
    int depth;                       /* its calls within calls */
} callers = {.procedure = "MPI"};

static pid_t this_thread(void)
{
    return (pid_t)syscall(SYS_gettid);
}

const struct tf_thread_level tf_thread_levels[4] = {{"MPI_THREAD_SINGLE", MPI_THREAD_SINGLE},
                                                    {"MPI_THREAD_FUNNELED", MPI_THREAD_FUNNELED},
                                                    {"MPI_THREAD_SERIALIZED", MPI_THREAD_SERIALIZED},
                                                    {"MPI_THREAD_MULTIPLE", MPI_THREAD_MULTIPLE}};

const char *tf_thread_level_word(int level)
{
    size_t i = 0;
    while (tf_thread_levels[i].level != level)
        i++;
    return tf_thread_levels[i].word;
}

void tf_caller_judge(bool judging)
{
    if (judging == tf_library.judging) /* other threads may be reading it */
        return;
    callers.first = this_thread();
    tf_library.judging = judging;
    tf_library.guarded = judging || tf_library.locking;
}

void tf_caller_begin(const char *procedure)
{
    pid_t self = this_thread(), other = 0;
    if (tf_world.thread_level < MPI_THREAD_SERIALIZED && self != callers.first)
        tf_fatal(1,
                 "treefold[%d]: %s: thread %d of this process is not the one that called MPI_Init (%d), and the level "
                 "of threads is %s; ask MPI_Init_thread for MPI_THREAD_SERIALIZED, or for MPI_THREAD_MULTIPLE if "
                 "several may call at once",
                 tf_job.rank, procedure, (int)self, (int)callers.first, tf_thread_level_word(tf_world.thread_level));
    if (atomic_load(&callers.inside) != self && !atomic_compare_exchange_strong(&callers.inside, &other, self))
        tf_fatal(1,
                 "treefold[%d]: %s: thread %d of this process calls it while thread %d is in %s, and the level of "
                 "threads is %s; ask MPI_Init_thread for MPI_THREAD_MULTIPLE",
                 tf_job.rank, procedure, (int)self, (int)other, atomic_load(&callers.procedure),
                 tf_thread_level_word(tf_world.thread_level));
    if (callers.depth++ == 0)
        atomic_store(&callers.procedure, procedure);
}

void tf_caller_end(void)
{
    if (--callers.depth == 0)
        atomic_store(&callers.inside, 0);
}

int tf_caller_lend(void)
{
    if (!tf_library.judging || atomic_load(&callers.inside) != this_thread())
        return 0;
    int depth = callers.depth;
    callers.depth = 0;
    atomic_store(&callers.inside, 0);
    return depth;
}

void tf_caller_take_back(int depth)
{
    if (depth == 0)
        return;
    atomic_store(&callers.inside, this_thread());
    callers.depth = depth;
}

void tf_caller_come(const char *procedure)
{
    if (TF_UNLIKELY(tf_library.judging))
        tf_caller_begin(procedure);
    if (TF_LIKELY(tf_library.locking))
        tf_lock_take();
}

void tf_caller_go(void)
{
    if (TF_LIKELY(tf_library.locking))
        tf_lock_drop();
    if (TF_UNLIKELY(tf_library.judging))
        tf_caller_end();
}
