/* wait.c - waiting for others: spin, then yield the processor for a while, then sleep until somebody wakes us.
 *
 * How long each lasts depends on whether there are more ranks than processors: spinning is then a way to keep the one
 * we wait for from running, while sched_yield() costs little and hands the processor on at once.  Sleeping at once
 * would cost a futex call on each side of every message (24 to 46 microseconds an allreduce where yielding takes 4).
 *
 * A sender looks at our `asleep` word after it has written its cell, without a fence between the two.  The sleeper pays
 * for that: it raises the word, has the kernel run a fence on every processor of the job (membarrier), looks at
 * everything once more, and only then sleeps.  Where membarrier is not allowed it sleeps a millisecond at a time.
 *
 * Who has connections to watch too cannot sleep on a futex.  It sleeps as its transport does (tf_wait_watch), and its
 * word says which of its files, a pipe, wakes it.
 */
#include "net/net.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/settings.h"

uint32_t tf_wait_spin;
bool tf_wait_crowded;
double tf_wait_now;
static _Atomic uint32_t own_word;
_Atomic uint32_t *tf_wait_asleep = &own_word;
static bool fences; /* membarrier works */
static void (*watch)(int milliseconds);
static int bell; /* the writing end of the pipe */

void tf_wait_setup(void)
{
    tf_wait_spin = tf_settings.spin ? (uint32_t)tf_settings.spin : tf_wait_crowded ? 20 : 4000;
    if (tf_job.size > 1)
        fences = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

void tf_wait_watch(void (*doze)(int milliseconds), int pipe_in)
{
    watch = doze;
    bell = pipe_in;
}

static void sleep_on(_Atomic uint32_t *word)
{
    int milliseconds = fences ? 100 : 1;
    struct timespec limit = {0, milliseconds * 1000000};
    if (watch)
        watch(milliseconds);
    else
        syscall(SYS_futex, word, FUTEX_WAIT, 1, &limit, NULL, 0);
}

int tf_wait_wake(_Atomic uint32_t *asleep)
{
    uint32_t how = atomic_exchange(asleep, 0);
    if (how == TF_ASLEEP)
        syscall(SYS_futex, asleep, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    if (how <= TF_ASLEEP)
        return -1;
    int file = (int)(how - TF_ASLEEP_ON_FILE);
    if (asleep == tf_wait_asleep && write(file, "", 1) < 0)
        return -1; /* the pipe is full: it rings already */
    return file;
}

void tf_wait_reset(struct tf_wait *wait)
{
    bool background = wait->background;
    if (wait->announced)
        tf_wait_wake(tf_wait_asleep); /* other threads may sleep on the word that is taken down */
    *wait = TF_WAIT_INIT;
    wait->background = background;
}

/* In the background: long enough for an answer from a peer that runs, short enough not to be felt. */
enum { BACKGROUND_SLEEP_AFTER = 50 };

static bool may_yield(const struct tf_wait *wait, double now)
{
    double passed = (now - wait->since) * 1e6;
    return passed < (double)tf_settings.sleep_after && (!wait->background || passed < BACKGROUND_SLEEP_AFTER);
}

static void yield_or_sleep(struct tf_wait *wait, double now)
{
    if (wait->since == 0)
        wait->since = now;
    if (may_yield(wait, now)) {
        sched_yield();
    } else if (!wait->announced) {
        atomic_store(tf_wait_asleep, watch ? TF_ASLEEP_ON_FILE + (uint32_t)bell : TF_ASLEEP);
        if (fences)
            syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
        wait->announced = true;
    } else {
        sleep_on(tf_wait_asleep);
        wait->announced = false;
    }
}

void tf_wait_pause(struct tf_wait *wait)
{
    wait->polls += watch ? TF_WAIT_CALL : 1;
    if (wait->polls <= tf_wait_spin && !tf_library.locking)
        return;
    double now = tf_wait_now = tf_time();
    tf_lock_leave();
    yield_or_sleep(wait, now);
    tf_lock_enter();
}
