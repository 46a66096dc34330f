/* check.c - the prover.  See check.h.
 *
 * First each plan by itself (order.c), then messages are matched (match.c), everything is run on symbolic values
 * (symbolic.c), and what the blocks hold at the end is compared with the contract (contract.c).
 */
#include "plan/check.h"

#include <stdio.h>

#include "plan/dump.h"
#include "plan/order.h"
#include "plan/symbolic.h"

static bool set_up_member(struct tf_symbolic *c, int32_t rank, const struct tf_plan *const *plans)
{
    const struct tf_plan *plan = plans[rank];
    struct tf_symbolic_rank *m = &c->members[rank];
    int32_t ncells = 0;

    m->plan = plan;
    int32_t like = tf_contract_like(c->call, rank);
    if (plan->nblocks != plans[like]->nblocks)
        return tf_symbolic_fail(c, "rank %d cuts the vector into %d blocks, rank %d into %d", rank, plan->nblocks, like,
                                plans[like]->nblocks);
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
        return tf_symbolic_fail(
            c, "rank %d: INPUT and OUTPUT overlap in place, but the plan does not say so (tf_plan_alias)", rank);
    m->cells = calloc(ncells + 1, sizeof *m->cells);
    if (!m->cells)
        return tf_symbolic_fail(c, "no memory for the blocks of rank %d", rank);
    for (int b = TF_INPUT; b <= TF_OUTPUT; b++)
        for (int32_t i = 0; i < m->extent[b]; i++) {
            struct tf_content before = tf_contract_before(c->call, rank, b, i);
            if (before.first <= before.last)
                m->cells[m->base[b] + i] = tf_value_contribution(&c->values, before.first, before.block);
        }
    return true;
}

/* Whether the step keeps to the buffers it may write, and to single blocks where the user's stand apart. */
static bool check_use(struct tf_symbolic *c, const struct tf_event *e)
{
    const struct tf_step *s = tf_symbolic_step(c, e);
    const struct tf_ref refs[2] = {s->src, s->dst};

    if (s->dst.count > 0 && s->dst.buffer < TF_TEMP0 && !tf_contract_writable(c->call, e->rank, s->dst.buffer))
        return tf_symbolic_fail_at(c, e, "%s of this rank must not be written", tf_plan_buffer_name(s->dst.buffer));
    for (int i = 0; i < 2; i++)
        if (refs[i].count > 1 && refs[i].buffer < TF_TEMP0 && !tf_contract_contiguous(c->call->coll))
            return tf_symbolic_fail_at(c, e, "it names %d blocks of %s at once, but they are not adjacent",
                                       refs[i].count, tf_plan_buffer_name(refs[i].buffer));
    return true;
}

/* Only a value that is wrong is put into words: to describe each that is right would be a tenth of a proof. */
static bool check_content(struct tf_symbolic *c, int32_t rank, int32_t block, struct tf_content wanted, uint32_t value)
{
    const struct tf_value *v = &c->values.values[value];
    int32_t r = wanted.first;
    char text[256];

    if (!value)
        return tf_symbolic_fail(c, "rank %d: block %d of OUTPUT holds nothing at the end", rank, block);
    while (r <= wanted.last && tf_value_contains(&c->values, value, r))
        r++;
    if (v->block == wanted.block && r > wanted.last && v->count == wanted.last - wanted.first + 1 &&
        (c->call->commutes || v->ordered))
        return true;
    tf_value_describe(&c->values, value, text, sizeof text);
    if (v->block != wanted.block)
        return tf_symbolic_fail(c, "rank %d: block %d of OUTPUT holds block %d of %s, not block %d", rank, block,
                                v->block, text, wanted.block);
    if (r <= wanted.last)
        return tf_symbolic_fail(c, "rank %d: block %d of OUTPUT holds %s; rank %d's contribution is missing", rank,
                                block, text, r);
    if (v->count != wanted.last - wanted.first + 1)
        return tf_symbolic_fail(c, "rank %d: block %d of OUTPUT holds %s, more than ranks %d-%d", rank, block, text,
                                wanted.first, wanted.last);
    return tf_symbolic_fail(c, "rank %d: block %d of OUTPUT holds %s, combined in this order and not in rank order",
                            rank, block, text);
}

/* The value of members [from, to) of those who contribute, of which the first `pairs` are two ranks and the others one;
 * the very first is rank wanted.first. */
static uint32_t balanced(struct tf_values *values, int32_t from, int32_t to, int32_t pairs, struct tf_content wanted)
{
    if (to - from > 1) {
        int32_t middle = (from + to) / 2;
        uint32_t left = balanced(values, from, middle, pairs, wanted);
        return tf_value_combine(values, left, balanced(values, middle, to, pairs, wanted));
    }
    if (from >= pairs)
        return tf_value_contribution(values, wanted.first + pairs + from, wanted.block);
    uint32_t even = tf_value_contribution(values, wanted.first + 2 * from, wanted.block);
    return tf_value_combine(values, even, tf_value_contribution(values, wanted.first + 2 * from + 1, wanted.block));
}

/* The value that the brackets of check.h give. */
static uint32_t bracketed(struct tf_symbolic *c, struct tf_content wanted)
{
    int32_t core = 1, ranks = wanted.last - wanted.first + 1;

    if (c->call->coll != TF_SCAN && c->call->coll != TF_EXSCAN) {
        while (2 * core <= ranks)
            core *= 2;
        return balanced(&c->values, 0, core, ranks - core, wanted);
    }
    uint32_t value = tf_value_contribution(&c->values, wanted.first, wanted.block);
    for (int32_t rank = wanted.first + 1; rank <= wanted.last; rank++)
        value = tf_value_combine(&c->values, value, tf_value_contribution(&c->values, rank, wanted.block));
    return value;
}

static bool holds_before(const struct tf_symbolic *c, int32_t rank, int32_t block)
{
    struct tf_content before = tf_contract_before(c->call, rank, TF_OUTPUT, block);
    return before.first <= before.last;
}

static bool check_results(struct tf_symbolic *c)
{
    for (int32_t rank = 0; rank < c->call->size; rank++) {
        const struct tf_symbolic_rank *m = &c->members[rank];
        for (int32_t b = 0; b < m->extent[TF_OUTPUT]; b++) {
            struct tf_content wanted = tf_contract_after(c->call, rank, b);
            uint32_t value = m->cells[m->base[TF_OUTPUT] + b];
            if (wanted.first > wanted.last && !value == !holds_before(c, rank, b))
                continue;
            if (wanted.first > wanted.last)
                return tf_symbolic_fail(c, "rank %d: block %d of OUTPUT is written, but has to stay as it is", rank, b);
            if (!check_content(c, rank, b, wanted, value))
                return false;
            if (c->fixed && value != bracketed(c, wanted))
                return tf_symbolic_fail(c, "rank %d: block %d of OUTPUT is not bracketed in the one way that is fixed",
                                        rank, b);
            int32_t like = tf_contract_like(c->call, rank);
            const struct tf_symbolic_rank *other = &c->members[like];
            if (tf_coll_base(c->call->coll) == TF_ALLREDUCE && value != other->cells[other->base[TF_OUTPUT] + b])
                return tf_symbolic_fail(
                    c, "rank %d: block %d of OUTPUT was combined otherwise than on rank %d, so that bits may differ",
                    rank, b, like);
        }
    }
    return true;
}

static bool check_barrier(struct tf_symbolic *c)
{
    int32_t words = c->values.words;

    for (int32_t rank = 0; rank < c->call->size; rank++)
        for (int32_t other = 0; other < c->call->size; other++) {
            const struct tf_symbolic_rank *m = &c->members[rank];
            /* Between groups, that all of the other one have entered is enough (MPI-5.0 section 6.3). */
            bool known = other == rank || (c->call->first && (rank < c->call->first) == (other < c->call->first));
            for (uint32_t i = 0; !known && i < m->plan->nsteps; i++)
                known = c->entered[(size_t)(m->first + i) * words + other / 64] >> other % 64 & 1;
            if (!known)
                return tf_symbolic_fail(c, "rank %d leaves the barrier without knowing that rank %d has entered it",
                                        rank, other);
        }
    return true;
}

/* Turn the steps into events, and their dependencies round: from a step to those that wait for it. */
static bool set_up_events(struct tf_symbolic *c)
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
    if (tf_coll_base(c->call->coll) == TF_BARRIER)
        c->entered = calloc((size_t)c->nevents * c->values.words + 1, sizeof *c->entered);
    if (!c->events || !c->ready || !c->next || (tf_coll_base(c->call->coll) == TF_BARRIER && !c->entered))
        return tf_symbolic_fail(c, "no memory for %u steps", c->nevents);

    for (int32_t rank = 0; rank < c->call->size; rank++) {
        const struct tf_symbolic_rank *m = &c->members[rank];
        struct tf_event *mine = c->events + m->first;
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
                struct tf_event *earlier = &mine[m->plan->deps[d].step];
                c->next[earlier->first_next + earlier->nnext++] = m->first + i;
            }
        }
    }
    return true;
}

static bool check_members(struct tf_symbolic *c, const struct tf_plan *const *plans)
{
    for (int32_t rank = 0; rank < c->call->size; rank++) {
        const struct tf_symbolic_rank *m = &c->members[rank];
        if (!set_up_member(c, rank, plans) ||
            !tf_order_check_steps(m->plan, rank, c->call->size, m->extent, c->words, c->capacity) ||
            !tf_order_check_races(m->plan, rank, m->extent, c->words, c->capacity))
            return false;
    }
    return true;
}

static bool check_uses(struct tf_symbolic *c)
{
    for (uint32_t i = 0; i < c->nevents; i++)
        if (!check_use(c, &c->events[i]))
            return false;
    return true;
}

/* The event at the other end of what comes back in the echo that `e` begins, or -1. */
static int64_t reply_partner(const struct tf_symbolic *c, const struct tf_event *e)
{
    const struct tf_symbolic_rank *m = &c->members[e->rank];
    uint32_t echo = tf_symbolic_step(c, e)->echo;

    return echo && echo < m->plan->nsteps ? c->events[m->first + echo].partner : -1;
}

/* Both ends of an echo mark it, and mean the same two messages. */
static bool check_echo(struct tf_symbolic *c, const struct tf_event *e)
{
    const struct tf_step *s = tf_symbolic_step(c, e);
    const struct tf_symbolic_rank *m = &c->members[e->rank];

    if (!s->echo)
        return true;
    if (s->echo <= e->step || s->echo >= m->plan->nsteps || (s->kind != TF_SEND && s->kind != TF_RECV_REDUCE))
        return tf_symbolic_fail_at(c, e, "an echo goes from a send or a combining receive to a later step");
    const struct tf_step *back = &m->plan->steps[s->echo];
    struct tf_ref out = s->kind == TF_SEND ? s->src : s->dst, in = s->kind == TF_SEND ? back->dst : back->src;
    if (back->kind != (s->kind == TF_SEND ? TF_RECV : TF_SEND) || back->peer != s->peer || out.first != in.first ||
        out.count != in.count || (s->kind == TF_RECV_REDUCE && out.buffer != in.buffer))
        return tf_symbolic_fail_at(c, e, "its echo, step %u, is not about the same blocks and peer", s->echo);
    const struct tf_symbolic_rank *other = &c->members[s->peer];
    const struct tf_event *partner = &c->events[e->partner];
    const struct tf_step *theirs = tf_symbolic_step(c, partner);
    if (!theirs->echo || theirs->kind == s->kind || reply_partner(c, e) != (int64_t)other->first + theirs->echo)
        return tf_symbolic_fail_at(c, e, "rank %d does not mark the same echo", s->peer);
    return true;
}

static bool check_echoes(struct tf_symbolic *c)
{
    for (uint32_t i = 0; i < c->nevents; i++)
        if (!check_echo(c, &c->events[i]))
            return false;
    return true;
}

static bool check(const struct tf_contract *call, const struct tf_plan *const *plans, bool fixed, char *words,
                  size_t capacity)
{
    struct tf_symbolic c = {.call = call, .fixed = fixed, .words = words, .capacity = capacity};
    bool right;

    c.members = calloc(call->size, sizeof *c.members);
    if (!tf_values_create(&c.values, call->size) || !c.members)
        right = tf_symbolic_fail(&c, "no memory for %d ranks", call->size);
    else
        right = check_members(&c, plans) && set_up_events(&c) && check_uses(&c) && tf_symbolic_match(&c) &&
                check_echoes(&c) && tf_symbolic_run(&c) && tf_symbolic_run_in_order(&c) && check_results(&c) &&
                (tf_coll_base(call->coll) != TF_BARRIER || check_barrier(&c));
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

bool tf_plan_check(const struct tf_contract *call, const struct tf_plan *const *plans, char *words, size_t capacity)
{
    return check(call, plans, false, words, capacity);
}

bool tf_plan_check_fixed(const struct tf_contract *call, const struct tf_plan *const *plans, char *words,
                         size_t capacity)
{
    return check(call, plans, true, words, capacity);
}
