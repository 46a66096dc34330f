/* yield.c - see yield.h.
 *
 * What threads learn at the same time may get lost, which costs a yield or a sleep.
 */
#include "base/yield.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.h"

/* Longer than it takes many processes that only look to have their turns, and shorter than a slice. */
static const int64_t LONG = TF_MILLISECOND;
static const int64_t LATELY = 100 * TF_MILLISECOND;

/* A yield that takes a slice costs as much as some hundred sleeps.  Even a program of the least priority takes one for
 * each few hundred yields, as who yields counts as if he had used all of his slice (Linux 6.18), so short ones in
 * between say little.  Sleeps are in these units. */
enum { SLEEP = 256, LEAST = 8 * SLEEP, MOST = 4096 * SLEEP, MORE = 4, FEWER = 1024 };

/* From as long as that on who works says so. */
static const int64_t WORK = 200 * TF_MICROSECOND;
/* What happened before so much was lost counts half. */
static const int64_t MEMORY = 20 * TF_MILLISECOND;

static _Atomic uint64_t own;
static _Atomic uint64_t *_Atomic counter = &own; /* threads may be yielding when there is another one */
static _Atomic int processors = 1;
static _Atomic bool crowded;          /* by those who share the counter */
static _Atomic uint32_t left;         /* sleeps until the next yield, one by one */
static _Atomic uint32_t next = LEAST; /* that follow the next long yield */
static _Atomic int64_t last_long;     /* when one was; 0: never */
static _Atomic uint64_t mine;         /* of what has been worked */
static _Atomic int64_t lost;          /* by long yields */
static _Atomic uint64_t counted;      /* of others' work before that */

/* When this thread went to work, if that is looked at, and what it had of processors before. */
static _Thread_local int64_t away_since, had;

/* Who is woken takes the processor at once from one whose slices are longer (Linux 6.12), who may have had it for as
 * long as such a slice otherwise; and who yields gives up no more than his own. */
void tf_yield_ask(void)
{
    enum { SLICE = TF_MILLISECOND / 2, USUAL = 0, BATCH = 3 };
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t slice, deadline, period;
    } has; /* struct sched_attr, which some C libraries have and some do not */
    static _Thread_local bool asked;
    if (TF_LIKELY(asked))
        return;
    asked = true;
    if (syscall(SYS_sched_getattr, 0, &has, sizeof has, 0) != 0 || (has.policy != USUAL && has.policy != BATCH) ||
        has.slice <= SLICE)
        return; /* older systems say 0 */
    has.slice = SLICE;
    syscall(SYS_sched_setattr, 0, &has, 0); /* where that is forbidden, waits are longer */
}

bool tf_yield_pays(void)
{
    return atomic_load_explicit(&left, memory_order_relaxed) == 0;
}

void tf_yield_slept(void)
{
    uint32_t n = atomic_load_explicit(&left, memory_order_relaxed);
    if (n > 0) {
        atomic_store_explicit(&left, n - 1, memory_order_relaxed);
        tf_yield_ask();
    }
}

void tf_yield_share(_Atomic uint64_t *with, int n, bool many)
{
    counter = with ? with : &own;
    processors = with ? n : 1;
    crowded = with && many;
    mine = 0;
    lost = 0;
    counted = *counter;
}

void tf_yield_worked(int64_t time)
{
    atomic_fetch_add_explicit(counter, (uint64_t)time, memory_order_relaxed);
    atomic_fetch_add_explicit(&mine, (uint64_t)time, memory_order_relaxed);
}

void tf_yield_to_work(int64_t now)
{
    away_since = tf_yield_is_dear(now) ? now : 0;
    if (away_since != 0)
        had = tf_time_of_thread();
}

void tf_yield_from_work(int64_t now)
{
    if (away_since == 0 || now - away_since < WORK)
        return;
    int64_t worked = tf_time_of_thread() - had;
    if (worked >= WORK)
        tf_yield_worked(worked);
}

/* Whether others of the job have worked for most of the time that was lost, this one included, as far as they have come
 * to say so. */
static bool is_own_work(int64_t time)
{
    uint64_t others = atomic_load_explicit(counter, memory_order_relaxed) - mine, since = others - counted;
    int64_t all = lost + time;
    bool forgets = all > MEMORY;
    lost = forgets ? all / 2 : all;
    counted = forgets ? others - since / 2 : counted;
    return (int64_t)since / processors >= all / 2;
}

void tf_yield_took(int64_t time, int64_t worked)
{
    uint32_t n = atomic_load_explicit(&next, memory_order_relaxed);
    time -= worked / processors;
    if (time >= LONG) {
        tf_yield_ask();
        atomic_store_explicit(&last_long, tf_time(), memory_order_relaxed);
        n = crowded && is_own_work(time) ? LEAST / MORE : n;
        atomic_store_explicit(&left, n / SLEEP, memory_order_relaxed);
        atomic_store_explicit(&next, n * MORE < MOST ? n * MORE : MOST, memory_order_relaxed);
    } else if (n > LEAST) {
        atomic_store_explicit(&next, n - n / FEWER, memory_order_relaxed);
    }
}

bool tf_yield_is_dear(int64_t now)
{
    int64_t last = atomic_load_explicit(&last_long, memory_order_relaxed);
    return last != 0 && now - last < LATELY;
}

int64_t tf_yield(int64_t now)
{
    _Atomic uint64_t *of_all = counter;
    uint64_t before = atomic_load_explicit(of_all, memory_order_relaxed);
    sched_yield();
    int64_t then = tf_time();
    tf_yield_took(then - now, (int64_t)(atomic_load_explicit(of_all, memory_order_relaxed) - before));
    return then;
}
