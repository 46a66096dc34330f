/* base.h - what every file of the core may use: compiler words, errors, the world.
 *
 * Functions of the core return an MPI error class in an int (MPI_SUCCESS is 0).  The place that detects an error
 * says what was wrong with tf_error(); everybody else only passes the class on.  Outputs are written on success only.
 */
#ifndef TF_BASE_H
#define TF_BASE_H

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpi.h"

#define TF_LIKELY(x) __builtin_expect(!!(x), 1)
#define TF_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define TF_COLD __attribute__((cold, noinline))
/* All that it calls is compiled into it, however much else the file has. */
#ifdef TF_WHOLE_PROGRAM /* what it calls is all there: the library once more in each procedure */
#define TF_FLAT
#else
#define TF_FLAT __attribute__((flatten))
#endif
#define TF_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define TF_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define TF_CONTAINER(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))
#define TF_CACHE_LINE 64

/* Record what was wrong, in words a user understands and with the value ("count is -3; it must be at least 0"; no
 * procedure name, no newline), as this thread's latest error of that class; returns `errclass`. */
#define tf_error(errclass, ...) (tf_error_record(errclass, __VA_ARGS__), tf_error_value(errclass))
static inline int tf_error_value(int errclass)
{
    return errclass;
}
void tf_error_record(int errclass, const char *format, ...) TF_PRINTF(2, 3) TF_COLD;

/* The text of this thread's latest tf_error() if it was of `errclass`, else NULL. */
const char *tf_error_text(int errclass);
/* That error is raised by this procedure, a literal; and by which it was, NULL if by none. */
void tf_error_raised(const char *procedure);
const char *tf_error_procedure(void);

/* malloc that records MPI_ERR_NO_MEM in words ("cannot allocate N bytes for WHAT") and returns NULL when there is none.
 */
void *tf_alloc(size_t bytes, const char *what);

/* End the whole job: prints `message` (whole lines) on stderr, tells the launcher, kills this process.  Never returns.
 */
void tf_fatal(int exit_code, const char *format, ...) TF_PRINTF(2, 3) TF_COLD __attribute__((noreturn));
/* How the launcher is told; NULL: there is none.  launch/ sets it. */
extern void (*tf_fatal_tell)(int exit_code, const char *message);

/* A diagnostic for the developer of the program, on stderr, prefixed "treefold[rank]: "; printed when the setting
 * `verbose` is at least `level`. */
void tf_log(int level, const char *format, ...) TF_PRINTF(2, 3) TF_COLD;

/* Nanoseconds of a clock that only goes forward.  Integers, here and in all that is made of them, as a program may have
 * results that are inexact trap. */
int64_t tf_time(void);
/* Of a clock of the system, such as the time for which a process has had processors; TF_NEVER: it is not there. */
int64_t tf_time_by(clockid_t clock);
#define TF_SECOND INT64_C(1000000000)
#define TF_MILLISECOND INT64_C(1000000)
#define TF_MICROSECOND INT64_C(1000)
#define TF_NEVER INT64_MAX

/* An array of counts or displacements as the user passed it: int[] (plain form) or MPI_Count[]/MPI_Aint[] (_c form).
 * Not copied: the standard forbids changing such arrays before a nonblocking call completes. */
struct tf_counts {
    const void *array;
    bool large;
};

static inline MPI_Count tf_counts_at(struct tf_counts c, int i)
{
    return c.large ? ((const MPI_Count *)c.array)[i] : ((const int *)c.array)[i];
}

/* This process in its job, as the process manager has started it.  Set once by tf_launch_open(). */
struct tf_job {
    int rank, size;
    const char *name; /* unique on this machine */
    uint64_t id;      /* the same in all its processes, and most likely in no other job */
    bool leaving;     /* this process waits for the others at the end: who ends now is no failure */
    bool left;        /* and all have come: what was sent has been received */
};
extern struct tf_job tf_job;

/* The library in this process, which MPI_Init and sessions share. */
struct tf_library {
    bool locking; /* the big lock is in use: MPI_THREAD_MULTIPLE, a progress thread, or no users (threads may meet in
                     MPI_Session_init) */
    bool judging; /* whether a thread may call is looked at (caller.h) */
    bool guarded; /* one of these */
    bool lasting; /* a process of the job has had a session, as far as this one knows: the network stays open */
    int users;    /* who has initialized it and not finalized */
    bool running; /* there are any: else nothing works but what may be called at any time.  Read without the lock by
                     those who have objects, for whom it does not change */
};
extern struct tf_library tf_library;

/* What MPI_Init has made (the World Model, MPI-5.0 section 11.2). */
struct tf_world {
    int thread_level; /* MPI_THREAD_... provided */
    bool initialized, finalized;
};
extern struct tf_world tf_world;

/* The big lock: a predictable branch in a single-threaded job.  Held by every MPI call; let go while it waits.
 * What may be called at any time is safe for threads at every level of them (MPI-5.0 section 11.4.1): it takes the lock
 * also where the lock is not in use, and so does what other calls do with the objects of such procedures: infos, error
 * handlers and keys of attributes. */
void tf_lock_take(void);
void tf_lock_drop(void);
extern void (*tf_lock_leaving)(void); /* called by who is about to let it go; NULL: nothing is */
bool tf_lock_try(void);               /* take it if it is free, or this thread's */
void tf_lock_yield(void);             /* let others have it if they want it */
bool tf_lock_wanted(void);            /* another thread waits for it */
bool tf_lock_shared(void);            /* it is in use, and more than one thread has had it */
bool tf_lock_nested(void); /* by who holds it: a call within a call does, so tf_lock_leave() would not let it go */
/* Who holds it, or nobody, calls a function of the program: others may have it meanwhile, as that may wait for them
 * (MPI-5.0 section 11.6: a call blocks the thread that makes it, and no other).  Then it is taken back.
 * A call within a call keeps it: the outer one is in the midst of something. */
bool tf_lock_lend(void);
void tf_lock_take_back(bool lent);
void tf_lock_use(void);    /* by who holds it, or is alone: every call takes it */
void tf_lock_disuse(void); /* by who holds it: only what may be called at any time still takes it */
void tf_lock_forget(void); /* by a child of fork(), in which the thread that has it may not be: nobody has it */
static inline void tf_lock_enter(void)
{
    if (TF_UNLIKELY(tf_library.locking))
        tf_lock_take();
}
static inline void tf_lock_leave(void)
{
    if (TF_UNLIKELY(tf_library.locking))
        tf_lock_drop();
}

#endif
