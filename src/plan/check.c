/* check.c - the prover.  See check.h.
 *
 * First each plan by itself (order.c), then messages are matched, then everything is run: a local step when what it
 * depends on is done, a send and its receive together when both may start, which is the strictest a transport can be.
 * Then once more, in the other gear of the executor: every rank's steps one after another, with sends that do not wait.
 * As conflicting steps are ordered, the contents of the blocks do not depend on which ready step runs first.
 */
#include "plan/check.h"

#include <stdarg.h>
#include <stdio.h>

#include "plan/dump.h"
#include "plan/order.h"
#include "plan/value.h"

struct member {
    const struct tf_plan *plan;
    int32_t extent[TF_NBUFFERS], base[TF_NBUFFERS]; /* blocks of each buffer; where they begin in `cells` */
    uint32_t *cells;                                /* the value of each block */
    uint32_t first;                                 /* number of its step 0 among all ranks' steps */
};

struct event { /* a step of a rank */
    int32_t rank;
    uint32_t step;
    int64_t partner;            /* the event at the message's other end, -1 for local steps */
    uint32_t waiting;           /* dependencies not done */
    uint32_t first_next, nnext; /* the events that depend on it */
    bool done;
};

struct check {
    const struct tf_contract *call;
    struct member *members;
    struct event *events;
    uint32_t nevents;
    uint32_t *next, *ready; /* nready events on a stack */
    uint32_t nready;
    struct tf_values values;
    uint64_t *entered; /* barrier: [nevents * words] ranks known to have entered when an event is done */
    char *words;
    size_t capacity;
};

static bool fail(struct check *c, const char *format, ...) TF_PRINTF(2, 3);
static bool fail(struct check *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(c->words, c->capacity, format, args);
    va_end(args);
    return false;
}

static const struct tf_step *step_of(const struct check *c, const struct event *e)
{
    return &c->members[e->rank].plan->steps[e->step];
}

static bool fail_at(struct check *c, const struct event *e, const char *format, ...) TF_PRINTF(3, 4);
static bool fail_at(struct check *c, const struct event *e, const char *format, ...)
{
    char step[256], what[512];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return fail(c, "rank %d, step %u (%s): %s", e->rank, e->step,
                tf_plan_describe_step(step_of(c, e), step, sizeof step), what);
}

/* ---- buffers ---- */

static bool set_up_member(struct check *c, int32_t rank, const struct tf_plan *plan)
{
    struct member *m = &c->members[rank];
    int32_t ncells = 0;

    m->plan = plan;
    if (plan->nblocks != c->members[0].plan->nblocks)
        return fail(c, "rank %d cuts the vector into %d blocks, rank 0 into %d", rank, plan->nblocks,
                    c->members[0].plan->nblocks);
    for (int b = 0; b < TF_NBUFFERS; b++) {
        if (b < TF_TEMP0)
            m->extent[b] = tf_contract_blocks(c->call, rank, b, plan->nblocks);
        else
            m->extent[b] = b - TF_TEMP0 < plan->ntemps ? plan->temps[b - TF_TEMP0].nblocks : 0;
        m->base[b] = ncells;
        ncells += m->extent[b];
    }
    bool overlap = c->call->inplace && (c->call->coll == TF_REDUCE_SCATTER || c->call->coll == TF_REDUCE_SCATTER_BLOCK);
    if (overlap && plan->nsteps > 0 && !plan->alias)
        return fail(c, "rank %d: INPUT and OUTPUT overlap in place, but the plan does not say so (tf_plan_alias)",
                    rank);
    m->cells = calloc(ncells + 1, sizeof *m->cells);
    if (!m->cells)
        return fail(c, "no memory for the blocks of rank %d", rank);
    for (int b = TF_INPUT; b <= TF_OUTPUT; b++)
        for (int32_t i = 0; i < m->extent[b]; i++) {
            struct tf_content before = tf_contract_before(c->call, rank, b, i);
            if (before.first <= before.last)
                m->cells[m->base[b] + i] = tf_value_contribution(&c->values, before.first, before.block);
        }
    return true;
}

/* Whether the step keeps to the buffers it may write, and to single blocks where the user's stand apart. */
static bool check_use(struct check *c, const struct event *e)
{
    const struct tf_step *s = step_of(c, e);
    const struct tf_ref refs[2] = {s->src, s->dst};

    if (s->dst.count > 0 && s->dst.buffer < TF_TEMP0 && !tf_contract_writable(c->call, e->rank, s->dst.buffer))
        return fail_at(c, e, "%s of this rank must not be written", tf_plan_buffer_name(s->dst.buffer));
    for (int i = 0; i < 2; i++)
        if (refs[i].count > 1 && refs[i].buffer < TF_TEMP0 && !tf_contract_contiguous(c->call->coll))
            return fail_at(c, e, "it names %d blocks of %s at once, but they are not adjacent", refs[i].count,
                           tf_plan_buffer_name(refs[i].buffer));
    return true;
}

/* ---- messages ---- */

/* Where the steps of one kind between two ranks are found: at[offset[from * size + to] + tag]. */
struct mailbox {
    uint32_t *offset;
    int64_t *at;
};

static bool is_receive(const struct tf_step *s)
{
    return s->kind == TF_RECV || s->kind == TF_RECV_REDUCE;
}

static size_t pair_of(const struct check *c, const struct event *e)
{
    int32_t peer = step_of(c, e)->peer;

    return step_of(c, e)->kind == TF_SEND ? (size_t)e->rank * c->call->size + peer
                                          : (size_t)peer * c->call->size + e->rank;
}

/* File the sends, or the receives; false if the messages of a pair are not numbered 0, 1, 2, ... */
static bool file_messages(struct check *c, struct mailbox *box, bool receives)
{
    size_t pairs = (size_t)c->call->size * c->call->size;

    box->offset = calloc(pairs + 1, sizeof *box->offset);
    box->at = malloc((c->nevents + 1) * sizeof *box->at);
    if (!box->offset || !box->at)
        return fail(c, "no memory to match the messages");
    memset(box->at, 0xff, (c->nevents + 1) * sizeof *box->at);
    for (uint32_t i = 0; i < c->nevents; i++)
        if (receives ? is_receive(step_of(c, &c->events[i])) : step_of(c, &c->events[i])->kind == TF_SEND)
            box->offset[pair_of(c, &c->events[i]) + 1]++;
    for (size_t i = 0; i < pairs; i++)
        box->offset[i + 1] += box->offset[i];
    for (uint32_t i = 0; i < c->nevents; i++) {
        const struct event *e = &c->events[i];
        if (!(receives ? is_receive(step_of(c, e)) : step_of(c, e)->kind == TF_SEND))
            continue;
        size_t pair = pair_of(c, e);
        uint32_t count = box->offset[pair + 1] - box->offset[pair];
        int32_t tag = step_of(c, e)->tag;
        if (tag < 0 || (uint32_t)tag >= count || box->at[box->offset[pair] + tag] >= 0)
            return fail_at(c, e, "the messages of a pair must be numbered from 0, each number once");
        box->at[box->offset[pair] + tag] = i;
    }
    return true;
}

static bool match_events(struct check *c, const struct mailbox *sends, const struct mailbox *receives)
{
    for (uint32_t i = 0; i < c->nevents; i++) {
        struct event *e = &c->events[i];
        const struct tf_step *s = step_of(c, e);
        e->partner = -1;
        if (s->peer < 0 || s->kind == TF_REDUCE_LOCAL || s->kind == TF_COPY)
            continue;
        const struct mailbox *other = s->kind == TF_SEND ? receives : sends;
        size_t pair = pair_of(c, e);
        if ((uint32_t)s->tag >= other->offset[pair + 1] - other->offset[pair])
            return fail_at(c, e, "rank %d has no %s for it", s->peer, s->kind == TF_SEND ? "receive" : "send");
        e->partner = other->at[other->offset[pair] + s->tag];
    }
    return true;
}

static bool match_messages(struct check *c)
{
    struct mailbox sends = {0}, receives = {0};
    bool right =
        file_messages(c, &sends, false) && file_messages(c, &receives, true) && match_events(c, &sends, &receives);

    free(sends.offset);
    free(sends.at);
    free(receives.offset);
    free(receives.at);
    return right;
}

/* ---- running ---- */

static uint32_t *cell(const struct check *c, const struct event *e, struct tf_ref ref, int32_t i)
{
    struct member *m = &c->members[e->rank];

    return &m->cells[m->base[ref.buffer] + ref.first + i];
}

static bool load(struct check *c, const struct event *e, struct tf_ref ref, int32_t i, uint32_t *value)
{
    *value = *cell(c, e, ref, i);
    if (!*value)
        return fail_at(c, e, "block %d of %s is read, but nothing is in it", ref.first + i,
                       tf_plan_buffer_name(ref.buffer));
    return true;
}

static bool store(struct check *c, const struct event *e, int32_t i, uint32_t value)
{
    const struct tf_ref dst = step_of(c, e)->dst;
    const struct member *m = &c->members[e->rank];
    const struct tf_value *v = &c->values.values[value];
    int32_t room = tf_contract_size_of_block(c->call, m->plan, e->rank, dst.buffer, dst.first + i);

    if (room != tf_contract_size_of_content(c->call, v->lowest, v->block))
        return fail_at(c, e, "block %d of rank %d goes into block %d of %s, whose size is another", v->block, v->lowest,
                       dst.first + i, tf_plan_buffer_name(dst.buffer));
    *cell(c, e, dst, i) = value;
    return true;
}

/* The value of `left` op `right`, 0 if they must not be combined. */
static uint32_t combine(struct check *c, const struct event *e, uint32_t left, uint32_t right)
{
    int32_t block = c->values.values[left].block, other = c->values.values[right].block;
    int32_t twice = tf_value_common(&c->values, left, right);
    char l[128], r[128];

    if (block != other) {
        fail_at(c, e, "it combines block %d with block %d", block, other);
        return 0;
    }
    if (twice >= 0) {
        fail_at(c, e, "it combines %s with %s: rank %d's contribution is in it twice",
                tf_value_describe(&c->values, left, l, sizeof l), tf_value_describe(&c->values, right, r, sizeof r),
                twice);
        return 0;
    }
    uint32_t value = tf_value_combine(&c->values, left, right);
    if (!value)
        fail(c, "no memory for the values of the blocks");
    return value;
}

/* An operator of the user's must see the whole vector in one application. */
static bool check_whole(struct check *c, const struct event *e)
{
    const struct tf_ref dst = step_of(c, e)->dst;
    int32_t n = c->members[e->rank].plan->nblocks;

    if (c->call->elementwise)
        return true;
    if (dst.count != n)
        return fail_at(c, e, "the operator is applied to %d of %d blocks, but may not be applied to parts", dst.count,
                       n);
    for (int32_t i = 0; i < n; i++)
        if (c->values.values[*cell(c, e, dst, i)].block != i)
            return fail_at(c, e, "the operator is applied to the blocks in another order");
    return true;
}

/* INPUT shares its memory with an OUTPUT that was written. */
static void destroy_input(struct check *c, const struct event *e)
{
    const struct member *m = &c->members[e->rank];

    if (m->plan->alias && step_of(c, e)->dst.count > 0 && step_of(c, e)->dst.buffer == TF_OUTPUT)
        memset(m->cells + m->base[TF_INPUT], 0, m->extent[TF_INPUT] * sizeof *m->cells);
}

static bool run_local(struct check *c, const struct event *e)
{
    const struct tf_step *s = step_of(c, e);

    for (int32_t i = 0; i < s->src.count; i++) {
        uint32_t value, own;
        if (!load(c, e, s->src, i, &value))
            return false;
        if (s->kind == TF_REDUCE_LOCAL) {
            if (!load(c, e, s->dst, i, &own))
                return false;
            value = s->side == TF_LEFT ? combine(c, e, value, own) : combine(c, e, own, value);
            if (!value)
                return false;
        }
        if (!store(c, e, i, value))
            return false;
    }
    destroy_input(c, e);
    return s->kind != TF_REDUCE_LOCAL || check_whole(c, e);
}

static bool run_message(struct check *c, const struct event *send, const struct event *receive)
{
    const struct tf_step *from = step_of(c, send), *to = step_of(c, receive);

    if (from->src.count != to->dst.count)
        return fail_at(c, receive, "it takes %d blocks, but step %u of rank %d sends %d", to->dst.count, send->step,
                       send->rank, from->src.count);
    for (int32_t i = 0; i < to->dst.count; i++) {
        uint32_t value, own;
        if (!load(c, send, from->src, i, &value))
            return false;
        if (to->kind == TF_RECV_REDUCE) {
            if (!load(c, receive, to->src, i, &own))
                return false;
            value = to->side == TF_LEFT ? combine(c, receive, value, own) : combine(c, receive, own, value);
            if (!value)
                return false;
        }
        if (!store(c, receive, i, value))
            return false;
    }
    destroy_input(c, receive);
    return to->kind != TF_RECV_REDUCE || check_whole(c, receive);
}

static void make_ready(struct check *c, uint32_t event)
{
    if (c->events[event].waiting == 0)
        c->ready[c->nready++] = event;
}

/* Who is known to have entered a barrier: this rank, those known before, and those the sender knew of. */
static void learn(struct check *c, uint32_t event)
{
    const struct event *e = &c->events[event];
    const struct tf_step *s = step_of(c, e);
    int32_t words = c->values.words;
    uint64_t *mine = c->entered + (size_t)event * words;

    mine[e->rank / 64] |= (uint64_t)1 << e->rank % 64;
    for (uint32_t d = s->first_dep; d < s->first_dep + s->ndeps; d++) {
        uint32_t earlier = c->members[e->rank].first + c->members[e->rank].plan->deps[d].step;
        for (int32_t w = 0; w < words; w++)
            mine[w] |= c->entered[(size_t)earlier * words + w];
    }
    if (is_receive(s))
        for (int32_t w = 0; w < words; w++)
            mine[w] |= c->entered[(size_t)e->partner * words + w];
}

static void finish_event(struct check *c, uint32_t event)
{
    struct event *e = &c->events[event];

    e->done = true;
    if (c->entered)
        learn(c, event);
    for (uint32_t i = e->first_next; i < e->first_next + e->nnext; i++) {
        c->events[c->next[i]].waiting--;
        make_ready(c, c->next[i]);
    }
}

static bool run_event(struct check *c, uint32_t event)
{
    struct event *e = &c->events[event];

    if (e->done)
        return true;
    if (e->partner < 0) {
        if (!run_local(c, e))
            return false;
        finish_event(c, event);
        return true;
    }
    struct event *other = &c->events[e->partner];
    if (other->waiting > 0)
        return true; /* its partner runs both */
    bool sends = step_of(c, e)->kind == TF_SEND;
    if (!run_message(c, sends ? e : other, sends ? other : e))
        return false;
    finish_event(c, sends ? event : (uint32_t)e->partner);
    finish_event(c, sends ? (uint32_t)e->partner : event);
    return true;
}

/* What keeps an event from being done: a dependency, or the message's other end. */
static uint32_t blocker(const struct check *c, uint32_t event)
{
    const struct event *e = &c->events[event];
    const struct tf_step *s = step_of(c, e);

    for (uint32_t d = s->first_dep; e->waiting > 0 && d < s->first_dep + s->ndeps; d++) {
        uint32_t earlier = c->members[e->rank].first + c->members[e->rank].plan->deps[d].step;
        if (!c->events[earlier].done)
            return earlier;
    }
    return (uint32_t)e->partner;
}

/* Name a circle of events that wait for each other. */
static bool fail_deadlock(struct check *c, uint32_t stuck)
{
    char step[256];
    size_t used = 0;

    for (uint32_t i = 0; i < c->nevents; i++) /* after that many hops the walk is on the circle */
        stuck = blocker(c, stuck);
    uint32_t event = stuck;
    do {
        const struct event *e = &c->events[event];
        int n = snprintf(c->words + used, c->capacity - used, "%srank %d, step %u (%s)",
                         used ? " waits for " : "deadlock: ", e->rank, e->step,
                         tf_plan_describe_step(step_of(c, e), step, sizeof step));
        used = used + n < c->capacity ? used + n : c->capacity - 1;
        event = blocker(c, event);
    } while (event != stuck && used < c->capacity / 2);
    snprintf(c->words + used, c->capacity - used,
             event == stuck ? " waits for the first of these" : " waits for further steps, in a circle");
    return false;
}

static bool run_events(struct check *c)
{
    for (uint32_t i = 0; i < c->nevents; i++)
        make_ready(c, i);
    while (c->nready > 0)
        if (!run_event(c, c->ready[--c->nready]))
            return false;
    for (uint32_t i = 0; i < c->nevents; i++)
        if (!c->events[i].done)
            return fail_deadlock(c, i);
    return true;
}

/* The executor may also run each rank's steps one after another, with sends that do not wait (short messages). */
static bool run_in_order(struct check *c)
{
    uint32_t *at = calloc(c->call->size, sizeof *at); /* per rank: steps done */
    uint32_t ndone = 0;

    if (!at)
        return fail(c, "no memory for %d ranks", c->call->size);
    for (uint32_t i = 0; i < c->nevents; i++)
        c->events[i].done = false;
    for (int32_t rank = c->nready = 0; rank < c->call->size; rank++)
        c->ready[c->nready++] = rank; /* a stack of ranks here */
    while (c->nready > 0) {
        int32_t rank = c->ready[--c->nready];
        for (; at[rank] < c->members[rank].plan->nsteps; at[rank]++, ndone++) {
            struct event *e = &c->events[c->members[rank].first + at[rank]];
            struct event *other = e->partner < 0 ? NULL : &c->events[e->partner];
            if (is_receive(step_of(c, e)) && !other->done)
                break;
            e->done = true;
            if (step_of(c, e)->kind == TF_SEND && at[other->rank] == other->step)
                c->ready[c->nready++] = other->rank;
        }
    }
    bool right = ndone == c->nevents;
    for (int32_t rank = 0; !right && rank < c->call->size; rank++)
        if (at[rank] < c->members[rank].plan->nsteps) {
            fail_at(c, &c->events[c->members[rank].first + at[rank]],
                    "waits for ever if steps run in order of emission");
            break;
        }
    free(at);
    return right;
}

/* ---- results ---- */

static bool check_content(struct check *c, int32_t rank, int32_t block, struct tf_content wanted, uint32_t value)
{
    const struct tf_value *v = &c->values.values[value];
    char text[256];

    if (!value)
        return fail(c, "rank %d: block %d of OUTPUT holds nothing at the end", rank, block);
    tf_value_describe(&c->values, value, text, sizeof text);
    if (v->block != wanted.block)
        return fail(c, "rank %d: block %d of OUTPUT holds block %d of %s, not block %d", rank, block, v->block, text,
                    wanted.block);
    for (int32_t r = wanted.first; r <= wanted.last; r++)
        if (!tf_value_contains(&c->values, value, r))
            return fail(c, "rank %d: block %d of OUTPUT holds %s; rank %d's contribution is missing", rank, block, text,
                        r);
    if (v->count != wanted.last - wanted.first + 1)
        return fail(c, "rank %d: block %d of OUTPUT holds %s, more than ranks %d-%d", rank, block, text, wanted.first,
                    wanted.last);
    if (!c->call->commutes && !v->ordered)
        return fail(c, "rank %d: block %d of OUTPUT holds %s, combined in this order and not in rank order", rank,
                    block, text);
    return true;
}

static bool check_results(struct check *c)
{
    for (int32_t rank = 0; rank < c->call->size; rank++) {
        const struct member *m = &c->members[rank];
        for (int32_t b = 0; b < m->extent[TF_OUTPUT]; b++) {
            struct tf_content wanted = tf_contract_after(c->call, rank, b);
            uint32_t value = m->cells[m->base[TF_OUTPUT] + b];
            if (wanted.first > wanted.last)
                continue;
            if (!check_content(c, rank, b, wanted, value))
                return false;
            if (c->call->coll == TF_ALLREDUCE && value != c->members[0].cells[c->members[0].base[TF_OUTPUT] + b])
                return fail(
                    c, "rank %d: block %d of OUTPUT was combined otherwise than on rank 0, so that bits may differ",
                    rank, b);
        }
    }
    return true;
}

static bool check_barrier(struct check *c)
{
    int32_t words = c->values.words;

    for (int32_t rank = 0; rank < c->call->size; rank++)
        for (int32_t other = 0; other < c->call->size; other++) {
            const struct member *m = &c->members[rank];
            bool known = other == rank;
            for (uint32_t i = 0; !known && i < m->plan->nsteps; i++)
                known = c->entered[(size_t)(m->first + i) * words + other / 64] >> other % 64 & 1;
            if (!known)
                return fail(c, "rank %d leaves the barrier without knowing that rank %d has entered it", rank, other);
        }
    return true;
}

/* ---- the whole ---- */

/* Turn the steps into events, and their dependencies round: from a step to those that wait for it. */
static bool set_up_events(struct check *c)
{
    uint32_t ndeps = 0, at = 0;

    for (int32_t rank = 0; rank < c->call->size; rank++) {
        c->members[rank].first = c->nevents;
        c->nevents += c->members[rank].plan->nsteps;
        ndeps += c->members[rank].plan->ndeps;
    }
    c->events = calloc(c->nevents + 1, sizeof *c->events);
    c->ready = malloc(((size_t)c->nevents + c->call->size) * sizeof *c->ready);
    c->next = malloc((ndeps + 1) * sizeof *c->next);
    if (c->call->coll == TF_BARRIER)
        c->entered = calloc((size_t)c->nevents * c->values.words + 1, sizeof *c->entered);
    if (!c->events || !c->ready || !c->next || (c->call->coll == TF_BARRIER && !c->entered))
        return fail(c, "no memory for %u steps", c->nevents);

    for (int32_t rank = 0; rank < c->call->size; rank++) {
        const struct member *m = &c->members[rank];
        struct event *mine = c->events + m->first;
        for (uint32_t i = 0; i < m->plan->nsteps; i++) {
            const struct tf_step *s = &m->plan->steps[i];
            mine[i].rank = rank;
            mine[i].step = i;
            mine[i].waiting = s->ndeps;
            for (uint32_t d = s->first_dep; d < s->first_dep + s->ndeps; d++)
                mine[m->plan->deps[d].step].nnext++;
        }
        for (uint32_t i = 0; i < m->plan->nsteps; i++) {
            mine[i].first_next = at;
            at += mine[i].nnext;
            mine[i].nnext = 0;
        }
        for (uint32_t i = 0; i < m->plan->nsteps; i++) {
            const struct tf_step *s = &m->plan->steps[i];
            for (uint32_t d = s->first_dep; d < s->first_dep + s->ndeps; d++) {
                struct event *earlier = &mine[m->plan->deps[d].step];
                c->next[earlier->first_next + earlier->nnext++] = m->first + i;
            }
        }
    }
    return true;
}

static bool check_members(struct check *c, const struct tf_plan *const *plans)
{
    c->members[0].plan = plans[0];
    for (int32_t rank = 0; rank < c->call->size; rank++) {
        const struct member *m = &c->members[rank];
        if (!set_up_member(c, rank, plans[rank]) ||
            !tf_order_check_steps(m->plan, rank, c->call->size, m->extent, c->words, c->capacity) ||
            !tf_order_check_races(m->plan, rank, m->extent, c->words, c->capacity))
            return false;
    }
    return true;
}

static bool check_uses(struct check *c)
{
    for (uint32_t i = 0; i < c->nevents; i++)
        if (!check_use(c, &c->events[i]))
            return false;
    return true;
}

bool tf_plan_check(const struct tf_contract *call, const struct tf_plan *const *plans, char *words, size_t capacity)
{
    struct check c = {.call = call, .words = words, .capacity = capacity};
    bool right;

    c.members = calloc(call->size, sizeof *c.members);
    if (!tf_values_create(&c.values, call->size) || !c.members)
        right = fail(&c, "no memory for %d ranks", call->size);
    else
        right = check_members(&c, plans) && set_up_events(&c) && check_uses(&c) && match_messages(&c) &&
                run_events(&c) && run_in_order(&c) && check_results(&c) &&
                (call->coll != TF_BARRIER || check_barrier(&c));
    for (int32_t rank = 0; c.members && rank < call->size; rank++)
        free(c.members[rank].cells);
    free(c.members);
    free(c.events);
    free(c.next);
    free(c.ready);
    free(c.entered);
    tf_values_destroy(&c.values);
    return right;
}
