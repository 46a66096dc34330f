/* cursor.c - the walk over a view; see cursor.h. */
#include "file/cursor.h"

void tf_walk_open(struct tf_walk *walk, MPI_Offset disp, const struct tf_type *tile)
{
    walk->disp = disp;
    tf_cursor_open(&walk->cursor, tile, INT64_MAX);
}

void tf_walk_seek(struct tf_walk *walk, MPI_Count number)
{
    if (walk->cursor.type->size > 0)
        tf_cursor_seek(&walk->cursor, (size_t)number);
}

MPI_Count tf_walk_next(struct tf_walk *walk, MPI_Count most, MPI_Offset *offset)
{
    ptrdiff_t at;
    if (most <= 0 || walk->cursor.type->size == 0)
        return 0;
    size_t length = tf_cursor_next(&walk->cursor, (size_t)most, &at);
    *offset = walk->disp + at;
    return (MPI_Count)length;
}

MPI_Count tf_walk_repeat(struct tf_walk *walk, MPI_Count length, MPI_Count most, MPI_Count *stride)
{
    ptrdiff_t apart = 0;
    size_t n = tf_cursor_repeat(&walk->cursor, (size_t)length, (size_t)most, &apart);
    *stride = apart;
    return (MPI_Count)n;
}

MPI_Offset tf_walk_offset(const struct tf_walk *walk, MPI_Count number)
{
    struct tf_walk there = *walk;
    MPI_Offset offset = walk->disp;
    tf_walk_seek(&there, number);
    tf_walk_next(&there, 1, &offset);
    return offset;
}

/* ---- order ---- */

/* Of the bytes of a node: where the first one lies, the last run begins, and it ends. */
struct reach {
    ptrdiff_t first, last, end;
};

static bool is_ordered(const struct tf_node *node, bool twice, struct reach *reach);

/* Another part lies `at` there: behind what the reach holds so far, or, if bytes may be shown twice, not before the
 * beginning of its last run?  What lies end to end is one run. */
static bool extends(struct reach *reach, const struct reach *part, ptrdiff_t at, bool twice)
{
    bool behind = at + part->first >= (twice ? reach->last : reach->end);
    if (at + part->first != reach->end || part->last != part->first)
        reach->last = at + part->last;
    reach->end = at + part->end;
    return behind;
}

static bool is_loop_ordered(const struct tf_node *node, bool twice, struct reach *reach)
{
    if (!is_ordered(node->child, twice, reach))
        return false;
    ptrdiff_t span = (twice ? reach->last : reach->end) - reach->first;
    if (node->n > 1 && node->stride < span)
        return false;
    reach->last += (ptrdiff_t)(node->n - 1) * node->stride;
    reach->end += (ptrdiff_t)(node->n - 1) * node->stride;
    return true;
}

static bool part_of(const struct tf_node *node, size_t i, bool twice, struct reach *part)
{
    if (node->kind != TF_NODE_PIECES)
        return is_ordered(node->kind == TF_NODE_LIST ? node->children[i] : node->child, twice, part);
    *part = (struct reach){0, 0, (ptrdiff_t)(node->before[i + 1] - node->before[i])};
    return true;
}

static bool is_ordered(const struct tf_node *node, bool twice, struct reach *reach)
{
    struct reach part;
    if (node->kind == TF_NODE_LEAF) {
        *reach = (struct reach){0, 0, (ptrdiff_t)node->size};
        return true;
    }
    if (node->kind == TF_NODE_LOOP)
        return is_loop_ordered(node, twice, reach);
    if (!part_of(node, 0, twice, &part))
        return false;
    ptrdiff_t at = node->offsets[0];
    *reach = (struct reach){at + part.first, at + part.last, at + part.end};
    for (size_t i = 1; i < node->n; i++)
        if ((node->kind != TF_NODE_BLOCKS && !part_of(node, i, twice, &part)) ||
            !extends(reach, &part, node->offsets[i], twice))
            return false;
    return true;
}

/* No tile begins before the end of the one before. */
static bool is_tiling(const struct tf_type *tile)
{
    return tile->extent >= tile->true_extent;
}

MPI_Count tf_walk_ordered(const struct tf_type *tile)
{
    struct reach reach;
    if (tile->size == 0)
        return INT64_MAX;
    if (!is_ordered(tile->nest.element, false, &reach))
        return 0;
    return is_tiling(tile) ? INT64_MAX : tile->size;
}

bool tf_walk_never_returns(const struct tf_type *type)
{
    struct reach reach;
    return type->size == 0 || is_ordered(type->nest.element, true, &reach);
}

MPI_Count tf_walk_before(const struct tf_walk *walk, MPI_Offset offset)
{
    const struct tf_type *tile = walk->cursor.type;
    MPI_Offset first = tf_walk_offset(walk, 0);
    if (tile->size == 0 || offset <= first)
        return 0;
    /* The first one lies before it, that of the next tile does not. */
    MPI_Count low = 0, high = is_tiling(tile) ? ((offset - first) / tile->extent + 1) * tile->size : tile->size;
    while (high - low > 1) {
        MPI_Count middle = low + (high - low) / 2;
        if (tf_walk_offset(walk, middle) < offset)
            low = middle;
        else
            high = middle;
    }
    return high;
}

MPI_Count tf_walk_piece(const struct tf_type *tile)
{
    if (tile->dense || tile->size == 0)
        return INT64_MAX;
    return tile->size / (MPI_Count)tile->nest.element->runs;
}

MPI_Count tf_walk_hole(const struct tf_type *tile)
{
    return tile->dense || tile->size == 0 ? 0 : (tile->extent - tile->size) / (tile->size / tf_walk_piece(tile));
}

MPI_Count tf_walk_first_hole(const struct tf_type *tile)
{
    struct tf_walk walk;
    MPI_Offset at = 0, next = 0;
    tf_walk_open(&walk, 0, tile);
    MPI_Count length = tf_walk_next(&walk, tile->size, &at);
    return tf_walk_next(&walk, 1, &next) > 0 ? next - (at + length) : 0;
}

bool tf_walk_is_regular(const struct tf_type *tile)
{
    const struct tf_node *node = tile->size > 0 ? tile->nest.element : NULL;
    while (node && node->kind == TF_NODE_LOOP)
        node = node->child;
    return node && node->kind == TF_NODE_LEAF;
}
