/* thread.c - the progress thread.
 *
 * It is one more thread that waits in MPI: it takes the big lock, makes a pass of progress, and lets the lock go where
 * nothing moved.  It sleeps on `idle` while nothing is under way and others can ask for nothing, and where it waits for
 * others it sleeps, like everybody (pause.c), on the process's `asleep` word.  The first operation that is not complete
 * at once, or leaves something to be sent, starts it, or the first window, so a program that only blocks never has it.
 */
#include "msg/thread.h"
#include "msg/progress.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "net/net.h"

static enum { NONE, RUNNING, REFUSED } state;
static pthread_t thread;
static bool stop;
static _Atomic uint32_t idle; /* 1: it sleeps until it is called */
static int served;            /* tf_msg_thread_serve() */

/* A function of the program is never called from here. */
static bool has_work(void)
{
    return (served > 0 || tf_msg_under_way()) && tf_msg_callbacks == 0;
}

static void sleep_until_called(void)
{
    atomic_store(&idle, 1);
    tf_lock_drop();
    while (atomic_load(&idle))
        syscall(SYS_futex, &idle, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
    tf_lock_take();
}

static void *advance(void *unused)
{
    struct tf_pause pause = TF_PAUSE_INIT;
    pause.background = true;
    tf_lock_take();
    while (!stop) {
        if (!has_work()) {
            tf_pause_reset(&pause);
            sleep_until_called();
        } else if (tf_msg_progress()) {
            tf_pause_reset(&pause);
            tf_lock_yield();
        } else {
            tf_pause(&pause);
        }
    }
    tf_pause_reset(&pause);
    tf_lock_drop();
    return unused;
}

/* Signals are the program's. */
static void start(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    stop = false;
    int err = pthread_create(&thread, NULL, advance, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    state = err ? REFUSED : RUNNING;
    tf_log(1, err ? "no progress thread: %s" : "the progress thread runs", strerror(err));
}

void tf_msg_thread_call(void)
{
    if (state == NONE)
        start();
    if (atomic_load(&idle)) {
        atomic_store(&idle, 0);
        syscall(SYS_futex, &idle, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

/* Also of an operation that is complete: to its sender a message is, as soon as it is on its way. */
static void look_behind(void)
{
    if ((state == NONE || atomic_load(&idle)) && tf_net_unsent())
        tf_msg_thread_call();
}

void tf_msg_thread_open(void)
{
    if (tf_settings.progress_thread)
        tf_lock_leaving = look_behind;
}

void tf_msg_thread_serve(int more)
{
    served += more;
    if (served > 0)
        tf_msg_thread_wake();
}

void tf_msg_thread_stop(void)
{
    if (tf_lock_leaving) /* else other threads may be reading it */
        tf_lock_leaving = NULL;
    if (state != RUNNING)
        return;
    stop = true;
    tf_msg_thread_call();
    tf_pause_wake(tf_pause_asleep);
    tf_lock_leave();
    pthread_join(thread, NULL);
    tf_lock_enter();
    state = NONE;
}
