/* sieve.c - independent access to a view; see sieve.h. */
#include "file/sieve.h"

#include "file/cursor.h"

struct access {
    struct tf_file *file;
    struct tf_walk cursor;
    struct tf_stream *stream;
    bool write;
    MPI_Count from;
    char *buffer; /* of a part of the stream, or of the file; NULL: pieces go straight between file and stream */
    size_t room;
    bool by_ranges;           /* pieces are regular, or some are far apart */
    struct tf_stretches list; /* then those that are read now */
    size_t moved;
    bool ended; /* at the end of the file */
};

/* A call of the system costs about what it takes to copy so many bytes. */
enum { CALL = 4096 };

bool tf_sieve_wins(enum tf_hint hint, bool write, MPI_Count piece, MPI_Count hole)
{
    if (hint != TF_HINT_AUTOMATIC || write)
        return hint == TF_HINT_ENABLE;
    return piece < CALL && hole < CALL;
}

/* ---- piece by piece ---- */

static int move_piece(struct access *a, MPI_Offset offset, char *data, size_t length)
{
    size_t done;
    int err = a->write ? tf_disk_write(a->file, offset, data, length, &done)
                       : tf_disk_read(a->file, offset, data, length, &done);
    a->moved += done;
    a->ended = done < length;
    return err;
}

/* The next bytes of the stream, which lie at data. */
static int move_pieces(struct access *a, char *data, size_t bytes)
{
    int err = MPI_SUCCESS;
    MPI_Offset offset = 0;
    for (size_t at = 0; at < bytes && !err && !a->ended;) {
        MPI_Count length = tf_walk_next(&a->cursor, (MPI_Count)(bytes - at), &offset);
        err = move_piece(a, offset, data + at, (size_t)length);
        at += (size_t)length;
    }
    return err;
}

/* By way of the buffer, since the stream does not lie in memory as it is in the file. */
static int move_buffered(struct access *a)
{
    size_t start = a->moved, bytes = a->stream->bytes - start;
    bytes = bytes < a->room ? bytes : a->room;
    if (a->write)
        tf_stream_get(a->stream, start, a->buffer, bytes);
    int err = move_pieces(a, a->buffer, bytes);
    if (!a->write)
        tf_stream_put(a->stream, start, a->buffer, a->moved - start);
    return err;
}

static int move_directly(struct access *a)
{
    if (!a->buffer)
        return move_pieces(a, a->stream->direct + a->moved, a->stream->bytes - a->moved);
    int err = MPI_SUCCESS;
    while (a->moved < a->stream->bytes && !a->ended && !err)
        err = move_buffered(a);
    return err;
}

/* ---- with the holes ---- */

static int read_range(const struct tf_file *file, MPI_Offset begin, MPI_Offset end, char *memory, MPI_Offset *eof)
{
    size_t done = 0;
    int err = tf_disk_read(file, begin, memory, (size_t)(end - begin), &done);
    if (done < (size_t)(end - begin))
        *eof = begin + (MPI_Offset)done;
    return err;
}

int tf_sieve_read(const struct tf_file *file, struct tf_stretch_walk *walks, int n, MPI_Count hole, char *range,
                  MPI_Offset first, MPI_Offset *eof)
{
    MPI_Offset begin, end;
    int last = 0, err = MPI_SUCCESS;
    *eof = INT64_MAX;
    while (!err && *eof == INT64_MAX && tf_stretch_cover(walks, n, hole, &last, &begin, &end))
        err = read_range(file, begin, end, range + (begin - first), eof);
    return err;
}

/* Between the buffer, whose first byte is that of the file at `begin`, and the stream; as far as the file goes. */
static void pick(struct access *a, MPI_Offset begin, size_t there, MPI_Count bytes)
{
    MPI_Offset offset = 0;
    while (bytes > 0 && !a->ended) {
        MPI_Count length = tf_walk_next(&a->cursor, bytes, &offset);
        size_t at = (size_t)(offset - begin), n = (size_t)length;
        if (!a->write && at + n > there) {
            n = at < there ? there - at : 0;
            a->ended = true;
        }
        if (a->write)
            tf_stream_get(a->stream, a->moved, a->buffer + at, n);
        else
            tf_stream_put(a->stream, a->moved, a->buffer + at, n);
        a->moved += n;
        bytes -= length;
    }
}

static int read_span(struct access *a, MPI_Offset begin, size_t span, MPI_Count bytes)
{
    size_t there;
    int err = tf_disk_read(a->file, begin, a->buffer, span, &there);
    if (!err)
        pick(a, begin, there, bytes);
    return err;
}

/* What is behind `a->moved` and listed, to or from where the byte at `begin` is. */
static void copy_listed(struct access *a, size_t bytes, char *range, MPI_Offset begin)
{
    tf_stream_copy(a->stream, a->write, a->moved, bytes, &a->list, range, begin);
    a->moved += bytes;
}

/* Without the long holes, and of regular pieces many at once. */
static int read_ranges(struct access *a, MPI_Offset begin, MPI_Count bytes)
{
    MPI_Offset eof = INT64_MAX;
    int err = tf_stretch_list(&a->list, &a->cursor, bytes);
    struct tf_stretch_walk walk = {.list = &a->list};
    if (!err)
        err = tf_sieve_read(a->file, &walk, 1, CALL, a->buffer, begin, &eof);
    if (err)
        return err;
    size_t there = (size_t)tf_stretch_before(&a->list, eof);
    copy_listed(a, there, a->buffer, begin);
    a->ended = (MPI_Count)there < bytes;
    return MPI_SUCCESS;
}

static int sieve_write(struct access *a, MPI_Offset begin, size_t span, MPI_Count bytes)
{
    size_t there, before = a->moved;
    int err = a->file->atomic ? MPI_SUCCESS : tf_disk_lock(a->file, begin, (MPI_Offset)span, true);
    if (err)
        return err;
    err = tf_disk_read(a->file, begin, a->buffer, span, &there);
    if (!err) {
        memset(a->buffer + there, 0, span - there);
        pick(a, begin, span, bytes);
        err = tf_disk_write(a->file, begin, a->buffer, span, &there);
    }
    if (err)
        a->moved = before;
    if (!a->file->atomic)
        tf_disk_unlock(a->file, begin, (MPI_Offset)span);
    return err;
}

/* From `begin` to the end of that byte, with the holes. */
static size_t span_to(const struct access *a, MPI_Offset begin, MPI_Count number)
{
    return (size_t)(tf_walk_offset(&a->cursor, number) + 1 - begin);
}

/* Of `left` bytes from number `first` on, which lies at `begin`, those for which the buffer has room with the holes. */
static MPI_Count fitting(const struct access *a, MPI_Count first, MPI_Count left, MPI_Offset begin)
{
    if (span_to(a, begin, first + left - 1) <= a->room)
        return left;
    return tf_walk_before(&a->cursor, begin + (MPI_Offset)a->room) - first;
}

/* What follows next, as far as there is room: how many bytes, where they begin, and what they span. */
static MPI_Count next(const struct access *a, MPI_Offset *begin, size_t *span)
{
    MPI_Count first = a->from + (MPI_Count)a->moved;
    *begin = tf_walk_offset(&a->cursor, first);
    MPI_Count bytes = fitting(a, first, (MPI_Count)(a->stream->bytes - a->moved), *begin);
    *span = span_to(a, *begin, first + bytes - 1);
    return bytes;
}

static int sieve_some(struct access *a)
{
    MPI_Offset begin;
    size_t span;
    MPI_Count bytes = next(a, &begin, &span);
    if (a->write)
        return sieve_write(a, begin, span, bytes);
    return a->by_ranges ? read_ranges(a, begin, bytes) : read_span(a, begin, span, bytes);
}

static int sieve(struct access *a)
{
    const struct tf_type *tile = a->cursor.cursor.type;
    int err = MPI_SUCCESS;
    a->by_ranges = tf_walk_is_regular(tile) || tf_walk_hole(tile) >= CALL;
    while (a->moved < a->stream->bytes && !a->ended && !err)
        err = sieve_some(a);
    tf_stretch_free(&a->list);
    return err;
}

/* ---- without the holes, into the file as memory ---- */

/* *mapped: false if the system does not let us. */
static int store_some(struct access *a, bool *mapped)
{
    struct tf_mapped range;
    MPI_Offset begin;
    size_t span;
    MPI_Count bytes = next(a, &begin, &span);
    char *at = tf_disk_map(a->file, begin, span, &range);
    *mapped = at != NULL;
    if (!at)
        return MPI_SUCCESS;
    int err = tf_stretch_list(&a->list, &a->cursor, bytes);
    if (!err)
        copy_listed(a, (size_t)bytes, at, begin);
    tf_disk_unmap(a->file, &range);
    return err;
}

enum { RANGE = 4 << 20 }; /* of a file as memory, at a time */

/* As much as the system lets us. */
static int store(struct access *a)
{
    int err = MPI_SUCCESS;
    a->room = RANGE;
    for (bool mapped = true; mapped && a->moved < a->stream->bytes && !err;)
        err = store_some(a, &mapped);
    tf_stretch_free(&a->list);
    tf_walk_seek(&a->cursor, a->from + (MPI_Count)a->moved);
    return err;
}

/* ---- which ---- */

static bool is_ordered(const struct access *a)
{
    return a->from + (MPI_Count)a->stream->bytes <= a->stream->view->ordered;
}

static bool may_sieve(const struct access *a)
{
    const struct tf_type *tile = a->cursor.cursor.type;
    const struct tf_file_hints *hints = &a->file->hints;
    MPI_Count piece = tf_walk_piece(tile), hole = tf_walk_hole(tile), first = tf_walk_first_hole(tile);
    return (MPI_Count)a->stream->bytes > piece &&
           tf_sieve_wins(a->write ? hints->ds_write : hints->ds_read, a->write, piece, hole < first ? hole : first) &&
           is_ordered(a) && a->file->readable;
}

static bool may_store(const struct access *a)
{
    const struct tf_type *tile = a->cursor.cursor.type;
    MPI_Count piece = tf_walk_piece(tile), pieces = (MPI_Count)a->stream->bytes / piece;
    return a->write && pieces > 0 && tf_disk_map_wins(a->file, pieces, piece + tf_walk_hole(tile)) && is_ordered(a);
}

static int move_all(struct access *a)
{
    const struct tf_file_hints *hints = &a->file->hints;
    bool sieves = may_sieve(a);
    int err = may_store(a) ? store(a) : MPI_SUCCESS;
    if (err || a->moved == a->stream->bytes)
        return err;
    if (sieves || !a->stream->direct) {
        a->room = (size_t)(a->write ? hints->write_buffer : hints->read_buffer);
        if (!sieves && a->stream->bytes < a->room)
            a->room = a->stream->bytes;
        a->buffer = tf_alloc(a->room, "pieces of a file");
        if (!a->buffer)
            return MPI_ERR_NO_MEM;
    }
    err = sieves ? sieve(a) : move_directly(a);
    free(a->buffer);
    return err;
}

int tf_sieve_move(struct tf_file *file, bool write, MPI_Count from, struct tf_stream *stream, size_t *moved)
{
    struct access a = {.file = file, .stream = stream, .write = write, .from = from};
    tf_walk_open(&a.cursor, stream->view->disp, stream->view->tile);
    tf_walk_seek(&a.cursor, from);
    int err = stream->bytes > 0 ? move_all(&a) : MPI_SUCCESS;
    *moved = a.moved;
    return err;
}
