/* progress.c - one pass over everything that can advance. */
#include "msg/progress.h"

#include <sched.h>

#include "base/yield.h"
#include "msg/await.h"
#include "msg/lead.h"
#include "msg/match.h"
#include "msg/msg.h"
#include "msg/transfer.h"
#include "net/failure.h"

static struct tf_task *tasks;
/* Passes until the next look at the clock and at who has died: a program that only tests never pauses.  Where the job
 * goes on without the dead it may test once a second. */
enum { LOOKS_AT_THE_CLOCK = 4096, LOOKS_FOR_THE_DEAD = 8 };
static uint32_t until_look = LOOKS_FOR_THE_DEAD;
uint32_t tf_msg_awaited, tf_msg_callbacks, tf_msg_served;

void tf_task_add(struct tf_task *task)
{
    task->next = tasks;
    task->link = &tasks;
    if (tasks)
        tasks->link = &task->next;
    tasks = task;
}

const struct tf_task *tf_task_first(void)
{
    return tasks;
}

bool tf_msg_under_way(void)
{
    return tf_failure_any || tasks || tf_match_posted || tf_msg_awaited || tf_id_any() || !tf_out_idle() ||
           tf_net_unsent();
}

void tf_task_remove(struct tf_task *task)
{
    *task->link = task->next;
    if (task->next)
        task->next->link = task->link;
}

void tf_msg_look_soon(void)
{
    until_look = 1;
}

static bool advance_tasks(void)
{
    bool moved = false;
    struct tf_task *next;
    for (struct tf_task *task = tasks; task; task = next) {
        bool over = task->advance(task, &moved);
        next = task->next; /* it may have lent the lock to others, who have ended the one that was next */
        if (over) {
            tf_task_remove(task);
            task->finished(task);
        }
    }
    return moved;
}

static TF_COLD void look_around(void)
{
    until_look = tf_pause_look ? LOOKS_FOR_THE_DEAD : LOOKS_AT_THE_CLOCK;
    tf_pause_now = tf_time();
    if (tf_pause_watcher)
        tf_pause_watcher->passes(tf_pause_now);
    tf_pause_passes();
    if (tf_pause_look)
        tf_pause_look();
    if (tf_failure_any)
        tf_failure_settle();
}

static void regard_threads(bool moved)
{
    struct tf_awaiting own = tf_awaiting;
    if (moved) {
        tf_await_rouse();
    } else {
        tf_lead_wake();
        tf_lock_yield(); /* this may be a loop of MPI_Test */
    }
    tf_awaiting = own; /* not of the thread that had the lock in between */
}

bool tf_msg_progress(void)
{
    if (TF_UNLIKELY(--until_look == 0))
        look_around();
    bool moved = tf_net_poll_all();
    if (!tf_out_idle())
        moved |= tf_out_push_all();
    if (tasks)
        moved |= advance_tasks();
    if (TF_UNLIKELY(tf_library.locking))
        regard_threads(moved);
    return moved;
}

/* However long yields have taken (tf_yield_pays()): of two that only test each would take the other for one that
 * computes.  So this one is not timed either, which costs as much as the glance where the process has just got its
 * turn; but turns are long, so the next look at the clock comes sooner. */
static TF_COLD void step_aside(void)
{
    enum { PASSES = 64 };
    until_look = until_look > PASSES ? until_look - PASSES : 1;
    struct tf_lent lent = tf_await_lend();
    tf_yield_ask();
    sched_yield();
    tf_await_take_back(lent);
}

void tf_msg_offer(void)
{
    if (TF_UNLIKELY(tf_pause_crowded))
        step_aside();
}

/* Glances in a row that found nothing before the processor is offered to others, then after each. */
enum { GLANCES = 4 };

void tf_msg_glance(void)
{
    static uint32_t glances;
    if (tf_msg_progress())
        glances = 0;
    else if (TF_UNLIKELY(tf_pause_crowded) && ++glances >= GLANCES)
        step_aside();
}
