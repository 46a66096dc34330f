/* exchange_out.c - a rank's part of an exchange: what it has in each round, to or from its aggregator. */
#include "file/exchange_parts.h"

#include "msg/request.h"

static void out_sent(struct tf_send *send)
{
    TF_CONTAINER(send, struct tf_exchange_out, data)->waiting--;
}

static void head_sent(struct tf_send *send)
{
    TF_CONTAINER(send, struct tf_exchange_out, head)->waiting--;
}

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

static void send_data(struct tf_exchange_out *out, int to, int tag)
{
    struct tf_stream *stream = out->x->stream;
    struct tf_end end = {stream->direct, 0, tf_type_find(MPI_BYTE), to, tag};
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

static void await_data(struct tf_exchange_out *out, int from, int tag)
{
    char *direct = out->x->stream->direct;
    out->waiting++;
    out->back = (struct tf_recv){.done = out_got, .sink = direct ? NULL : out_takes};
    tf_exchange_recv(&out->back, out->x, direct ? direct + out->pos : NULL, out->bytes, from, tag);
}

static void begin_out(struct tf_exchange_out *out, MPI_Count round)
{
    struct tf_exchange *x = out->x;
    int aggregator = tf_rounds_aggregator(x->rounds, round);
    out->busy = true;
    out->bytes = tf_exchange_list(x, round, &out->list, &out->pos);
    out->waiting = 1;
    out->head = (struct tf_send){.done = head_sent};
    if (out->bytes > 0 && !x->write)
        await_data(out, aggregator, tf_exchange_tag(x, round, TF_EXCHANGE_DATA));
    tf_exchange_send(&out->head, x, out->list.at, out->list.n * sizeof *out->list.at, aggregator,
                     tf_exchange_tag(x, round, TF_EXCHANGE_HEAD));
    if (out->bytes > 0 && x->write)
        send_data(out, aggregator, tf_exchange_tag(x, round, TF_EXCHANGE_DATA));
}

static void end_out(struct tf_exchange_out *out)
{
    if (!out->x->write && out->bytes > 0)
        tf_exchange_note_end(out->x, out->pos, out->bytes, out->there);
    out->busy = false;
}

static struct tf_exchange_out *free_out(const struct tf_exchange *x)
{
    for (int i = 0; i < x->nouts; i++)
        if (!x->outs[i].busy)
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

bool tf_exchange_end_outs(struct tf_exchange *x)
{
    bool moved = false;
    for (int i = 0; i < x->nouts; i++)
        if (x->outs[i].busy && x->outs[i].waiting == 0) {
            end_out(&x->outs[i]);
            moved = true;
        }
    return moved;
}
