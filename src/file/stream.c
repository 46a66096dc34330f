/* stream.c - a program's buffer as bytes of a file. */
#include "file/stream.h"

#include <limits.h>

#include "base/lines.h"
#include "file/datarep.h"
#include "type/construct.h"

bool tf_stream_calls(const struct tf_view *view)
{
    return view->datarep->extent != NULL;
}

/* ---- functions of the program: for one call and for as many as an int takes ---- */

static int call_one(const struct tf_datarep *datarep, bool write, void *buf, MPI_Datatype type, MPI_Count count,
                    void *in_file, MPI_Offset position)
{
    MPI_Datarep_conversion_function *fn = write ? datarep->write : datarep->read;
    MPI_Datarep_conversion_function_c *fn_c = write ? datarep->write_c : datarep->read_c;
    return fn_c ? fn_c(buf, type, count, in_file, position, datarep->state)
                : fn(buf, type, (int)count, in_file, position, datarep->state);
}

static int call_program(const struct tf_stream *stream, bool write, MPI_Count count)
{
    const struct tf_datarep *datarep = stream->view->datarep;
    MPI_Datatype type = (MPI_Datatype)(uintptr_t)(stream->type->obj.handle & 0x7fffffffu);
    MPI_Count most = (write ? datarep->write_c != NULL : datarep->read_c != NULL) ? INT64_MAX : INT_MAX;
    for (MPI_Count done = 0, n; done < count; done += n) {
        n = count - done < most ? count - done : most;
        int err =
            call_one(datarep, write, stream->buf, type, n, (char *)stream->converted + done * stream->element, done);
        if (err)
            return tf_error(MPI_ERR_CONVERSION, "the %s function of the data representation \"%s\" returned %d",
                            write ? "write" : "read", datarep->name, err);
    }
    return MPI_SUCCESS;
}

/* ---- all kinds of conversions, of `count` elements from the first on ---- */

static int no_function(const struct tf_stream *stream, bool write, MPI_Count count)
{
    size_t bytes = (size_t)(count * stream->type->size);
    if (stream->element != stream->type->size)
        return tf_error(MPI_ERR_CONVERSION,
                        "the data representation \"%s\" has no function that converts, but a size of its own",
                        stream->view->datarep->name);
    if (write)
        tf_type_pack(stream->type, stream->buf, count, 0, stream->converted, bytes);
    else
        tf_type_unpack(stream->type, stream->buf, count, 0, stream->converted, bytes);
    return MPI_SUCCESS;
}

static int convert(const struct tf_stream *stream, bool write, MPI_Count count)
{
    const struct tf_datarep *datarep = stream->view->datarep;
    MPI_Count position = 0, bytes = count * stream->element;
    if (!datarep->extent)
        return write ? tf_pack_external("external32", stream->buf, count, stream->type, stream->converted, bytes,
                                        &position)
                     : tf_unpack_external("external32", stream->converted, bytes, &position, stream->buf, count,
                                          stream->type);
    if (write ? datarep->write || datarep->write_c : datarep->read || datarep->read_c)
        return call_program(stream, write, count);
    return no_function(stream, write, count);
}

/* ---- the stream ---- */

static int open_converted(struct tf_stream *stream, bool write)
{
    int err = tf_datarep_size(stream->view->datarep, stream->type, &stream->element);
    if (err)
        return err;
    if (__builtin_mul_overflow((size_t)stream->count, (size_t)stream->element, &stream->bytes))
        return tf_error(MPI_ERR_COUNT, "%lld elements do not fit 64 bits in the file", (long long)stream->count);
    stream->converted = tf_alloc(stream->bytes + 1, "data in the representation of the file");
    if (!stream->converted)
        return MPI_ERR_NO_MEM;
    stream->direct = stream->converted;
    err = write ? convert(stream, true, stream->count) : MPI_SUCCESS;
    if (err)
        free(stream->converted);
    return err;
}

int tf_stream_open(struct tf_stream *stream, const struct tf_view *view, bool write, void *buf, MPI_Count count,
                   struct tf_type *type)
{
    *stream = (struct tf_stream){.view = view, .type = type, .buf = buf, .count = count, .element = type->size};
    if (view->datarep->converts)
        return open_converted(stream, write);
    if (__builtin_mul_overflow((size_t)count, (size_t)type->size, &stream->bytes))
        return tf_error(MPI_ERR_COUNT, "%lld elements do not fit 64 bits", (long long)count);
    if (type->dense)
        stream->direct = (char *)((uintptr_t)buf + (uintptr_t)type->true_lb);
    return MPI_SUCCESS;
}

void tf_stream_get(const struct tf_stream *stream, size_t pos, void *to, size_t bytes)
{
    if (stream->direct)
        memcpy(to, stream->direct + pos, bytes);
    else
        tf_type_pack(stream->type, stream->buf, stream->count, pos, to, bytes);
}

void tf_stream_put(struct tf_stream *stream, size_t pos, const void *from, size_t bytes)
{
    if (stream->direct)
        memcpy(stream->direct + pos, from, bytes);
    else
        tf_type_unpack(stream->type, stream->buf, stream->count, pos, from, bytes);
}

/* Of a buffer of a type with gaps. */
static void copy_typed(struct tf_stream *stream, bool write, size_t pos, size_t bytes, struct tf_stretch_walk *walk,
                       char *range, MPI_Offset begin)
{
    MPI_Offset offset = 0;
    MPI_Count length;
    for (size_t done = 0; done < bytes && (length = tf_stretch_look(walk, &offset)) > 0; done += (size_t)length) {
        length = length < (MPI_Count)(bytes - done) ? length : (MPI_Count)(bytes - done);
        if (write)
            tf_stream_get(stream, pos + done, range + (offset - begin), (size_t)length);
        else
            tf_stream_put(stream, pos + done, range + (offset - begin), (size_t)length);
        tf_stretch_pass(walk, length);
    }
}

/* More than what fits the second cache is stored past the caches, by way of pieces that stay in the first one: stores
 * into memory would fetch each line before they overwrite it.  The walk's next bytes. */
enum { PAST_CACHES = 4 << 20, PIECE = 4096 };

static void gather_past_caches(struct tf_stretch_walk *walk, const char *range, MPI_Offset begin, char *to,
                               size_t bytes)
{
    char piece[PIECE];
    for (size_t n; bytes > 0; to += n, bytes -= n) {
        n = PIECE - (uintptr_t)to % TF_CACHE_LINE;
        n = n < bytes ? n : bytes;
        tf_stretch_gather(walk, range, begin, piece, n);
        tf_lines_store_past(to, piece, n);
    }
    tf_lines_stored();
}

void tf_stream_copy(struct tf_stream *stream, bool write, size_t pos, size_t bytes, const struct tf_stretches *list,
                    char *range, MPI_Offset begin)
{
    struct tf_stretch_walk walk = {.list = list};
    if (!stream->direct)
        copy_typed(stream, write, pos, bytes, &walk, range, begin);
    else if (!write && stream->bytes >= PAST_CACHES)
        gather_past_caches(&walk, range, begin, stream->direct + pos, bytes);
    else if (write)
        tf_stretch_scatter(&walk, range, begin, stream->direct + pos, bytes);
    else
        tf_stretch_gather(&walk, range, begin, stream->direct + pos, bytes);
}

/* Of an element that came in part nothing counts. */
static int close_converted(struct tf_stream *stream, bool write, size_t moved, MPI_Count *native)
{
    MPI_Count whole = stream->element ? (MPI_Count)moved / stream->element : stream->count;
    int err = write ? MPI_SUCCESS : convert(stream, false, whole);
    if (!err)
        *native = whole * stream->type->size;
    free(stream->converted);
    return err;
}

int tf_stream_close(struct tf_stream *stream, bool write, size_t moved, MPI_Count *native)
{
    if (stream->converted)
        return close_converted(stream, write, moved, native);
    *native = (MPI_Count)moved;
    return MPI_SUCCESS;
}
