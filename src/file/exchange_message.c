/* exchange_message.c - errors, messages and lists of an exchange. */
#include "file/exchange_parts.h"

#include <stdio.h>

#include "msg/match.h"
#include "msg/request.h"
#include "net/net.h"

/* ---- errors ---- */

void tf_exchange_fail_with(struct tf_exchange *x, int err, const char *words)
{
    if (x->error)
        return;
    x->error = err;
    snprintf(x->words, sizeof x->words, "%s", words ? words : "");
}

void tf_exchange_fail(struct tf_exchange *x, int err)
{
    tf_exchange_fail_with(x, err, tf_error_text(err));
}

/* ---- messages ---- */

/* Of processes of other jobs nobody knows so much. */
bool tf_exchange_is_near(const struct tf_exchange *x, int rank)
{
    const struct tf_group *group = x->file->comm->group;
    return !group->mixed && tf_net_node(group->processes[rank]) == tf_net_node(tf_job.rank);
}

int tf_exchange_tag(const struct tf_exchange *x, MPI_Count round, enum tf_exchange_kind kind)
{
    return (int)((x->sequence % 4095 + 1) << 19 | (round & 0x3ffff) << 1 | kind);
}

/* A list of few stretches goes at once: who asks for it first waits for its sender's turn on a processor. */
void tf_exchange_send_out(struct tf_send *send)
{
    if (send->total > TF_CREDIT_ALWAYS)
        tf_send_announce(send);
    else
        tf_send_start(send);
}

void tf_exchange_send(struct tf_send *send, struct tf_exchange *x, const void *data, size_t bytes, int to, int tag)
{
    struct tf_end end = {(void *)data, (MPI_Count)bytes, tf_type_find(MPI_BYTE), to, tag};
    tf_point_fill_send(send, &end, x->file->comm, TF_STANDARD, 0);
    tf_exchange_send_out(send);
}

/* Into `data`, or the sink that is set. */
void tf_exchange_recv(struct tf_recv *recv, struct tf_exchange *x, char *data, size_t capacity, int from, int tag)
{
    recv->comm = x->file->comm;
    recv->source = from;
    recv->tag = tag;
    recv->buf = data;
    recv->capacity = capacity;
    recv->direct = data != NULL;
    recv->pull = true;
    recv->unit = recv->unit ? recv->unit : 1;
    tf_recv_post(recv);
}

/* The bytes of this rank's stream that lie in a round. */
size_t tf_exchange_bytes(const struct tf_exchange *x, MPI_Count round, size_t *pos)
{
    MPI_Count all = (MPI_Count)x->stream->bytes;
    MPI_Count first = tf_walk_before(&x->cursor, tf_rounds_begin(x->rounds, round)) - x->from;
    MPI_Count end = tf_walk_before(&x->cursor, tf_rounds_end(x->rounds, round)) - x->from;
    first = first > 0 ? first : 0;
    end = end < all ? end : all;
    *pos = (size_t)first;
    return end > first ? (size_t)(end - first) : 0;
}

size_t tf_exchange_list(struct tf_exchange *x, MPI_Count round, struct tf_stretches *list, size_t *pos)
{
    size_t bytes = tf_exchange_bytes(x, round, pos);
    struct tf_walk cursor = x->cursor;
    tf_walk_seek(&cursor, x->from + (MPI_Count)*pos);
    int err = tf_stretch_list(list, &cursor, (MPI_Count)bytes);
    if (!err)
        return bytes;
    tf_exchange_fail(x, err);
    list->n = 0;
    list->bytes = 0;
    return 0;
}

/* What has come of a read; the first round that brings less is where the file ends. */
void tf_exchange_note_end(struct tf_exchange *x, size_t pos, size_t bytes, size_t there)
{
    size_t end = there < bytes ? pos + there : x->stream->bytes;
    x->moved = end < x->moved ? end : x->moved;
}
