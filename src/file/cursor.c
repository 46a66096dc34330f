/* cursor.c - the walk over a view; see cursor.h.  Here alone the folder knows how a datatype is flattened: a pattern of
 * runs, repeated in a tile, and tiles, repeated in the file.
 */
#include "file/cursor.h"

/* The run that holds byte `pos` of a pattern. */
static size_t find_run(const struct tf_flat *flat, size_t pos)
{
    size_t low = 0, high = flat->nsegs;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (flat->segs[middle].before <= pos)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void tf_cursor_open(struct tf_cursor *cursor, MPI_Offset disp, const struct tf_type *tile)
{
    *cursor = (struct tf_cursor){.tile = tile, .disp = disp, .base = disp, .at = disp};
}

void tf_cursor_seek(struct tf_cursor *cursor, MPI_Count number)
{
    const struct tf_type *tile = cursor->tile;
    const struct tf_flat *flat = &tile->flat;
    if (tile->size == 0)
        return;
    size_t within = (size_t)(number % tile->size);
    cursor->rep = within / flat->pattern;
    within %= flat->pattern;
    cursor->seg = find_run(flat, within);
    cursor->skip = within - flat->segs[cursor->seg].before;
    cursor->base = cursor->disp + number / tile->size * tile->extent;
    cursor->at = cursor->base + (MPI_Offset)cursor->rep * flat->stride;
}

/* To the beginning of the next run. */
static void step(struct tf_cursor *cursor)
{
    const struct tf_flat *flat = &cursor->tile->flat;
    cursor->skip = 0;
    if (++cursor->seg < flat->nsegs)
        return;
    cursor->seg = 0;
    cursor->at += flat->stride;
    if (++cursor->rep < flat->reps)
        return;
    cursor->rep = 0;
    cursor->at = cursor->base += cursor->tile->extent;
}

static MPI_Offset here(const struct tf_cursor *cursor)
{
    return cursor->at + cursor->tile->flat.segs[cursor->seg].offset + (MPI_Offset)cursor->skip;
}

/* A tile without gaps, the only one in which tiles touch along the whole view. */
static MPI_Count take_dense(struct tf_cursor *cursor, MPI_Count most)
{
    MPI_Count number = (cursor->base - cursor->disp) + (MPI_Count)cursor->skip;
    tf_cursor_seek(cursor, number + most);
    return most;
}

MPI_Count tf_cursor_next(struct tf_cursor *cursor, MPI_Count most, MPI_Offset *offset)
{
    MPI_Count length = 0;
    if (most <= 0 || cursor->tile->size == 0)
        return 0;
    *offset = here(cursor);
    if (cursor->tile->dense)
        return take_dense(cursor, most);
    do {
        MPI_Count left = (MPI_Count)(cursor->tile->flat.segs[cursor->seg].length - cursor->skip);
        if (left > most - length) {
            cursor->skip += (size_t)(most - length);
            return most;
        }
        length += left;
        step(cursor);
    } while (length < most && here(cursor) == *offset + length);
    return length;
}

MPI_Offset tf_cursor_offset(const struct tf_cursor *cursor, MPI_Count number)
{
    struct tf_cursor there;
    if (cursor->tile->size == 0)
        return cursor->disp;
    tf_cursor_open(&there, cursor->disp, cursor->tile);
    tf_cursor_seek(&there, number);
    return here(&there);
}

bool tf_cursor_is_ordered(const struct tf_type *tile)
{
    const struct tf_flat *flat = &tile->flat;
    if (tile->size == 0)
        return true;
    for (size_t i = 1; i < flat->nsegs; i++)
        if (flat->segs[i].offset < flat->segs[i - 1].offset + (ptrdiff_t)flat->segs[i - 1].length)
            return false;
    const struct tf_seg *last = &flat->segs[flat->nsegs - 1];
    ptrdiff_t span = last->offset + (ptrdiff_t)last->length - flat->segs[0].offset;
    ptrdiff_t reach = (ptrdiff_t)(flat->reps - 1) * flat->stride + span;
    return (flat->reps == 1 || flat->stride >= span) && tile->extent >= reach;
}

/* Of the bytes of one pattern those before `offset`, counted from the pattern. */
static MPI_Count before_in_pattern(const struct tf_flat *flat, MPI_Offset offset)
{
    size_t low = 0, high = flat->nsegs;
    if (offset <= flat->segs[0].offset)
        return 0;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (flat->segs[middle].offset < offset)
            low = middle;
        else
            high = middle;
    }
    MPI_Count within = offset - flat->segs[low].offset, length = (MPI_Count)flat->segs[low].length;
    return (MPI_Count)flat->segs[low].before + (within < length ? within : length);
}

/* The same of n equal things, `stride` apart, of which the first byte lies at `first`: which one to look into. */
static MPI_Count which(MPI_Offset offset, MPI_Offset first, MPI_Count stride, MPI_Count n)
{
    MPI_Count i = stride > 0 && offset > first ? (offset - first - 1) / stride : 0;
    return i < n ? i : n - 1;
}

MPI_Count tf_cursor_before(const struct tf_cursor *cursor, MPI_Offset offset)
{
    const struct tf_type *tile = cursor->tile;
    const struct tf_flat *flat = &tile->flat;
    if (tile->size == 0)
        return 0;
    offset -= cursor->disp;
    MPI_Offset first = flat->segs[0].offset;
    MPI_Count k = which(offset, first, tile->extent, INT64_MAX);
    offset -= k * tile->extent;
    MPI_Count rep = which(offset, first, flat->stride, (MPI_Count)flat->reps);
    return k * tile->size + rep * (MPI_Count)flat->pattern + before_in_pattern(flat, offset - rep * flat->stride);
}
