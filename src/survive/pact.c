/* pact.c - see pact.h. */
#include "survive/pact.h"

#include "construct/newcomm.h"
#include "net/failure.h"
#include "survive/pact_state.h"

static bool is_dead(const struct tf_pact *pact, int rank)
{
    return tf_failure_is(pact->comm->peers[rank]);
}

/* ---- saying ---- */

void tf_pact_must(bool there)
{
    if (!there)
        tf_fatal(1, "treefold[%d]: no memory to note which processes have died", tf_job.rank);
}

void tf_pact_say(struct tf_pact *pact, struct tf_sheet *sheet, int rank)
{
    sheet->sender = pact->comm->rank;
    tf_sheet_send(sheet, pact->comm->context, pact->comm->peers[rank]);
}

void tf_pact_say_to_all(struct tf_pact *pact, struct tf_sheet *sheet)
{
    for (int r = 0; r < pact->comm->size; r++)
        if (r != pact->comm->rank && !is_dead(pact, r))
            tf_pact_say(pact, sheet, r);
}

void tf_pact_tell_asker(struct tf_pact *pact)
{
    if (pact->asker >= 0)
        tf_pact_say(pact, &pact->last, pact->asker);
    pact->asker = -1;
}

/* ---- deciding ---- */

static bool has_voted(const struct tf_pact *pact, int rank)
{
    const struct tf_sheet *vote = &pact->heard[rank];
    return vote->number == pact->number && vote->whole;
}

static bool all_have_voted(const struct tf_pact *pact)
{
    for (int r = 0; r < pact->comm->size; r++)
        if (!has_voted(pact, r) && !is_dead(pact, r))
            return false;
    return true;
}

/* Who did not vote is dead: whether somebody did not know. */
static bool surprises(const struct tf_pact *pact, int rank)
{
    for (int r = 0; r < pact->comm->size; r++)
        if (has_voted(pact, r) && !is_dead(pact, r) && !tf_sheet_has(&pact->heard[r], rank))
            return true;
    return false;
}

static void judge_absence(struct tf_pact *pact, struct tf_sheet *decision)
{
    for (int r = 0; r < pact->comm->size; r++) {
        if (has_voted(pact, r))
            continue;
        tf_pact_must(tf_sheet_add(decision, r));
        if (!decision->class && surprises(pact, r)) {
            decision->class = MPIX_ERR_PROC_FAILED;
            decision->from = r;
        }
    }
}

static void judge_failures(struct tf_pact *pact, struct tf_sheet *decision)
{
    decision->context = tf_newcomm_context_take();
    for (int r = 0; r < pact->comm->size; r++) {
        if (is_dead(pact, r))
            tf_pact_must(tf_sheet_add(decision, r));
        for (int i = 0; has_voted(pact, r) && i < pact->heard[r].n; i++)
            tf_pact_must(tf_sheet_add(decision, pact->heard[r].ranks[i]));
    }
}

static void count_vote(const struct tf_pact *pact, int rank, struct tf_sheet *decision)
{
    const struct tf_sheet *vote = &pact->heard[rank];
    decision->flag[rank >= pact->first->lower] &= vote->flag[0];
    if (vote->kind == decision->kind || decision->class)
        return;
    decision->class = MPI_ERR_OTHER;
    decision->from = rank;
}

static void decide(struct tf_pact *pact)
{
    struct tf_sheet *decision = &pact->last;
    tf_sheet_clear(decision);
    decision->what = TF_SHEET_DECISION;
    decision->kind = (uint8_t)pact->first->kind;
    decision->flag[0] = decision->flag[1] = -1;
    for (int r = 0; r < pact->comm->size; r++)
        if (has_voted(pact, r))
            count_vote(pact, r, decision);
    if (decision->kind == TF_SHEET_AGREE)
        judge_absence(pact, decision);
    else
        judge_failures(pact, decision);
    decision->number = pact->number;
    decision->whole = true;
    tf_pact_say_to_all(pact, decision);
    tf_pact_tell_asker(pact);
}

/* ---- who decides ---- */

static int lowest_alive(const struct tf_pact *pact)
{
    int r = 0;
    while (is_dead(pact, r))
        r++;
    return r;
}

/* Those who have not voted may have ended it. */
static void ask_others(struct tf_pact *pact)
{
    struct tf_sheet question = {
        .what = TF_SHEET_ASK, .kind = (uint8_t)pact->first->kind, .number = pact->number, .whole = true};
    for (int r = 0; r < pact->comm->size; r++)
        if (!is_dead(pact, r) && !has_voted(pact, r))
            tf_pact_say(pact, &question, r);
}

static void vote(struct tf_pact *pact)
{
    int judge = lowest_alive(pact), own = pact->comm->rank;
    if (judge == pact->judge)
        return;
    pact->judge = judge;
    if (judge != own)
        tf_pact_say(pact, &pact->first->vote, judge);
    else if (own > 0)
        ask_others(pact);
}

/* ---- the operations ---- */

static void begin_round(struct tf_pact *pact)
{
    struct tf_pact_op *op = pact->first;
    struct tf_sheet *own = &pact->heard[pact->comm->rank];
    if (op->prepare)
        op->prepare(op);
    op->vote.what = TF_SHEET_VOTE;
    op->vote.kind = (uint8_t)op->kind;
    op->vote.number = ++pact->number;
    op->vote.whole = true;
    tf_sheet_clear(own);
    for (int i = 0; i < op->vote.n; i++)
        tf_pact_must(tf_sheet_add(own, op->vote.ranks[i]));
    own->what = op->vote.what;
    own->kind = op->vote.kind;
    own->flag[0] = op->vote.flag[0];
    own->number = pact->number;
    own->whole = true;
    pact->judge = -1;
    pact->begun = pact->dirty = true;
}

/* Whether this process has taken note of all failures that the decision is about. */
static bool knows_as_much(const struct tf_pact *pact)
{
    for (int i = 0; i < pact->last.n; i++)
        if (pact->last.ranks[i] != pact->comm->rank && !is_dead(pact, pact->last.ranks[i]))
            return false;
    return true;
}

static void end_round(struct tf_pact *pact)
{
    struct tf_pact_op *op = pact->first, *next = op->next;
    pact->begun = false;
    if (!op->decided(op, &pact->last))
        return;
    pact->first = next;
    if (!next)
        pact->end = &pact->first;
}

/* What is to be done now; whether anything was. */
static bool go_on(struct tf_pact *pact)
{
    if (!pact->begun)
        begin_round(pact);
    if (!pact->dirty && pact->failures == tf_failure_count)
        return false;
    pact->dirty = false;
    pact->failures = tf_failure_count;
    if (!tf_pact_is_decided(pact))
        vote(pact);
    if (!tf_pact_is_decided(pact) && pact->judge == pact->comm->rank && all_have_voted(pact))
        decide(pact);
    if (!tf_pact_is_decided(pact))
        return false;
    if (!knows_as_much(pact)) {
        tf_msg_look_soon();
        return false;
    }
    end_round(pact);
    return true;
}

static bool advance(struct tf_task *task, bool *moved)
{
    struct tf_pact *pact = TF_CONTAINER(task, struct tf_pact, task);
    while (pact->first && go_on(pact))
        *moved = true;
    return !pact->first;
}

/* What others wait for goes at once. */
static void hurry(struct tf_pact *pact)
{
    if (!pact->begun)
        begin_round(pact);
    vote(pact);
}

static void finished(struct tf_task *task)
{
    struct tf_pact *pact = TF_CONTAINER(task, struct tf_pact, task);
    pact->going = false;
    tf_comm_release(pact->comm);
}

void tf_pact_begin(struct tf_comm *comm, struct tf_pact_op *op)
{
    struct tf_pact *pact = comm->joint->pact;
    bool idle = !pact->first;
    op->next = NULL;
    *pact->end = op;
    pact->end = &op->next;
    if (!idle || pact->going)
        return;
    tf_comm_retain(pact->comm);
    pact->going = true;
    pact->task.advance = advance;
    pact->task.finished = finished;
    tf_task_add(&pact->task);
    hurry(pact);
}

/* ---- life ---- */

int tf_pact_open(struct tf_comm *comm)
{
    struct tf_comm *joint = comm->joint;
    if (joint->pact)
        return MPI_SUCCESS;
    struct tf_pact *pact =
        tf_alloc(sizeof *pact + 2 * (size_t)joint->size * sizeof *pact->heard, "what is said in an agreement");
    if (!pact)
        return MPI_ERR_NO_MEM;
    memset(pact, 0, sizeof *pact + 2 * (size_t)joint->size * sizeof *pact->heard);
    pact->comm = joint;
    pact->end = &pact->first;
    pact->asker = pact->judge = -1;
    joint->pact = pact;
    return MPI_SUCCESS;
}

void tf_pact_destroy(struct tf_comm *comm)
{
    struct tf_pact *pact = comm->pact;
    if (!pact)
        return;
    if (pact->last.number)
        tf_pact_remember(pact);
    tf_sheet_free(&pact->last);
    for (int i = 0; i < 2 * comm->size; i++)
        tf_sheet_free(&pact->heard[i]);
    free(pact);
}
