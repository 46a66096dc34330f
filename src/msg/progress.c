/* progress.c - one pass over everything that can advance. */
#include "msg/progress.h"
#include "msg/match.h"
#include "msg/msg.h"
#include "msg/transfer.h"

static struct tf_task *tasks;
uint32_t tf_msg_callbacks;

void tf_task_add(struct tf_task *task)
{
    task->next = tasks;
    task->link = &tasks;
    if (tasks)
        tasks->link = &task->next;
    tasks = task;
}

bool tf_msg_under_way(void)
{
    return tasks || tf_match_posted || tf_id_any() || !tf_out_idle() || tf_net_unsent();
}

static void remove_task(struct tf_task *task)
{
    *task->link = task->next;
    if (task->next)
        task->next->link = task->link;
}

enum { LOOKS_AT_THE_CLOCK = 4096 }; /* a program that only tests never pauses */

static bool advance_tasks(void)
{
    static uint32_t passes;
    bool moved = false;
    if (++passes % LOOKS_AT_THE_CLOCK == 0)
        tf_pause_now = tf_time();
    struct tf_task *next;
    for (struct tf_task *task = tasks; task; task = next) {
        next = task->next;
        if (task->advance(task, &moved)) {
            remove_task(task);
            task->finished(task);
        }
    }
    return moved;
}

static void regard_threads(bool moved)
{
    if (!moved)
        tf_lock_yield(); /* this may be a loop of MPI_Test */
    else if (*tf_pause_asleep)
        tf_pause_wake(tf_pause_asleep); /* it may be what another thread sleeps for */
}

bool tf_msg_progress(void)
{
    bool moved = tf_net_poll_all();
    if (!tf_out_idle())
        moved |= tf_out_push_all();
    if (tasks)
        moved |= advance_tasks();
    if (TF_UNLIKELY(tf_library.locking))
        regard_threads(moved);
    return moved;
}
