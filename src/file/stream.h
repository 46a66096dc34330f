/* stream.h - what a program's buffer is as bytes in the file: its elements in order, in the file's data representation.
 *
 * The native one is the packed stream of type/; another one is converted as a whole, at the start of a write and at the
 * end of a read.
 */
#ifndef TF_STREAM_H
#define TF_STREAM_H

#include "file/file.h"
#include "file/stretch.h"

struct tf_stream {
    const struct tf_view *view;
    struct tf_type *type;
    void *buf;
    MPI_Count count;
    MPI_Count element; /* bytes of an element in the file */
    size_t bytes;      /* of the stream */
    char *direct;      /* it lies there as it is; NULL: it does not */
    void *converted;   /* NULL: not in another representation */
};

/* `buf` is read if `write`, which is of the file, else it gets what is put.  View, type and buffer are the caller's
 * until the stream is closed.  May call functions of the program (of a representation), if tf_stream_calls(). */
int tf_stream_open(struct tf_stream *stream, const struct tf_view *view, bool write, void *buf, MPI_Count count,
                   struct tf_type *type);
/* Bytes [pos, pos + bytes) of the stream; for any thread. */
void tf_stream_get(const struct tf_stream *stream, size_t pos, void *to, size_t bytes);
void tf_stream_put(struct tf_stream *stream, size_t pos, const void *from, size_t bytes);
/* The first `bytes` bytes of a list of places, which are those from `pos` on of the stream: to the places in memory, if
 * `write`, or from there.  What lies at `begin` in the file is at `range`. */
void tf_stream_copy(struct tf_stream *stream, bool write, size_t pos, size_t bytes, const struct tf_stretches *list,
                    char *range, MPI_Offset begin);
/* The first `moved` bytes have been written, or read and put; *native: how many bytes of the buffer's elements these
 * are, which the status tells.  An error if they cannot be converted; frees what there is in any case. */
int tf_stream_close(struct tf_stream *stream, bool write, size_t moved, MPI_Count *native);
/* A function of the program converts, so no other thread may open or close streams of that view. */
bool tf_stream_calls(const struct tf_view *view);

#endif
