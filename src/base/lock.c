/* lock.c - the big lock of MPI_THREAD_MULTIPLE: recursive, and fair.
 *
 * A thread that waits in an MPI call takes and drops the lock in a loop; with an ordinary mutex it would win against a
 * thread that has to be woken first, for ever.  So it is a ticket lock: `next` is the ticket of who comes, `serving`
 * the one whose turn it is.  Who waits spins briefly, yields, then sleeps on a futex until its ticket comes up.
 * Recursive since callbacks (attribute functions, error handlers) may call MPI.
 */
#include "base/base.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define YIELDS_BEFORE_SLEEP 100

static struct {
    _Atomic uint32_t next, serving, sleeping;
    _Atomic(const void *) owner; /* address of the owner's `self`, NULL if free */
    int depth;                   /* the owner's */
} lock;

static _Thread_local char self;

/* A sleeper of ticket t waits with bit t mod 32, so that only one (or few) is woken. */
static uint32_t bit_of(uint32_t ticket)
{
    return 1u << (ticket % 32);
}

static void sleep_until_served(uint32_t ticket)
{
    uint32_t serving;
    atomic_fetch_add(&lock.sleeping, 1);
    while ((serving = atomic_load(&lock.serving)) != ticket)
        syscall(SYS_futex, &lock.serving, FUTEX_WAIT_BITSET_PRIVATE, serving, NULL, NULL, bit_of(ticket));
    atomic_fetch_sub(&lock.sleeping, 1);
}

static void wait_for_turn(uint32_t ticket)
{
    for (int i = 0; i < YIELDS_BEFORE_SLEEP; i++) {
        if (atomic_load_explicit(&lock.serving, memory_order_acquire) == ticket)
            return;
        sched_yield();
    }
    sleep_until_served(ticket);
}

void tf_lock_take(void)
{
    if (atomic_load_explicit(&lock.owner, memory_order_relaxed) != &self) {
        uint32_t ticket = atomic_fetch_add(&lock.next, 1);
        if (TF_UNLIKELY(atomic_load_explicit(&lock.serving, memory_order_acquire) != ticket))
            wait_for_turn(ticket);
        atomic_store_explicit(&lock.owner, &self, memory_order_relaxed);
    }
    lock.depth++;
}

void tf_lock_drop(void)
{
    /* MPI_Init_thread enters before there is a lock and leaves when there is one. */
    if (atomic_load_explicit(&lock.owner, memory_order_relaxed) != &self || --lock.depth > 0)
        return;
    atomic_store_explicit(&lock.owner, NULL, memory_order_relaxed);
    uint32_t serving = atomic_load_explicit(&lock.serving, memory_order_relaxed) + 1;
    atomic_store(&lock.serving, serving);
    if (TF_UNLIKELY(atomic_load(&lock.sleeping)))
        syscall(SYS_futex, &lock.serving, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, bit_of(serving));
}
