/* split.c - split collective access (MPI-5.0 section 14.4.5): a nonblocking one whose request the file keeps. */
#include "file/collective.h"

#include "msg/msg.h"

enum which { AT_ALL, ALL, ORDERED };

static const char *const names[2][3] = {{"MPI_File_read_at_all", "MPI_File_read_all", "MPI_File_read_ordered"},
                                        {"MPI_File_write_at_all", "MPI_File_write_all", "MPI_File_write_ordered"}};

struct tf_split {
    bool write;
    enum which which;
    MPI_Request request;
};

/* The begin call of a rank that has no memory fails there; what the others do is told by the operation itself. */
static int begin(struct tf_collective_call *call, enum which which)
{
    struct tf_split *split = tf_alloc(sizeof *split, "a split collective");
    if (!split && !call->error)
        call->error = MPI_ERR_NO_MEM;
    MPI_Request request;
    int err = tf_collective_begin(call, &request);
    if (err || call->error) {
        free(split);
        return err ? err : tf_wait(&request, MPI_STATUS_IGNORE, NULL);
    }
    *split = (struct tf_split){call->write, which, request};
    call->file->split = split;
    return MPI_SUCCESS;
}

static int complain(const struct tf_file *file, bool write, enum which which)
{
    const struct tf_split *split = file->split;
    if (!split)
        return tf_error(MPI_ERR_OTHER, "%s_end is called, but no split collective of %s is under way",
                        names[write][which], file->path);
    return tf_error(MPI_ERR_OTHER, "%s_end is called, but it was %s_begin that has begun the split collective of %s",
                    names[write][which], names[split->write][split->which], file->path);
}

static int end(struct tf_file *file, bool write, enum which which, MPI_Status *status)
{
    struct tf_split *split = file->split;
    if (!split || split->write != write || split->which != which)
        return complain(file, write, which);
    int err = tf_wait(&split->request, status, NULL);
    file->split = NULL;
    free(split);
    return err;
}

static int begin_all(struct tf_file *file, bool write, void *buf, MPI_Count count, struct tf_type *type)
{
    struct tf_collective_call call = {file, write, 0, buf, count, type, MPI_SUCCESS};
    tf_collective_next(&call);
    return begin(&call, ALL);
}

static int begin_at_all(struct tf_file *file, bool write, MPI_Offset offset, void *buf, MPI_Count count,
                        struct tf_type *type)
{
    struct tf_collective_call call = {file, write, 0, buf, count, type, MPI_SUCCESS};
    tf_collective_at(&call, offset);
    return begin(&call, AT_ALL);
}

static int begin_ordered(struct tf_file *file, bool write, void *buf, MPI_Count count, struct tf_type *type)
{
    struct tf_collective_call call = {file, write, 0, buf, count, type, MPI_SUCCESS};
    tf_type_retain(type);
    tf_collective_order(&call);
    int err = begin(&call, ORDERED);
    tf_type_release(type);
    return err;
}

int tf_file_read_all_begin(struct tf_file *file, void *buf, MPI_Count count, struct tf_type *type)
{
    return begin_all(file, false, buf, count, type);
}

int tf_file_read_all_end(struct tf_file *file, void *buf, MPI_Status *status)
{
    (void)buf;
    return end(file, false, ALL, status);
}

int tf_file_write_all_begin(struct tf_file *file, const void *buf, MPI_Count count, struct tf_type *type)
{
    return begin_all(file, true, (void *)buf, count, type);
}

int tf_file_write_all_end(struct tf_file *file, const void *buf, MPI_Status *status)
{
    (void)buf;
    return end(file, true, ALL, status);
}

int tf_file_read_at_all_begin(struct tf_file *file, MPI_Offset offset, void *buf, MPI_Count count, struct tf_type *type)
{
    return begin_at_all(file, false, offset, buf, count, type);
}

int tf_file_read_at_all_end(struct tf_file *file, void *buf, MPI_Status *status)
{
    (void)buf;
    return end(file, false, AT_ALL, status);
}

int tf_file_write_at_all_begin(struct tf_file *file, MPI_Offset offset, const void *buf, MPI_Count count,
                               struct tf_type *type)
{
    return begin_at_all(file, true, offset, (void *)buf, count, type);
}

int tf_file_write_at_all_end(struct tf_file *file, const void *buf, MPI_Status *status)
{
    (void)buf;
    return end(file, true, AT_ALL, status);
}

int tf_file_read_ordered_begin(struct tf_file *file, void *buf, MPI_Count count, struct tf_type *type)
{
    return begin_ordered(file, false, buf, count, type);
}

int tf_file_read_ordered_end(struct tf_file *file, void *buf, MPI_Status *status)
{
    (void)buf;
    return end(file, false, ORDERED, status);
}

int tf_file_write_ordered_begin(struct tf_file *file, const void *buf, MPI_Count count, struct tf_type *type)
{
    return begin_ordered(file, true, (void *)buf, count, type);
}

int tf_file_write_ordered_end(struct tf_file *file, const void *buf, MPI_Status *status)
{
    (void)buf;
    return end(file, true, ORDERED, status);
}
