/* exec.c - running a plan: in order while that works, by the graph from there on.
 */
#include "exec/exec.h"
#include "msg/accord.h"
#include "msg/await.h"
#include "msg/fingerprint.h"
#include "msg/lost.h"
#include "msg/match.h"
#include "msg/progress.h"
#include "msg/thread.h"

/* A run that looks for what other ranks have called instead. */
struct looking {
    struct tf_accord_call call;
    const struct tf_run *run;
    const struct tf_peer *peer;
};

static bool awaits(const struct tf_accord_call *call, const struct tf_peer *peer)
{
    const struct looking *l = TF_CONTAINER(call, struct looking, call);
    return l->peer ? l->peer == peer : tf_exec_graph_awaits(l->run, peer);
}

bool tf_run_look_for_dissents(struct tf_run *run, const struct tf_peer *peer)
{
    uint32_t theirs;
    struct tf_match *match = run->comm->match;
    if (TF_UNLIKELY(match->broken)) {
        tf_run_fail(run, tf_lost_broken(run->comm), run->fingerprint);
        return true;
    }
    bool blocking = (peer || run->blocking) && match->coll_runs == 0;
    struct looking looking = {{run->sequence, &run->terms, blocking, awaits}, run, peer};
    int err = tf_accord_look(&match->accord, &looking.call, &theirs);
    if (err)
        tf_run_fail(run, err, theirs);
    return err;
}

void tf_run_ask(struct tf_run *run, struct tf_peer *peer)
{
    if (run->asked == 0)
        run->asked = tf_pause_now;
    if (tf_pause_now - run->asked <= tf_settings.mismatch_after * TF_MILLISECOND || tf_settings.mismatch_after == 0)
        return;
    run->asked = tf_pause_now;
    if (peer)
        tf_accord_ask(&run->comm->match->accord, peer, run->sequence, &run->terms);
    else
        tf_exec_graph_ask(run);
}

/* ---- the end without a result ---- */

void tf_run_fail(struct tf_run *run, int err, uint32_t theirs)
{
    if (run->error) /* it ends with what was found first */
        return;
    run->error = err;
    run->given_up = tf_fingerprint_give_up(err, tf_lost_culprit(run->comm, err), run->fingerprint, theirs);
}

void tf_run_close(struct tf_run *run)
{
    tf_accord_give_up(&run->comm->match->accord, run->sequence, run->given_up);
    run->room->age++; /* the scratch may be gone */
}

void tf_run_decline(const struct tf_run *run, const struct tf_step *step)
{
    if (step->kind == TF_SEND && (step->src.count == 0 || tf_run_resolve(run, step->src).bytes > 0))
        tf_accord_decline(&run->comm->match->accord, run->comm->peers[step->peer], run->sequence, step->tag,
                          run->given_up);
}

void tf_run_decline_rest(struct tf_run *run)
{
    tf_accord_settle(&run->comm->match->accord, run->sequence);
    tf_run_close(run);
    for (uint32_t i = run->position; i < run->plan->nsteps; i++)
        tf_run_decline(run, &run->plan->steps[i]);
}

static int give_up(struct tf_run *run, int err)
{
    tf_run_fail(run, err, run->fingerprint);
    tf_run_decline_rest(run);
    return err;
}

/* Ranks that disagree would wait for each other for ever.  The one that knows best what is wrong is the first to end.
 */
static void end_on_failure(struct tf_run *run)
{
    if (TF_LIKELY(run->comm->match->coll_kept == 0 && !run->error) || run->done || run->reading)
        return;
    if (!run->error)
        tf_run_look_for_dissents(run, NULL);
    if (run->error && tf_accord_is_settled(&run->comm->match->accord, run->sequence))
        tf_exec_graph_abandon(run);
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
    if (!calls_the_program(run))
        return;
    tf_msg_callbacks--;
    tf_msg_thread_wake();
}

/* True: the run has ended. */
static bool advance(void *state, bool *moved)
{
    struct tf_run *run = state;
    bool advanced = tf_exec_graph_advance(run);
    *moved |= advanced;
    if (!advanced)
        tf_run_ask(run, NULL);
    end_on_failure(run);
    return run->done;
}

static int run_graph(struct tf_run *run)
{
    run->done = false;
    int err = tf_exec_graph_open(run);
    if (err)
        return give_up(run, err);
    tf_exec_graph_advance(run);
    run->asked = 0;
    note_begin(run);
    if (!run->done)
        tf_await(TF_AWAITS_RUN, run, advance, run);
    note_end(run);
    return run->error;
}

int tf_exec_run(struct tf_run *run)
{
    run->error = MPI_SUCCESS;
    if (TF_LIKELY(tf_exec_in_order(run)))
        return run->error;
    return run->error ? run->error : run_graph(run);
}

static bool advance_task(struct tf_task *task, bool *moved)
{
    struct tf_run *run = TF_CONTAINER(task, struct tf_run, task);
    if (advance(run, moved))
        note_end(run);
    return run->done;
}

/* While another thread has its operator in hand. */
static bool stand_by(struct tf_task *task, bool *moved)
{
    (void)task, (void)moved;
    return false;
}

void tf_exec_call(struct tf_run *run, void *in, void *inout, MPI_Count count)
{
    if (!run->apart) {
        tf_op_apply(run->op, in, inout, count, run->optype);
        return;
    }
    bool (*advance_it)(struct tf_task *, bool *) = run->task.advance;
    run->task.advance = stand_by;
    struct tf_lent lent = tf_await_lend();
    tf_op_apply(run->op, in, inout, count, run->optype);
    tf_await_take_back(lent);
    run->task.advance = advance_it;
}

const struct tf_run *tf_exec_run_of(const struct tf_task *task)
{
    bool is_run = task->advance == advance_task || task->advance == stand_by;
    return is_run ? TF_CONTAINER(task, struct tf_run, task) : NULL;
}

int tf_exec_begin(struct tf_run *run, void (*finished)(struct tf_task *task))
{
    run->error = MPI_SUCCESS;
    run->done = false;
    run->blocking = false;
    run->position = 0;
    int err = tf_exec_graph_reserve(run); /* before others have anything of it */
    if (err)
        return give_up(run, err);
    if (tf_exec_in_order(run)) {
        run->done = true;
        finished(&run->task);
        return MPI_SUCCESS;
    }
    run->task.advance = advance_task;
    run->task.finished = finished;
    run->asked = 0;
    tf_exec_graph_open(run); /* for which there is memory now */
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
    free(run->prefix);
    free(run->types);
}

void tf_room_clear(struct tf_room *room)
{
    tf_exec_graph_clear(room);
    free(room->scratch);
}
