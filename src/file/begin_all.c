/* begin_all.c - collective access with a request: a task takes the steps of a blocking call one after the other.
 *
 *     GATHER   facts of all ranks                       a collective
 *     ACCESS   exchange, or a thread by itself          messages; threads of the library access the file
 *     AGREE    whether it went well                     a collective
 *     TELL     the words of an error, from rank to rank
 *
 * Several may be under way, and their steps come in an order that differs between ranks: so both collectives are
 * persistent ones, prepared where the program calls, in the same order on all ranks.
 */
#include <stdio.h>

#include "coll/choice.h"
#include "file/collective.h"
#include "file/hearsay.h"
#include "file/operation.h"
#include "file/worker.h"
#include "msg/history.h"
#include "msg/request.h"

enum stage { GATHER, ACCESS, AGREE, TELL };
enum { TELL_TAG = 1 << 18 };

struct operation {
    struct tf_task task;
    struct tf_request *request, *gather, *agree;
    struct tf_collective c;
    enum stage stage;
    bool calls; /* functions of the program */
    struct tf_work work;
    int error; /* of this rank */
    uint64_t mine, worst;
    struct tf_hearsay hearsay;
};

/* ---- the steps ---- */

static void work(struct tf_work *work)
{
    tf_collective_alone(&TF_CONTAINER(work, struct operation, work)->c);
}

static void begin_access(struct operation *op)
{
    op->stage = ACCESS;
    tf_collective_decide(&op->c, true);
    op->work.run = work;
    if (op->c.rounds.exchange || op->c.rounds.error)
        atomic_store(&op->work.done, true);
    else
        tf_worker_submit(&op->work, false);
}

static bool access_is_over(struct operation *op, bool *moved)
{
    if (op->c.rounds.exchange)
        return tf_exchange_advance(&op->c.exchange, moved);
    return atomic_load(&op->work.done);
}

/* An error of a collective itself ends it on all ranks. */
static bool begin_agree(struct operation *op)
{
    const struct tf_comm *comm = op->c.file->comm;
    op->stage = AGREE;
    op->error = tf_collective_end(&op->c);
    op->mine = op->error ? (uint64_t)(comm->size - comm->rank) << 32 | (uint32_t)op->error : 0;
    int err = tf_request_begin(op->agree);
    if (err)
        op->error = op->error ? op->error : err;
    return !err;
}

/* True: the whole is over. */
static bool end_gather(struct operation *op)
{
    op->error = op->gather->error;
    if (op->error) {
        tf_collective_leave(&op->c, op->error);
        return true;
    }
    begin_access(op);
    return false;
}

static void begin_tell(struct operation *op)
{
    const struct tf_comm *comm = op->c.file->comm;
    op->stage = TELL;
    op->hearsay.comm = op->c.file->comm;
    op->hearsay.root = comm->size - (int)(op->worst >> 32);
    op->hearsay.tag = (int)((op->c.exchange.sequence % 4095 + 1) << 19 | TELL_TAG);
    snprintf(op->hearsay.words, sizeof op->hearsay.words, "%s", op->c.words);
    tf_hearsay_begin(&op->hearsay);
}

static bool end_agree(struct operation *op)
{
    if (op->agree->error) {
        op->error = op->error ? op->error : op->agree->error;
        return true;
    }
    if (!op->worst)
        return true;
    begin_tell(op);
    return false;
}

static bool advance(struct tf_task *task, bool *moved)
{
    struct operation *op = TF_CONTAINER(task, struct operation, task);
    switch (op->stage) {
    case GATHER:
        return op->gather->complete && end_gather(op);
    case ACCESS:
        return access_is_over(op, moved) && !begin_agree(op);
    case AGREE:
        return op->agree->complete && end_agree(op);
    default:
        return tf_hearsay_advance(&op->hearsay);
    }
}

/* ---- the end ---- */

static TF_COLD void record(struct operation *op)
{
    if (op->error && *op->c.words)
        tf_error_record(op->error, "%s", op->c.words);
    if (op->error || !op->worst)
        return;
    op->error = (int)(uint32_t)op->worst;
    const char *words = op->hearsay.words;
    tf_error_record(op->error, "rank %d: %s", op->hearsay.root, *words ? words : "it gave no reason");
}

static void release(struct operation *op)
{
    if (op->gather)
        tf_request_destroy(op->gather);
    if (op->agree)
        tf_request_destroy(op->agree);
    tf_collective_close(&op->c);
    free(op);
}

static void finish(struct tf_task *task)
{
    struct operation *op = TF_CONTAINER(task, struct operation, task);
    struct tf_request *request = op->request;
    if (op->stage == GATHER)
        tf_collective_end(&op->c);
    record(op);
    request->error = op->error;
    request->bytes = op->c.native;
    op->c.file->under_way--;
    tf_msg_callbacks -= op->calls;
    release(op);
    tf_request_part_done(request);
}

/* ---- the beginning ---- */

static int start(struct tf_request *request)
{
    struct operation *op = request->file.operation;
    int err = tf_request_begin(op->gather);
    if (err)
        return err;
    op->c.file->under_way++;
    tf_msg_callbacks += op->calls;
    tf_task_add(&op->task);
    return MPI_SUCCESS;
}

static const struct tf_request_kind kind = {
    .name = "collective on a file", .collective = true, .start = start, .on = tf_operation_on};

/* A collective that will be begun when its time has come, under the number that it has now. */
static int prepare(const struct tf_call *call, struct tf_request **request)
{
    MPI_Request handle;
    int err = tf_coll_prepare(call, NULL, &handle);
    if (!err)
        *request = tf_request_get(handle);
    return err;
}

static int prepare_gather(struct operation *op)
{
    struct tf_type *byte = tf_type_find(MPI_BYTE);
    return prepare(&(struct tf_call){.coll = TF_ALLGATHER,
                                     .caller = TF_CALLER_FILE,
                                     .comm = op->c.file->comm,
                                     .sendbuf = &op->c.mine,
                                     .recvbuf = op->c.facts,
                                     .sendcount = sizeof op->c.mine,
                                     .recvcount = sizeof op->c.mine,
                                     .sendtype = byte,
                                     .recvtype = byte},
                   &op->gather);
}

static int prepare_agree(struct operation *op)
{
    struct tf_call call = tf_coll_max_call(op->c.file->comm, TF_CALLER_FILE, &op->mine, &op->worst);
    return prepare(&call, &op->agree);
}

static struct operation *make(void)
{
    struct operation *op = calloc(1, sizeof *op);
    struct tf_request *request = op ? tf_request_create(&kind, NULL) : NULL;
    if (!request) {
        free(op);
        tf_error(MPI_ERR_NO_MEM, "cannot allocate a nonblocking collective access to a file");
        return NULL;
    }
    op->request = request;
    request->file.operation = op;
    op->task = (struct tf_task){.advance = advance, .finished = finish};
    return op;
}

static void discard(struct operation *op)
{
    struct tf_request *request = op->request;
    tf_collective_end(&op->c);
    release(op);
    tf_request_destroy(request);
}

/* The others learn it from the first collective, and there will be no second one, but both have a number.  Of the first
 * they know already where it was that one which could not be prepared. */
static TF_COLD int give_up(struct tf_comm *comm, uint32_t first, int err)
{
    uint32_t taken = ((uint32_t)comm->joint->coll_seq - first) & 0x7fffffff;
    if (taken != 1)
        tf_choice_give_up(comm, first | TF_SEQUENCE_PERSISTENT, err);
    for (; taken < 2; taken++)
        tf_choice_number(comm);
    return err;
}

/* The steps that may fail before the others count on this rank. */
static int make_all(struct operation **op_p, const struct tf_collective_call *call)
{
    struct operation *op = make();
    int err = op ? tf_collective_open(&op->c, call) : MPI_ERR_NO_MEM;
    if (op && err) {
        tf_request_destroy(op->request);
        free(op);
    }
    if (err)
        return err;
    err = prepare_gather(op);
    if (!err)
        err = prepare_agree(op);
    if (err)
        discard(op);
    else
        *op_p = op;
    return err;
}

int tf_collective_begin(const struct tf_collective_call *call, MPI_Request *handle)
{
    struct tf_comm *comm = call->file->comm;
    uint32_t first = (uint32_t)comm->joint->coll_seq & 0x7fffffff;
    struct operation *op;
    call->file->accesses++;
    int err = make_all(&op, call);
    if (err)
        return give_up(comm, first, err);
    op->request->file.handle = call->file->obj.handle;
    op->calls = tf_stream_calls(op->c.view);
    err = tf_request_begin(op->request);
    if (err)
        discard(op);
    else
        *handle = tf_request_handle(op->request);
    return err;
}

/* ---- the procedures ---- */

static int begin_at(struct tf_file *file, bool write, MPI_Offset offset, void *buf, MPI_Count count,
                    struct tf_type *type, MPI_Request *request)
{
    struct tf_collective_call call = {file, write, 0, buf, count, type, MPI_SUCCESS};
    tf_collective_at(&call, offset);
    return tf_collective_begin(&call, request);
}

static int begin_next(struct tf_file *file, bool write, void *buf, MPI_Count count, struct tf_type *type,
                      MPI_Request *request)
{
    struct tf_collective_call call = {file, write, 0, buf, count, type, MPI_SUCCESS};
    tf_collective_next(&call);
    return tf_collective_begin(&call, request);
}

int tf_file_iread_at_all(struct tf_file *file, MPI_Offset offset, void *buf, MPI_Count count, struct tf_type *type,
                         MPI_Request *request)
{
    return begin_at(file, false, offset, buf, count, type, request);
}

int tf_file_iwrite_at_all(struct tf_file *file, MPI_Offset offset, const void *buf, MPI_Count count,
                          struct tf_type *type, MPI_Request *request)
{
    return begin_at(file, true, offset, (void *)buf, count, type, request);
}

int tf_file_iread_all(struct tf_file *file, void *buf, MPI_Count count, struct tf_type *type, MPI_Request *request)
{
    return begin_next(file, false, buf, count, type, request);
}

int tf_file_iwrite_all(struct tf_file *file, const void *buf, MPI_Count count, struct tf_type *type,
                       MPI_Request *request)
{
    return begin_next(file, true, (void *)buf, count, type, request);
}
