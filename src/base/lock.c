/* lock.c - the big lock of MPI_THREAD_MULTIPLE, of the progress thread, and of what may be called at any time:
 * recursive, and first come is not first served.
 *
 * A fair lock would make every call wait for the thread whose turn it is to get a processor: with more threads than
 * processors a switch between threads a call.  So whoever finds the lock free takes it.  That no thread goes without
 * for long is the callers' part: who waits in MPI lets go of the lock and yields in between, and a call that only
 * polls does so where others want the lock (tf_lock_yield).
 *
 * Taken and let go where nobody else wants it, it costs one atomic operation that writes, not two: who lets it go
 * stores that it is free and then looks whether somebody sleeps, without a fence in between.  The sleeper pays for
 * that, as in net/pause.c: it says that it sleeps, has the kernel run a fence on the processors of its process
 * (membarrier), and looks once more.  Where membarrier is not allowed it sleeps a millisecond at a time.  Before it
 * sleeps, and again when it has been woken, it yields, for some turns as long as that pays (yield.h).
 *
 * Recursive since a function of the program may call MPI, and some are called with the lock: a tool's, a file's data
 * representation's, the destructor of an error handler that ends with the object which had it.  Others (an operator, an
 * attribute's, a generalized request's, an error handler, and the destructors of these) are called without it.
 */
#include "base/base.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/yield.h"

enum { YIELDS_BEFORE_SLEEP = 100 };

enum state { FREE, HELD };

static struct {
    _Atomic uint32_t state;
    _Atomic uint32_t waiting;    /* threads that want it */
    _Atomic uint32_t asleep;     /* of these */
    _Atomic(const void *) owner; /* address of the owner's `self`, NULL if free */
    const void *first;           /* address of the first owner's */
    _Atomic bool shared;         /* another one has had it while it was in use */
    int depth;                   /* the owner's */
} lock;

/* Found without a call of the loader's: one byte of what each thread has of it from the start. */
static _Thread_local char self __attribute__((tls_model("initial-exec")));

void (*tf_lock_leaving)(void);

static bool try_to_take(void)
{
    uint32_t expected = FREE;
    return atomic_load_explicit(&lock.state, memory_order_relaxed) == FREE &&
           atomic_compare_exchange_strong(&lock.state, &expected, HELD);
}

/* Whether all threads of this process have passed a fence since the call. */
static bool fence_everywhere(void)
{
    static _Atomic bool registered;
    if (!atomic_load(&registered) && syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0)
        atomic_store(&registered, true);
    return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

/* `asleep` says so already; who lets the lock go after the fence sees it.  True: somebody has woken this thread. */
static bool sleep_for_it(void)
{
    struct timespec millisecond = {0, 1000000};
    bool seen = fence_everywhere();
    return syscall(SYS_futex, &lock.state, FUTEX_WAIT_PRIVATE, HELD, seen ? NULL : &millisecond, NULL, 0) == 0;
}

/* Once at least: who is woken, and finds the lock taken again, would have a fence run everywhere each time. */
static bool yield_for_it(void)
{
    int64_t now = tf_time();
    bool taken = try_to_take();
    for (int i = 0; !taken && i < YIELDS_BEFORE_SLEEP && (i == 0 || tf_yield_pays()); i++) {
        now = tf_yield(now);
        taken = try_to_take();
    }
    return taken;
}

static TF_COLD void wait_for_it(void)
{
    while (!yield_for_it()) {
        int64_t before = tf_time();
        atomic_fetch_add(&lock.asleep, 1);
        if (!sleep_for_it())
            atomic_fetch_sub(&lock.asleep, 1);
        tf_yield_slept(tf_time() - before);
    }
}

/* Unless one that is awake wants the lock, who takes it, or sees before he sleeps that it is free: who takes it again
 * and again would call the system each time.  But that one may have no processor, so that is not so for ever.  Who is
 * woken is awake from now on, not only once he has a processor. */
static TF_COLD void wake_one(void)
{
    enum { PASSED_OVER = 256 };
    static _Thread_local unsigned times;
    uint32_t asleep = atomic_load_explicit(&lock.asleep, memory_order_acquire);
    bool others = atomic_load_explicit(&lock.waiting, memory_order_relaxed) > asleep;
    if ((!others || ++times % PASSED_OVER == 0) &&
        syscall(SYS_futex, &lock.state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 1)
        atomic_fetch_sub(&lock.asleep, 1);
}

static void own(void)
{
    atomic_store_explicit(&lock.owner, &self, memory_order_relaxed);
    if (TF_LIKELY(lock.first == &self))
        return;
    if (!lock.first)
        lock.first = &self;
    else if (tf_library.locking)
        atomic_store_explicit(&lock.shared, true, memory_order_relaxed);
}

void tf_lock_take(void)
{
    if (atomic_load_explicit(&lock.owner, memory_order_relaxed) != &self) {
        if (TF_UNLIKELY(!try_to_take())) {
            atomic_fetch_add(&lock.waiting, 1);
            wait_for_it();
            atomic_fetch_sub(&lock.waiting, 1);
        }
        own();
    }
    lock.depth++;
}

bool tf_lock_try(void)
{
    if (atomic_load_explicit(&lock.owner, memory_order_relaxed) != &self) {
        if (!try_to_take())
            return false;
        own();
    }
    lock.depth++;
    return true;
}

void tf_lock_drop(void)
{
    /* A call may leave a lock that was not in use yet when it came, or no longer is. */
    if (atomic_load_explicit(&lock.owner, memory_order_relaxed) != &self || --lock.depth > 0)
        return;
    if (TF_UNLIKELY(tf_lock_leaving != NULL))
        tf_lock_leaving();
    atomic_store_explicit(&lock.owner, NULL, memory_order_relaxed);
    atomic_store_explicit(&lock.state, FREE, memory_order_release);
    if (TF_UNLIKELY(atomic_load_explicit(&lock.asleep, memory_order_relaxed)))
        wake_one();
}

bool tf_lock_lend(void)
{
    bool lends = atomic_load_explicit(&lock.owner, memory_order_relaxed) == &self && lock.depth == 1;
    if (lends)
        tf_lock_drop();
    return lends;
}

void tf_lock_take_back(bool lent)
{
    if (lent)
        tf_lock_take();
}

void tf_lock_use(void)
{
    if (!tf_library.locking) /* else other threads may be reading it, before they take the lock */
        tf_library.locking = tf_library.guarded = true;
}

void tf_lock_disuse(void)
{
    tf_library.locking = false;
    tf_library.guarded = tf_library.judging;
    if (atomic_load_explicit(&lock.owner, memory_order_relaxed) == &self) {
        lock.depth = 1;
        tf_lock_drop();
    }
}

void tf_lock_forget(void)
{
    tf_lock_leaving = NULL;
    lock.depth = 0;
    atomic_store(&lock.waiting, 0);
    atomic_store(&lock.asleep, 0);
    atomic_store(&lock.owner, NULL);
    atomic_store(&lock.state, FREE);
    tf_lock_disuse();
}

bool tf_lock_wanted(void)
{
    return atomic_load_explicit(&lock.waiting, memory_order_relaxed) != 0;
}

bool tf_lock_shared(void)
{
    return atomic_load_explicit(&lock.shared, memory_order_relaxed);
}

bool tf_lock_nested(void)
{
    return lock.depth > 1;
}

void tf_lock_yield(void)
{
    if (!tf_lock_wanted())
        return;
    tf_lock_drop();
    tf_yield(tf_time());
    tf_lock_take();
}
