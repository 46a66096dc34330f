/* begin.c - nonblocking reads and writes: a thread of the library moves the data (worker.h), a task looks when it has,
 * and completes the request.
 *
 *     the call                   the thread            a pass of progress
 *     check, convert, submit --> tf_access_move() -->  convert, complete
 */
#include "file/datarep.h"
#include "file/operation.h"
#include "file/stream.h"
#include "file/worker.h"
#include "msg/progress.h"
#include "msg/request.h"

struct operation {
    struct tf_task task;
    struct tf_work work;
    struct tf_request *request;
    struct tf_file *file;
    struct tf_view *view; /* a reference */
    struct tf_stream stream;
    bool write, calls; /* calls: functions of the program */
    MPI_Offset position;
    size_t moved;
    int err;
    char *words; /* of the error, which the thread has recorded; NULL: none */
};

/* ---- on the thread ---- */

static void move(struct tf_work *work)
{
    struct operation *op = TF_CONTAINER(work, struct operation, work);
    op->err = tf_access_move(op->file, op->write, op->position, &op->stream, &op->moved);
    const char *words = op->err ? tf_error_text(op->err) : NULL;
    op->words = words ? strdup(words) : NULL;
}

/* ---- in progress ---- */

/* A thread takes longer to begin than this to be copied from or to the system's cache. */
enum { AT_ONCE = 64 * 1024 };

static bool is_brief(const struct operation *op)
{
    return op->write && op->stream.bytes <= AT_ONCE && !op->file->atomic;
}

/* Who waits for what is brief does it, where no thread has come to it. */
static bool advance(struct tf_task *task, bool *moved)
{
    struct operation *op = TF_CONTAINER(task, struct operation, task);
    bool done = atomic_load(&op->work.done);
    if (!done && is_brief(op) && tf_worker_take_back(&op->work)) {
        move(&op->work);
        done = true;
    }
    *moved |= done;
    return done;
}

static void release(struct operation *op)
{
    tf_type_release(op->stream.type);
    tf_view_release(op->view);
    free(op->words);
    free(op);
}

static void finish(struct tf_task *task)
{
    struct operation *op = TF_CONTAINER(task, struct operation, task);
    struct tf_request *request = op->request;
    int err = tf_stream_close(&op->stream, op->write, op->moved, &request->bytes);
    if (op->words)
        tf_error_record(op->err, "%s", op->words);
    request->error = op->err ? op->err : err;
    op->file->under_way--;
    tf_msg_callbacks -= op->calls;
    release(op);
    tf_request_part_done(request);
}

/* ---- the request ---- */

/* Read what is one piece in the file and in memory, if it is in the cache. */
static bool read_at_once(struct operation *op)
{
    struct tf_walk walk;
    MPI_Offset offset = 0;
    MPI_Count bytes = (MPI_Count)op->stream.bytes;
    if (op->write || !op->stream.direct || bytes > AT_ONCE || op->file->atomic)
        return false;
    tf_walk_open(&walk, op->view->disp, op->view->tile);
    tf_walk_seek(&walk, op->position * op->view->unit);
    if (tf_walk_next(&walk, bytes, &offset) < bytes ||
        !tf_disk_read_cached(op->file, offset, op->stream.direct, op->stream.bytes))
        return false;
    op->moved = op->stream.bytes;
    return true;
}

static int start(struct tf_request *request)
{
    struct operation *op = request->file.operation;
    op->file->under_way++;
    tf_msg_callbacks += op->calls;
    tf_task_add(&op->task);
    if (read_at_once(op))
        atomic_store(&op->work.done, true);
    else
        tf_worker_submit(&op->work, is_brief(op));
    return MPI_SUCCESS;
}

struct tf_object *tf_operation_on(const struct tf_request *request)
{
    struct tf_file *file = tf_pool_find(&tf_file_pool, request->file.handle);
    return file ? &file->obj : NULL;
}

static const struct tf_request_kind kind = {.name = "of a file", .start = start, .on = tf_operation_on};

int tf_operation_begin(struct tf_file *file, bool write, MPI_Offset position, void *buf, MPI_Count count,
                       struct tf_type *type, MPI_Request *handle)
{
    struct operation *op = calloc(1, sizeof *op);
    struct tf_request *request = op ? tf_request_create(&kind, NULL) : NULL;
    if (!request) {
        free(op);
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate a nonblocking operation on a file");
    }
    int err = tf_stream_open(&op->stream, file->view, write, buf, count, type);
    if (err) {
        tf_request_destroy(request);
        free(op);
        return err;
    }
    op->task = (struct tf_task){.advance = advance, .finished = finish};
    op->work.run = move;
    op->request = request;
    op->file = file;
    op->view = file->view;
    op->write = write;
    op->position = position;
    op->calls = tf_stream_calls(file->view);
    tf_view_retain(op->view);
    tf_type_retain(type);
    request->file.operation = op;
    request->file.handle = file->obj.handle;
    tf_request_begin(request);
    *handle = tf_request_handle(request);
    return MPI_SUCCESS;
}

/* ---- the procedures ---- */

static int begin_explicit(struct tf_file *file, bool write, MPI_Offset offset, void *buf, MPI_Count count,
                          struct tf_type *type, MPI_Request *request)
{
    int err = tf_access_check(file, write, TF_EXPLICIT, offset, count, type);
    return err ? err : tf_operation_begin(file, write, offset, buf, count, type, request);
}

static int begin_individual(struct tf_file *file, bool write, void *buf, MPI_Count count, struct tf_type *type,
                            MPI_Request *request)
{
    int err = tf_access_check(file, write, TF_INDIVIDUAL, 0, count, type);
    if (!err)
        err = tf_operation_begin(file, write, file->position, buf, count, type, request);
    if (!err)
        file->position += tf_access_etypes(file->view, count, type);
    return err;
}

int tf_file_iread_at(struct tf_file *file, MPI_Offset offset, void *buf, MPI_Count count, struct tf_type *type,
                     MPI_Request *request)
{
    return begin_explicit(file, false, offset, buf, count, type, request);
}

int tf_file_iwrite_at(struct tf_file *file, MPI_Offset offset, const void *buf, MPI_Count count, struct tf_type *type,
                      MPI_Request *request)
{
    return begin_explicit(file, true, offset, (void *)buf, count, type, request);
}

int tf_file_iread(struct tf_file *file, void *buf, MPI_Count count, struct tf_type *type, MPI_Request *request)
{
    return begin_individual(file, false, buf, count, type, request);
}

int tf_file_iwrite(struct tf_file *file, const void *buf, MPI_Count count, struct tf_type *type, MPI_Request *request)
{
    return begin_individual(file, true, (void *)buf, count, type, request);
}
