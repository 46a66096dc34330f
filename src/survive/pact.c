/* pact.c - see pact.h. */
#include "survive/pact.h"

#include "construct/newcomm.h"
#include "msg/match.h"
#include "msg/progress.h"
#include "msg/transfer.h"
#include "net/failure.h"

struct tf_pact {
    struct tf_comm *comm; /* the joint one */
    struct tf_task task;
    bool going; /* it is, while there are operations */
    struct tf_pact_op *first, **end;
    bool begun;              /* the first of them */
    bool dirty;              /* something was heard since we looked */
    int failures;            /* that were known then */
    uint32_t number;         /* of the latest that was begun here */
    int judge;               /* to whom this process has said its vote, perhaps itself; -1: nobody */
    int asker;               /* who wants to hear of the decision; -1: nobody */
    struct tf_sheet last;    /* decision */
    struct tf_sheet heard[]; /* by rank: the latest votes, then what each has said to be decided */
};

static bool is_dead(const struct tf_pact *pact, int rank)
{
    return tf_failure_is(pact->comm->peers[rank]);
}

/* ---- saying ---- */

static void say_to(struct tf_pact *pact, struct tf_sheet *sheet, int rank)
{
    sheet->sender = pact->comm->rank;
    tf_sheet_send(sheet, pact->comm->context, pact->comm->peers[rank]);
}

static void say_to_all(struct tf_pact *pact, struct tf_sheet *sheet)
{
    for (int r = 0; r < pact->comm->size; r++)
        if (r != pact->comm->rank && !is_dead(pact, r))
            say_to(pact, sheet, r);
}

static bool is_decided(const struct tf_pact *pact)
{
    return pact->last.number == pact->number;
}

static void tell_asker(struct tf_pact *pact)
{
    if (pact->asker >= 0)
        say_to(pact, &pact->last, pact->asker);
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

static void must(bool there)
{
    if (!there)
        tf_fatal(1, "treefold[%d]: no memory to note which processes have died", tf_job.rank);
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
        must(tf_sheet_add(decision, r));
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
            must(tf_sheet_add(decision, r));
        for (int i = 0; has_voted(pact, r) && i < pact->heard[r].n; i++)
            must(tf_sheet_add(decision, pact->heard[r].ranks[i]));
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
    say_to_all(pact, decision);
    tell_asker(pact);
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
            say_to(pact, &question, r);
}

static void vote(struct tf_pact *pact)
{
    int judge = lowest_alive(pact), own = pact->comm->rank;
    if (judge == pact->judge)
        return;
    pact->judge = judge;
    if (judge != own)
        say_to(pact, &pact->first->vote, judge);
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
        must(tf_sheet_add(own, op->vote.ranks[i]));
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
    if (!is_decided(pact))
        vote(pact);
    if (!is_decided(pact) && pact->judge == pact->comm->rank && all_have_voted(pact))
        decide(pact);
    if (!is_decided(pact))
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

/* ---- hearing ---- */

/* The word of a process that is not there yet waits for the communicator. */
struct early {
    struct early *next;
    uint64_t context;
    struct tf_peer *peer;
    char payload[TF_SHEET_BYTES];
};
static struct early *early, **end_of_early = &early;

/* The last decisions on communicators that are gone. */
enum { GONE = 64 };
static struct {
    uint64_t context;
    struct tf_sheet last;
} gone[GONE];
static uint32_t ngone; /* since the beginning */

static void hear_vote(struct tf_pact *pact, int rank)
{
    const struct tf_sheet *vote = &pact->heard[rank];
    if (!vote->whole)
        return;
    pact->dirty = true;
    if (vote->number == pact->last.number && pact->last.whole)
        say_to(pact, &pact->last, rank);
}

/* One who decides instead of one who has died passes on what it has heard. */
static void hear_decision(struct tf_pact *pact, struct tf_sheet *heard)
{
    if (!heard->whole || is_decided(pact) || heard->number != pact->number)
        return;
    struct tf_sheet before = pact->last;
    pact->last = *heard;
    *heard = before;
    tf_sheet_clear(heard);
    pact->dirty = true;
    if (pact->judge == pact->comm->rank)
        say_to_all(pact, &pact->last);
    tell_asker(pact);
}

static void hear_question(struct tf_pact *pact, struct tf_sheet_head question)
{
    if (question.number == pact->last.number)
        say_to(pact, &pact->last, question.sender);
    else if (question.sender > pact->asker) /* the word of a lower one, who has died, may come after it */
        pact->asker = question.sender;
}

static void hear(struct tf_pact *pact, const void *payload)
{
    struct tf_sheet_head head = tf_sheet_head(payload);
    struct tf_sheet *vote = &pact->heard[head.sender], *decision = vote + pact->comm->size;
    switch (head.what) {
    case TF_SHEET_VOTE:
        tf_sheet_take(vote, payload);
        hear_vote(pact, head.sender);
        break;
    case TF_SHEET_ASK:
        hear_question(pact, head);
        break;
    case TF_SHEET_DECISION:
        tf_sheet_take(decision, payload);
        hear_decision(pact, decision);
        break;
    }
}

static bool answer_for_gone(struct tf_peer *peer, uint64_t context, const void *payload)
{
    struct tf_sheet_head head = tf_sheet_head(payload);
    for (uint32_t i = 0; i < GONE && i < ngone; i++) {
        if (gone[i].context != context)
            continue;
        if (head.last && head.what != TF_SHEET_DECISION && head.number == gone[i].last.number)
            tf_sheet_send(&gone[i].last, context, peer);
        return true;
    }
    return false;
}

static void keep(struct tf_peer *peer, uint64_t context, const void *payload)
{
    struct early *word = malloc(sizeof *word);
    must(word);
    *word = (struct early){.context = context, .peer = peer};
    memcpy(word->payload, payload, sizeof word->payload);
    *end_of_early = word;
    end_of_early = &word->next;
}

static void hear_message(struct tf_peer *peer, const struct tf_header *header, void *payload)
{
    struct tf_match *match = tf_match_of(header->context);
    if (match) {
        must(tf_pact_open(match->comm) == MPI_SUCCESS);
        hear(match->comm->pact, payload);
    } else if (!answer_for_gone(peer, header->context, payload))
        keep(peer, header->context, payload);
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

void tf_pact_start(struct tf_comm *comm)
{
    for (struct early **place = &early; *place;) {
        struct early *word = *place;
        if (word->context != comm->context) {
            place = &word->next;
            continue;
        }
        *place = word->next;
        if (!*place)
            end_of_early = place;
        must(tf_pact_open(comm) == MPI_SUCCESS);
        hear(comm->pact, word->payload);
        free(word);
    }
}

static void remember(struct tf_pact *pact)
{
    uint32_t at = ngone++ % GONE;
    tf_sheet_free(&gone[at].last);
    gone[at].context = pact->comm->context;
    gone[at].last = pact->last;
    pact->last.ranks = NULL;
}

void tf_pact_destroy(struct tf_comm *comm)
{
    struct tf_pact *pact = comm->pact;
    if (!pact)
        return;
    if (pact->last.number)
        remember(pact);
    tf_sheet_free(&pact->last);
    for (int i = 0; i < 2 * comm->size; i++)
        tf_sheet_free(&pact->heard[i]);
    free(pact);
}

void tf_pact_setup(void)
{
    tf_net_handle(TF_MSG_PACT, hear_message);
}
