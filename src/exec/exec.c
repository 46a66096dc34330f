/* exec.c - running a plan: in order while that works, by the graph from there on.
 */
#include "exec/exec.h"
#include "msg/thread.h"

/* Ranks that disagree would wait for each other for ever. */
static void end_on_disagreement(struct tf_run *run)
{
    if (TF_LIKELY(run->comm->match->coll_kept == 0) || run->done)
        return;
    int err = tf_run_look_for_strangers(run);
    if (err)
        tf_exec_graph_abandon(run, err);
}

/* While such a run is under way the progress thread stands back: a program's function is never called by a thread that
 * the program does not know. */
static bool calls_the_program(const struct tf_run *run)
{
    return run->op && !run->kernel;
}

static void note_begin(const struct tf_run *run)
{
    tf_msg_callbacks += calls_the_program(run);
}

static void note_end(const struct tf_run *run)
{
    if (!calls_the_program(run))
        return;
    tf_msg_callbacks--;
    tf_msg_thread_wake();
}

static int run_graph(struct tf_run *run)
{
    int err = tf_exec_graph_open(run);
    if (err)
        return err;
    note_begin(run);
    struct tf_wait wait = TF_WAIT_INIT;
    tf_exec_graph_advance(run);
    tf_waiting_begin(TF_WAITS_RUN, run, NULL);
    while (!run->done) {
        if (tf_msg_progress() | tf_exec_graph_advance(run))
            tf_wait_reset(&wait);
        else
            tf_wait_pause(&wait);
        end_on_disagreement(run);
    }
    tf_waiting_end();
    tf_wait_reset(&wait);
    note_end(run);
    return run->error;
}

int tf_exec_run(struct tf_run *run)
{
    run->error = MPI_SUCCESS;
    run->done = false;
    if (TF_LIKELY(tf_exec_in_order(run)))
        return run->error;
    return run->error ? run->error : run_graph(run);
}

static bool advance_task(struct tf_task *task, bool *moved)
{
    struct tf_run *run = TF_CONTAINER(task, struct tf_run, task);
    *moved |= tf_exec_graph_advance(run);
    end_on_disagreement(run);
    if (run->done)
        note_end(run);
    return run->done;
}

int tf_exec_begin(struct tf_run *run, void (*finished)(struct tf_task *task))
{
    run->error = MPI_SUCCESS;
    run->done = false;
    run->position = 0;
    run->task.advance = advance_task;
    run->task.finished = finished;
    int err = tf_exec_graph_open(run);
    if (err)
        return err;
    note_begin(run);
    tf_exec_graph_advance(run);
    if (run->done) {
        note_end(run);
        finished(&run->task);
    } else {
        tf_task_add(&run->task);
    }
    return MPI_SUCCESS;
}

void tf_run_clear(struct tf_run *run)
{
    free(run->states);
    free(run->scratch);
    free(run->prefix);
    free(run->types);
}
