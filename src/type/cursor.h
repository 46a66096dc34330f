/* cursor.h - a walk over the data of a typed buffer: from packed bytes to places in memory, from any byte on.
 *
 * The packed stream of `count` elements is their bytes in type-map order, count * size of them, numbered from 0.
 *
 *     struct tf_cursor c;
 *     ptrdiff_t offset;
 *     size_t n;
 *     tf_cursor_open(&c, type, count);
 *     tf_cursor_seek(&c, position);
 *     while ((n = tf_cursor_next(&c, SIZE_MAX, &offset)) > 0)
 *         the next n bytes of the stream are those at (uintptr_t)buf + offset
 *
 * The type is committed (or predefined) and outlives the cursor, which owns nothing: it may be copied and thrown away.
 * To seek costs as many steps as the type has levels of nesting, and a binary search in each list of irregular blocks;
 * a next piece costs a few instructions, and the same as to seek where a loop or a list ends.
 */
#ifndef TF_CURSOR_H
#define TF_CURSOR_H

#include "type/type.h"

struct tf_cursor {
    const struct tf_type *type;
    size_t position, end; /* packed bytes that are passed; of all elements */
    /* The node of runs that the position lies in, unless it is to be looked up: its place, the run, the bytes of the
     * run that are passed. */
    const struct tf_node *node;
    ptrdiff_t place;
    size_t run, within;
};

/* At the first byte.  Where count * size does not fit a size_t the stream ends after SIZE_MAX bytes: a count of
 * INT64_MAX is as good as endless, as a file view is. */
void tf_cursor_open(struct tf_cursor *c, const struct tf_type *type, MPI_Count count);
/* Any position up to the end. */
void tf_cursor_seek(struct tf_cursor *c, size_t position);
/* The longest run of bytes from here on that lie in a row, but at most `most`: its length, its offset from the buffer's
 * address; the cursor is moved behind it.  0 at the end, or if `most` is 0. */
size_t tf_cursor_next(struct tf_cursor *c, size_t most, ptrdiff_t *offset);
/* How many runs follow that are as long as the one that was passed last, each `*stride` behind the one before, and at
 * most `most` bytes: as far as is known without looking further, so there may be more.  The cursor is moved behind
 * them. */
size_t tf_cursor_repeat(struct tf_cursor *c, size_t length, size_t most, ptrdiff_t *stride);
/* Copy the next bytes, at most those that are left, out of the buffer or into it; how many. */
size_t tf_cursor_read(struct tf_cursor *c, const void *buf, void *to, size_t length);
size_t tf_cursor_write(struct tf_cursor *c, void *buf, const void *from, size_t length);

#endif
