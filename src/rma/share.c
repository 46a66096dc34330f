/* share.c - waiting for a lock of accumulates, which others hold for some microseconds, or longer if the system has
 * taken the processor from them. */
#include "rma/share.h"

#include <sched.h>

enum { SPINS = 200 };

void tf_share_wait(_Atomic uint32_t *taken)
{
    for (uint32_t i = 0;; i++) {
        if (!atomic_load_explicit(taken, memory_order_relaxed) &&
            !atomic_exchange_explicit(taken, 1, memory_order_acquire))
            return;
        if (i < SPINS)
            __builtin_ia32_pause();
        else
            sched_yield();
    }
}
