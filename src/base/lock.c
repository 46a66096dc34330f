/* lock.c - the big lock of MPI_THREAD_MULTIPLE and of the progress thread: recursive, and first come is not first
 * served.
 *
 * A fair lock would make every call wait for the thread whose turn it is to get a processor: with more threads than
 * processors a switch between threads a call.  So whoever finds the lock free takes it.  That no thread goes without
 * for long is the callers' part: who waits in MPI lets go of the lock and yields in between, and a call that only
 * polls does so where others want the lock (tf_lock_yield).
 *
 * Recursive since callbacks (attribute functions, error handlers) may call MPI.
 */
#include "base/base.h"

#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { YIELDS_BEFORE_SLEEP = 100 };

enum state { FREE, HELD, HELD_AND_SLEPT_FOR };

static struct {
    _Atomic uint32_t state;
    _Atomic uint32_t waiting;    /* threads that want it */
    _Atomic(const void *) owner; /* address of the owner's `self`, NULL if free */
    int depth;                   /* the owner's */
} lock;

static _Thread_local char self;

static bool try_to_take(void)
{
    uint32_t expected = FREE;
    return atomic_load_explicit(&lock.state, memory_order_relaxed) == FREE &&
           atomic_compare_exchange_strong(&lock.state, &expected, HELD);
}

static void wait_for_it(void)
{
    for (int i = 0; i < YIELDS_BEFORE_SLEEP; i++) {
        sched_yield();
        if (try_to_take())
            return;
    }
    while (atomic_exchange(&lock.state, HELD_AND_SLEPT_FOR) != FREE)
        syscall(SYS_futex, &lock.state, FUTEX_WAIT_PRIVATE, HELD_AND_SLEPT_FOR, NULL, NULL, 0);
}

void tf_lock_take(void)
{
    if (atomic_load_explicit(&lock.owner, memory_order_relaxed) != &self) {
        if (TF_UNLIKELY(!try_to_take())) {
            atomic_fetch_add(&lock.waiting, 1);
            wait_for_it();
            atomic_fetch_sub(&lock.waiting, 1);
        }
        atomic_store_explicit(&lock.owner, &self, memory_order_relaxed);
    }
    lock.depth++;
}

bool tf_lock_try(void)
{
    if (atomic_load_explicit(&lock.owner, memory_order_relaxed) != &self) {
        if (!try_to_take())
            return false;
        atomic_store_explicit(&lock.owner, &self, memory_order_relaxed);
    }
    lock.depth++;
    return true;
}

void tf_lock_drop(void)
{
    /* A call may leave a lock that was not in use yet when it came, or no longer is. */
    if (atomic_load_explicit(&lock.owner, memory_order_relaxed) != &self || --lock.depth > 0)
        return;
    atomic_store_explicit(&lock.owner, NULL, memory_order_relaxed);
    if (TF_UNLIKELY(atomic_exchange(&lock.state, FREE) == HELD_AND_SLEPT_FOR))
        syscall(SYS_futex, &lock.state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void tf_lock_disuse(void)
{
    tf_library.locking = false;
    lock.depth = 1;
    tf_lock_drop();
}

void tf_lock_yield(void)
{
    if (atomic_load_explicit(&lock.waiting, memory_order_relaxed) == 0)
        return;
    tf_lock_drop();
    sched_yield();
    tf_lock_take();
}
