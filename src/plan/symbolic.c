/* symbolic.c - the prover runs the steps of all ranks on symbolic values.
 *
 * A local step runs when what it depends on is done, a send and its receive together when both may start, which is the
 * strictest a transport can be.  As conflicting steps are ordered (order.c), the contents of the blocks do not depend
 * on which ready step runs first.
 */
#include "plan/symbolic.h"

#include <stdarg.h>
#include <stdio.h>

#include "plan/dump.h"

bool tf_symbolic_fail(struct tf_symbolic *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(c->words, c->capacity, format, args);
    va_end(args);
    return false;
}

bool tf_symbolic_fail_at(struct tf_symbolic *c, const struct tf_event *e, const char *format, ...)
{
    char step[256], what[512];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return tf_symbolic_fail(c, "rank %d, step %u (%s): %s", e->rank, e->step,
                            tf_plan_describe_step(tf_symbolic_step(c, e), step, sizeof step), what);
}

static uint32_t *cell(const struct tf_symbolic *c, const struct tf_event *e, struct tf_ref ref, int32_t i)
{
    struct tf_symbolic_rank *m = &c->members[e->rank];

    return &m->cells[m->base[ref.buffer] + ref.first + i];
}

static bool load(struct tf_symbolic *c, const struct tf_event *e, struct tf_ref ref, int32_t i, uint32_t *value)
{
    *value = *cell(c, e, ref, i);
    if (!*value)
        return tf_symbolic_fail_at(c, e, "block %d of %s is read, but nothing is in it", ref.first + i,
                                   tf_plan_buffer_name(ref.buffer));
    return true;
}

static bool store(struct tf_symbolic *c, const struct tf_event *e, int32_t i, uint32_t value)
{
    const struct tf_ref dst = tf_symbolic_step(c, e)->dst;
    const struct tf_symbolic_rank *m = &c->members[e->rank];
    const struct tf_value *v = &c->values.values[value];
    int32_t room = tf_contract_size_of_block(c->call, m->plan, e->rank, dst.buffer, dst.first + i);

    if (room != tf_contract_size_of_content(c->call, v->lowest, v->block))
        return tf_symbolic_fail_at(c, e, "block %d of rank %d goes into block %d of %s, whose size is another",
                                   v->block, v->lowest, dst.first + i, tf_plan_buffer_name(dst.buffer));
    *cell(c, e, dst, i) = value;
    return true;
}

/* The value of `left` op `right`, 0 if they must not be combined. */
static uint32_t combine(struct tf_symbolic *c, const struct tf_event *e, uint32_t left, uint32_t right)
{
    int32_t block = c->values.values[left].block, other = c->values.values[right].block;
    int32_t twice = tf_value_common(&c->values, left, right);
    char l[128], r[128];

    if (block != other) {
        tf_symbolic_fail_at(c, e, "it combines block %d with block %d", block, other);
        return 0;
    }
    if (twice >= 0) {
        tf_symbolic_fail_at(c, e, "it combines %s with %s: rank %d's contribution is in it twice",
                            tf_value_describe(&c->values, left, l, sizeof l),
                            tf_value_describe(&c->values, right, r, sizeof r), twice);
        return 0;
    }
    uint32_t value = tf_value_combine(&c->values, left, right);
    if (!value)
        tf_symbolic_fail(c, "no memory for the values of the blocks");
    return value;
}

/* An operator of the user's must see the whole vector in one application. */
static bool check_whole(struct tf_symbolic *c, const struct tf_event *e)
{
    const struct tf_ref dst = tf_symbolic_step(c, e)->dst;
    int32_t n = c->members[e->rank].plan->nblocks;

    if (c->call->elementwise)
        return true;
    if (dst.count != n)
        return tf_symbolic_fail_at(c, e, "the operator is applied to %d of %d blocks, but may not be applied to parts",
                                   dst.count, n);
    int32_t first = c->values.values[*cell(c, e, dst, 0)].block;
    for (int32_t i = 0; i < n; i++)
        if (c->values.values[*cell(c, e, dst, i)].block != first + i)
            return tf_symbolic_fail_at(c, e, "the operator is applied to the blocks in another order");
    return true;
}

/* INPUT shares its memory with an OUTPUT that was written. */
static void destroy_input(struct tf_symbolic *c, const struct tf_event *e)
{
    const struct tf_symbolic_rank *m = &c->members[e->rank];

    if (m->plan->alias && tf_symbolic_step(c, e)->dst.count > 0 && tf_symbolic_step(c, e)->dst.buffer == TF_OUTPUT)
        memset(m->cells + m->base[TF_INPUT], 0, m->extent[TF_INPUT] * sizeof *m->cells);
}

static bool run_combine(struct tf_symbolic *c, const struct tf_event *e)
{
    const struct tf_step *s = tf_symbolic_step(c, e);
    uint32_t value, next;

    if (!load(c, e, s->src, 0, &value))
        return false;
    for (int32_t i = 1; i < s->src.count; i++)
        if (!load(c, e, s->src, i, &next) || !(value = combine(c, e, value, next)))
            return false;
    if (!store(c, e, 0, value))
        return false;
    destroy_input(c, e);
    return check_whole(c, e);
}

static bool run_local(struct tf_symbolic *c, const struct tf_event *e)
{
    const struct tf_step *s = tf_symbolic_step(c, e);

    if (s->kind == TF_COMBINE)
        return run_combine(c, e);
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

/* The whole vector goes to ranks that cut it at other places: each of its blocks must be combined alike. */
static bool run_recut(struct tf_symbolic *c, const struct tf_event *send, const struct tf_event *receive)
{
    const struct tf_step *from = tf_symbolic_step(c, send), *to = tf_symbolic_step(c, receive);
    int32_t sent = tf_contract_blocks(c->call, send->rank, TF_INPUT, 0);
    int32_t came = tf_contract_blocks(c->call, receive->rank, TF_INPUT, 0);
    int32_t begin = tf_contract_like(c->call, receive->rank);
    uint32_t other, whole;

    if (to->kind != TF_RECV || from->src.count != sent || to->dst.count != came)
        return tf_symbolic_fail_at(c, receive, "between groups that cut the vector otherwise it must go as a whole");
    if (!load(c, send, from->src, 0, &whole))
        return false;
    for (int32_t i = 0; i < sent; i++) {
        if (!load(c, send, from->src, i, &other))
            return false;
        if (c->values.values[other].block != tf_contract_like(c->call, send->rank) + i ||
            tf_value_recut(&c->values, other, 0) != tf_value_recut(&c->values, whole, 0))
            return tf_symbolic_fail_at(c, send, "the blocks of the vector are not combined alike, or not in order");
    }
    for (int32_t i = 0; i < came; i++) {
        if (!store(c, receive, i, tf_value_recut(&c->values, whole, begin + i)))
            return false;
    }
    return true;
}

static bool run_message(struct tf_symbolic *c, const struct tf_event *send, const struct tf_event *receive)
{
    const struct tf_step *from = tf_symbolic_step(c, send), *to = tf_symbolic_step(c, receive);

    if (tf_contract_recuts(c->call, send->rank, receive->rank))
        return run_recut(c, send, receive);
    if (from->src.count != to->dst.count)
        return tf_symbolic_fail_at(c, receive, "it takes %d blocks, but step %u of rank %d sends %d", to->dst.count,
                                   send->step, send->rank, from->src.count);
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

static void make_ready(struct tf_symbolic *c, uint32_t event)
{
    if (c->events[event].waiting == 0)
        c->ready[c->nready++] = event;
}

/* Who is known to have entered a barrier: this rank, those known before, and those the sender knew of. */
static void learn(struct tf_symbolic *c, uint32_t event)
{
    const struct tf_event *e = &c->events[event];
    const struct tf_step *s = tf_symbolic_step(c, e);
    int32_t words = c->values.words;
    uint64_t *mine = c->entered + (size_t)event * words;

    mine[e->rank / 64] |= (uint64_t)1 << e->rank % 64;
    for (uint32_t d = s->first_dep; d < s->first_dep + s->ndeps; d++) {
        uint32_t earlier = c->members[e->rank].first + c->members[e->rank].plan->deps[d].step;
        for (int32_t w = 0; w < words; w++)
            mine[w] |= c->entered[(size_t)earlier * words + w];
    }
    if (tf_symbolic_receives(s))
        for (int32_t w = 0; w < words; w++)
            mine[w] |= c->entered[(size_t)e->partner * words + w];
}

static void finish_event(struct tf_symbolic *c, uint32_t event)
{
    struct tf_event *e = &c->events[event];

    e->done = true;
    if (c->entered)
        learn(c, event);
    for (uint32_t i = e->first_next; i < e->first_next + e->nnext; i++) {
        c->events[c->next[i]].waiting--;
        make_ready(c, c->next[i]);
    }
}

static bool run_event(struct tf_symbolic *c, uint32_t event)
{
    struct tf_event *e = &c->events[event];

    if (e->done)
        return true;
    if (e->partner < 0) {
        if (!run_local(c, e))
            return false;
        finish_event(c, event);
        return true;
    }
    struct tf_event *other = &c->events[e->partner];
    if (other->waiting > 0)
        return true; /* its partner runs both */
    bool sends = tf_symbolic_step(c, e)->kind == TF_SEND;
    if (!run_message(c, sends ? e : other, sends ? other : e))
        return false;
    finish_event(c, sends ? event : (uint32_t)e->partner);
    finish_event(c, sends ? (uint32_t)e->partner : event);
    return true;
}

/* What keeps an event from being done: a dependency, or the message's other end. */
static uint32_t blocker(const struct tf_symbolic *c, uint32_t event)
{
    const struct tf_event *e = &c->events[event];
    const struct tf_step *s = tf_symbolic_step(c, e);

    for (uint32_t d = s->first_dep; e->waiting > 0 && d < s->first_dep + s->ndeps; d++) {
        uint32_t earlier = c->members[e->rank].first + c->members[e->rank].plan->deps[d].step;
        if (!c->events[earlier].done)
            return earlier;
    }
    return (uint32_t)e->partner;
}

/* Name a circle of events that wait for each other. */
static bool fail_deadlock(struct tf_symbolic *c, uint32_t stuck)
{
    char step[256];
    size_t used = 0;

    for (uint32_t i = 0; i < c->nevents; i++) /* after that many hops the walk is on the circle */
        stuck = blocker(c, stuck);
    uint32_t event = stuck;
    do {
        const struct tf_event *e = &c->events[event];
        int n = snprintf(c->words + used, c->capacity - used, "%srank %d, step %u (%s)",
                         used ? " waits for " : "deadlock: ", e->rank, e->step,
                         tf_plan_describe_step(tf_symbolic_step(c, e), step, sizeof step));
        used = used + n < c->capacity ? used + n : c->capacity - 1;
        event = blocker(c, event);
    } while (event != stuck && used < c->capacity / 2);
    snprintf(c->words + used, c->capacity - used,
             event == stuck ? " waits for the first of these" : " waits for further steps, in a circle");
    return false;
}

bool tf_symbolic_run(struct tf_symbolic *c)
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
bool tf_symbolic_run_in_order(struct tf_symbolic *c)
{
    uint32_t *at = calloc(c->call->size, sizeof *at); /* per rank: steps done */
    uint32_t ndone = 0;

    if (!at)
        return tf_symbolic_fail(c, "no memory for %d ranks", c->call->size);
    for (uint32_t i = 0; i < c->nevents; i++)
        c->events[i].done = false;
    for (int32_t rank = c->nready = 0; rank < c->call->size; rank++)
        c->ready[c->nready++] = rank; /* a stack of ranks here */
    while (c->nready > 0) {
        int32_t rank = c->ready[--c->nready];
        for (; at[rank] < c->members[rank].plan->nsteps; at[rank]++, ndone++) {
            struct tf_event *e = &c->events[c->members[rank].first + at[rank]];
            struct tf_event *other = e->partner < 0 ? NULL : &c->events[e->partner];
            if (tf_symbolic_receives(tf_symbolic_step(c, e)) && !other->done)
                break;
            e->done = true;
            if (tf_symbolic_step(c, e)->kind == TF_SEND && at[other->rank] == other->step)
                c->ready[c->nready++] = other->rank;
        }
    }
    bool right = ndone == c->nevents;
    for (int32_t rank = 0; !right && rank < c->call->size; rank++)
        if (at[rank] < c->members[rank].plan->nsteps) {
            tf_symbolic_fail_at(c, &c->events[c->members[rank].first + at[rank]],
                                "waits for ever if steps run in order of emission");
            break;
        }
    free(at);
    return right;
}
