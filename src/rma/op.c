/* op.c - see op.h. */
#include "rma/op.h"

#include "msg/lost.h"
#include "msg/progress.h"
#include "msg/request.h"
#include "msg/transfer.h"
#include "rma/copy.h"
#include "rma/epoch.h"
#include "rma/region.h"
#include "type/describe.h"

#include <stdio.h>

/* ---- the end of one ---- */

static void release(struct tf_type *type)
{
    if (type)
        tf_type_release(type);
}

static void op_free(struct tf_win_op *op)
{
    free(op->description);
    tf_region_leave(op);
    if (op->kept) {
        release(op->from.type);
        release(op->into.type);
        release(op->type);
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

/* ---- describing datatypes ---- */

static struct tf_win_types *types_of(struct tf_win_types **types)
{
    if (!*types)
        *types = calloc(1, sizeof **types);
    if (!*types)
        tf_fatal(1, "treefold[%d]: no memory for the datatypes that a window's processes tell each other", tf_job.rank);
    return *types;
}

/* The target knows the type of the operation, or is being told; false: no memory. */
static void find_slot(struct tf_win_op *op)
{
    struct tf_win_types *told = types_of(&op->target->told);
    for (uint32_t i = 0; i < TF_WIN_TYPES; i++)
        if (told->types[i] == op->type) {
            op->slot = i + 1;
            return;
        }
    op->description = tf_describe(op->type, &op->description_bytes);
    if (!op->description)
        tf_fatal(1, "treefold[%d]: no memory to describe a datatype to rank %d of a window", tf_job.rank,
                 op->target->rank);
    uint32_t slot = (uint32_t)told->next++ % TF_WIN_TYPES;
    release(told->types[slot]);
    told->types[slot] = op->type;
    tf_type_retain(op->type);
    op->slot = slot + 1;
}

static void header_of(const struct tf_target *target, enum tf_verb verb, struct tf_header *header)
{
    *header = (struct tf_header){.kind = TF_MSG_RMA, .tag = (int32_t)verb, .id = target->number};
    header->source = (uint32_t)target->win->comm->rank;
}

/* The next bytes of the description; false: no room. */
static bool push_description(struct tf_win_op *op)
{
    struct tf_peer *peer = op->target->peer;
    while (op->described < op->description_bytes) {
        struct tf_type_part part = {op->description_bytes, op->described};
        size_t most = tf_net_chunk(peer) - sizeof part, rest = op->description_bytes - op->described;
        size_t n = rest < most ? rest : most;
        struct tf_header header;
        header_of(op->target, TF_VERB_TYPE, &header);
        header.length = (uint32_t)(sizeof part + n);
        header.context = op->slot - 1;
        char *room = tf_net_reserve(peer, header.length);
        if (!room)
            return false;
        memcpy(room, &part, sizeof part);
        memcpy(room + sizeof part, (char *)op->description + op->described, n);
        tf_net_commit(peer, &header);
        op->described += n;
    }
    return true;
}

/* ---- passes of progress ---- */

static bool advance(struct tf_task *task, bool *moved);

static void finished(struct tf_task *task)
{
    TF_CONTAINER(task, struct tf_win, pushes)->working = false;
}

static void mark_busy(struct tf_target *target)
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

/* ---- pieces ---- */

static uint32_t name_of_element(const struct tf_type *element)
{
    return element == &tf_type_binned           ? TF_PIECE_BINNED
           : element == &tf_type_complex_binned ? TF_PIECE_COMPLEX_BINNED
           : element                            ? element->obj.handle
                                                : 0;
}

static size_t piece_length(const struct tf_win_op *op)
{
    const struct tf_target *target = op->target;
    size_t rest = op->total - op->sent, most = tf_net_chunk(target->peer) - sizeof(struct tf_piece);
    if (op->into.type) { /* it has to come back in one cell too */
        size_t back = tf_net_chunk_from(target->peer);
        most = back < most ? back : most;
    }
    if (op->at.element)
        most -= most % (size_t)op->at.element->size;
    return rest < most ? rest : most;
}

static size_t payload_of(const struct tf_win_op *op, size_t length)
{
    switch (op->verb) {
    case TF_VERB_GET:
        return sizeof(struct tf_piece);
    case TF_VERB_SWAP:
        return sizeof(struct tf_piece) + 2 * length;
    default:
        return sizeof(struct tf_piece) + (op->from.type ? length : 0);
    }
}

static void write_piece(const struct tf_win_op *op, size_t length, char *room)
{
    struct tf_piece piece = {
        .at = op->at.at,
        .count = (uint64_t)op->at.count,
        .position = op->sent,
        .length = (uint32_t)length,
        .type = op->type ? TF_PIECE_SLOT + op->slot - 1 : op->at.type->obj.handle,
        .element = name_of_element(op->at.element),
        .asker = op->id,
        .op = op->at.op ? op->at.op->obj.handle : 0,
    };
    memcpy(room, &piece, sizeof piece);
    room += sizeof piece;
    if (op->verb == TF_VERB_SWAP) {
        tf_type_pack(op->compare.type, op->compare.buf, 1, 0, room, length);
        room += length;
    }
    if (op->from.type)
        tf_type_pack(op->from.type, op->from.buf, op->from.count, op->sent, room, length);
}

/* ---- short pieces to other nodes ----
 *
 * A network is told of a piece by a call of the system, mostly.  What is short and not answered waits for what comes
 * behind it: more pieces, up to so many bytes; the word that asks whether all is done, or ends the epoch; at the latest
 * the pass after the next one, as the next one may be that in which it went, and whoever waits goes on behind it. */

enum { SHORT = 4096 + sizeof(struct tf_piece), HELD_MOST = 32 * 1024 };
enum { FRESH = 1 << 30 }; /* in `held`: some since the last pass */

static void let_go(struct tf_target *target)
{
    if (target->held > 0)
        tf_net_wake(target->peer);
    target->held = 0;
}

static void commit(struct tf_target *target, const struct tf_header *header, bool answered)
{
    if (!target->peer->net->fill || answered || header->length > SHORT) {
        tf_net_commit(target->peer, header);
        return;
    }
    tf_ring_commit(&target->peer->tx, header);
    target->held = (target->held + header->length) | FRESH;
    if ((target->held & ~FRESH) > HELD_MOST)
        let_go(target);
    else
        mark_busy(target);
}

/* The next piece; false: not now. */
static bool push_piece(struct tf_win_op *op)
{
    struct tf_target *target = op->target;
    struct tf_header header;
    size_t length = piece_length(op);
    if (op->into.type && target->asked > 0 && target->asked + length > TF_PIECES_ASKED)
        return false;
    header_of(target, op->verb, &header);
    header.length = (uint32_t)payload_of(op, length);
    char *room = tf_net_reserve(target->peer, header.length);
    if (!room)
        return false;
    write_piece(op, length, room);
    op->sent += length;
    /* Operations are done in order: an answer says that what went before is done too, and every flush waits for it. */
    target->dirty = !op->into.type;
    if (op->into.type)
        target->asked += length;
    commit(target, &header, op->into.type != NULL);
    return true;
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
    if (op->type && !op->slot)
        find_slot(op);
    if (op->description && !push_description(op))
        return false;
    while (op->sent < op->total)
        if (!push_piece(op))
            return false;
    return true;
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
        if (!(target->held & FRESH))
            let_go(target);
        target->held &= ~FRESH;
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
    struct tf_type *types[] = {kept->from.type, kept->into.type, kept->type};
    for (size_t i = 0; i < TF_ARRAY_LEN(types); i++)
        if (types[i])
            tf_type_retain(types[i]);
    return kept;
}

/* In order behind what waits there already. */
static void enqueue(struct tf_win_op *op)
{
    struct tf_target *target = op->target;
    mark_busy(target);
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

static TF_COLD void wait_for_room(struct tf_target *target)
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
    mark_busy(op->target);
    return tf_copy_collect(op);
}

int tf_op_begin(const struct tf_win_op *begun)
{
    struct tf_target *target = begun->target;
    struct tf_win_op *op = (struct tf_win_op *)begun;
    tf_net_meet(target->peer);
    if (tf_copy_takes(op))
        return collect(op);
    if (TF_UNLIKELY(is_full(target)))
        wait_for_room(target);
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

void tf_op_answer(uint32_t id, uint64_t position, const void *data, size_t length)
{
    struct tf_win_op *op = tf_id_object(id);
    tf_type_unpack(op->into.type, op->into.buf, op->into.count, position, data, length);
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
