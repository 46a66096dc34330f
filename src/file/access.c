/* access.c - reads and writes of one process: what is allowed, how data move, what the status tells. */
#include "file/file.h"

#include "base/status.h"
#include "file/cursor.h"
#include "file/datarep.h"
#include "file/sieve.h"

/* ---- what is allowed ---- */

static int mode_check(const struct tf_file *file, bool write, enum tf_pointer pointer)
{
    if (write && (file->amode & MPI_MODE_RDONLY))
        return tf_error(MPI_ERR_READ_ONLY, "%s is open with MPI_MODE_RDONLY; it cannot be written", file->path);
    if (!write && (file->amode & MPI_MODE_WRONLY))
        return tf_error(MPI_ERR_ACCESS, "%s is open with MPI_MODE_WRONLY; it cannot be read", file->path);
    if (pointer != TF_SHARED && (file->amode & MPI_MODE_SEQUENTIAL))
        return tf_error(MPI_ERR_UNSUPPORTED_OPERATION,
                        "%s is open with MPI_MODE_SEQUENTIAL, in which there is the shared file pointer alone",
                        file->path);
    return MPI_SUCCESS;
}

static int data_check(const struct tf_view *view, MPI_Count count, struct tf_type *type)
{
    MPI_Count element, bytes;
    int err = tf_datarep_size(view->datarep, type, &element);
    if (err)
        return err;
    if (__builtin_mul_overflow(count, element, &bytes))
        return tf_error(MPI_ERR_COUNT, "count is %lld; that many elements do not fit a file", (long long)count);
    if (bytes > 0 && (view->unit == 0 || bytes % view->unit != 0))
        return tf_error(MPI_ERR_ARG,
                        "the data have %lld bytes in the file, which is no multiple of the %lld of an etype",
                        (long long)bytes, (long long)view->unit);
    if (bytes > 0 && view->tile->size == 0)
        return tf_error(MPI_ERR_ARG,
                        "the filetype of this process's view has no data, so there is nowhere to put or "
                        "find %lld bytes",
                        (long long)bytes);
    return MPI_SUCCESS;
}

int tf_access_check_place(const struct tf_file *file, MPI_Offset position, MPI_Count count, struct tf_type *type)
{
    MPI_Offset etypes = tf_access_etypes(file->view, count, type);
    if (etypes == 0 || tf_view_holds(file->view, position, etypes))
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_ARG,
                    "%s: the %lld etypes from position %lld of the view on lie beyond what a file can hold", file->path,
                    (long long)etypes, (long long)position);
}

int tf_access_check(const struct tf_file *file, bool write, enum tf_pointer pointer, MPI_Offset offset, MPI_Count count,
                    struct tf_type *type)
{
    int err = mode_check(file, write, pointer);
    if (!err && pointer == TF_EXPLICIT && offset < 0)
        err = tf_error(MPI_ERR_ARG, "offset is %lld; it must be at least 0", (long long)offset);
    if (!err)
        err = data_check(file->view, count, type);
    MPI_Offset position = pointer == TF_EXPLICIT ? offset : pointer == TF_INDIVIDUAL ? file->position : 0;
    return err ? err : tf_access_check_place(file, position, count, type);
}

MPI_Offset tf_access_etypes(const struct tf_view *view, MPI_Count count, struct tf_type *type)
{
    MPI_Count element = 0;
    if (view->unit == 0 || tf_datarep_size(view->datarep, type, &element))
        return 0;
    return count * element / view->unit;
}

/* ---- moving ---- */

/* The range of the file that is touched, from the first byte to behind the last; all of it, where bytes are not in
 * order. */
static MPI_Offset reach(const struct tf_view *view, MPI_Offset position, size_t bytes, MPI_Offset *first)
{
    struct tf_walk cursor;
    MPI_Count start = position * view->unit;
    *first = 0;
    if (start + (MPI_Count)bytes > view->ordered)
        return INT64_MAX;
    tf_walk_open(&cursor, view->disp, view->tile);
    *first = tf_walk_offset(&cursor, start);
    return tf_walk_offset(&cursor, start + (MPI_Count)bytes - 1) + 1 - *first;
}

int tf_access_move(struct tf_file *file, bool write, MPI_Offset position, struct tf_stream *stream, size_t *moved)
{
    MPI_Offset first, length;
    *moved = 0;
    if (stream->bytes == 0)
        return MPI_SUCCESS;
    if (!file->atomic)
        return tf_sieve_move(file, write, position * stream->view->unit, stream, moved);
    length = reach(stream->view, position, stream->bytes, &first);
    int err = tf_disk_lock(file, first, length, write);
    if (err)
        return err;
    err = tf_sieve_move(file, write, position * stream->view->unit, stream, moved);
    tf_disk_unlock(file, first, length);
    return err;
}

/* ---- blocking: other threads may call MPI meanwhile ---- */

static int run(struct tf_file *file, bool write, MPI_Offset position, struct tf_stream *stream, size_t *moved)
{
    struct tf_view *view = file->view;
    tf_view_retain(view);
    tf_type_retain(stream->type);
    tf_lock_leave();
    int err = tf_access_move(file, write, position, stream, moved);
    tf_lock_enter();
    tf_type_release(stream->type);
    tf_view_release(view);
    return err;
}

int tf_access_at(struct tf_file *file, bool write, MPI_Offset position, void *buf, MPI_Count count,
                 struct tf_type *type, MPI_Status *status)
{
    struct tf_stream stream;
    size_t moved = 0;
    MPI_Count native = 0;
    int err = tf_stream_open(&stream, file->view, write, buf, count, type);
    if (err)
        return err;
    err = run(file, write, position, &stream, &moved);
    int failed = tf_stream_close(&stream, write, moved, &native);
    tf_status_set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, native, false);
    return err ? err : failed;
}

static int access_explicit(struct tf_file *file, bool write, MPI_Offset offset, void *buf, MPI_Count count,
                           struct tf_type *type, MPI_Status *status)
{
    int err = tf_access_check(file, write, TF_EXPLICIT, offset, count, type);
    return err ? err : tf_access_at(file, write, offset, buf, count, type, status);
}

/* The pointer moves by what was asked for, before anything is moved (section 14.4.3). */
static int access_individual(struct tf_file *file, bool write, void *buf, MPI_Count count, struct tf_type *type,
                             MPI_Status *status)
{
    int err = tf_access_check(file, write, TF_INDIVIDUAL, 0, count, type);
    if (err)
        return err;
    MPI_Offset position = file->position;
    file->position += tf_access_etypes(file->view, count, type);
    return tf_access_at(file, write, position, buf, count, type, status);
}

int tf_file_read_at(struct tf_file *file, MPI_Offset offset, void *buf, MPI_Count count, struct tf_type *type,
                    MPI_Status *status)
{
    return access_explicit(file, false, offset, buf, count, type, status);
}

int tf_file_write_at(struct tf_file *file, MPI_Offset offset, const void *buf, MPI_Count count, struct tf_type *type,
                     MPI_Status *status)
{
    return access_explicit(file, true, offset, (void *)buf, count, type, status);
}

int tf_file_read(struct tf_file *file, void *buf, MPI_Count count, struct tf_type *type, MPI_Status *status)
{
    return access_individual(file, false, buf, count, type, status);
}

int tf_file_write(struct tf_file *file, const void *buf, MPI_Count count, struct tf_type *type, MPI_Status *status)
{
    return access_individual(file, true, (void *)buf, count, type, status);
}
