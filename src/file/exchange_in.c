/* exchange_in.c - an aggregator's part of an exchange: what the ranks have in a round. */
#include "file/exchange_parts.h"

#include "msg/match.h"

static void in_takes_list(struct tf_recv *recv, void *data, size_t length)
{
    struct tf_exchange_in *in = TF_CONTAINER(recv, struct tf_exchange_in, head);
    int err = tf_stretch_append(&in->list, data, length / sizeof(struct tf_stretch));
    if (err) {
        tf_exchange_fail(in->slot->x, err);
        in->lost = true;
    }
}

static void in_listed(struct tf_recv *recv)
{
    struct tf_exchange_in *in = TF_CONTAINER(recv, struct tf_exchange_in, head);
    if (recv->error)
        tf_exchange_fail(in->slot->x, recv->error);
    in->state = IN_LISTED;
    in->slot->listed++;
    in->slot->waiting--;
}

static void in_takes_data(struct tf_recv *recv, void *data, size_t length)
{
    struct tf_exchange_in *in = TF_CONTAINER(recv, struct tf_exchange_in, data);
    if (!in->lost)
        tf_stretch_scatter(&in->walk, in->slot->buffer, in->slot->begin, data, length);
}

static void in_got(struct tf_recv *recv)
{
    struct tf_exchange_in *in = TF_CONTAINER(recv, struct tf_exchange_in, data);
    if (recv->error)
        tf_exchange_fail(in->slot->x, recv->error);
    in->slot->waiting--;
}

static void await_list(struct tf_exchange_in *in)
{
    struct tf_exchange *x = in->slot->x;
    in->slot->waiting++;
    in->head = (struct tf_recv){.done = in_listed, .sink = in_takes_list, .unit = sizeof(struct tf_stretch)};
    tf_exchange_recv(&in->head, x, NULL, SIZE_MAX, in->rank, tf_exchange_tag(x, in->slot->round, TF_EXCHANGE_HEAD));
}

/* One piece needs no scattering. */
static char *whole(const struct tf_exchange_in *in)
{
    const struct tf_stretches *list = &in->list;
    if (in->lost || list->n != 1 || list->at[0].count != 1)
        return NULL;
    return in->slot->buffer + (list->at[0].offset - in->slot->begin);
}

static void await_in(struct tf_exchange_in *in)
{
    struct tf_exchange *x = in->slot->x;
    char *place = whole(in);
    in->slot->waiting++;
    in->data = (struct tf_recv){.done = in_got, .sink = place ? NULL : in_takes_data};
    tf_exchange_recv(&in->data, x, place, (size_t)in->list.bytes, in->rank,
                     tf_exchange_tag(x, in->slot->round, TF_EXCHANGE_DATA));
}

/* This rank's own part, without messages. */
static void move_own(struct tf_exchange_in *in)
{
    struct tf_exchange_slot *slot = in->slot;
    struct tf_exchange *x = slot->x;
    struct tf_stretch_walk walk = {.list = &in->list};
    size_t pos, bytes = tf_exchange_bytes(x, slot->round, &pos), done = 0;
    size_t there = x->write ? bytes : (size_t)tf_stretch_before(&in->list, slot->eof);
    MPI_Offset offset = 0;
    for (MPI_Count length; done < there && (length = tf_stretch_look(&walk, &offset)) > 0; done += (size_t)length) {
        length = length < (MPI_Count)(there - done) ? length : (MPI_Count)(there - done);
        if (x->write)
            tf_stream_get(x->stream, pos + done, slot->buffer + (offset - slot->begin), (size_t)length);
        else
            tf_stream_put(x->stream, pos + done, slot->buffer + (offset - slot->begin), (size_t)length);
        tf_stretch_pass(&walk, length);
    }
    if (!x->write)
        tf_exchange_note_end(x, pos, bytes, done);
}

void tf_exchange_begin_in(struct tf_exchange_in *in)
{
    struct tf_exchange *x = in->slot->x;
    size_t pos;
    in->lost = !in->slot->buffer;
    in->list.n = 0;
    in->list.bytes = 0;
    in->walk = (struct tf_stretch_walk){.list = &in->list};
    in->state = IN_LIST;
    if (in->rank != x->file->comm->rank) {
        await_list(in);
        return;
    }
    tf_exchange_list(x, in->slot->round, &in->list, &pos);
    in->state = IN_READY;
    if (x->write && !in->lost)
        move_own(in);
}

/* Those of which a list has come. */
void tf_exchange_go_on(struct tf_exchange_slot *slot)
{
    slot->listed = 0;
    for (int i = 0; i < slot->nins; i++) {
        struct tf_exchange_in *in = &slot->ins[i];
        if (in->state != IN_LISTED)
            continue;
        in->state = IN_READY;
        if (slot->x->write && in->list.bytes > 0)
            await_in(in);
    }
}

/* ---- back to the ranks ---- */

static void in_sent(struct tf_send *send)
{
    TF_CONTAINER(send, struct tf_exchange_in, back)->slot->waiting--;
}

static char *stage(struct tf_exchange_in *in, size_t bytes)
{
    if (bytes <= in->room)
        return in->staging;
    free(in->staging);
    in->room = 0;
    in->staging = tf_alloc(bytes, "what an aggregator has read for a rank");
    in->room = in->staging ? bytes : 0;
    return in->staging;
}

static void send_back(struct tf_exchange_in *in, const char *data, size_t bytes)
{
    struct tf_exchange_slot *slot = in->slot;
    slot->waiting++;
    in->back = (struct tf_send){.done = in_sent};
    tf_exchange_send(&in->back, slot->x, data, bytes, in->rank,
                     tf_exchange_tag(slot->x, slot->round, TF_EXCHANGE_DATA));
}

/* Without memory, which all will learn. */
static TF_COLD void return_nothing(struct tf_exchange_in *in)
{
    if (in->rank != in->slot->x->file->comm->rank && in->list.bytes > 0)
        send_back(in, NULL, 0);
}

static void return_data(struct tf_exchange_in *in)
{
    struct tf_exchange_slot *slot = in->slot;
    size_t bytes = (size_t)tf_stretch_before(&in->list, slot->eof);
    char *data = whole(in);
    if (!data && bytes > 0) {
        data = stage(in, bytes);
        if (data)
            tf_stretch_gather(&in->walk, slot->buffer, slot->begin, data, bytes);
        else
            tf_exchange_fail(slot->x, MPI_ERR_NO_MEM);
    }
    send_back(in, data, data ? bytes : 0);
}

void tf_exchange_return(struct tf_exchange_slot *slot)
{
    slot->state = SLOT_RETURNS;
    for (int i = 0; i < slot->nins; i++)
        if (slot->ins[i].lost)
            return_nothing(&slot->ins[i]);
        else if (slot->ins[i].rank == slot->x->file->comm->rank)
            move_own(&slot->ins[i]);
        else if (slot->ins[i].list.bytes > 0)
            return_data(&slot->ins[i]);
}
