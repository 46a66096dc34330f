/* yield.c - see yield.h.
 *
 * What threads learn at the same time may get lost, which costs a yield or a sleep.
 */
#include "base/yield.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/base.h"

/* From longer than it takes many processes that only look to have their turns, and shorter than a slice,
 * to a slice or two: where several that compute have theirs one after the other, who is woken stands in the queue too.
 */
static const int64_t LONG = TF_MILLISECOND, TOO_LONG = 8 * TF_MILLISECOND;
static const int64_t LATELY = 100 * TF_MILLISECOND;

/* A yield that takes a slice costs as much as some hundred sleeps.  A program that computes between its messages has
 * one such yield each time, and then many that are short, and stays at the least. */
enum { LEAST = 8, MOST = 4096, MORE = 4, FEWER = 8 };

static _Atomic uint64_t own;
static _Atomic uint64_t *_Atomic counter = &own; /* threads may be yielding when there is another one */
static _Atomic int processors = 1;
static _Atomic uint32_t left;         /* sleeps until the next yield */
static _Atomic uint32_t next = LEAST; /* that follow the next long yield */
static _Atomic int64_t last_long;     /* when one was; 0: never */

bool tf_yield_pays(void)
{
    return atomic_load_explicit(&left, memory_order_relaxed) == 0;
}

void tf_yield_slept(void)
{
    uint32_t n = atomic_load_explicit(&left, memory_order_relaxed);
    if (n > 0)
        atomic_store_explicit(&left, n - 1, memory_order_relaxed);
}

void tf_yield_share(_Atomic uint64_t *with, int n)
{
    counter = with ? with : &own;
    processors = with ? n : 1;
}

void tf_yield_worked(int64_t time)
{
    atomic_fetch_add_explicit(counter, (uint64_t)time, memory_order_relaxed);
}

void tf_yield_took(int64_t time, int64_t worked)
{
    uint32_t n = atomic_load_explicit(&next, memory_order_relaxed);
    time -= worked / processors;
    if (time >= LONG)
        atomic_store_explicit(&last_long, tf_time(), memory_order_relaxed);
    if (time >= TOO_LONG) {
        atomic_store_explicit(&left, 0, memory_order_relaxed);
    } else if (time >= LONG) {
        atomic_store_explicit(&left, n, memory_order_relaxed);
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
