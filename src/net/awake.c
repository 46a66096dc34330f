/* awake.c - see awake.h. */
#include "net/awake.h"

#include <stddef.h>

static _Atomic int32_t *asleep;
static int32_t beyond; /* processes that have to sleep for the others to have a processor each */
enum { MANY = 1000 };
static int turns = MANY;

void tf_awake_share(_Atomic int32_t *counter, int processes, int processors)
{
    asleep = counter;
    beyond = processes - processors;
    turns = counter ? (processes + processors - 1) / processors : MANY;
}

bool tf_awake_crowd(void)
{
    return !asleep || atomic_load_explicit(asleep, memory_order_relaxed) < beyond;
}

int tf_awake_turns(void)
{
    return turns;
}

void tf_awake_sleeps(bool sleeps)
{
    if (asleep)
        atomic_fetch_add_explicit(asleep, sleeps ? 1 : -1, memory_order_relaxed);
}
