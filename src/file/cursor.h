/* cursor.h - a walk over the bytes that a view shows: tiles of a filetype, one after the other from a displacement on.
 *
 *     disp   tile 0          tile 1          tile 2
 *     |......xxx..xx.........xxx..xx.........xxx..xx...      x: bytes of the view, numbered from 0
 *
 * Pure: it knows nothing of files.  Numbers are bytes of the view, offsets bytes of the file.  No list is made, so a
 * tile costs what its flattened form does, however many there are.
 */
#ifndef TF_CURSOR_H
#define TF_CURSOR_H

#include "type/type.h"

struct tf_cursor {
    const struct tf_type *tile; /* flattened */
    MPI_Offset disp;
    MPI_Offset base, at; /* offsets of this tile and of this pattern of runs in it (struct tf_flat) */
    size_t rep, seg;     /* the pattern in the tile, the run in the pattern */
    size_t skip;         /* bytes of the run that are behind us */
};

/* At byte 0. */
void tf_cursor_open(struct tf_cursor *cursor, MPI_Offset disp, const struct tf_type *tile);
/* To byte `number`. */
void tf_cursor_seek(struct tf_cursor *cursor, MPI_Count number);
/* The next gap-free piece, as long as can be but at most `most` bytes: its length, and its offset in *offset.  0 only
 * where `most` is or the tile has no bytes. */
MPI_Count tf_cursor_next(struct tf_cursor *cursor, MPI_Count most, MPI_Offset *offset);

/* The offset of byte `number`; of a tile without bytes that of the tile. */
MPI_Offset tf_cursor_offset(const struct tf_cursor *cursor, MPI_Count number);
/* Whether each byte of the view lies behind the one before it.  (A view that is only read may show bytes twice, and
 * tiles may be shorter than what they hold, MPI-5.0 section 14.1.1.)  O(runs of a tile). */
bool tf_cursor_is_ordered(const struct tf_type *tile);
/* Of an ordered view: how many of its bytes lie before that offset, which is the number of the first one at or after
 * it. */
MPI_Count tf_cursor_before(const struct tf_cursor *cursor, MPI_Offset offset);

#endif
