/* yield.h - giving the processor to others while one waits, and whether that is better than to sleep.
 *
 * Where all that run wait for each other, sched_yield() is the cheapest way to wait: each looks, and hands the
 * processor on in two microseconds; to sleep and be woken costs several times as much.  But one that computes takes the
 * processor for a slice of some milliseconds, and who yields has given up the rest of his own, while one that sleeps is
 * woken by what comes, and gets the processor soon, having used so little of it.  So a yield that takes long is
 * followed by sleeps, and by the more of them the more often that happens; and who has waited so long for a turn asks
 * the system for short slices, so as to be woken sooner.
 *
 * What other processes of the job do for a turn is no reason to sleep, be it that they copy or that they compute: they
 * yield when it is done, and of many that share a processor each has a turn.  So processes that share memory say there
 * how long they have run since they last waited, and when that was.
 */
#ifndef TF_BASE_YIELD_H
#define TF_BASE_YIELD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

/* Between two looks at what another processor will write soon. */
static inline void tf_yield_hint(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

/* Whether who waits should yield; if not he sleeps, if he can, and says so by tf_yield_slept(). */
bool tf_yield_pays(void);
/* Whether one has taken long of late, by whatever took the processor: then it is worth more looks. */
bool tf_yield_is_dear(int64_t now);
/* Yield; `now` is the time, returned is the time after it.  With or without the big lock. */
int64_t tf_yield(int64_t now);
/* So long. */
void tf_yield_slept(int64_t time);
/* Ask the system for short slices, once in a thread: those do who have waited long for a turn, and all who share
 * processors with other ranks, as of those that yield to each other who has longer ones gets fewer turns. */
void tf_yield_ask(void);
/* A yield took so long, of which all that share the counter worked so long, together.  For tf_yield(), and
 * for tests. */
void tf_yield_took(int64_t time, int64_t worked);
/* This thread has worked so long for the job's messages, however long that is. */
void tf_yield_worked(int64_t time);
/* This thread waits from now on, by yields or asleep; it has run since it did so last. */
void tf_yield_waits(int64_t now);

/* Of a longer run only that counts for which the process had a processor, by its own clock, which takes a call of the
 * system to read.  Who has had one for longer than a turn computes like any other program: then, too, sleeping pays
 * where there are other programs, and costs little where there are none. */
enum { TF_YIELD_LONG_RUN = TF_MILLISECOND / 2, TF_YIELD_TURN = 3 * TF_MILLISECOND / 2 };
static inline int64_t tf_yield_counts(int64_t ran, int64_t had)
{
    return had < 0 || had > TF_YIELD_TURN ? 0 : had < ran ? had : ran;
}

/* What a process says of itself. */
struct tf_yield_run {
    _Atomic int64_t since; /* it has run, at that time, since it waited; 0: it waits */
    _Atomic int64_t had;   /* how long it had had processors, at most half a millisecond before that */
};
/* The processes of the job that share processors, of which this is one; they live until others are given.  NULL: there
 * is nobody else. */
struct tf_yield_others {
    int processors, turns;    /* so many share each of them */
    _Atomic uint64_t *worked; /* how long they all have run between their waits, but for the last time */
    struct tf_yield_run *own;
    int64_t (*running)(int64_t from, int64_t now); /* how long those that have not waited since, in that time */
};
void tf_yield_share(const struct tf_yield_others *others);

#endif
