/* build.c - the builder: a generator emits steps in sequential order, tf_plan_finish() makes a graph of them.
 *
 * Dependencies come from conflicts alone.  For each block of each buffer the builder remembers the step that wrote it
 * last and the steps that have read it since:
 *
 *     a read  depends on the last writer                        (read after write)
 *     a write depends on the readers since the last write,      (write after read)
 *             or on the last writer where nobody has read it    (write after write)
 *
 * so a plan costs time in proportion to the blocks its steps name.  Signals carry no blocks: a signal sent waits for
 * all signals received before it, which is what a barrier means by its order.
 */
#include "plan/plan.h"

#define PRUNE_BUDGET 256 /* edges looked at for one step when implied edges are dropped */
#define SIGNAL_FAN 8     /* more signals received than this are waited for through an earlier send */

struct reader {
    int32_t step, next; /* next: index of a reader of the same block, -1 at the end */
};

struct builder {
    struct tf_plan *plan;
    int32_t base[TF_NBUFFERS + 1]; /* of the buffer's blocks among all cells; the last cell stands for the alias */
    int32_t *writer, *readers;     /* per cell: step or -1; index into pool or -1 */
    struct reader *pool;
    uint32_t npool, cap_pool;
    int32_t *mark, *seen;  /* per step: the latest step that has it as a dependency, as an ancestor */
    int32_t *signals;      /* steps that receive a signal */
    int32_t nsignals, hub; /* hub: a sent signal that waits for the first hub_covers signals, or -1 */
    int32_t hub_covers;
    int32_t *stack;
};

struct tf_plan *tf_plan_create(void)
{
    struct tf_plan *plan = tf_alloc(sizeof *plan, "a plan");

    if (!plan)
        return NULL;
    memset(plan, 0, sizeof *plan);
    plan->nblocks = 1;
    return plan;
}

void tf_plan_destroy(struct tf_plan *plan)
{
    if (!plan)
        return;
    free(plan->steps);
    free(plan->deps);
    free(plan);
}

void tf_plan_blocks(struct tf_plan *plan, int32_t nblocks)
{
    plan->nblocks = nblocks;
}

void tf_plan_alias(struct tf_plan *plan)
{
    plan->alias = true;
}

int32_t tf_plan_temp(struct tf_plan *plan, int32_t first, int32_t nblocks)
{
    if (plan->ntemps == TF_NBUFFERS - TF_TEMP0) {
        plan->error = tf_error(MPI_ERR_INTERN, "a plan has at most %d scratch buffers", TF_NBUFFERS - TF_TEMP0);
        return TF_TEMP0;
    }
    plan->temps[plan->ntemps] = (struct tf_temp){nblocks, first};
    return TF_TEMP0 + plan->ntemps++;
}

/* Room for one more item of an array; false, and the plan's error set, if there is no memory. */
static bool grow(struct tf_plan *plan, void *array_p, uint32_t used, uint32_t *cap, size_t size, const char *what)
{
    if (used < *cap)
        return true;
    uint32_t more = *cap ? 2 * *cap : 16;
    void *bigger = realloc(*(void **)array_p, more * size);

    if (!bigger) {
        plan->error = tf_error(MPI_ERR_NO_MEM, "cannot allocate %zu bytes for %s", more * size, what);
        return false;
    }
    *(void **)array_p = bigger;
    *cap = more;
    return true;
}

static void emit(struct tf_plan *plan, int kind, int peer, enum tf_side side, struct tf_ref src, struct tf_ref dst)
{
    if (plan->error || !grow(plan, &plan->steps, plan->nsteps, &plan->cap_steps, sizeof *plan->steps, "a plan's steps"))
        return;
    plan->steps[plan->nsteps++] = (struct tf_step){.kind = kind, .side = side, .peer = peer, .src = src, .dst = dst};
}

void tf_plan_send(struct tf_plan *plan, int peer, struct tf_ref src)
{
    emit(plan, TF_SEND, peer, TF_LEFT, src, TF_NO_REF);
}

void tf_plan_recv(struct tf_plan *plan, int peer, struct tf_ref dst)
{
    emit(plan, TF_RECV, peer, TF_LEFT, TF_NO_REF, dst);
}

void tf_plan_recv_reduce(struct tf_plan *plan, int peer, enum tf_side incoming, struct tf_ref src, struct tf_ref dst)
{
    emit(plan, TF_RECV_REDUCE, peer, incoming, src, dst);
}

void tf_plan_reduce(struct tf_plan *plan, enum tf_side side, struct tf_ref src, struct tf_ref dst)
{
    emit(plan, TF_REDUCE_LOCAL, -1, side, src, dst);
}

void tf_plan_copy(struct tf_plan *plan, struct tf_ref src, struct tf_ref dst)
{
    emit(plan, TF_COPY, -1, TF_LEFT, src, dst);
}

void tf_plan_echo(struct tf_plan *plan, uint32_t first, uint32_t second)
{
    if (!plan->error)
        plan->steps[first].echo = second;
}

static bool same_ref(struct tf_ref a, struct tf_ref b)
{
    return a.buffer == b.buffer && a.first == b.first && a.count == b.count;
}

/* Step `on` must come before step `step`. */
static void depend(struct builder *b, int32_t step, int32_t on)
{
    struct tf_plan *plan = b->plan;

    if (on < 0 || on == step || b->mark[on] == step)
        return;
    if (!grow(plan, &plan->deps, plan->ndeps, &plan->cap_deps, sizeof *plan->deps, "a plan's dependencies"))
        return;
    b->mark[on] = step;
    plan->deps[plan->ndeps++] = (struct tf_dep){.step = on};
}

static void read_cell(struct builder *b, int32_t step, int32_t cell)
{
    depend(b, step, b->writer[cell]);
    if (!grow(b->plan, &b->pool, b->npool, &b->cap_pool, sizeof *b->pool, "a plan's readers"))
        return;
    b->pool[b->npool] = (struct reader){step, b->readers[cell]};
    b->readers[cell] = b->npool++;
}

static void write_cell(struct builder *b, int32_t step, int32_t cell)
{
    bool read = false;

    for (int32_t r = b->readers[cell]; r >= 0; r = b->pool[r].next) {
        depend(b, step, b->pool[r].step);
        read = read || b->pool[r].step != step;
    }
    if (!read)
        depend(b, step, b->writer[cell]);
    b->writer[cell] = step;
    b->readers[cell] = -1;
}

static void read_ref(struct builder *b, int32_t step, struct tf_ref ref)
{
    for (int32_t i = 0; i < ref.count; i++)
        read_cell(b, step, b->base[ref.buffer] + ref.first + i);
    if (b->plan->alias && ref.count > 0 && ref.buffer == TF_INPUT)
        read_cell(b, step, b->base[TF_NBUFFERS]);
}

static void write_ref(struct builder *b, int32_t step, struct tf_ref ref)
{
    for (int32_t i = 0; i < ref.count; i++)
        write_cell(b, step, b->base[ref.buffer] + ref.first + i);
    if (b->plan->alias && ref.count > 0 && ref.buffer == TF_OUTPUT)
        write_cell(b, step, b->base[TF_NBUFFERS]);
}

/* A signal waits for every signal received so far: for each where they are few (a round of a dissemination), through
 * one earlier send that waited for the others where they are many (the root of a flat barrier), so that edges stay few.
 */
static void depend_on_signals(struct builder *b, int32_t step)
{
    depend(b, step, b->hub);
    for (int32_t i = b->hub_covers; i < b->nsignals; i++)
        depend(b, step, b->signals[i]);
    if (b->nsignals - b->hub_covers > SIGNAL_FAN) {
        b->hub = step;
        b->hub_covers = b->nsignals;
    }
}

/* The step after which a send may follow chunk by chunk: the one that wrote exactly the blocks it reads.  -1: none. */
static int32_t streamed_from(const struct builder *b, const struct tf_step *send)
{
    int32_t first = b->base[send->src.buffer] + send->src.first, writer = b->writer[first];

    if (writer < 0)
        return -1;
    for (int32_t i = 1; i < send->src.count; i++)
        if (b->writer[first + i] != writer)
            return -1;
    const struct tf_step *earlier = &b->plan->steps[writer];
    bool receives = earlier->kind == TF_RECV || earlier->kind == TF_RECV_REDUCE;
    return receives && same_ref(earlier->dst, send->src) ? writer : -1;
}

/* Drop the edges of the newest step that are implied by a path through another of its edges.  Gives up after a budget,
 * since an edge too many costs little. */
static void prune(struct builder *b, int32_t step)
{
    struct tf_plan *plan = b->plan;
    uint32_t first = plan->steps[step].first_dep, budget = PRUNE_BUDGET, kept = first;
    int32_t depth = 0, oldest = step;

    if (plan->ndeps - first < 2)
        return;
    for (uint32_t d = first; d < plan->ndeps; d++) {
        b->stack[depth++] = plan->deps[d].step;
        if ((int32_t)plan->deps[d].step < oldest)
            oldest = plan->deps[d].step;
    }
    while (depth > 0) {
        const struct tf_step *s = &plan->steps[b->stack[--depth]];
        for (uint32_t d = s->first_dep; d < s->first_dep + s->ndeps && budget > 0; d++, budget--) {
            int32_t ancestor = plan->deps[d].step;
            if (ancestor < oldest || b->seen[ancestor] == step)
                continue;
            b->seen[ancestor] = step;
            if (b->mark[ancestor] != step) /* else it is on the stack, or was */
                b->stack[depth++] = ancestor;
        }
    }
    for (uint32_t d = first; d < plan->ndeps; d++)
        if (b->seen[plan->deps[d].step] != step)
            plan->deps[kept++] = plan->deps[d];
    plan->ndeps = kept;
}

static void connect(struct builder *b, int32_t step)
{
    struct tf_plan *plan = b->plan;
    struct tf_step *s = &plan->steps[step];
    int32_t streamed = -1;

    s->first_dep = plan->ndeps;
    if (s->kind == TF_SEND) {
        if (s->src.count == 0)
            depend_on_signals(b, step);
        else
            streamed = streamed_from(b, s);
    }
    if (s->kind == TF_RECV && s->dst.count == 0)
        b->signals[b->nsignals++] = step;
    read_ref(b, step, s->src);
    if (s->kind == TF_REDUCE_LOCAL)
        read_ref(b, step, s->dst);
    write_ref(b, step, s->dst);
    if (plan->error)
        return;
    prune(b, step);
    s->ndeps = plan->ndeps - s->first_dep;
    for (uint32_t d = s->first_dep; d < plan->ndeps; d++)
        plan->deps[d].streamed = (int32_t)plan->deps[d].step == streamed;
}

/* The k-th message between two ranks in one direction has tag k on both sides. */
static int set_tags(struct tf_plan *plan)
{
    int32_t npeers = 0;

    for (uint32_t i = 0; i < plan->nsteps; i++)
        if (plan->steps[i].peer >= npeers)
            npeers = plan->steps[i].peer + 1;
    if (npeers == 0)
        return MPI_SUCCESS;
    int32_t *sent = calloc(2 * (size_t)npeers, sizeof *sent), *received = sent + npeers;
    if (!sent)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate %zu bytes for a plan's tags", 2 * npeers * sizeof *sent);
    for (uint32_t i = 0; i < plan->nsteps; i++) {
        struct tf_step *s = &plan->steps[i];
        if (s->kind == TF_SEND)
            s->tag = sent[s->peer]++;
        else if (s->kind == TF_RECV || s->kind == TF_RECV_REDUCE)
            s->tag = received[s->peer]++;
    }
    free(sent);
    return MPI_SUCCESS;
}

static void extend(int32_t *extent, struct tf_ref ref)
{
    if (ref.count > 0 && ref.first + ref.count > extent[ref.buffer])
        extent[ref.buffer] = ref.first + ref.count;
}

int tf_plan_finish(struct tf_plan *plan)
{
    struct builder b = {.plan = plan, .hub = -1};
    int32_t extent[TF_NBUFFERS] = {0};

    if (plan->error || plan->nsteps == 0)
        return plan->error;
    if ((plan->error = set_tags(plan)))
        return plan->error;
    for (uint32_t i = 0; i < plan->nsteps; i++) {
        extend(extent, plan->steps[i].src);
        extend(extent, plan->steps[i].dst);
    }
    for (int i = 0; i < TF_NBUFFERS; i++)
        b.base[i + 1] = b.base[i] + extent[i];

    size_t ncells = b.base[TF_NBUFFERS] + 1, nsteps = plan->nsteps;
    int32_t *memory = tf_alloc((2 * ncells + 4 * nsteps) * sizeof *memory, "a plan's dependencies");
    if (!memory)
        return plan->error = MPI_ERR_NO_MEM;
    memset(memory, 0xff, (2 * ncells + 4 * nsteps) * sizeof *memory);
    b.writer = memory;
    b.readers = b.writer + ncells;
    b.mark = b.readers + ncells;
    b.seen = b.mark + nsteps;
    b.signals = b.seen + nsteps;
    b.stack = b.signals + nsteps;
    for (uint32_t i = 0; i < plan->nsteps && !plan->error; i++)
        connect(&b, i);
    free(b.pool);
    free(memory);
    return plan->error;
}
