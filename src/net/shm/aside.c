/* aside.c - see aside.h. */
#include "net/shm/aside.h"

#include <sched.h>

#include "machine/machine.h"
#include "net/awake.h"
#include "net/pause.h"

/* The cost of a move is some ten microseconds, and caches that are cold. */
static const int64_t SOONEST = 4 * TF_MILLISECOND, LATEST = 32 * TF_MILLISECOND;
enum { LONG_AGO = 64 }; /* intervals */

static tf_aside_places *place_of;
static int places, own;
static int64_t tried, moved, interval;

static void say_where(void)
{
    int32_t now = sched_getcpu() + 1;
    _Atomic int32_t *mine = place_of(own).at;
    if (atomic_load_explicit(mine, memory_order_relaxed) != now)
        atomic_store_explicit(mine, now, memory_order_relaxed);
}

/* A process that sleeps is nowhere: it may wake up anywhere. */
static int seen_at(int i)
{
    struct tf_aside_place place = place_of(i);
    bool asleep = tf_pause_sleeps(atomic_load_explicit(place.asleep, memory_order_relaxed));
    return asleep ? -1 : atomic_load_explicit(place.at, memory_order_relaxed) - 1;
}

/* Whether one that comes before this one says that it runs here too; *free: the processors on which nobody does, of
 * those where this one may. */
static bool is_shared(int here, cpu_set_t *free)
{
    bool shared = false;
    for (int i = 0; i < places; i++) {
        int at = seen_at(i);
        shared |= i < own && at == here;
        if (at >= 0)
            CPU_CLR(at, free);
    }
    return shared;
}

/* Several that step aside at a time go to different ones. */
static void choose(cpu_set_t *one, const cpu_set_t *free, int n)
{
    int skip = own % n;
    CPU_ZERO(one);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, free) && skip-- == 0)
            CPU_SET(i, one);
}

static bool step_aside(int64_t now)
{
    cpu_set_t all, free, one;
    say_where();
    if (now - tried < interval || tf_awake_crowd())
        return false;
    tried = now;
    if (sched_getaffinity(0, sizeof all, &all))
        return false;
    free = all;
    if (!is_shared(sched_getcpu(), &free) || CPU_COUNT(&free) == 0)
        return false;
    bool again = now - moved < LONG_AGO * interval;
    interval = !again ? SOONEST : 2 * interval < LATEST ? 2 * interval : LATEST;
    moved = now;
    choose(&one, &free, CPU_COUNT(&free));
    bool good = sched_setaffinity(0, sizeof one, &one) == 0;
    sched_setaffinity(0, sizeof all, &all);
    say_where();
    return good;
}

void tf_aside_begin(tf_aside_places *find, int n, int mine)
{
    place_of = find;
    places = n;
    own = mine;
    interval = SOONEST;
    tf_pause_meets = step_aside;
}

void tf_aside_end(void)
{
    tf_pause_meets = NULL;
}
