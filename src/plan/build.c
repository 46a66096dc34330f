/* build.c - the builder: a generator emits steps in sequential order, tf_plan_finish() makes a graph of them.
 *
 * Dependencies come from conflicts alone (depend.c).  Those that are implied by others are left out.
 */
#include "plan/depend.h"

#define PRUNE_BUDGET 256 /* edges looked at for one step when implied edges are dropped */

struct builder {
    struct tf_plan *plan;
    int32_t *mark, *seen; /* per step: the latest step that has it as a dependency, as an ancestor */
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
    free(plan->parcels);
    free(plan);
}

void tf_plan_blocks(struct tf_plan *plan, int32_t nblocks)
{
    plan->nblocks = nblocks;
}

bool tf_plan_parcels(struct tf_plan *plan, int32_t nparcels)
{
    plan->nblocks = nparcels;
    plan->parcels = tf_alloc((size_t)nparcels * sizeof *plan->parcels, "the parcels of a plan");
    if (!plan->parcels)
        plan->error = MPI_ERR_NO_MEM;
    return plan->parcels;
}

void tf_plan_alias(struct tf_plan *plan)
{
    plan->alias = true;
}

void tf_plan_origin(struct tf_plan *plan, int32_t rank)
{
    plan->origin = rank;
}

void tf_plan_pull(struct tf_plan *plan)
{
    plan->pull = true;
}

int32_t tf_plan_temp(struct tf_plan *plan, int32_t first, int32_t nblocks)
{
    if (plan->ntemps == TF_NBUFFERS - TF_TEMP0) {
        plan->error = tf_error(MPI_ERR_INTERN, "a plan has at most %d scratch buffers", TF_NBUFFERS - TF_TEMP0);
        return TF_TEMP0;
    }
    plan->temps[plan->ntemps] = (struct tf_temp){nblocks, first, false};
    return TF_TEMP0 + plan->ntemps++;
}

int32_t tf_plan_temp_alike(struct tf_plan *plan, int32_t block, int32_t nblocks)
{
    int32_t temp = tf_plan_temp(plan, block, nblocks);

    plan->temps[temp - TF_TEMP0].alike = true;
    return temp;
}

/* Room for one more step; false, and the plan's error set, if there is no memory. */
static bool grow(struct tf_plan *plan)
{
    if (plan->nsteps < plan->cap_steps)
        return true;
    uint32_t more = plan->cap_steps ? 2 * plan->cap_steps : 16;
    struct tf_step *bigger = realloc(plan->steps, more * sizeof *bigger);

    if (!bigger) {
        plan->error = tf_error(MPI_ERR_NO_MEM, "cannot allocate %zu bytes for a plan's steps", more * sizeof *bigger);
        return false;
    }
    plan->steps = bigger;
    plan->cap_steps = more;
    return true;
}

void tf_plan_append(struct tf_plan *plan, struct tf_step step)
{
    if (plan->error || !grow(plan))
        return;
    plan->steps[plan->nsteps++] = step;
}

static void emit(struct tf_plan *plan, int kind, int peer, enum tf_side side, struct tf_ref src, struct tf_ref dst)
{
    peer = peer < 0 ? peer : peer + plan->origin;
    tf_plan_append(plan, (struct tf_step){.kind = kind, .side = side, .peer = peer, .src = src, .dst = dst});
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

void tf_plan_combine(struct tf_plan *plan, struct tf_ref src, struct tf_ref dst)
{
    emit(plan, TF_COMBINE, -1, TF_LEFT, src, dst);
}

void tf_plan_echo(struct tf_plan *plan, uint32_t first, uint32_t second)
{
    if (!plan->error)
        plan->steps[first].echo = second;
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

/* The edges of a step, which are adjacent in `edges`; returns where those of the next begin. */
static const struct tf_edge *connect(struct builder *b, int32_t step, const struct tf_edge *edges,
                                     const struct tf_edge *end)
{
    struct tf_plan *plan = b->plan;
    struct tf_step *s = &plan->steps[step];

    s->first_dep = plan->ndeps;
    for (; edges < end && edges->step == (uint32_t)step; edges++) {
        b->mark[edges->on] = step;
        plan->deps[plan->ndeps++] = (struct tf_dep){.step = edges->on, .streamed = edges->streamed};
    }
    prune(b, step);
    s->ndeps = plan->ndeps - s->first_dep;
    return edges;
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

static int connect_all(struct tf_plan *plan, const struct tf_depend *depend)
{
    const struct tf_edge *edges = depend->edges, *end = edges + depend->nedges;
    size_t n = plan->nsteps;
    int32_t *memory = tf_alloc(3 * n * sizeof *memory, "a plan's dependencies");
    struct builder b = {plan, memory, memory + n, memory + 2 * n};

    plan->deps = tf_alloc((depend->nedges + 1) * sizeof *plan->deps, "a plan's dependencies");
    if (!memory || !plan->deps) {
        free(memory);
        return MPI_ERR_NO_MEM;
    }
    memset(memory, 0xff, 2 * n * sizeof *memory);
    for (uint32_t i = 0; i < plan->nsteps; i++)
        edges = connect(&b, (int32_t)i, edges, end);
    free(memory);
    return MPI_SUCCESS;
}

int tf_plan_finish(struct tf_plan *plan)
{
    struct tf_depend depend = {0};

    if (plan->error || plan->nsteps == 0)
        return plan->error;
    plan->error = set_tags(plan);
    if (!plan->error)
        plan->error = tf_depend_find(&depend, plan);
    if (!plan->error)
        plan->error = connect_all(plan, &depend);
    tf_depend_free(&depend);
    return plan->error;
}
