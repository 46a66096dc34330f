/* exchange_in.c - an aggregator's part of an exchange: what the ranks have in a round. */
#include "file/exchange_parts.h"

#include "base/settings.h"
#include "heap/heap.h"
#include "msg/match.h"

static void in_takes_list(struct tf_recv *recv, void *data, size_t length)
{
    struct tf_exchange_in *in = TF_CONTAINER(recv, struct tf_exchange_in, head);
    size_t n = length / sizeof(struct tf_stretch);
    struct tf_stretch last = {.count = 1};
    if (n > 0)
        memcpy(&last, (const char *)data + (n - 1) * sizeof last, sizeof last);
    in->placed = last.count == 0;
    int err = tf_stretch_append(&in->list, data, n - (size_t)in->placed);
    if (err) {
        tf_exchange_fail(in->slot->x, err);
        in->lost = true;
    }
}

/* Its list, or its answer. */
static void in_came(struct tf_recv *recv)
{
    struct tf_exchange_in *in = TF_CONTAINER(recv, struct tf_exchange_in, head);
    if (recv->error)
        tf_exchange_fail(in->slot->x, recv->error);
    in->came = true;
    in->slot->came++;
    in->slot->waiting--;
}

static void in_offered(struct tf_send *send)
{
    TF_CONTAINER(send, struct tf_exchange_in, offering)->slot->waiting--;
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
    in->head = (struct tf_recv){.done = in_came, .sink = in_takes_list, .unit = sizeof(struct tf_stretch)};
    tf_exchange_recv(&in->head, x, NULL, SIZE_MAX, in->rank, tf_exchange_tag(x, in->slot->round, TF_EXCHANGE_HEAD));
}

static void await_answer(struct tf_exchange_in *in)
{
    struct tf_exchange *x = in->slot->x;
    in->slot->waiting++;
    in->placed = 0;
    in->head = (struct tf_recv){.done = in_came};
    tf_exchange_recv(&in->head, x, &in->placed, 1, in->rank, tf_exchange_tag(x, in->slot->round, TF_EXCHANGE_HEAD));
}

/* `there`: bytes that the rank may fetch. */
static void offer(struct tf_exchange_in *in, size_t there)
{
    struct tf_exchange_slot *slot = in->slot;
    bool shared = tf_settings.shared_heap && slot->buffer &&
                  tf_heap_find(slot->buffer, (size_t)(slot->end - slot->begin)) != TF_HEAP_NOWHERE;
    in->offer = (struct tf_exchange_offer){shared ? (uintptr_t)slot->buffer : 0, there};
    in->offering = (struct tf_send){.done = in_offered};
    slot->waiting++;
    tf_exchange_send(&in->offering, slot->x, &in->offer, sizeof in->offer, in->rank,
                     tf_exchange_tag(slot->x, slot->round, TF_EXCHANGE_DATA));
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
    size_t pos, bytes = tf_exchange_bytes(x, slot->round, &pos);
    size_t there = x->write ? bytes : (size_t)tf_stretch_before(&in->list, slot->eof);
    tf_stream_copy(x->stream, x->write, pos, there, &in->list, slot->buffer, slot->begin);
    if (!x->write)
        tf_exchange_note_end(x, pos, bytes, there);
}

void tf_exchange_begin_in(struct tf_exchange_in *in)
{
    struct tf_exchange *x = in->slot->x;
    size_t pos;
    in->lost = !in->slot->buffer;
    in->list.n = 0;
    in->list.bytes = 0;
    in->walk = (struct tf_stretch_walk){.list = &in->list};
    in->came = false;
    in->placed = 0;
    in->near = tf_exchange_is_near(x, in->rank);
    if (in->rank != x->file->comm->rank) {
        await_list(in);
        if (in->near && x->write)
            offer(in, 0);
        return;
    }
    tf_exchange_list(x, in->slot->round, &in->list, &pos);
    if (x->write && !in->lost)
        move_own(in);
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

static void return_to(struct tf_exchange_in *in)
{
    if (in->near) {
        await_answer(in);
        offer(in, in->lost ? 0 : (size_t)tf_stretch_before(&in->list, in->slot->eof));
    } else if (in->lost)
        send_back(in, NULL, 0); /* without memory, which all will learn */
    else
        return_data(in);
}

void tf_exchange_return(struct tf_exchange_slot *slot)
{
    slot->state = SLOT_RETURNS;
    for (int i = 0; i < slot->nins; i++) {
        struct tf_exchange_in *in = &slot->ins[i];
        if (in->rank != slot->x->file->comm->rank && in->list.bytes > 0)
            return_to(in);
        else if (in->rank == slot->x->file->comm->rank && !in->lost)
            move_own(in);
    }
}

void tf_exchange_go_on(struct tf_exchange_slot *slot)
{
    slot->came = 0;
    for (int i = 0; i < slot->nins; i++) {
        struct tf_exchange_in *in = &slot->ins[i];
        if (!in->came)
            continue;
        in->came = false;
        if (slot->state == SLOT_RETURNS && !in->placed)
            return_data(in);
        else if (slot->x->write && in->list.bytes > 0 && !in->placed)
            await_in(in);
    }
}
