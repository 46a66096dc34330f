/* price.c - what a collective call costs under a LogGP model.  See price.h.
 *
 * Plans come rank by rank and leave 40 bytes a step, 4 an edge and 8 a receive behind, so that a million ranks of some
 * tens of steps fit into a few GB.  Then two kinds of events are taken in order of time: a step may start, the head of
 * a message reaches the receiver's port.  Whoever comes first is served first; so a processor and a port are no more
 * than the time until which they are taken, and each event is looked at once.
 */
#include "plan/price.h"

#include "plan/depend.h"
#include "plan/queue.h"

#define ARRIVAL 0x80000000u  /* in the id of an event: the message of that send reaches its receiver */
#define STREAMED 0x80000000u /* in an edge */

struct step {
    double ready; /* the latest of what it waits for so far */
    double tail;  /* receive: the last byte is there; send: it has left (before the start: may not leave earlier) */
    int32_t peer;
    float bytes;
    uint32_t tag, first_next; /* the number among the messages to that peer; the edges to later steps */
    uint32_t depth;           /* messages in the longest chain that leads here */
    uint32_t waiting : 28, kind : 4;
};

struct rank {
    double cpu, out, in; /* when the processor is through with all work so far, when the ports are free */
    double overheads;    /* when the processor is through with the overheads so far */
    double end;          /* of the step that ended last so far */
    uint32_t first_step, first_receive;
};

struct tf_price {
    struct tf_price_model model;
    struct tf_price_data data;
    int32_t size, added;
    struct rank *ranks; /* [size + 1]: the last ends the others */
    struct step *steps; /* of all ranks, by rank; one more ends the edges */
    size_t nsteps, cap_steps;
    uint32_t *next; /* step, of all ranks' */
    size_t nnext, cap_next;
    uint64_t *receives; /* peer << 32 | step of the rank, ascending within a rank */
    size_t nreceives, cap_receives;
    struct tf_price_span *spans; /* [nsteps] or NULL */
    size_t cap_spans;
    bool keep_spans;
    uint64_t *sends; /* of the rank being added, like receives */
    size_t cap_sends;
    struct tf_depend depend;
    struct tf_queue queue;
    struct tf_price_result result;
};

struct tf_price *tf_price_create(const struct tf_price_model *model, const struct tf_price_data *data, int32_t size,
                                 bool spans)
{
    struct tf_price *price = calloc(1, sizeof *price);
    struct rank *ranks = calloc((size_t)size + 1, sizeof *ranks);

    if (!price || !ranks) {
        free(price);
        free(ranks);
        tf_error(MPI_ERR_NO_MEM, "cannot allocate memory to price plans of %d ranks", size);
        return NULL;
    }
    *price = (struct tf_price){.model = *model, .data = *data, .size = size, .ranks = ranks, .keep_spans = spans};
    price->result.size = size;
    return price;
}

void tf_price_destroy(struct tf_price *price)
{
    if (!price)
        return;
    free(price->ranks);
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

static void note(struct tf_price_each *each, int32_t rank, uint64_t amount)
{
    each->total += amount;
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
    struct step *steps = price->steps + price->nsteps;

    for (uint32_t i = 0; i < plan->nsteps; i++) {
        const struct tf_step *s = &plan->steps[i];
        uint64_t bytes = bytes_of(price, plan, ref_of(s)), key = (uint64_t)s->peer << 32 | i;
        steps[i] = (struct step){.peer = s->peer, .bytes = (float)bytes, .kind = s->kind};
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
    note(&price->result.steps, price->added, plan->nsteps);
    note(&price->result.messages, price->added, *nsends);
    note(&price->result.sent, price->added, sent);
    note(&price->result.received, price->added, received);
    note(&price->result.combined, price->added, combined);
    note(&price->result.copied, price->added, copied);
    note(&price->result.scratch, price->added, scratch);
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
    struct step *steps = price->steps + price->nsteps;
    uint32_t at = (uint32_t)price->nnext;

    for (uint32_t e = 0; e < d->nedges; e++) {
        steps[d->edges[e].on].first_next++;
        steps[d->edges[e].step].waiting++;
    }
    for (uint32_t i = 0; i < nsteps; i++)
        steps[i].first_next = at += steps[i].first_next;
    for (uint32_t e = d->nedges; e-- > 0;) /* each step's place moves down to where its edges begin */
        price->next[--steps[d->edges[e].on].first_next] =
            (uint32_t)(price->nsteps + d->edges[e].step) | (d->edges[e].streamed ? STREAMED : 0);
    price->nnext = at;
    steps[nsteps].first_next = at;
}

int tf_price_add(struct tf_price *price, const struct tf_plan *plan)
{
    struct rank *rank = &price->ranks[price->added];
    size_t nsends = 0, more = plan->nsteps;

    if (plan->error)
        return plan->error;
    int error = tf_depend_find(&price->depend, plan);
    if (error)
        return error;
    if (price->nsteps + more >= STREAMED || price->nnext + price->depend.nedges >= UINT32_MAX)
        return tf_error(MPI_ERR_NO_MEM, "the plans have more than %u steps", STREAMED - 1);
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

/* ---- time passes ---- */

static double later(double a, double b)
{
    return a > b ? a : b;
}

static bool near(const struct tf_price *price, int32_t a, int32_t b)
{
    return price->model.domain && price->model.domain[a] == price->model.domain[b];
}

static double latency(const struct tf_price *price, int32_t from, int32_t to)
{
    return near(price, from, to) ? price->model.local_latency : price->model.latency;
}

static double wire(const struct tf_price *price, int32_t from, int32_t to, double bytes)
{
    double each = near(price, from, to) ? price->model.local_gap_per_byte : price->model.gap_per_byte;
    return bytes > 1 ? (bytes - 1) * each : 0;
}

static double chunk_of(const struct tf_price *price, double bytes)
{
    return bytes < (double)price->model.chunk ? bytes : (double)price->model.chunk;
}

static bool put(struct tf_price *price, double time, uint32_t id, int32_t rank)
{
    if (tf_queue_put(&price->queue, time, id, rank))
        return true;
    tf_error(MPI_ERR_NO_MEM, "cannot allocate memory for the events of %d ranks", price->size);
    return false;
}

/* A step has ended at `end`, its first chunk at `first`: tell those that wait for it. */
static bool release(struct tf_price *price, uint32_t id, int32_t rank, double first, double end)
{
    const struct step *s = &price->steps[id];

    for (uint32_t e = s->first_next; e < s[1].first_next; e++) {
        uint32_t next = price->next[e] & ~STREAMED;
        struct step *n = &price->steps[next];
        bool streams = (price->next[e] & STREAMED) && n->bytes > (double)price->model.chunk;
        n->ready = later(n->ready, streams ? first : end);
        if (streams)
            n->tail = later(n->tail, end);
        if (s->depth > n->depth)
            n->depth = s->depth;
        if (--n->waiting == 0 && !put(price, n->ready, next, rank))
            return false;
    }
    if (s->depth > price->result.rounds)
        price->result.rounds = s->depth;
    if (end > price->ranks[rank].end)
        price->ranks[rank].end = end;
    return true;
}

static void record(struct tf_price_span *span, double begin, double overhead, double busy, double end, double leaves)
{
    span->start = begin;
    span->overhead = overhead;
    span->busy = busy;
    span->end = span->left = end;
    span->leaves = leaves;
}

/* A send or receive takes the processor for o, though not before a chunk's work that is under way is done.  Returns
 * when it begins. */
static double take_overhead(const struct tf_price *price, struct rank *r, double now)
{
    const struct tf_price_model *m = &price->model;
    double busy = later(now, r->cpu), chunk = now + (double)m->chunk * later(m->reduce_per_byte, m->copy_per_byte);
    double begin = later(r->overheads, busy < chunk ? busy : chunk);

    r->overheads = begin + m->overhead;
    r->cpu = busy + m->overhead;
    return begin;
}

/* Work on bytes is done in the order in which it comes up, after `overhead`. */
static double take_work(struct rank *r, double now, double overhead, double work)
{
    double begin = later(now, r->cpu);

    r->cpu = begin + overhead + work;
    return begin;
}

static bool send(struct tf_price *price, uint32_t id, int32_t rank, double now)
{
    struct rank *r = &price->ranks[rank];
    struct step *s = &price->steps[id];
    double bytes = s->bytes, begin = take_overhead(price, r, now), ready = begin + price->model.overhead;
    double leaves = later(ready, r->out), left = leaves + wire(price, rank, s->peer, bytes);

    r->out = left + price->model.gap;
    if (s->tail > 0) /* streamed: the last chunk came at that time */
        left = later(left, s->tail + wire(price, rank, s->peer, chunk_of(price, bytes)));
    s->tail = left;
    if (price->keep_spans)
        record(&price->spans[id], begin, ready, ready, left, leaves);
    return put(price, leaves + latency(price, rank, s->peer), id | ARRIVAL, rank) &&
           release(price, id, rank, ready, left);
}

/* All steps but sends. */
static bool work(struct tf_price *price, uint32_t id, int32_t rank, double now)
{
    const struct tf_price_model *m = &price->model;
    const struct step *s = &price->steps[id];
    double bytes = s->bytes, each = s->kind == TF_COPY ? m->copy_per_byte : s->kind == TF_RECV ? 0 : m->reduce_per_byte;
    bool receives = s->kind == TF_RECV || s->kind == TF_RECV_REDUCE;
    double overhead = receives ? m->overhead : 0, chunk = chunk_of(price, bytes) * each;
    double begin = s->kind == TF_RECV ? take_overhead(price, &price->ranks[rank], now)
                                      : take_work(&price->ranks[rank], now, overhead, bytes * each);
    double busy = begin + overhead + bytes * each, end = busy;

    if (receives)
        end = later(busy, s->tail + overhead + chunk);
    if (price->keep_spans)
        record(&price->spans[id], begin, begin + overhead, busy, end, 0);
    return release(price, id, rank, begin + overhead + chunk, end);
}

static bool start(struct tf_price *price, uint32_t id, int32_t rank, double now)
{
    const struct step *s = &price->steps[id];

    if (s->peer < 0 && s->bytes == 0)
        return release(price, id, rank, now, now);
    return s->kind == TF_SEND ? send(price, id, rank, now) : work(price, id, rank, now);
}

/* The receive of a rank for the message of that number from `peer`; NULL: there is none. */
static struct step *find_receive(struct tf_price *price, int32_t rank, int32_t peer, uint32_t tag)
{
    const uint64_t *keys = price->receives, wanted = (uint64_t)peer << 32;
    size_t low = price->ranks[rank].first_receive, end = price->ranks[rank + 1].first_receive, high = end;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (keys[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    low += tag;
    if (low >= end || keys[low] >> 32 != (uint64_t)peer)
        return NULL;
    return &price->steps[price->ranks[rank].first_step + (uint32_t)keys[low]];
}

static int arrive(struct tf_price *price, const struct step *send, int32_t from, double now)
{
    struct rank *r = &price->ranks[send->peer];
    struct step *s = find_receive(price, send->peer, from, send->tag);
    double bytes = send->bytes;

    if (!s)
        return tf_error(MPI_ERR_INTERN, "rank %d sends message %u to rank %d, which has no receive for it", from,
                        send->tag, send->peer);
    if (s->bytes != send->bytes)
        return tf_error(MPI_ERR_INTERN, "rank %d sends %.0f bytes to rank %d, which receives %.0f", from, bytes,
                        send->peer, (double)s->bytes);
    double head = later(now, r->in), whole = wire(price, from, send->peer, bytes), first;
    r->in = head + whole + price->model.gap;
    s->tail = later(head + whole, send->tail + latency(price, from, send->peer));
    first = bytes > (double)price->model.chunk ? head + wire(price, from, send->peer, chunk_of(price, bytes)) : s->tail;
    s->ready = later(s->ready, first);
    if (send->depth + 1 > s->depth)
        s->depth = send->depth + 1;
    if (price->keep_spans) {
        struct tf_price_span *span = &price->spans[send - price->steps];
        span->arrives = head;
        span->arrived = s->tail;
    }
    return --s->waiting == 0 && !put(price, s->ready, (uint32_t)(s - price->steps), send->peer) ? MPI_ERR_NO_MEM
                                                                                                : MPI_SUCCESS;
}

/* Some step has not run: say which. */
static int stuck(const struct tf_price *price)
{
    for (int32_t rank = 0; rank < price->size; rank++)
        for (uint32_t i = price->ranks[rank].first_step; i < price->ranks[rank + 1].first_step; i++)
            if (price->steps[i].waiting > 0)
                return tf_error(MPI_ERR_INTERN, "rank %d waits for ever at its step %u (peer %d)", rank,
                                i - price->ranks[rank].first_step, price->steps[i].peer);
    return MPI_SUCCESS;
}

static void sum_up(struct tf_price *price, struct tf_price_result *result)
{
    *result = price->result;
    result->first = price->ranks[0].end;
    result->last = -1;
    for (int32_t rank = 0; rank < price->size; rank++) {
        double end = price->ranks[rank].end;
        result->mean += end / price->size;
        if (end < result->first)
            result->first = end;
        if (end > result->last) {
            result->last = end;
            result->last_rank = rank;
        }
    }
}

int tf_price_run(struct tf_price *price, struct tf_price_result *result)
{
    uint32_t id;
    int32_t rank;
    double now;
    int taken, error = MPI_SUCCESS;

    for (rank = 0; rank < price->size; rank++)
        for (uint32_t i = price->ranks[rank].first_step; i < price->ranks[rank + 1].first_step; i++)
            if (price->steps[i].waiting == 0 && !put(price, 0, i, rank))
                return MPI_ERR_NO_MEM;
    while (!error && (taken = tf_queue_take(&price->queue, &now, &id, &rank)) != 0) {
        if (taken < 0)
            return tf_error(MPI_ERR_NO_MEM, "cannot allocate memory for the events of %d ranks", price->size);
        if (id & ARRIVAL)
            error = arrive(price, &price->steps[id & ~ARRIVAL], rank, now);
        else if (!start(price, id, rank, now))
            error = MPI_ERR_NO_MEM;
    }
    if (!error)
        error = stuck(price);
    if (!error)
        sum_up(price, result);
    return error;
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
