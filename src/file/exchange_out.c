/* exchange_out.c - a rank's part of an exchange: what it has in each round, to or from its aggregator. */
#include "file/exchange_parts.h"

#include "msg/request.h"
#include "net/net.h"

static void out_sent(struct tf_send *send)
{
    TF_CONTAINER(send, struct tf_exchange_out, data)->waiting--;
}

static void head_sent(struct tf_send *send)
{
    TF_CONTAINER(send, struct tf_exchange_out, head)->waiting--;
}

/* Its data, or an offer. */
static void out_got(struct tf_recv *recv)
{
    struct tf_exchange_out *out = TF_CONTAINER(recv, struct tf_exchange_out, back);
    if (recv->error)
        tf_exchange_fail(out->x, recv->error);
    out->there = recv->error ? 0 : recv->total;
    out->waiting--;
}

static void out_takes(struct tf_recv *recv, void *data, size_t length)
{
    struct tf_exchange_out *out = TF_CONTAINER(recv, struct tf_exchange_out, back);
    tf_stream_put(out->x->stream, out->pos + recv->received, data, length);
}

static int aggregator_of(const struct tf_exchange_out *out)
{
    return tf_rounds_aggregator(out->x->rounds, out->round);
}

static int tag_of(const struct tf_exchange_out *out, enum tf_exchange_kind kind)
{
    return tf_exchange_tag(out->x, out->round, kind);
}

/* ---- as messages ---- */

static void send_data(struct tf_exchange_out *out)
{
    struct tf_stream *stream = out->x->stream;
    struct tf_end end = {stream->direct, 0, tf_type_find(MPI_BYTE), aggregator_of(out), tag_of(out, TF_EXCHANGE_DATA)};
    out->waiting++;
    out->data = (struct tf_send){.done = out_sent};
    tf_point_fill_send(&out->data, &end, out->x->file->comm, TF_STANDARD, 0);
    out->data.type = stream->direct ? NULL : stream->type;
    out->data.buf = stream->direct ? stream->direct : stream->buf;
    out->data.count = stream->count;
    out->data.position = out->pos;
    if (stream->direct) {
        out->data.buf += out->pos;
        out->data.position = 0;
    }
    out->data.total = out->data.available = out->bytes;
    tf_exchange_send_out(&out->data);
}

static void await_data(struct tf_exchange_out *out)
{
    char *direct = out->x->stream->direct;
    out->waiting++;
    out->back = (struct tf_recv){.done = out_got, .sink = direct ? NULL : out_takes};
    tf_exchange_recv(&out->back, out->x, direct ? direct + out->pos : NULL, out->bytes, aggregator_of(out),
                     tag_of(out, TF_EXCHANGE_DATA));
}

static void send_head(struct tf_exchange_out *out, const void *what, size_t bytes)
{
    struct tf_exchange *x = out->x;
    out->waiting++;
    out->head = (struct tf_send){.done = head_sent};
    tf_exchange_send(&out->head, x, what, bytes, aggregator_of(out), tag_of(out, TF_EXCHANGE_HEAD));
}

static void send_list(struct tf_exchange_out *out)
{
    send_head(out, out->list.at, out->list.n * sizeof *out->list.at);
}

static void begin_with_messages(struct tf_exchange_out *out)
{
    out->state = OUT_DATA;
    if (out->bytes > 0 && !out->x->write)
        await_data(out);
    send_list(out);
    if (out->bytes > 0 && out->x->write)
        send_data(out);
}

/* ---- with an aggregator of this node ---- */

static void await_offer(struct tf_exchange_out *out)
{
    out->state = OUT_OFFER;
    out->offer = (struct tf_exchange_offer){0};
    out->waiting++;
    out->back = (struct tf_recv){.done = out_got};
    tf_exchange_recv(&out->back, out->x, (char *)&out->offer, sizeof out->offer, aggregator_of(out),
                     tag_of(out, TF_EXCHANGE_DATA));
}

/* Where this process gets at the range, or NULL. */
static char *find_range(const struct tf_exchange_out *out)
{
    const struct tf_exchange *x = out->x;
    MPI_Offset begin = tf_rounds_begin(x->rounds, out->round), end = tf_rounds_end(x->rounds, out->round);
    struct tf_peer *peer = tf_net_peer(x->file->comm->group->processes[aggregator_of(out)]);
    return out->offer.address ? tf_net_map(peer, out->offer.address, (size_t)(end - begin)) : NULL;
}

static void copy(struct tf_exchange_out *out, char *range, size_t bytes)
{
    const struct tf_exchange *x = out->x;
    tf_stream_copy(x->stream, x->write, out->pos, bytes, &out->list, range, tf_rounds_begin(x->rounds, out->round));
}

static void place(struct tf_exchange_out *out)
{
    static const struct tf_stretch placed = {.count = 0};
    char *range = out->bytes > 0 ? find_range(out) : NULL;
    bool places = range && tf_stretch_append(&out->list, &placed, 1) == MPI_SUCCESS;
    if (places)
        copy(out, range, out->bytes);
    send_list(out);
    if (out->bytes > 0 && !places)
        send_data(out);
}

static void fetch(struct tf_exchange_out *out)
{
    char *range = find_range(out);
    out->there = out->offer.there < out->bytes ? out->offer.there : out->bytes;
    out->placed = range || out->there == 0;
    if (range)
        copy(out, range, out->there);
    else if (out->there > 0)
        await_data(out);
    send_head(out, &out->placed, 1);
}

/* ---- all kinds ---- */

static void begin_out(struct tf_exchange_out *out, MPI_Count round)
{
    struct tf_exchange *x = out->x;
    out->round = round;
    out->waiting = 0;
    out->bytes = tf_exchange_list(x, round, &out->list, &out->pos);
    if (!tf_exchange_is_near(x, aggregator_of(out)) || (out->bytes == 0 && !x->write)) {
        begin_with_messages(out);
        return;
    }
    await_offer(out);
    if (!x->write)
        send_list(out);
}

static void step(struct tf_exchange_out *out)
{
    if (out->state == OUT_OFFER) {
        out->state = OUT_DATA;
        if (out->x->write)
            place(out);
        else
            fetch(out);
        return;
    }
    if (!out->x->write && out->bytes > 0)
        tf_exchange_note_end(out->x, out->pos, out->bytes, out->there);
    out->state = OUT_FREE;
}

static struct tf_exchange_out *free_out(const struct tf_exchange *x)
{
    for (int i = 0; i < x->nouts; i++)
        if (x->outs[i].state == OUT_FREE)
            return &x->outs[i];
    return NULL;
}

bool tf_exchange_begin_outs(struct tf_exchange *x)
{
    const struct tf_rounds *rounds = x->rounds;
    int rank = x->file->comm->rank;
    bool moved = false;
    for (; x->next_out < rounds->n; x->next_out++) {
        if (tf_rounds_aggregator(rounds, x->next_out) == rank || !tf_rounds_has(rounds, rank, x->next_out))
            continue;
        struct tf_exchange_out *out = free_out(x);
        if (!out)
            break;
        begin_out(out, x->next_out);
        moved = true;
    }
    return moved;
}

bool tf_exchange_go_on_outs(struct tf_exchange *x)
{
    bool moved = false;
    for (int i = 0; i < x->nouts; i++)
        if (x->outs[i].state != OUT_FREE && x->outs[i].waiting == 0) {
            step(&x->outs[i]);
            moved = true;
        }
    return moved;
}
