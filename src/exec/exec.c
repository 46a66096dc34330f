/* exec.c - running a plan: in order while that works, by the graph from there on.
 */
#include "exec/exec.h"
#include "msg/mismatch.h"
#include "msg/thread.h"

/* An earlier call, too, is reported by a later one that blocks, if none that may report it itself is under way. */
static bool concerns(const struct tf_run *run, const struct tf_stranger *s, const struct tf_peer *peer)
{
    if (s->sequence != run->sequence)
        return (peer || run->blocking) && run->comm->match->coll_runs == 0;
    if (!tf_mismatch_is_hearsay(s))
        return true;
    return peer ? s->peer == peer : tf_exec_graph_awaits(run, s->peer);
}

int tf_run_look_for_strangers(const struct tf_run *run, const struct tf_peer *peer)
{
    struct tf_match *match = run->comm->match;
    tf_match_sift(match);
    for (int i = match->nstrangers; i-- > 0;) {
        struct tf_stranger *s = &match->strangers[i];
        if (!concerns(run, s, peer))
            continue;
        if (s->sequence == run->sequence || !tf_mismatch_is_hearsay(s))
            return tf_mismatch_report(match, i, run->fingerprint);
        tf_mismatch_forget(match, i);
    }
    return MPI_SUCCESS;
}

void tf_run_ask(struct tf_run *run, struct tf_peer *peer)
{
    if (run->asked == 0)
        run->asked = tf_wait_now;
    if ((tf_wait_now - run->asked) * 1e3 <= tf_settings.mismatch_after || tf_settings.mismatch_after == 0)
        return;
    run->asked = tf_wait_now;
    if (peer)
        tf_mismatch_ask(run->comm, peer, run->sequence, run->fingerprint);
    else
        tf_exec_graph_ask(run);
}

void tf_run_decline(const struct tf_run *run, const struct tf_step *step)
{
    if (step->kind == TF_SEND && (step->src.count == 0 || tf_run_resolve(run, step->src).bytes > 0))
        tf_mismatch_decline(run->comm, run->comm->peers[step->peer], run->sequence, step->tag);
}

/* Ranks that disagree would wait for each other for ever. */
static void end_on_disagreement(struct tf_run *run)
{
    if (TF_LIKELY(run->comm->match->coll_kept == 0 && !run->error) || run->done || run->reading)
        return;
    int err = run->error ? run->error : tf_run_look_for_strangers(run, NULL);
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
    run->comm->match->coll_runs += !run->blocking;
    tf_msg_callbacks += calls_the_program(run);
}

static void note_end(const struct tf_run *run)
{
    run->comm->match->coll_runs -= !run->blocking;
    if (TF_UNLIKELY(run->error))
        tf_mismatch_give_up(run->comm->match, run->sequence);
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
    struct tf_wait wait = TF_WAIT_INIT;
    tf_exec_graph_advance(run);
    tf_waiting_begin(TF_WAITS_RUN, run, NULL);
    run->asked = 0;
    run->blocking = true;
    note_begin(run);
    while (!run->done) {
        if (tf_msg_progress() | tf_exec_graph_advance(run)) {
            tf_wait_reset(&wait);
        } else {
            tf_wait_pause(&wait);
            tf_run_ask(run, NULL);
        }
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
    bool advanced = tf_exec_graph_advance(run);
    *moved |= advanced;
    if (!advanced)
        tf_run_ask(run, NULL);
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
    run->asked = 0;
    run->blocking = false;
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
