/* caller.c - see caller.h. */
#include "base/caller.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    int level;
    pid_t first;                     /* the thread that called MPI_Init */
    _Atomic pid_t inside;            /* the one that is in a call, 0 if none */
    _Atomic(const char *) procedure; /* what it has called */
    int depth;                       /* its calls within calls */
} callers = {.procedure = "MPI"};

static pid_t this_thread(void)
{
    return (pid_t)syscall(SYS_gettid);
}

void tf_caller_limit(int thread_level)
{
    bool judging = thread_level != MPI_THREAD_MULTIPLE;
    if (judging == tf_library.judging) /* other threads may be reading it */
        return;
    callers.level = thread_level;
    callers.first = this_thread();
    tf_library.judging = judging;
    tf_library.guarded = judging || tf_library.locking;
}

static const char *level_name(void)
{
    return callers.level == MPI_THREAD_SINGLE     ? "MPI_THREAD_SINGLE"
           : callers.level == MPI_THREAD_FUNNELED ? "MPI_THREAD_FUNNELED"
                                                  : "MPI_THREAD_SERIALIZED";
}

static TF_COLD void begin(const char *procedure)
{
    pid_t self = this_thread(), other = 0;
    if (callers.level < MPI_THREAD_SERIALIZED && self != callers.first)
        tf_fatal(1,
                 "treefold[%d]: %s: thread %d of this process is not the one that called MPI_Init (%d), and the level "
                 "of threads is %s; ask MPI_Init_thread for MPI_THREAD_SERIALIZED, or for MPI_THREAD_MULTIPLE if "
                 "several may call at once",
                 tf_job.rank, procedure, (int)self, (int)callers.first, level_name());
    if (atomic_load(&callers.inside) != self && !atomic_compare_exchange_strong(&callers.inside, &other, self))
        tf_fatal(1,
                 "treefold[%d]: %s: thread %d of this process calls it while thread %d is in %s, and the level of "
                 "threads is %s; ask MPI_Init_thread for MPI_THREAD_MULTIPLE",
                 tf_job.rank, procedure, (int)self, (int)other, atomic_load(&callers.procedure), level_name());
    if (callers.depth++ == 0)
        atomic_store(&callers.procedure, procedure);
}

static TF_COLD void end(void)
{
    if (--callers.depth == 0)
        atomic_store(&callers.inside, 0);
}

void tf_caller_come(const char *procedure)
{
    if (TF_UNLIKELY(tf_library.judging))
        begin(procedure);
    if (TF_LIKELY(tf_library.locking))
        tf_lock_take();
}

void tf_caller_go(void)
{
    if (TF_LIKELY(tf_library.locking))
        tf_lock_drop();
    if (TF_UNLIKELY(tf_library.judging))
        end();
}
