/* price_run.c - what a collective call costs: time passes.  See price.h.
 *
 * Two kinds of events are taken in order of time: a step may start; the head of a message reaches a link or, when all
 * links are behind it, the receiver's port.  Whoever comes first is served first; so a processor, a link and a port are
 * no more than the time until which they are taken, and each event is looked at once.
 */
#include "plan/price_state.h"

#define ARRIVAL 0x80000000u /* in the id of an event: the message of that send goes on */

static double later(double a, double b)
{
    return a > b ? a : b;
}

static int32_t rank_of(const struct tf_price *price, int32_t index)
{
    return price->first + index;
}

/* ---- the way between two ranks ---- */

static int32_t node_of(const struct tf_price *price, int32_t rank)
{
    return price->model.domain[rank];
}

static bool near(const struct tf_price *price, int32_t a, int32_t b)
{
    return price->model.domain && node_of(price, a) == node_of(price, b);
}

static double overhead(const struct tf_price *price, int32_t a, int32_t b)
{
    return near(price, a, b) ? price->model.local_overhead : price->model.overhead;
}

static double gap(const struct tf_price *price, int32_t a, int32_t b)
{
    return near(price, a, b) ? price->model.local_gap : price->model.gap;
}

/* Without the time that passes between one link and the next. */
static double latency(const struct tf_price *price, int32_t from, int32_t to)
{
    const struct tf_price_model *m = &price->model;

    if (near(price, from, to))
        return m->local_latency;
    return m->network ? m->latency + m->hop_latency : m->latency;
}

/* The slowest of what a message passes, for a byte. */
static double each_byte(const struct tf_price *price, int32_t from, int32_t to)
{
    const struct tf_price_model *m = &price->model;

    if (near(price, from, to))
        return later(m->local_gap_per_byte, m->bus_per_byte);
    return m->network ? later(m->gap_per_byte, m->link_gap_per_byte) : m->gap_per_byte;
}

static double wire(const struct tf_price *price, int32_t from, int32_t to, double bytes)
{
    return bytes > 1 ? (bytes - 1) * each_byte(price, from, to) : 0;
}

static struct tf_price_port *port_of(struct tf_price *price, int32_t index, int32_t peer)
{
    int32_t rank = rank_of(price, index), nics = price->model.nics;

    if (!price->model.network || near(price, rank, peer))
        return &price->ports[index];
    int64_t node = price->model.sample ? 0 : node_of(price, rank);
    return &price->ports[price->count + node * nics + rank % nics];
}

/* Taken at `now` or as soon as it is free, for `busy` and another `gap`.  Returns when it begins. */
static double take(struct tf_price_server *server, double now, double busy, double gap)
{
    double begin = later(now, server->taken);

    server->taken = begin + busy + gap;
    server->busy += busy + gap;
    return begin;
}

static double chunk_of(const struct tf_price *price, double bytes)
{
    return bytes < (double)price->model.chunk ? bytes : (double)price->model.chunk;
}

/* ---- steps ---- */

static bool put(struct tf_price *price, double time, uint32_t id, int32_t index)
{
    if (tf_queue_put(&price->queue, time, id, index))
        return true;
    tf_error(MPI_ERR_NO_MEM, "cannot allocate memory for the events of %d ranks", price->size);
    return false;
}

/* A step has ended at `end`, its first chunk at `first`: tell those that wait for it. */
static bool release(struct tf_price *price, uint32_t id, int32_t index, double first, double end)
{
    const struct tf_price_step *s = &price->steps[id];

    for (uint32_t e = s->first_next; e < s[1].first_next; e++) {
        uint32_t next = price->next[e] & ~TF_PRICE_STREAMED;
        struct tf_price_step *n = &price->steps[next];
        bool streams = (price->next[e] & TF_PRICE_STREAMED) && n->bytes > (double)price->model.chunk;
        n->ready = later(n->ready, streams ? first : end);
        if (streams)
            n->tail = later(n->tail, end);
        if (s->depth > n->depth)
            n->depth = s->depth;
        if (--n->waiting == 0 && !put(price, n->ready, next, index))
            return false;
    }
    if (s->depth > price->result.rounds)
        price->result.rounds = s->depth;
    if (end > price->ranks[index].end)
        price->ranks[index].end = end;
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

/* A send or receive takes the processor for `o`, though not before a chunk's work that is under way is done.  Returns
 * when it begins. */
static double take_overhead(const struct tf_price *price, struct tf_price_rank *r, double now, double o)
{
    const struct tf_price_model *m = &price->model;
    double busy = later(now, r->cpu), chunk = now + (double)m->chunk * later(m->reduce_per_byte, m->copy_per_byte);
    double begin = later(r->overheads, busy < chunk ? busy : chunk);

    r->overheads = begin + o;
    r->cpu = busy + o;
    r->worked += o;
    return begin;
}

/* Work on bytes is done in the order in which it comes up, after the overhead `o`. */
static double take_work(struct tf_price_rank *r, double now, double o, double work)
{
    double begin = later(now, r->cpu);

    r->cpu = begin + o + work;
    r->worked += o + work;
    return begin;
}

static bool send(struct tf_price *price, uint32_t id, int32_t index, double now)
{
    struct tf_price_step *s = &price->steps[id];
    struct tf_price_port *port = port_of(price, index, s->peer);
    int32_t rank = rank_of(price, index);
    double bytes = s->bytes, o = overhead(price, rank, s->peer);
    double begin = take_overhead(price, &price->ranks[index], now, o), ready = begin + o;
    double whole = wire(price, rank, s->peer, bytes);
    double leaves = take(&port->out, ready, whole, gap(price, rank, s->peer)), left = leaves + whole;

    if (s->tail > 0) /* streamed: the last chunk came at that time */
        left = later(left, s->tail + wire(price, rank, s->peer, chunk_of(price, bytes)));
    s->tail = left;
    if (price->keep_spans)
        record(&price->spans[id], begin, ready, ready, left, leaves);
    return put(price, leaves + latency(price, rank, s->peer), id | ARRIVAL, index) &&
           release(price, id, index, ready, left);
}

/* All steps but sends. */
static bool work(struct tf_price *price, uint32_t id, int32_t index, double now)
{
    const struct tf_price_model *m = &price->model;
    const struct tf_price_step *s = &price->steps[id];
    double bytes = s->bytes, each = s->kind == TF_COPY ? m->copy_per_byte : s->kind == TF_RECV ? 0 : m->reduce_per_byte;
    bool receives = s->kind == TF_RECV || s->kind == TF_RECV_REDUCE;
    double o = receives ? overhead(price, rank_of(price, index), s->peer) : 0, chunk = chunk_of(price, bytes) * each;
    double begin = s->kind == TF_RECV ? take_overhead(price, &price->ranks[index], now, o)
                                      : take_work(&price->ranks[index], now, o, bytes * each);
    double busy = begin + o + bytes * each, end = busy;

    if (receives)
        end = later(busy, s->tail + o + chunk);
    if (price->keep_spans)
        record(&price->spans[id], begin, begin + o, busy, end, 0);
    return release(price, id, index, begin + o + chunk, end);
}

static bool start(struct tf_price *price, uint32_t id, int32_t index, double now)
{
    const struct tf_price_step *s = &price->steps[id];

    if (s->peer < 0 && s->bytes == 0)
        return release(price, id, index, now, now);
    return s->kind == TF_SEND ? send(price, id, index, now) : work(price, id, index, now);
}

/* ---- messages ---- */

/* The next link of a message, -1: it is at its receiver's port. */
static int64_t next_link(const struct tf_price *price, const struct tf_price_step *send, int32_t from)
{
    const struct tf_price_model *m = &price->model;
    int32_t node, behind = (int32_t)send->waiting;

    if (!m->network || m->sample)
        return -1;
    node = node_of(price, from);
    if (near(price, from, send->peer))
        return behind == 0 ? price->nlinks - price->nodes + node : -1;
    return tf_network_link(m->network, price->nodes, node, node_of(price, send->peer), behind);
}

/* In a sample: when a message that begins its way at `now` has it behind it, all nodes sending as far at once as this
 * one.  The node has its share of the busiest link on the way. */
static double pass_sampled_way(struct tf_price *price, int32_t from, int32_t to, double bytes, double now)
{
    const struct tf_price_model *m = &price->model;

    if (!m->sample || !m->network || near(price, from, to))
        return now;
    int32_t a = node_of(price, from), b = node_of(price, to);
    double sharing = tf_network_sharing(m->network, price->nodes, a, b), alone = bytes * m->link_gap_per_byte;
    if (sharing > 1)
        now = take(&price->links[0], now, alone * sharing, 0) + alone * (sharing - 1);
    return now + tf_network_hops(m->network, price->nodes, a, b) * m->hop_latency;
}

/* The receive of a rank for the message of that number from `peer`, both by index; NULL: there is none. */
static struct tf_price_step *find_receive(struct tf_price *price, int32_t index, int32_t peer, uint32_t tag)
{
    const uint64_t *keys = price->receives, wanted = (uint64_t)peer << 32;
    size_t low = price->ranks[index].first_receive, end = price->ranks[index + 1].first_receive, high = end;

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
    return &price->steps[price->ranks[index].first_step + (uint32_t)keys[low]];
}

/* The receive that a message is for, NULL if there is none: in words. */
static struct tf_price_step *receive_of(struct tf_price *price, const struct tf_price_step *send, int32_t index)
{
    int32_t from = rank_of(price, index);
    struct tf_price_step *s = find_receive(price, tf_price_index(price, send->peer), index, send->tag);

    if (s && s->bytes == send->bytes)
        return s;
    if (price->model.sample)
        tf_error(MPI_ERR_INTERN, "ranks do not all do the same: rank %d does not receive what it sends", from);
    else if (!s)
        tf_error(MPI_ERR_INTERN, "rank %d sends message %u to rank %d, which has no receive for it", from, send->tag,
                 send->peer);
    else
        tf_error(MPI_ERR_INTERN, "rank %d sends %.0f bytes to rank %d, which receives %.0f", from, (double)send->bytes,
                 send->peer, (double)s->bytes);
    return NULL;
}

static int arrive(struct tf_price *price, const struct tf_price_step *send, int32_t index, double now)
{
    int32_t from = rank_of(price, index), to = tf_price_index(price, send->peer);
    struct tf_price_step *s = receive_of(price, send, index);
    double bytes = send->bytes, whole = wire(price, from, send->peer, bytes), first;

    if (!s)
        return MPI_ERR_INTERN;
    now = pass_sampled_way(price, from, send->peer, bytes, now);
    double head = take(&port_of(price, to, from)->in, now, whole, gap(price, from, send->peer));
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
    return --s->waiting == 0 && !put(price, s->ready, (uint32_t)(s - price->steps), to) ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

static int go_on(struct tf_price *price, uint32_t id, int32_t index, double now)
{
    const struct tf_price_model *m = &price->model;
    struct tf_price_step *send = &price->steps[id];
    int64_t link = next_link(price, send, rank_of(price, index));

    if (link < 0)
        return arrive(price, send, index, now);
    bool bus = link >= price->nlinks - price->nodes;
    double busy = send->bytes * (bus ? m->bus_per_byte : m->link_gap_per_byte);
    double head = take(&price->links[link], now, busy, 0);
    send->waiting++;
    return put(price, head + (bus ? 0 : m->hop_latency), id | ARRIVAL, index) ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* ---- all of it ---- */

/* Some step has not run: say which. */
static int stuck(const struct tf_price *price)
{
    for (int32_t index = 0; index < price->count; index++)
        for (uint32_t i = price->ranks[index].first_step; i < price->ranks[index + 1].first_step; i++)
            if (price->steps[i].waiting > 0 && price->steps[i].kind != TF_SEND)
                return tf_error(MPI_ERR_INTERN, "rank %d waits for ever at its step %u (peer %d)",
                                rank_of(price, index), i - price->ranks[index].first_step, price->steps[i].peer);
    return MPI_SUCCESS;
}

static void note_busy(struct tf_price_busy *most, double busy, int64_t which)
{
    if (busy > most->busy)
        *most = (struct tf_price_busy){busy, which};
}

static void find_busiest(const struct tf_price *price, struct tf_price_result *result)
{
    for (int32_t index = 0; index < price->count; index++)
        note_busy(&result->processor, price->ranks[index].worked, rank_of(price, index));
    for (int64_t port = 0; port < price->nports; port++) {
        struct tf_price_busy *most = port < price->count ? &result->port : &result->nic;
        int64_t which = port < price->count   ? rank_of(price, (int32_t)port)
                        : price->model.sample ? node_of(price, price->first)
                                              : (port - price->count) / price->model.nics;
        note_busy(most, later(price->ports[port].out.busy, price->ports[port].in.busy), which);
    }
    for (int64_t link = 0; link < price->nlinks; link++) {
        bool bus = !price->model.sample && link >= price->nlinks - price->nodes;
        note_busy(bus ? &result->bus : &result->link, price->links[link].busy,
                  bus ? link - price->nlinks + price->nodes : link);
    }
}

static void sum_up(struct tf_price *price, struct tf_price_result *result)
{
    *result = price->result;
    result->first = price->ranks[0].end;
    result->last = -1;
    for (int32_t index = 0; index < price->count; index++) {
        double end = price->ranks[index].end;
        result->mean += end / price->count;
        if (end < result->first)
            result->first = end;
        if (end > result->last) {
            result->last = end;
            result->last_rank = rank_of(price, index);
        }
    }
    find_busiest(price, result);
}

int tf_price_run(struct tf_price *price, struct tf_price_result *result)
{
    uint32_t id;
    int32_t index;
    double now;
    int taken, error = MPI_SUCCESS;

    for (index = 0; index < price->count; index++)
        for (uint32_t i = price->ranks[index].first_step; i < price->ranks[index + 1].first_step; i++)
            if (price->steps[i].waiting == 0 && !put(price, 0, i, index))
                return MPI_ERR_NO_MEM;
    while (!error && (taken = tf_queue_take(&price->queue, &now, &id, &index)) != 0) {
        if (taken < 0)
            return tf_error(MPI_ERR_NO_MEM, "cannot allocate memory for the events of %d ranks", price->size);
        if (id & ARRIVAL)
            error = go_on(price, id & ~ARRIVAL, index, now);
        else if (!start(price, id, index, now))
            error = MPI_ERR_NO_MEM;
    }
    if (!error)
        error = stuck(price);
    if (!error)
        sum_up(price, result);
    return error;
}
