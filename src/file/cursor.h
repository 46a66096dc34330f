/* cursor.h - a walk over the bytes that a view shows: tiles of a filetype, one after the other from a displacement on.
 *
 *     disp   tile 0          tile 1          tile 2
 *     |......xxx..xx.........xxx..xx.........xxx..xx...      x: bytes of the view, numbered from 0
 *
 * Pure: it knows nothing of files.  Numbers are bytes of the view, offsets bytes of the file.  It is the walk over a
 * buffer of endless tiles (type/cursor.h).
 */
#ifndef TF_FILE_CURSOR_H
#define TF_FILE_CURSOR_H

#include "type/cursor.h"

struct tf_walk {
    MPI_Offset disp;
    struct tf_cursor cursor;
};

/* At byte 0.  The tile is committed, and outlives the walk. */
void tf_walk_open(struct tf_walk *walk, MPI_Offset disp, const struct tf_type *tile);
/* To byte `number`. */
void tf_walk_seek(struct tf_walk *walk, MPI_Count number);
/* The next gap-free piece, as long as can be but at most `most` bytes: its length, and its offset in *offset.  0 only
 * where `most` is or the tile has no bytes. */
MPI_Count tf_walk_next(struct tf_walk *walk, MPI_Count most, MPI_Offset *offset);

/* How many more pieces follow a piece of that length, as long as it, each `*stride` behind the one before, and at most
 * `most` bytes; there may be still more.  The walk is moved behind them. */
MPI_Count tf_walk_repeat(struct tf_walk *walk, MPI_Count length, MPI_Count most, MPI_Count *stride);

/* The offset of byte `number`; of a tile without bytes that of the tile. */
MPI_Offset tf_walk_offset(const struct tf_walk *walk, MPI_Count number);
/* How many of the first bytes of a view lie each behind the one before it; INT64_MAX: all.  (A view that is only read
 * may show bytes twice, and tiles may be shorter than what they hold, MPI-5.0 section 14.1.1.)  O(nodes of a tile). */
MPI_Count tf_walk_ordered(const struct tf_type *tile);
/* Whether no gap-free piece of a type begins before one that comes earlier; they may overlap. */
bool tf_walk_never_returns(const struct tf_type *type);
/* Of an ordered view: how many of its bytes lie before that offset, which is the number of the first one at or after
 * it.  Where only the bytes of the first tile are in order: how many of these. */
MPI_Count tf_walk_before(const struct tf_walk *walk, MPI_Offset offset);
/* How long the pieces of a view are on average; INT64_MAX if it has no gaps. */
MPI_Count tf_walk_piece(const struct tf_type *tile);
/* How long the holes between the pieces of an ordered one are: on average, and the first one.  (Rows of a part of an
 * array lie close together, its planes do not.) */
MPI_Count tf_walk_hole(const struct tf_type *tile);
MPI_Count tf_walk_first_hole(const struct tf_type *tile);
/* Whether it is loops of one piece. */
bool tf_walk_is_regular(const struct tf_type *tile);

#endif
