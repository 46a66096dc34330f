/* price.c - what a collective call costs: its plans become steps.  See price.h; time passes in price_run.c.
 *
 * Plans come rank by rank and leave 40 bytes a step, 4 an edge and 8 a receive behind, so that a million ranks of some
 * tens of steps fit into a few GB.
 */
#include "plan/price_state.h"

static int32_t count_nodes(const struct tf_price_model *model, int32_t size)
{
    int32_t nodes = 0;

    for (int32_t rank = 0; model->network && rank < size; rank++)
        nodes = model->domain[rank] >= nodes ? model->domain[rank] + 1 : nodes;
    return nodes;
}

static bool allocate(struct tf_price *price)
{
    const struct tf_price_model *m = &price->model;
    int64_t nics = m->sample ? 1 : price->nodes;

    price->nports = price->count + (m->network ? nics * m->nics : 0);
    price->nlinks = !m->network ? 0 : m->sample ? 1 : tf_network_links(m->network, price->nodes) + price->nodes;
    price->ranks = calloc((size_t)price->count + 1, sizeof *price->ranks);
    price->ports = calloc((size_t)price->nports, sizeof *price->ports);
    price->links = calloc((size_t)price->nlinks + 1, sizeof *price->links);
    return price->ranks && price->ports && price->links;
}

struct tf_price *tf_price_create(const struct tf_price_model *model, const struct tf_price_data *data, int32_t size,
                                 bool spans)
{
    struct tf_price *price = calloc(1, sizeof *price);
    int32_t count = model->sample ? model->sample : size;

    if (price)
        *price = (struct tf_price){.model = *model,
                                   .data = *data,
                                   .size = size,
                                   .first = model->sample ? size / count / 2 * count : 0,
                                   .count = count,
                                   .nodes = count_nodes(model, size),
                                   .keep_spans = spans};
    if (!price || !allocate(price)) {
        tf_error(MPI_ERR_NO_MEM, "cannot allocate memory to price plans of %d ranks", size);
        tf_price_destroy(price);
        return NULL;
    }
    price->result.size = size;
    return price;
}

int32_t tf_price_first(const struct tf_price *price)
{
    return price->first;
}

void tf_price_destroy(struct tf_price *price)
{
    if (!price)
        return;
    free(price->ranks);
    free(price->ports);
    free(price->links);
    free(price->steps);
    free(price->next);
    free(price->receives);
    free(price->spans);
    free(price->sends);
    tf_depend_free(&price->depend);
    tf_queue_free(&price->queue);
    free(price);
}

/* Room for `wanted` items; false, and said so, if there is no memory. */
static bool reserve(void *array_p, size_t wanted, size_t *cap, size_t size)
{
    if (wanted <= *cap)
        return true;
    size_t more = *cap + *cap / 2;
    if (more < wanted)
        more = wanted + 64;
    void *bigger = realloc(*(void **)array_p, more * size);
    if (!bigger) {
        tf_error(MPI_ERR_NO_MEM, "cannot allocate %zu bytes to price the plans", more * size);
        return false;
    }
    *(void **)array_p = bigger;
    *cap = more;
    return true;
}

/* Few numbers as a rule, sometimes a million. */
static void sort(uint64_t *keys, size_t n)
{
    size_t gap = 1;

    while (gap < n / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (size_t i = gap; i < n; i++) {
            uint64_t key = keys[i];
            size_t at = i;
            for (; at >= gap && keys[at - gap] > key; at -= gap)
                keys[at] = keys[at - gap];
            keys[at] = key;
        }
}

/* ---- a plan becomes steps ---- */

static bool cuts_vector(enum tf_coll coll)
{
    enum tf_coll base = tf_coll_base(coll);
    return base == TF_BCAST || base == TF_REDUCE || base == TF_ALLREDUCE || base == TF_SCAN || base == TF_EXSCAN;
}

static bool cuts_by_group(enum tf_coll coll)
{
    return coll == TF_INTER + TF_REDUCE_SCATTER || coll == TF_INTER + TF_REDUCE_SCATTER_BLOCK;
}

/* The first element of block b where `count` are cut into n; as b * count / n without its overflow. */
static uint64_t even(uint64_t count, uint64_t b, uint64_t n)
{
    return count / n * b + count % n * b / n;
}

static uint64_t bytes_of(const struct tf_price *price, const struct tf_plan *plan, struct tf_ref ref)
{
    uint64_t count = (uint64_t)price->data.count, n = (uint64_t)plan->nblocks, elements;

    if (ref.count == 0)
        return 0;
    if (ref.buffer >= TF_TEMP0 && plan->temps[ref.buffer - TF_TEMP0].alike)
        return (uint64_t)ref.count *
               bytes_of(price, plan, tf_blocks(TF_OUTPUT, plan->temps[ref.buffer - TF_TEMP0].first, 1));
    if (cuts_vector(price->data.coll)) {
        uint64_t first = (uint64_t)ref.first;
        if (ref.buffer >= TF_TEMP0)
            first += (uint64_t)plan->temps[ref.buffer - TF_TEMP0].first;
        uint64_t end = first + (uint64_t)ref.count, rounds = end / n - first / n;
        elements = rounds * count + even(count, end % n, n) - even(count, first % n, n);
    } else {
        elements = (uint64_t)ref.count * (cuts_by_group(price->data.coll) ? count / n : count);
    }
    return elements * price->data.unit;
}

/* In a sample each rank stands for one of every node. */
static void note(const struct tf_price *price, struct tf_price_each *each, uint64_t amount)
{
    int32_t rank = price->first + price->added;

    each->total += amount * (uint64_t)((price->size - price->added + price->count - 1) / price->count);
    if (amount > each->max) {
        each->max = amount;
        each->rank = rank;
    }
}

static bool receives(const struct tf_step *s)
{
    return s->kind == TF_RECV || s->kind == TF_RECV_REDUCE;
}

static struct tf_ref ref_of(const struct tf_step *s)
{
    return receives(s) ? s->dst : s->src;
}

/* Steps whose blocks are all empty move no message and take no time. */
static bool moves(const struct tf_step *s, uint64_t bytes)
{
    return bytes > 0 || ref_of(s).count == 0;
}

static void add_steps(struct tf_price *price, const struct tf_plan *plan, size_t *nsends)
{
    uint64_t sent = 0, received = 0, combined = 0, copied = 0, scratch = 0;
    struct tf_price_step *steps = price->steps + price->nsteps;

    for (uint32_t i = 0; i < plan->nsteps; i++) {
        const struct tf_step *s = &plan->steps[i];
        uint64_t bytes = bytes_of(price, plan, ref_of(s)), key = 0;
        if (s->peer >= 0)
            key = (uint64_t)tf_price_index(price, s->peer) << 32 | i;
        steps[i] = (struct tf_price_step){.peer = s->peer, .bytes = (float)bytes, .kind = s->kind};
        if (!moves(s, bytes))
            steps[i].peer = -1;
        else if (s->kind == TF_SEND)
            price->sends[(*nsends)++] = key;
        else if (receives(s)) {
            price->receives[price->nreceives++] = key;
            steps[i].waiting = 1;
        }
        sent += s->kind == TF_SEND ? bytes : 0;
        received += receives(s) ? bytes : 0;
        combined += s->kind == TF_RECV_REDUCE || s->kind == TF_REDUCE_LOCAL || s->kind == TF_COMBINE ? bytes : 0;
        copied += s->kind == TF_COPY ? bytes : 0;
        if (price->keep_spans)
            price->spans[price->nsteps + i] =
                (struct tf_price_span){.kind = s->kind, .peer = steps[i].peer, .bytes = bytes};
    }
    for (int i = 0; i < plan->ntemps; i++)
        scratch += bytes_of(price, plan, tf_blocks(TF_TEMP0 + i, 0, plan->temps[i].nblocks));
    note(price, &price->result.steps, plan->nsteps);
    note(price, &price->result.messages, *nsends);
    note(price, &price->result.sent, sent);
    note(price, &price->result.received, received);
    note(price, &price->result.combined, combined);
    note(price, &price->result.copied, copied);
    note(price, &price->result.scratch, scratch);
}

/* The k-th message between two ranks is the k-th on both sides. */
static void set_tags(struct tf_price *price, const uint64_t *keys, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (keys[i] >> 32 == keys[i - 1] >> 32)
            price->steps[price->nsteps + (uint32_t)keys[i]].tag =
                price->steps[price->nsteps + (uint32_t)keys[i - 1]].tag + 1;
}

/* Edges are found from a step to earlier ones; they are needed the other way round. */
static void add_edges(struct tf_price *price, uint32_t nsteps)
{
    const struct tf_depend *d = &price->depend;
    struct tf_price_step *steps = price->steps + price->nsteps;
    uint32_t at = (uint32_t)price->nnext;

    for (uint32_t e = 0; e < d->nedges; e++) {
        steps[d->edges[e].on].first_next++;
        steps[d->edges[e].step].waiting++;
    }
    for (uint32_t i = 0; i < nsteps; i++)
        steps[i].first_next = at += steps[i].first_next;
    for (uint32_t e = d->nedges; e-- > 0;) /* each step's place moves down to where its edges begin */
        price->next[--steps[d->edges[e].on].first_next] =
            (uint32_t)(price->nsteps + d->edges[e].step) | (d->edges[e].streamed ? TF_PRICE_STREAMED : 0);
    price->nnext = at;
    steps[nsteps].first_next = at;
}

int tf_price_add(struct tf_price *price, const struct tf_plan *plan)
{
    struct tf_price_rank *rank = &price->ranks[price->added];
    size_t nsends = 0, more = plan->nsteps;

    if (plan->error)
        return plan->error;
    if (price->model.sample && cuts_vector(price->data.coll) && price->data.count < plan->nblocks)
        return tf_error(MPI_ERR_INTERN, "ranks do not all do the same: %lld elements are cut into %d blocks",
                        (long long)price->data.count, plan->nblocks);
    int error = tf_depend_find(&price->depend, plan);
    if (error)
        return error;
    if (price->nsteps + more >= TF_PRICE_STREAMED || price->nnext + price->depend.nedges >= UINT32_MAX)
        return tf_error(MPI_ERR_NO_MEM, "the plans have more than %u steps", TF_PRICE_STREAMED - 1);
    if (!reserve(&price->steps, price->nsteps + more + 1, &price->cap_steps, sizeof *price->steps) ||
        !reserve(&price->next, price->nnext + price->depend.nedges, &price->cap_next, sizeof *price->next) ||
        !reserve(&price->receives, price->nreceives + more, &price->cap_receives, sizeof *price->receives) ||
        !reserve(&price->sends, more, &price->cap_sends, sizeof *price->sends) ||
        (price->keep_spans && !reserve(&price->spans, price->nsteps + more, &price->cap_spans, sizeof *price->spans)))
        return MPI_ERR_NO_MEM;
    rank->first_step = (uint32_t)price->nsteps;
    rank->first_receive = (uint32_t)price->nreceives;
    add_steps(price, plan, &nsends);
    uint64_t *receives_here = price->receives + rank->first_receive;
    sort(price->sends, nsends);
    sort(receives_here, price->nreceives - rank->first_receive);
    set_tags(price, price->sends, nsends);
    set_tags(price, receives_here, price->nreceives - rank->first_receive);
    add_edges(price, plan->nsteps);
    price->nsteps += more;
    rank[1].first_step = (uint32_t)price->nsteps;
    rank[1].first_receive = (uint32_t)price->nreceives;
    price->added++;
    return MPI_SUCCESS;
}

const struct tf_price_span *tf_price_spans(const struct tf_price *price, int32_t rank, uint32_t *count)
{
    *count = price->ranks[rank + 1].first_step - price->ranks[rank].first_step;
    return price->spans + price->ranks[rank].first_step;
}

const struct tf_price_model *tf_price_model_of(const struct tf_price *price)
{
    return &price->model;
}
