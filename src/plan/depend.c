/* depend.c - the dependencies between the steps of a plan, by runs of blocks.  See depend.h.
 *
 * Dependencies come from conflicts alone.  Of each run of blocks it is known who wrote it last and who has read it
 * since:
 *
 *     a read  depends on the last writer                        (read after write)
 *     a write depends on the readers since the last write,      (write after read)
 *             or on the last writer where nobody has read it    (write after write)
 *
 * A step splits the runs at the ends of what it names, and a write makes one run of all it covers, so time goes with
 * the steps.  The readers of a run are a list whose older part runs that were split share.  Signals carry no blocks,
 * they are for order: what is sent after a signal was received waits for it, and a signal sent waits for all that was
 * received before it.
 */
#include "plan/depend.h"

#define FENCE_FAN 8 /* more receives than this are waited for through an earlier send */

struct tf_depend_run {
    int32_t first, writer, readers; /* first block; step or -1; index into depend->readers or -1 */
};

struct tf_depend_reader {
    int32_t step, next;
};

/* Room for one more item; false, and the error set, if there is no memory. */
static bool grow(struct tf_depend *d, void *array_p, uint32_t used, uint32_t *cap, size_t size)
{
    if (used < *cap)
        return true;
    size_t more = *cap ? 2 * (size_t)*cap : 64;
    void *bigger = realloc(*(void **)array_p, more * size);

    if (!bigger) {
        d->error = tf_error(MPI_ERR_NO_MEM, "cannot allocate %zu bytes for the dependencies of a plan", more * size);
        return false;
    }
    *(void **)array_p = bigger;
    *cap = (uint32_t)more;
    return true;
}

static void depend(struct tf_depend *d, int32_t step, int32_t on, bool streamed)
{
    if (on < 0 || on == step || d->mark[on] == step)
        return;
    if (!grow(d, &d->edges, d->nedges, &d->cap_edges, sizeof *d->edges))
        return;
    d->mark[on] = step;
    d->edges[d->nedges++] = (struct tf_edge){(uint32_t)step, (uint32_t)on, streamed};
}

static struct tf_depend_run *run(const struct tf_depend_runs *runs, uint32_t i)
{
    return &runs->at[i < runs->gap ? i : i + runs->cap - runs->n];
}

static void move_gap(struct tf_depend_runs *runs, uint32_t to)
{
    uint32_t room = runs->cap - runs->n, from = runs->gap;
    struct tf_depend_run *at = runs->at;

    if (to < from)
        memmove(at + to + room, at + to, (from - to) * sizeof *at);
    else
        memmove(at + from, at + from + room, (to - from) * sizeof *at);
    runs->gap = to;
}

/* The run in which that block is, searched from the latest change on. */
static uint32_t find(const struct tf_depend_runs *runs, int32_t block)
{
    uint32_t low = 0, high = runs->n, leap = 1;

    if (run(runs, runs->gap - 1)->first <= block) {
        for (low = runs->gap - 1; leap < high - low && run(runs, low + leap)->first <= block; leap *= 2)
            low += leap;
        high = leap < high - low ? low + leap : high;
    } else {
        for (high = runs->gap - 1; leap < high && run(runs, high - leap)->first > block; leap *= 2)
            high -= leap;
        low = leap < high ? high - leap : 0;
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (run(runs, middle)->first <= block)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The index of the run that begins with that block, made by cutting another in two if need be. */
static uint32_t cut(struct tf_depend *d, struct tf_depend_runs *runs, int32_t block)
{
    uint32_t i = find(runs, block);

    if (run(runs, i)->first == block)
        return i;
    move_gap(runs, runs->n == runs->cap ? runs->n : i + 1); /* what grows has nothing behind its room */
    if (!grow(d, &runs->at, runs->n, &runs->cap, sizeof *runs->at))
        return i;
    move_gap(runs, i + 1);
    runs->at[runs->gap] = runs->at[i];
    runs->at[runs->gap++].first = block;
    runs->n++;
    return i + 1;
}

static void read_runs(struct tf_depend *d, int32_t step, int buffer, struct tf_ref ref, int32_t streamed)
{
    struct tf_depend_runs *runs = &d->runs[buffer];
    uint32_t i = cut(d, runs, ref.first), end = cut(d, runs, ref.first + ref.count);

    for (; i < end && !d->error; i++) {
        depend(d, step, run(runs, i)->writer, streamed >= 0);
        if (!grow(d, &d->readers, d->nreaders, &d->cap_readers, sizeof *d->readers))
            return;
        d->readers[d->nreaders] = (struct tf_depend_reader){step, run(runs, i)->readers};
        run(runs, i)->readers = (int32_t)d->nreaders++;
    }
}

static void write_runs(struct tf_depend *d, int32_t step, int buffer, struct tf_ref ref)
{
    struct tf_depend_runs *runs = &d->runs[buffer];
    uint32_t first = cut(d, runs, ref.first), end = cut(d, runs, ref.first + ref.count);

    for (uint32_t i = first; i < end && !d->error; i++) {
        bool read = false;
        for (int32_t r = run(runs, i)->readers; r >= 0; r = d->readers[r].next) {
            depend(d, step, d->readers[r].step, false);
            read = read || d->readers[r].step != step;
        }
        if (!read)
            depend(d, step, run(runs, i)->writer, false);
    }
    if (d->error)
        return;
    run(runs, first)->writer = step;
    run(runs, first)->readers = -1;
    move_gap(runs, end);
    runs->gap = first + 1;
    runs->n -= end - first - 1;
}

static const struct tf_ref shared = {TF_NBUFFERS, 0, 1};

static void read_ref(struct tf_depend *d, const struct tf_plan *plan, int32_t step, struct tf_ref ref, int32_t streamed)
{
    if (ref.count == 0)
        return;
    read_runs(d, step, ref.buffer, ref, streamed);
    if (plan->alias && ref.buffer == TF_INPUT)
        read_runs(d, step, TF_NBUFFERS, shared, -1);
}

static void write_ref(struct tf_depend *d, const struct tf_plan *plan, int32_t step, struct tf_ref ref)
{
    if (ref.count == 0)
        return;
    write_runs(d, step, ref.buffer, ref);
    if (plan->alias && ref.buffer == TF_OUTPUT)
        write_runs(d, step, TF_NBUFFERS, shared);
}

/* The step after which a send may follow chunk by chunk: the receive that wrote exactly the blocks it reads.  -1: none.
 */
static int32_t streamed_from(struct tf_depend *d, const struct tf_plan *plan, struct tf_ref src)
{
    struct tf_depend_runs *runs = &d->runs[src.buffer];
    uint32_t first = cut(d, runs, src.first), end = cut(d, runs, src.first + src.count);
    int32_t writer = run(runs, first)->writer;

    for (uint32_t i = first; i < end; i++)
        if (run(runs, i)->writer != writer)
            return -1;
    if (writer < 0)
        return -1;
    const struct tf_step *earlier = &plan->steps[writer];
    bool receives = earlier->kind == TF_RECV || earlier->kind == TF_RECV_REDUCE;
    bool same = earlier->dst.buffer == src.buffer && earlier->dst.first == src.first && earlier->dst.count == src.count;
    return receives && same ? writer : -1;
}

/* A send waits for all of the fence so far: many receives through one earlier send, to keep the edges few. */
static void pass_fence(struct tf_depend *d, struct tf_depend_fence *fence, int32_t step)
{
    depend(d, step, fence->hub, false);
    for (uint32_t i = fence->hub_covers; i < fence->n; i++)
        depend(d, step, fence->steps[i], false);
    if (fence->n - fence->hub_covers > FENCE_FAN) {
        fence->hub = step;
        fence->hub_covers = fence->n;
    }
}

static void raise_fence(struct tf_depend *d, struct tf_depend_fence *fence, int32_t step)
{
    if (grow(d, &fence->steps, fence->n, &fence->cap, sizeof *fence->steps))
        fence->steps[fence->n++] = step;
}

static void find_step(struct tf_depend *d, const struct tf_plan *plan, int32_t step)
{
    const struct tf_step *s = &plan->steps[step];
    bool receives = s->kind == TF_RECV || s->kind == TF_RECV_REDUCE;
    int32_t streamed = -1;

    if (s->kind == TF_SEND) {
        pass_fence(d, s->src.count == 0 ? &d->arrivals : &d->signals, step);
        streamed = s->src.count == 0 ? -1 : streamed_from(d, plan, s->src);
    }
    if (receives)
        raise_fence(d, &d->arrivals, step);
    if (receives && s->dst.count == 0)
        raise_fence(d, &d->signals, step);
    read_ref(d, plan, step, s->src, streamed);
    if (s->kind == TF_REDUCE_LOCAL)
        read_ref(d, plan, step, s->dst, -1);
    write_ref(d, plan, step, s->dst);
}

static void open_fence(struct tf_depend_fence *fence)
{
    fence->n = fence->hub_covers = 0;
    fence->hub = -1;
}

int tf_depend_find(struct tf_depend *d, const struct tf_plan *plan)
{
    d->nedges = d->nreaders = 0;
    open_fence(&d->arrivals);
    open_fence(&d->signals);
    d->error = MPI_SUCCESS;
    for (int b = 0; b <= TF_NBUFFERS; b++) {
        if (!grow(d, &d->runs[b].at, 0, &d->runs[b].cap, sizeof *d->runs[b].at))
            return d->error;
        d->runs[b].at[0] = (struct tf_depend_run){0, -1, -1};
        d->runs[b].n = d->runs[b].gap = 1;
    }
    while (d->cap_mark < plan->nsteps)
        if (!grow(d, &d->mark, d->cap_mark, &d->cap_mark, sizeof *d->mark))
            return d->error;
    if (plan->nsteps > 0)
        memset(d->mark, 0xff, plan->nsteps * sizeof *d->mark);
    for (uint32_t i = 0; i < plan->nsteps && !d->error; i++)
        find_step(d, plan, (int32_t)i);
    return d->error;
}

void tf_depend_free(struct tf_depend *d)
{
    for (int b = 0; b <= TF_NBUFFERS; b++)
        free(d->runs[b].at);
    free(d->edges);
    free(d->readers);
    free(d->mark);
    free(d->arrivals.steps);
    free(d->signals.steps);
    *d = (struct tf_depend){0};
}
