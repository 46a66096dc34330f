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

/* Longer than it takes processes that only look to have their turns, and shorter than a slice.  Where very many share a
 * processor, each finds nothing in its caches, and the system takes as long as they do. */
static const int64_t LONG = TF_MILLISECOND, TURN = TF_MILLISECOND / 20;
static const int64_t LATELY = 100 * TF_MILLISECOND;

/* A yield that takes a slice costs as much as some hundred sleeps.  A program that computes between its messages has
 * one such yield each time, and then many that are short, and is to stay at the least. */
enum { LEAST = 8, MOST = 4096, MORE = 4, FEWER = 8 };

/* But where yields hand the processor to a program of low priority, that is once in some hundred too, as who yields
 * counts as if he had used all of his slice (Linux 6.18).  So sleeping goes on whatever is short in between, as long as
 * that helps: a sleep loses less than half of what a yield does, counting what is lost in long ones.  It does not where
 * processes of the job compute, and where the system has slices for groups of processes, of which this one's waits for
 * its turn.  Then the next try is so many long yields later, and twice as many each time. */
enum { GOING_ON = 1024, SCALE = 256, REST_AT_FIRST = 16, LEAST_REST = 64, MOST_REST = 4096 };
static const int64_t ENOUGH = 1024, TOO_MUCH = 50 * TF_MILLISECOND;
static struct waited {
    _Atomic int64_t times, lost;
} yielded, slept;

static _Atomic uint64_t own_work;
static struct tf_yield_run own_run;
static const struct tf_yield_others nobody = {.worked = &own_work, .own = &own_run, .processors = 1};
static const struct tf_yield_others *_Atomic others = &nobody; /* threads may be yielding when they change */
/* When this thread had waited last.  What it did since then is counted as it waits again, if that was long enough to be
 * worth a write to what all share. */
static _Thread_local int64_t since;
static const int64_t WORTH = 10 * TF_MICROSECOND;
static _Atomic int64_t clock_read; /* when this process's was, last */

static _Atomic uint32_t left;                 /* sleeps until the next yield */
static _Atomic uint32_t next = LEAST * SCALE; /* that follow the next long yield, in parts of one */
static _Atomic int64_t last_long;             /* when one was; 0: never */
static _Atomic uint32_t rest = REST_AT_FIRST; /* long yields until sleeping may go on */
static _Atomic uint32_t next_rest = LEAST_REST;

static bool is_long(int64_t time)
{
    return time >= LONG + others->turns * TURN;
}

static int64_t get(_Atomic int64_t *number)
{
    return atomic_load_explicit(number, memory_order_relaxed);
}

static void set(_Atomic int64_t *number, int64_t n)
{
    atomic_store_explicit(number, n, memory_order_relaxed);
}

static void count(struct waited *waited, int64_t time)
{
    int64_t times = get(&waited->times), lost = get(&waited->lost);
    int part = times > 8 * ENOUGH ? 2 : 1; /* of late counts more */
    set(&waited->times, times / part + 1);
    if (is_long(time) || part > 1)
        set(&waited->lost, lost / part + (is_long(time) ? time : 0));
}

static void forget(struct waited *waited)
{
    set(&waited->times, 0);
    set(&waited->lost, 0);
}

/* At a long yield. */
static void judge(void)
{
    int64_t sleeps = get(&slept.times), lost = get(&slept.lost);
    uint32_t rests = rest;
    if (rests > 0) {
        rest = rests - 1; /* not --rest, as another thread may do so too */
        if (rests == 1)
            forget(&slept);
    } else if (sleeps > ENOUGH || (sleeps > 0 && lost > TOO_MUCH)) {
        bool helps = 2 * lost / sleeps < get(&yielded.lost) / get(&yielded.times);
        rest = helps ? 0 : next_rest;
        next_rest = helps ? LEAST_REST : next_rest < MOST_REST ? 2 * next_rest : MOST_REST;
        forget(&slept);
    }
}

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
    } has = {.size = sizeof has}; /* struct sched_attr, which some C libraries have and some do not */
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

/* The time for which this process has had processors since the clock was read last. */
static int64_t read_clock(const struct tf_yield_others *with, int64_t now)
{
    int64_t had = tf_time_by(CLOCK_PROCESS_CPUTIME_ID), before = get(&with->own->had);
    set(&with->own->had, had);
    set(&clock_read, now);
    return had - before;
}

static void runs_since(int64_t now)
{
    const struct tf_yield_others *with = others;
    since = now;
    set(&with->own->since, now);
    if (TF_UNLIKELY(now - get(&clock_read) >= TF_YIELD_LONG_RUN) && with->running)
        read_clock(with, now);
}

void tf_yield_slept(int64_t time)
{
    runs_since(since + time);
    uint32_t n = atomic_load_explicit(&left, memory_order_relaxed);
    if (n == 0)
        return;
    atomic_store_explicit(&left, n - 1, memory_order_relaxed);
    tf_yield_ask();
    count(&slept, time);
}

void tf_yield_share(const struct tf_yield_others *with)
{
    set(&others->own->since, 0);
    others = with ? with : &nobody;
}

void tf_yield_worked(int64_t time)
{
    const struct tf_yield_others *with = others;
    since += time;
    set(&with->own->had, get(&with->own->had) + time);
    atomic_fetch_add_explicit(with->worked, (uint64_t)time, memory_order_relaxed);
}

void tf_yield_waits(int64_t now)
{
    const struct tf_yield_others *with = others;
    int64_t ran = since != 0 ? now - since : 0;
    if (TF_UNLIKELY(ran >= TF_YIELD_LONG_RUN))
        ran = tf_yield_counts(ran, read_clock(with, now));
    if (TF_UNLIKELY(ran >= WORTH))
        atomic_fetch_add_explicit(with->worked, (uint64_t)ran, memory_order_relaxed);
    since = now;
    set(&with->own->since, 0);
}

void tf_yield_took(int64_t time, int64_t worked)
{
    uint32_t n = atomic_load_explicit(&next, memory_order_relaxed);
    time -= worked / others->processors;
    count(&yielded, time);
    if (is_long(time)) {
        tf_yield_ask();
        atomic_store_explicit(&last_long, tf_time(), memory_order_relaxed);
        judge();
        atomic_store_explicit(&left, n / SCALE, memory_order_relaxed);
        atomic_store_explicit(&next, n * MORE < MOST * SCALE ? n * MORE : MOST * SCALE, memory_order_relaxed);
    } else if (n > LEAST * SCALE) {
        atomic_store_explicit(&next, n - n / (rest > 0 ? FEWER : GOING_ON), memory_order_relaxed);
    }
}

bool tf_yield_is_dear(int64_t now)
{
    int64_t last = atomic_load_explicit(&last_long, memory_order_relaxed);
    return last != 0 && now - last < LATELY;
}

int64_t tf_yield(int64_t now)
{
    const struct tf_yield_others *with = others;
    uint64_t before = atomic_load_explicit(with->worked, memory_order_relaxed);
    sched_yield();
    int64_t then = tf_time();
    int64_t worked = (int64_t)(atomic_load_explicit(with->worked, memory_order_relaxed) - before);
    if (TF_UNLIKELY(is_long(then - now)) && with->running)
        worked += with->running(now, then);
    runs_since(then);
    tf_yield_took(then - now, worked);
    return then;
}
