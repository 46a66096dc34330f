/* collective.c - collective access, and its blocking procedures; see collective.h. */
#include "file/collective.h"

#include <stdio.h>

#include "base/status.h"
#include "coll/coll.h"
#include "file/party.h"
#include "file/shared.h"
#include "file/spread.h"
#include "msg/await.h"
#include "net/pause.h"
#include "survive/survive.h"

/* ---- one access ---- */

static TF_COLD void fail(struct tf_collective *c, int err, const char *words)
{
    if (c->error)
        return;
    c->error = err;
    snprintf(c->words, sizeof c->words, "%s", words ? words : "");
}

static void find_facts(struct tf_collective *c)
{
    const struct tf_view *view = c->view;
    MPI_Count from = c->position * view->unit;
    struct tf_walk cursor;
    c->mine = (struct tf_facts){.ordered = true, .atomic = c->file->atomic, .error = c->error};
    if (c->error || c->stream.bytes == 0)
        return;
    MPI_Count bytes = (MPI_Count)c->stream.bytes;
    tf_walk_open(&cursor, view->disp, view->tile);
    c->mine.ordered = from + bytes <= view->ordered;
    c->mine.begin = tf_walk_offset(&cursor, from);
    c->mine.end = tf_walk_offset(&cursor, from + bytes - 1) + 1;
    c->mine.bytes = bytes;
    c->mine.pieces = c->mine.end - c->mine.begin == bytes ? 1 : bytes / tf_walk_piece(view->tile) + 1;
}

/* The aggregators are copied, since hints may change before it is over. */
static int open_exchange(struct tf_collective *c)
{
    const struct tf_party *party = c->file->party;
    size_t size = (size_t)c->file->comm->size, n = (size_t)party->naggregators;
    c->facts = tf_alloc(size * sizeof *c->facts + n * sizeof(int), "what ranks tell of a collective access");
    if (!c->facts)
        return MPI_ERR_NO_MEM;
    int *aggregators = (int *)(c->facts + size);
    memcpy(aggregators, party->aggregators, n * sizeof *aggregators);
    c->rounds = (struct tf_rounds){.facts = c->facts,
                                   .size = (int)size,
                                   .near = party->near,
                                   .crowded = party->near && tf_pause_crowded,
                                   .movable = party->movable,
                                   .stripe = c->file->hints.stripes.unit,
                                   .aggregators = aggregators,
                                   .naggregators = (int)n};
    c->exchange = (struct tf_exchange){.file = c->file,
                                       .view = c->view,
                                       .rounds = &c->rounds,
                                       .stream = &c->stream,
                                       .from = c->position * c->view->unit,
                                       .write = c->write,
                                       .sequence = c->file->accesses};
    return tf_exchange_open(&c->exchange);
}

static int open_stream(struct tf_collective *c, void *buf, MPI_Count count)
{
    int err = tf_stream_open(&c->stream, c->view, c->write, buf, count, c->type);
    c->streaming = !err;
    return err;
}

/* Who accesses nothing may name a place that no file has. */
static MPI_Offset position_of(const struct tf_collective_call *call)
{
    bool nothing = call->error || tf_access_etypes(call->file->view, call->count, call->type) == 0;
    return nothing ? 0 : call->position;
}

int tf_collective_open(struct tf_collective *c, const struct tf_collective_call *call)
{
    struct tf_file *file = call->file;
    *c = (struct tf_collective){
        .file = file, .view = file->view, .type = call->type, .write = call->write, .position = position_of(call)};
    tf_type_retain(c->type);
    tf_view_retain(c->view);
    int err = tf_party_find(file);
    if (!err)
        err = open_exchange(c);
    if (err) {
        tf_type_release(c->type);
        tf_view_release(c->view);
        free(c->facts);
        return err;
    }
    err = call->error ? call->error : open_stream(c, call->buf, call->count);
    if (err)
        fail(c, err, tf_error_text(err));
    find_facts(c);
    return MPI_SUCCESS;
}

void tf_collective_decide(struct tf_collective *c, bool working)
{
    const struct tf_file_hints *hints = &c->file->hints;
    c->rounds.movable &= !working;
    tf_rounds_decide(&c->rounds, c->write, hints);
    c->exchange.working = working;
    if (c->rounds.exchange)
        tf_exchange_begin(&c->exchange);
}

void tf_collective_alone(struct tf_collective *c)
{
    int err = tf_access_move(c->file, c->write, c->position, &c->stream, &c->moved);
    if (err)
        fail(c, err, tf_error_text(err));
}

void tf_collective_leave(struct tf_collective *c, int err)
{
    if (err == MPIX_ERR_PROC_FAILED)
        tf_comm_revoke(c->file->comm);
}

/* Conversion may fail too, so it comes before the ranks agree. */
int tf_collective_end(struct tf_collective *c)
{
    if (c->rounds.exchange) {
        c->moved = c->exchange.moved;
        if (c->exchange.error)
            fail(c, c->exchange.error, c->exchange.words);
    }
    int err = c->streaming ? tf_stream_close(&c->stream, c->write, c->moved, &c->native) : MPI_SUCCESS;
    if (err)
        fail(c, err, tf_error_text(err));
    return c->error ? tf_error(c->error, "%s", c->words) : MPI_SUCCESS;
}

void tf_collective_close(struct tf_collective *c)
{
    tf_exchange_close(&c->exchange);
    tf_type_release(c->type);
    tf_view_release(c->view);
    free(c->facts);
}

/* ---- blocking ---- */

static bool advance(void *state, bool *moved)
{
    return tf_exchange_advance(state, moved);
}

static void run_alone(struct tf_collective *c)
{
    tf_lock_leave();
    tf_collective_alone(c);
    tf_lock_enter();
}

/* Afterwards all are spread evenly, for what comes next. */
static void run_access(struct tf_collective *c)
{
    int rank = c->file->comm->rank;
    tf_collective_decide(c, false);
    bool first_alone = c->rounds.exchange && c->rounds.naggregators == 1;
    if (c->rounds.spread)
        tf_spread(rank, first_alone);
    if (c->rounds.exchange)
        tf_await(TF_AWAITS_FILE, c->file, advance, &c->exchange);
    else if (!c->rounds.error)
        run_alone(c);
    if (c->rounds.spread && first_alone)
        tf_spread(rank, false);
}

/* After an error of the allgather nobody has all facts, so nobody begins, nor waits for an agreement. */
static int run(struct tf_collective *c)
{
    struct tf_comm *comm = c->file->comm;
    int err = tf_coll_allgather_bytes(comm, TF_CALLER_FILE, &c->mine, sizeof c->mine, c->facts);
    if (err)
        tf_collective_leave(c, err);
    else
        run_access(c);
    int failed = tf_collective_end(c);
    return err ? err : tf_file_agree(comm, failed);
}

int tf_collective_run(const struct tf_collective_call *call, MPI_Status *status)
{
    struct tf_collective c;
    call->file->accesses++;
    int err = tf_collective_open(&c, call);
    if (err)
        return tf_coll_give_up(call->file->comm, err);
    err = run(&c);
    tf_status_set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, c.native, false);
    tf_collective_close(&c);
    return err;
}

/* ---- where ---- */

/* A split collective has to be ended before another collective access begins (section 14.4.5). */
static bool check(struct tf_collective_call *call, enum tf_pointer pointer, MPI_Offset offset)
{
    const struct tf_file *file = call->file;
    call->position = 0;
    call->error = file->split ? tf_error(MPI_ERR_OTHER,
                                         "a split collective of %s is under way; it has to be ended first", file->path)
                              : tf_access_check(file, call->write, pointer, offset, call->count, call->type);
    return !call->error;
}

static MPI_Offset etypes(const struct tf_collective_call *call)
{
    return tf_access_etypes(call->file->view, call->count, call->type);
}

void tf_collective_at(struct tf_collective_call *call, MPI_Offset offset)
{
    if (check(call, TF_EXPLICIT, offset))
        call->position = offset;
}

void tf_collective_next(struct tf_collective_call *call)
{
    if (!check(call, TF_INDIVIDUAL, 0))
        return;
    call->position = call->file->position;
    call->file->position += etypes(call);
}

struct share {
    MPI_Offset etypes;
    int64_t error;
};

/* Rank 0 moves the shared pointer for all. */
static int take_shares(struct tf_collective_call *call, const struct share *shares)
{
    struct tf_comm *comm = call->file->comm;
    MPI_Offset total = 0, before = 0;
    bool failed = false;
    int err = MPI_SUCCESS;
    for (int r = 0; r < comm->size; r++) {
        call->position += r < comm->rank ? shares[r].etypes : 0;
        total += shares[r].etypes;
        failed |= shares[r].error != MPI_SUCCESS;
    }
    if (failed) /* which the access tells all */
        return MPI_SUCCESS;
    if (comm->rank == 0)
        err = tf_shared_add(call->file, total, &before);
    int told = tf_coll_bcast_bytes(comm, TF_CALLER_FILE, &before, sizeof before, 0);
    call->position += before;
    return err ? err : told;
}

static int share_out(struct tf_collective_call *call)
{
    struct tf_comm *comm = call->file->comm;
    struct share mine = {.etypes = call->error ? 0 : etypes(call), .error = call->error};
    struct share *shares = tf_alloc((size_t)comm->size * sizeof *shares, "what ranks access in order");
    if (!shares)
        return tf_coll_give_up(comm, MPI_ERR_NO_MEM);
    int err = tf_coll_allgather_bytes(comm, TF_CALLER_FILE, &mine, sizeof mine, shares);
    if (!err)
        err = take_shares(call, shares);
    free(shares);
    return err;
}

void tf_collective_order(struct tf_collective_call *call)
{
    check(call, TF_SHARED, 0);
    int err = share_out(call);
    if (!err && !call->error)
        err = tf_access_check_place(call->file, call->position, call->count, call->type);
    call->error = call->error ? call->error : err;
}

/* ---- the procedures ---- */

static int run_at(struct tf_file *file, bool write, MPI_Offset offset, void *buf, MPI_Count count, struct tf_type *type,
                  MPI_Status *status)
{
    struct tf_collective_call call = {file, write, 0, buf, count, type, MPI_SUCCESS};
    tf_collective_at(&call, offset);
    return tf_collective_run(&call, status);
}

static int run_next(struct tf_file *file, bool write, void *buf, MPI_Count count, struct tf_type *type,
                    MPI_Status *status)
{
    struct tf_collective_call call = {file, write, 0, buf, count, type, MPI_SUCCESS};
    tf_collective_next(&call);
    return tf_collective_run(&call, status);
}

static int run_ordered(struct tf_file *file, bool write, void *buf, MPI_Count count, struct tf_type *type,
                       MPI_Status *status)
{
    struct tf_collective_call call = {file, write, 0, buf, count, type, MPI_SUCCESS};
    tf_type_retain(type); /* another thread may free it while this one waits */
    tf_collective_order(&call);
    int err = tf_collective_run(&call, status);
    tf_type_release(type);
    return err;
}

int tf_file_read_all(struct tf_file *file, void *buf, MPI_Count count, struct tf_type *type, MPI_Status *status)
{
    return run_next(file, false, buf, count, type, status);
}

int tf_file_write_all(struct tf_file *file, const void *buf, MPI_Count count, struct tf_type *type, MPI_Status *status)
{
    return run_next(file, true, (void *)buf, count, type, status);
}

int tf_file_read_at_all(struct tf_file *file, MPI_Offset offset, void *buf, MPI_Count count, struct tf_type *type,
                        MPI_Status *status)
{
    return run_at(file, false, offset, buf, count, type, status);
}

int tf_file_write_at_all(struct tf_file *file, MPI_Offset offset, const void *buf, MPI_Count count,
                         struct tf_type *type, MPI_Status *status)
{
    return run_at(file, true, offset, (void *)buf, count, type, status);
}

int tf_file_read_ordered(struct tf_file *file, void *buf, MPI_Count count, struct tf_type *type, MPI_Status *status)
{
    return run_ordered(file, false, buf, count, type, status);
}

int tf_file_write_ordered(struct tf_file *file, const void *buf, MPI_Count count, struct tf_type *type,
                          MPI_Status *status)
{
    return run_ordered(file, true, (void *)buf, count, type, status);
}
