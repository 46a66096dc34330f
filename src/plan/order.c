/* order.c - the prover's look at one rank's plan.  See order.h.
 *
 * For the order of conflicting steps it suffices, block by block, that each step comes after the last writer before it
 * in emission order, and each writer after all readers since the last one: paths join the rest.
 */
#include "plan/order.h"

#include <stdio.h>

#include "plan/dump.h"

/* Start the words with "rank 3, step 5 (send ...): "; returns where they go on. */
static size_t blame(const struct tf_plan *plan, int32_t rank, uint32_t step, char *words, size_t capacity)
{
    char text[256];
    int n = snprintf(words, capacity, "rank %d, step %u (%s): ", rank, step,
                     tf_plan_describe_step(&plan->steps[step], text, sizeof text));

    return (size_t)n < capacity ? (size_t)n : capacity;
}

static bool overlap(struct tf_ref a, struct tf_ref b)
{
    return a.buffer == b.buffer && a.first < b.first + b.count && b.first < a.first + a.count;
}

static bool exists(struct tf_ref ref, const int32_t extent[TF_NBUFFERS])
{
    return ref.count == 0 || (ref.buffer >= 0 && ref.buffer < TF_NBUFFERS && ref.count > 0 && ref.first >= 0 &&
                              ref.first + ref.count <= extent[ref.buffer]);
}

/* What is wrong with one step by itself, into `why`; false if nothing is. */
static bool step_is_wrong(const struct tf_plan *plan, uint32_t step, int32_t rank, int32_t size,
                          const int32_t extent[TF_NBUFFERS], char *why, size_t capacity)
{
    const struct tf_step *s = &plan->steps[step];
    bool all = s->kind == TF_COMBINE, local = s->kind == TF_REDUCE_LOCAL || s->kind == TF_COPY || all,
         both = s->kind == TF_RECV_REDUCE || local;
    bool same = s->src.first == s->dst.first && s->src.buffer == s->dst.buffer;
    struct tf_ref bad = exists(s->src, extent) ? s->dst : s->src;

    if (!exists(bad, extent))
        return snprintf(why, capacity, "%s has no block %d here, it has %d", tf_plan_buffer_name(bad.buffer),
                        bad.first + bad.count - 1,
                        bad.buffer >= 0 && bad.buffer < TF_NBUFFERS ? extent[bad.buffer] : 0);
    if (!local && (s->peer < 0 || s->peer >= size || s->peer == rank))
        return snprintf(why, capacity, "there is no other rank %d among %d", s->peer, size);
    if (both && (s->src.count == 0 || s->dst.count != (all ? 1 : s->src.count)))
        return snprintf(why, capacity, "%d blocks on one side and %d on the other", s->src.count, s->dst.count);
    if (both && overlap(s->src, s->dst) && !(same && s->kind == TF_RECV_REDUCE))
        return snprintf(why, capacity, "its source and its destination overlap");
    if (both && plan->alias && s->src.buffer == TF_INPUT && s->dst.buffer == TF_OUTPUT)
        return snprintf(why, capacity, "INPUT and OUTPUT overlap in this plan");
    for (uint32_t d = s->first_dep; d < s->first_dep + s->ndeps; d++)
        if (d >= plan->ndeps || plan->deps[d].step >= step)
            return snprintf(why, capacity, "it depends on a step that is not before it");
    return false;
}

bool tf_order_check_steps(const struct tf_plan *plan, int32_t rank, int32_t size, const int32_t extent[TF_NBUFFERS],
                          char *words, size_t capacity)
{
    char why[256];

    for (uint32_t i = 0; i < plan->nsteps; i++)
        if (step_is_wrong(plan, i, rank, size, extent, why, sizeof why)) {
            size_t used = blame(plan, rank, i, words, capacity);
            snprintf(words + used, capacity - used, "%s", why);
            return false;
        }
    return true;
}

struct races {
    const struct tf_plan *plan;
    int32_t rank, base[TF_NBUFFERS + 1];
    size_t words_per_set;
    uint64_t *before;  /* per step: the set of steps that end before it (or, streamed, chunk by chunk before it) */
    int32_t *writer;   /* per cell */
    uint32_t *readers; /* nreaders pairs (cell's next reader or 0, step), from 1 */
    uint32_t *head;    /* per cell, 0: none */
    uint32_t nreaders, cap_readers;
    char *words;
    size_t capacity;
};

static bool comes_before(const struct races *r, int32_t a, int32_t b)
{
    return r->before[(size_t)b * r->words_per_set + a / 64] >> a % 64 & 1;
}

static bool fail_race(struct races *r, int32_t a, int32_t b, struct tf_ref ref, int32_t block)
{
    char text[256];
    size_t used = blame(r->plan, r->rank, b, r->words, r->capacity);

    snprintf(r->words + used, r->capacity - used,
             "a race: block %d of %s is also touched by step %d (%s), and nothing orders the two", ref.first + block,
             tf_plan_buffer_name(ref.buffer), a, tf_plan_describe_step(&r->plan->steps[a], text, sizeof text));
    return false;
}

static bool read_cell(struct races *r, int32_t step, int32_t cell, struct tf_ref ref, int32_t block)
{
    if (r->writer[cell] >= 0 && !comes_before(r, r->writer[cell], step))
        return fail_race(r, r->writer[cell], step, ref, block);
    if (r->nreaders + 1 >= r->cap_readers) {
        uint32_t cap = r->cap_readers ? 2 * r->cap_readers : 256;
        uint32_t *bigger = realloc(r->readers, 2 * cap * sizeof *bigger);
        if (!bigger) {
            snprintf(r->words, r->capacity, "no memory to check the order of steps");
            return false;
        }
        r->readers = bigger;
        r->cap_readers = cap;
    }
    r->nreaders++;
    r->readers[2 * r->nreaders] = r->head[cell];
    r->readers[2 * r->nreaders + 1] = step;
    r->head[cell] = r->nreaders;
    return true;
}

static bool write_cell(struct races *r, int32_t step, int32_t cell, struct tf_ref ref, int32_t block)
{
    if (r->writer[cell] >= 0 && !comes_before(r, r->writer[cell], step))
        return fail_race(r, r->writer[cell], step, ref, block);
    for (uint32_t i = r->head[cell]; i; i = r->readers[2 * i]) {
        int32_t reader = r->readers[2 * i + 1];
        if (reader != step && !comes_before(r, reader, step))
            return fail_race(r, reader, step, ref, block);
    }
    r->head[cell] = 0;
    r->writer[cell] = step;
    return true;
}

static bool touch(struct races *r, int32_t step, struct tf_ref ref, bool write)
{
    bool (*cell_touched)(struct races *, int32_t, int32_t, struct tf_ref, int32_t) = write ? write_cell : read_cell;

    for (int32_t i = 0; i < ref.count; i++)
        if (!cell_touched(r, step, r->base[ref.buffer] + ref.first + i, ref, i))
            return false;
    /* The last cell stands for the memory that INPUT and OUTPUT share. */
    if (r->plan->alias && ref.count > 0 && ref.buffer == (write ? TF_OUTPUT : TF_INPUT))
        return cell_touched(r, step, r->base[TF_NBUFFERS], ref, 0);
    return true;
}

static bool check_streamed(struct races *r, int32_t step)
{
    const struct tf_step *s = &r->plan->steps[step];

    for (uint32_t d = s->first_dep; d < s->first_dep + s->ndeps; d++) {
        if (!r->plan->deps[d].streamed)
            continue;
        int32_t earlier = r->plan->deps[d].step;
        const struct tf_step *e = &r->plan->steps[earlier];
        bool fits = s->kind == TF_SEND && (e->kind == TF_RECV || e->kind == TF_RECV_REDUCE) && s->src.count > 0 &&
                    e->dst.buffer == s->src.buffer && e->dst.first == s->src.first && e->dst.count == s->src.count;
        for (int32_t i = 0; fits && i < s->src.count; i++)
            fits = r->writer[r->base[s->src.buffer] + s->src.first + i] == earlier;
        if (!fits) {
            size_t used = blame(r->plan, r->rank, step, r->words, r->capacity);
            snprintf(r->words + used, r->capacity - used,
                     "its dependency on step %d is streamed, but it does not send what that step received", earlier);
            return false;
        }
    }
    return true;
}

static bool check_step(struct races *r, int32_t step)
{
    const struct tf_step *s = &r->plan->steps[step];
    uint64_t *mine = r->before + (size_t)step * r->words_per_set;

    for (uint32_t d = s->first_dep; d < s->first_dep + s->ndeps; d++) {
        int32_t earlier = r->plan->deps[d].step;
        const uint64_t *theirs = r->before + (size_t)earlier * r->words_per_set;
        for (size_t w = 0; w < r->words_per_set; w++)
            mine[w] |= theirs[w];
        mine[earlier / 64] |= (uint64_t)1 << earlier % 64;
    }
    return check_streamed(r, step) && touch(r, step, s->src, false) &&
           (s->kind != TF_REDUCE_LOCAL || touch(r, step, s->dst, false)) && touch(r, step, s->dst, true);
}

bool tf_order_check_races(const struct tf_plan *plan, int32_t rank, const int32_t extent[TF_NBUFFERS], char *words,
                          size_t capacity)
{
    struct races r = {.plan = plan, .rank = rank, .words = words, .capacity = capacity};
    bool right = true;

    for (int i = 0; i < TF_NBUFFERS; i++)
        r.base[i + 1] = r.base[i] + extent[i];
    size_t ncells = r.base[TF_NBUFFERS] + 1;
    r.words_per_set = (plan->nsteps + 63) / 64;
    r.before = calloc((size_t)plan->nsteps * r.words_per_set + 1, sizeof *r.before);
    r.writer = malloc(ncells * sizeof *r.writer);
    r.head = calloc(ncells, sizeof *r.head);
    if (!r.before || !r.writer || !r.head) {
        snprintf(words, capacity, "no memory to check the order of steps");
        right = false;
    }
    if (right)
        memset(r.writer, 0xff, ncells * sizeof *r.writer);
    for (uint32_t i = 0; right && i < plan->nsteps; i++)
        right = check_step(&r, i);
    free(r.before);
    free(r.writer);
    free(r.head);
    free(r.readers);
    return right;
}
