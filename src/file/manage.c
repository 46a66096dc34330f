/* manage.c - what a file is and shall be: size, group, mode, hints, consistency, view, position (MPI-5.0 sections 14.2,
 * 14.3, 14.4.3 and 14.6).
 */
#include "file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "coll/coll.h"
#include "file/cursor.h"
#include "file/datarep.h"
#include "file/party.h"
#include "file/shared.h"
#include "file/view.h"
#include "object/info.h"
#include "type/construct.h"

/* ---- size ---- */

static int size_check(const struct tf_file *file, MPI_Offset size)
{
    if (size < 0)
        return tf_error(MPI_ERR_ARG, "size is %lld; it must be at least 0", (long long)size);
    if (file->amode & MPI_MODE_RDONLY)
        return tf_error(MPI_ERR_READ_ONLY, "%s is open with MPI_MODE_RDONLY; its size cannot be changed", file->path);
    if (file->amode & MPI_MODE_SEQUENTIAL)
        return tf_error(MPI_ERR_UNSUPPORTED_OPERATION, "%s is open with MPI_MODE_SEQUENTIAL; its size cannot be set",
                        file->path);
    return MPI_SUCCESS;
}

static int truncate_to(const struct tf_file *file, MPI_Offset size)
{
    return ftruncate(file->fd, (off_t)size) < 0 ? errno : 0;
}

static int reserve(const struct tf_file *file, MPI_Offset size)
{
    return size > 0 ? posix_fallocate(file->fd, 0, (off_t)size) : 0;
}

static int act_on(struct tf_file *file, int (*act)(const struct tf_file *, MPI_Offset), MPI_Offset size)
{
    struct tf_hush hush;
    tf_disk_hush(file, &hush);
    int reason = act(file, size);
    tf_disk_unhush(file, &hush);
    file->unsynced = true;
    if (!reason)
        return MPI_SUCCESS;
    return tf_file_error(file->path, reason, "rank %d cannot make it %lld bytes long", file->comm->rank,
                         (long long)size);
}

/* Rank 0 does it for all. */
static int resize(struct tf_file *file, const char *procedure, int (*act)(const struct tf_file *, MPI_Offset),
                  MPI_Offset size)
{
    int err = tf_file_same(file->comm, procedure, "size", size, MPI_SUCCESS);
    if (!err)
        err = size_check(file, size);
    if (!err && file->comm->rank == 0)
        err = act_on(file, act, size);
    return tf_file_agree(file->comm, err);
}

int tf_file_set_size(struct tf_file *file, MPI_Offset size)
{
    return resize(file, "MPI_File_set_size", truncate_to, size);
}

int tf_file_preallocate(struct tf_file *file, MPI_Offset size)
{
    return resize(file, "MPI_File_preallocate", reserve, size);
}

int tf_file_get_size(struct tf_file *file, MPI_Offset *size)
{
    return tf_disk_size(file, size);
}

/* ---- queries and hints ---- */

int tf_file_get_group(struct tf_file *file, MPI_Group *group)
{
    return tf_comm_group(file->comm, group);
}

int tf_file_get_amode(const struct tf_file *file, int *amode)
{
    *amode = file->amode;
    return MPI_SUCCESS;
}

/* Those of rank 0; the last steps of a procedure in which `err` has happened. */
static int take_hints(struct tf_file *file, const struct tf_info *info, int err)
{
    struct tf_file_hints hints = file->hints;
    tf_hints_take(&hints, info);
    hints.permissions = file->hints.permissions;
    hints.stripes = file->hints.stripes;
    int failed = tf_coll_bcast_bytes(file->comm, TF_CALLER_FILE, &hints, sizeof hints, 0);
    err = err ? err : failed;
    /* On all ranks, also where one has an error of its own. */
    bool changed = !failed && memcmp(&hints, &file->hints, sizeof hints) != 0;
    if (changed) {
        bool styled = hints.styles != file->hints.styles;
        file->hints = hints;
        if (styled)
            tf_disk_advise(file);
        tf_party_forget(file);
    }
    return tf_file_agree(file->comm, err || !changed ? err : tf_hints_tell(file));
}

int tf_file_set_info(struct tf_file *file, const struct tf_info *info)
{
    return take_hints(file, info, tf_file_same(file->comm, "MPI_File_set_info", "", 0, MPI_SUCCESS));
}

int tf_file_get_info(const struct tf_file *file, MPI_Info *info_used)
{
    return tf_info_dup(file->info, info_used);
}

/* ---- consistency ---- */

/* What this process wrote: the others sync what they did (section 14.6.1), and who has only read need not wait for the
 * device. */
static int sync_own(struct tf_file *file)
{
    if (!file->unsynced)
        return MPI_SUCCESS;
    file->unsynced = false; /* before: what a thread writes meanwhile is for the next time */
    if (fsync(file->fd) == 0 || errno == EINVAL || errno == EROFS)
        return MPI_SUCCESS;
    file->unsynced = true;
    return tf_file_error(file->path, errno, "rank %d cannot bring it to its device", file->comm->rank);
}

int tf_file_sync(struct tf_file *file)
{
    int err = tf_file_same(file->comm, "MPI_File_sync", "", 0, MPI_SUCCESS);
    if (!err)
        err = sync_own(file);
    err = tf_file_agree(file->comm, err);
    if (!err)
        tf_disk_refresh(file);
    return err;
}

int tf_file_set_atomicity(struct tf_file *file, int flag)
{
    int err = tf_file_same(file->comm, "MPI_File_set_atomicity", "flag", flag != 0, MPI_SUCCESS);
    err = tf_file_agree(file->comm, err);
    if (!err)
        file->atomic = flag != 0;
    return err;
}

int tf_file_get_atomicity(const struct tf_file *file, int *flag)
{
    *flag = file->atomic;
    return MPI_SUCCESS;
}

/* ---- views ---- */

static int disp_check(struct tf_file *file, MPI_Offset *disp)
{
    MPI_Offset position = 0;
    bool current = *disp == MPI_DISPLACEMENT_CURRENT, sequential = file->amode & MPI_MODE_SEQUENTIAL;
    if (current && !sequential)
        return tf_error(MPI_ERR_ARG, "disp is MPI_DISPLACEMENT_CURRENT, which is for files that are open with "
                                     "MPI_MODE_SEQUENTIAL");
    if (sequential && !current)
        return tf_error(MPI_ERR_ARG,
                        "disp is %lld; it must be MPI_DISPLACEMENT_CURRENT, as %s is open with "
                        "MPI_MODE_SEQUENTIAL",
                        (long long)*disp, file->path);
    if (*disp < 0 && !current)
        return tf_error(MPI_ERR_ARG, "disp is %lld; it must be at least 0", (long long)*disp);
    int err = current ? tf_shared_add(file, 0, &position) : MPI_SUCCESS;
    if (current && !err)
        *disp = tf_view_offset(file->view, position);
    return err;
}

static int make_view(struct tf_file *file, MPI_Offset disp, struct tf_type *etype, struct tf_type *filetype,
                     const char *datarep, struct tf_view **view)
{
    const struct tf_datarep *known = tf_datarep_find(datarep);
    if (file->split)
        return tf_error(MPI_ERR_OTHER, "%s: a split collective is under way; its view cannot change", file->path);
    if (!known)
        return tf_error(MPI_ERR_UNSUPPORTED_DATAREP,
                        "datarep is \"%s\", which is neither \"native\", \"internal\", \"external32\" nor one that "
                        "MPI_Register_datarep has made",
                        datarep);
    int err = disp_check(file, &disp);
    if (!err)
        err = tf_view_check(etype, filetype, !(file->amode & MPI_MODE_RDONLY));
    return err ? err : tf_view_create(disp, etype, filetype, known, view);
}

/* The etype's bytes in the file and the representation are the same on all. */
static int view_agree(const struct tf_file *file, const char *datarep, const struct tf_view *view, int err)
{
    char call[40 + MPI_MAX_DATAREP_STRING];
    snprintf(call, sizeof call, "MPI_File_set_view with \"%.*s\"", MPI_MAX_DATAREP_STRING, datarep);
    return tf_file_same(file->comm, call, "the size of etype in the file", view ? view->unit : 0, err);
}

int tf_file_set_view(struct tf_file *file, MPI_Offset disp, struct tf_type *etype, struct tf_type *filetype,
                     const char *datarep, const struct tf_info *info)
{
    struct tf_view *view = NULL;
    int err = make_view(file, disp, etype, filetype, datarep, &view);
    err = view_agree(file, datarep, view, err);
    if (!err && file->comm->rank == 0)
        err = tf_shared_set(file, 0);
    err = take_hints(file, info, err);
    if (err) {
        if (view)
            tf_view_release(view);
        return err;
    }
    tf_view_release(file->view);
    file->view = view;
    file->position = 0;
    return MPI_SUCCESS;
}

int tf_file_get_view(struct tf_file *file, MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *filetype, char *datarep)
{
    const struct tf_view *view = file->view;
    *disp = view->disp;
    *etype = tf_type_share(view->etype);
    *filetype = tf_type_share(view->filetype);
    snprintf(datarep, MPI_MAX_DATAREP_STRING, "%s", view->datarep->name);
    return MPI_SUCCESS;
}

int tf_file_get_type_extent(struct tf_file *file, struct tf_type *type, MPI_Count *extent)
{
    struct tf_type *in_file;
    int err = tf_datarep_type(file->view->datarep, type, &in_file);
    if (err)
        return err;
    *extent = in_file->extent;
    tf_type_release(in_file);
    return MPI_SUCCESS;
}

/* ---- positions ---- */

int tf_file_base(struct tf_file *file, int whence, MPI_Offset current, MPI_Offset *base)
{
    MPI_Offset size;
    int err = MPI_SUCCESS;
    switch (whence) {
    case MPI_SEEK_SET:
        *base = 0;
        break;
    case MPI_SEEK_CUR:
        *base = current;
        break;
    case MPI_SEEK_END:
        err = tf_disk_size(file, &size);
        if (!err)
            *base = tf_view_etypes_before(file->view, size);
        break;
    default:
        err = tf_error(MPI_ERR_ARG, "whence is %d; it must be MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END", whence);
    }
    return err;
}

int tf_file_sum(MPI_Offset base, MPI_Offset offset, MPI_Offset *position)
{
    if (!__builtin_add_overflow(base, offset, position) && *position >= 0)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_ARG, "offset is %lld from position %lld, which is %s", (long long)offset, (long long)base,
                    offset < 0 ? "before the beginning of the view" : "more than a position can be");
}

static int refuse_sequential(const struct tf_file *file)
{
    if (!(file->amode & MPI_MODE_SEQUENTIAL))
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_UNSUPPORTED_OPERATION,
                    "%s is open with MPI_MODE_SEQUENTIAL, in which there is the shared file pointer alone", file->path);
}

int tf_file_seek(struct tf_file *file, MPI_Offset offset, int whence)
{
    MPI_Offset base, position;
    int err = refuse_sequential(file);
    if (!err)
        err = tf_file_base(file, whence, file->position, &base);
    if (!err)
        err = tf_file_sum(base, offset, &position);
    if (!err)
        file->position = position;
    return err;
}

int tf_file_get_position(const struct tf_file *file, MPI_Offset *offset)
{
    int err = refuse_sequential(file);
    if (!err)
        *offset = file->position;
    return err;
}

int tf_file_get_byte_offset(const struct tf_file *file, MPI_Offset offset, MPI_Offset *disp)
{
    if (offset < 0)
        return tf_error(MPI_ERR_ARG, "offset is %lld; it must be at least 0", (long long)offset);
    if (!tf_view_holds(file->view, offset, 0))
        return tf_error(MPI_ERR_ARG, "offset is %lld, which in this view lies beyond what a file can hold",
                        (long long)offset);
    *disp = tf_view_offset(file->view, offset);
    return MPI_SUCCESS;
}
