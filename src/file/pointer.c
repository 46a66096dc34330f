/* pointer.c - reads, writes and seeks by the shared file pointer (MPI-5.0 section 14.4.4): each takes its part of the
 * file by moving the pointer, and then does what one with an offset does.
 */
#include "file/file.h"

#include <stdio.h>

#include "file/operation.h"
#include "file/shared.h"
#include "file/view.h"

/* Where this access begins; the pointer is behind it already.  Who waits for it may have his datatype freed by another
 * thread meanwhile. */
static int take(struct tf_file *file, bool write, MPI_Count count, struct tf_type *type, MPI_Offset *position)
{
    int err = tf_access_check(file, write, TF_SHARED, 0, count, type);
    if (!err)
        err = tf_shared_add(file, tf_access_etypes(file->view, count, type), position);
    return err ? err : tf_access_check_place(file, *position, count, type);
}

static int access_shared(struct tf_file *file, bool write, void *buf, MPI_Count count, struct tf_type *type,
                         MPI_Status *status)
{
    MPI_Offset position;
    tf_type_retain(type);
    int err = take(file, write, count, type, &position);
    if (!err)
        err = tf_access_at(file, write, position, buf, count, type, status);
    tf_type_release(type);
    return err;
}

static int begin_shared(struct tf_file *file, bool write, void *buf, MPI_Count count, struct tf_type *type,
                        MPI_Request *request)
{
    MPI_Offset position;
    tf_type_retain(type);
    int err = take(file, write, count, type, &position);
    if (!err)
        err = tf_operation_begin(file, write, position, buf, count, type, request);
    tf_type_release(type);
    return err;
}

int tf_file_read_shared(struct tf_file *file, void *buf, MPI_Count count, struct tf_type *type, MPI_Status *status)
{
    return access_shared(file, false, buf, count, type, status);
}

int tf_file_write_shared(struct tf_file *file, const void *buf, MPI_Count count, struct tf_type *type,
                         MPI_Status *status)
{
    return access_shared(file, true, (void *)buf, count, type, status);
}

int tf_file_iread_shared(struct tf_file *file, void *buf, MPI_Count count, struct tf_type *type, MPI_Request *request)
{
    return begin_shared(file, false, buf, count, type, request);
}

int tf_file_iwrite_shared(struct tf_file *file, const void *buf, MPI_Count count, struct tf_type *type,
                          MPI_Request *request)
{
    return begin_shared(file, true, (void *)buf, count, type, request);
}

/* Rank 0 does it for all. */
static int seek(struct tf_file *file, MPI_Offset offset, int whence)
{
    MPI_Offset current, base, position;
    int err = tf_shared_add(file, 0, &current);
    if (!err)
        err = tf_file_base(file, whence, current, &base);
    if (!err)
        err = tf_file_sum(base, offset, &position);
    return err ? err : tf_shared_set(file, position);
}

int tf_file_seek_shared(struct tf_file *file, MPI_Offset offset, int whence)
{
    char call[60];
    snprintf(call, sizeof call, "MPI_File_seek_shared with whence %d", whence);
    int err = tf_file_same(file->comm, call, "offset", offset, MPI_SUCCESS);
    if (!err && (file->amode & MPI_MODE_SEQUENTIAL))
        err = tf_error(MPI_ERR_UNSUPPORTED_OPERATION, "%s is open with MPI_MODE_SEQUENTIAL, in which nobody can seek",
                       file->path);
    if (!err && file->comm->rank == 0)
        err = seek(file, offset, whence);
    return tf_file_agree(file->comm, err);
}

int tf_file_get_position_shared(struct tf_file *file, MPI_Offset *offset)
{
    return tf_shared_add(file, 0, offset);
}
