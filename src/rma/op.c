/* op.c - see op.h. */
#include "rma/op.h"

#include "msg/lost.h"
#include "msg/progress.h"
#include "msg/request.h"
#include "msg/transfer.h"
#include "rma/copy.h"
#include "rma/epoch.h"
#include "rma/piece.h"
#include "rma/region.h"

#include <stdio.h>

/* ---- the end of one ---- */

static void release(struct tf_type *type)
{
    if (type)
        tf_type_release(type);
}

static void hold_types(const struct tf_win_op *op)
{
    struct tf_type *types[] = {op->from.type, op->into.type, op->type};
    for (size_t i = 0; i < TF_ARRAY_LEN(types); i++)
        if (types[i])
            tf_type_retain(types[i]);
}

static void let_types_go(const struct tf_win_op *op)
{
    release(op->from.type);
    release(op->into.type);
    release(op->type);
}

static void op_free(struct tf_win_op *op)
{
    free(op->description);
    tf_region_leave(op);
    if (op->kept) {
        let_types_go(op);
        free(op);
    }
}

static void give_id(struct tf_win_op *op)
{
    if (!op->id)
        return;
    tf_id_give(op->id);
    op->id = 0;
    op->target->answers--;
}

static void op_end(struct tf_win_op *op)
{
    struct tf_request *request = op->request;
    give_id(op);
    op_free(op);
    if (request)
        tf_request_part_done(request);
}

static const struct tf_peer *peer_of(const void *object)
{
    return ((const struct tf_win_op *)object)->target->peer;
}

static void end_lost(struct tf_win_op *op)
{
    if (op->request)
        op->request->error = tf_lost_error(op->target->win->comm, op->target->peer);
    op_end(op);
}

static void unlink_first(struct tf_target *target)
{
    target->first = target->first->next;
    target->queued--;
    if (!target->first)
        target->last = &target->first;
}

/* Of those that had gone nothing is left: they have ids, or nobody waits for them. */
void tf_op_lose(struct tf_target *target)
{
    tf_copy_leave(target);
    while (target->first) {
        struct tf_win_op *op = target->first;
        unlink_first(target);
        end_lost(op);
    }
    target->asked = 0;
}

static void lose(void *object)
{
    struct tf_win_op *op = object;
    if (op->target->first == op)
        unlink_first(op->target);
    end_lost(op);
}

static const struct tf_id_kind ops = {peer_of, lose};

/* Something will come back, or be said to be done. */
static void take_id(struct tf_win_op *op)
{
    if (op->id)
        return;
    op->id = tf_id_take(op, &ops);
    op->target->answers++;
}

/* ---- passes of progress ---- */

static bool advance(struct tf_task *task, bool *moved);

static void finished(struct tf_task *task)
{
    TF_CONTAINER(task, struct tf_win, pushes)->working = false;
}

void tf_op_busy(struct tf_target *target)
{
    struct tf_win *win = target->win;
    if (!win->working) {
        win->pushes = (struct tf_task){.advance = advance, .finished = finished};
        tf_task_add(&win->pushes);
        win->working = true;
    }
    if (!target->busy) {
        target->busy = true;
        target->next_busy = win->busy;
        win->busy = target;
    }
}

static bool ready(const struct tf_target *target)
{
    return !target->lock || target->unchecked || target->granted || target->win->nlost > 0;
}

/* What of it can go; true: all of it has gone. */
static bool op_push(struct tf_win_op *op)
{
    if (!ready(op->target))
        return false;
    if (op->by_network) {
        take_id(op);
        if (tf_region_push(op))
            return true;
        if (op->by_network)
            return false;
        give_id(op);
    }
    if (op->into.type)
        take_id(op);
    return tf_piece_push(op);
}

void tf_op_push(struct tf_target *target)
{
    while (target->first) {
        struct tf_win_op *op = target->first;
        if (!op_push(op))
            return;
        unlink_first(target);
        if (!op->id || op->received == op->total)
            op_end(op);
    }
}

/* ---- in passes of progress ---- */

static bool advance(struct tf_task *task, bool *moved)
{
    struct tf_win *win = TF_CONTAINER(task, struct tf_win, pushes);
    struct tf_target **link = &win->busy;
    while (*link) {
        struct tf_target *target = *link;
        struct tf_win_op *first = target->first;
        size_t sent = first ? first->sent : 0;
        *moved |= target->collected > 0;
        tf_copy_push(target);
        tf_op_push(target);
        tf_piece_pass(target);
        *moved |= target->first != first || (first && target->first && first->sent != sent);
        if (target->first || target->held > 0) {
            link = &target->next_busy;
        } else {
            *link = target->next_busy;
            target->busy = false;
        }
    }
    return !win->busy;
}

void tf_op_rest(struct tf_win *win)
{
    if (win->working)
        tf_task_remove(&win->pushes);
}

/* ---- beginning ---- */

static struct tf_win_op *keep(const struct tf_win_op *op)
{
    struct tf_win_op *kept = tf_alloc(sizeof *kept, "a one-sided operation");
    if (!kept)
        return NULL;
    *kept = *op;
    kept->kept = true;
    hold_types(kept);
    return kept;
}

/* In order behind what waits there already. */
static void enqueue(struct tf_win_op *op)
{
    struct tf_target *target = op->target;
    tf_op_busy(target);
    op->next = NULL;
    *target->last = op;
    target->last = &op->next;
    target->queued++;
}

void tf_op_queue(const struct tf_win_op *op)
{
    struct tf_win_op *kept = keep(op);
    if (!kept)
        tf_fatal(1, "treefold[%d]: no memory to do an operation of a window by messages", tf_job.rank);
    enqueue(kept);
}

static bool is_full(const struct tf_target *target)
{
    return target->queued >= TF_OPS_KEPT || target->answers >= TF_OPS_KEPT;
}

static bool has_room(const struct tf_target *target)
{
    return target->queued < TF_OPS_KEPT / 2 && target->answers < TF_OPS_KEPT / 2;
}

static void wait_for_room(struct tf_target *target)
{
    struct tf_epoch_wait wait = {.win = target->win,
                                 .call = "one-sided communication",
                                 .what = ready(target) ? "to take what it was sent" : "to grant its lock",
                                 .rank = target->rank,
                                 .over = has_room};
    tf_epoch_await(&wait, false);
}

/* For the next pass; a fence looks whether there are some. */
static int collect(const struct tf_win_op *op)
{
    op->target->win->sent = true;
    tf_op_busy(op->target);
    return tf_copy_collect(op);
}

static int begin(struct tf_win_op *op)
{
    struct tf_target *target = op->target;
    if (TF_UNLIKELY(target->lost)) {
        free(op->description);
        return tf_win_lost(target->win);
    }
    target->win->sent = true;
    op->by_network = tf_region_takes(op);
    /* What is answered outlives the call. */
    if (!op->into.type && !op->by_network && !target->first && op_push(op)) {
        op_end(op);
        return MPI_SUCCESS;
    }
    struct tf_win_op *kept = keep(op);
    if (!kept) {
        free(op->description);
        return MPI_ERR_NO_MEM;
    }
    enqueue(kept);
    if (target->first == kept)
        tf_op_push(target);
    return MPI_SUCCESS;
}

/* Another thread may free the datatypes while this one waits. */
static TF_COLD int begin_when_there_is_room(struct tf_win_op *op)
{
    hold_types(op);
    wait_for_room(op->target);
    int err = begin(op);
    let_types_go(op);
    return err;
}

int tf_op_begin(const struct tf_win_op *begun)
{
    struct tf_win_op *op = (struct tf_win_op *)begun;
    tf_net_meet(op->target->peer);
    if (tf_copy_takes(op))
        return collect(op);
    return TF_UNLIKELY(is_full(op->target)) ? begin_when_there_is_room(op) : begin(op);
}

/* ---- answers ---- */

static void count_answer(struct tf_win_op *op, size_t length)
{
    struct tf_target *target = op->target;
    op->received += length;
    target->asked -= length;
    if (op->received == op->total)
        op_end(op);
    tf_op_push(target);
}

/* It stays where it comes to, if it may. */
void *tf_op_landing(uint32_t id)
{
    const struct tf_win_op *op = tf_id_object(id);
    const struct tf_win_side *into = &op->into;
    return into->type->dense ? (char *)into->buf + into->type->true_lb + op->received : NULL;
}

void tf_op_answer(uint32_t id, const void *data, size_t length)
{
    struct tf_win_op *op = tf_id_object(id);
    if (data != tf_op_landing(id))
        tf_type_unpack(op->into.type, op->into.buf, op->into.count, op->received, data, length);
    count_answer(op, length);
}

/* By messages, from its beginning: if it cannot be done by these either, they say why. */
static TF_COLD void do_again(struct tf_win_op *op)
{
    bool queued = op->sent < op->total;
    tf_region_leave(op);
    op->by_network = false;
    op->sent = op->received = 0;
    give_id(op);
    if (!queued)
        enqueue(op);
}

void tf_op_transferred(struct tf_win_op *op, size_t bytes, bool good)
{
    struct tf_target *target = op->target;
    op->received += bytes;
    if (!good)
        do_again(op);
    else if (op->received == op->total)
        op_end(op);
    tf_op_push(target);
}

void tf_op_refused(struct tf_target *target, uint32_t id, size_t bytes, const char *words, size_t length)
{
    target->refused++;
    target->win->sent = true; /* the next fence looks */
    if (!target->words)
        target->words = strndup(words, length);
    if (id)
        count_answer(tf_id_object(id), bytes);
}
