/* pack.c - moving bytes between a typed buffer and its packed stream, from any position for any length.
 *
 * A part of a node is a part of a child, whole children, and a part of a child: two ways down at most, along which a
 * position is found by a division or a binary search.  Whole nodes are moved without looking at positions.
 *
 *     position              length
 *        |---------------------------------------------|
 *     [  ----][----------][----------][----------][----      ]
 *      part    whole children                       part
 *
 * Where a few runs are a child that is repeated the loops are interchanged, for a piece of the repetition that stays in
 * the first-level cache: each of them is then many runs of one length.
 */
#include "type/runs.h"
#include "type/type.h"

enum {
    FEW = 32,        /* runs of a child that are interchanged with its repetition */
    LEAST = 4,       /* repetitions for which they are */
    WIDE = 256,      /* packed bytes of a child for which they are not */
    TILE = 8 * 1024, /* bytes of memory that repetitions span which are taken together */
    LEAST_TILE = 32  /* repetitions */
};

/* ---- whole nodes ---- */

static size_t length_of(const struct tf_node *node, size_t run)
{
    return node->kind == TF_NODE_PIECES ? node->before[run + 1] - node->before[run] : node->child->size;
}

/* How many of the runs from the first on may be moved together; their places. */
static size_t find_group(const struct tf_node *node, size_t first, ptrdiff_t *places)
{
    size_t length = length_of(node, first), n = 0;
    while (n < TF_RUNS_FEW && first + n < node->n && length_of(node, first + n) == length) {
        places[n] = tf_node_place(node, first + n);
        n++;
    }
    return tf_runs_may_be_grouped(length) ? n : 1;
}

static bool is_pair(const struct tf_node *node, size_t first)
{
    return first + 1 < node->n && tf_runs_may_be_paired(length_of(node, first)) &&
           tf_runs_may_be_paired(length_of(node, first + 1));
}

/* The runs of a child, each n times. */
static void interchange(enum tf_runs_way way, const struct tf_node *child, uintptr_t memory, ptrdiff_t stride,
                        char *stream, size_t n)
{
    ptrdiff_t places[TF_RUNS_FEW];
    for (size_t i = 0, few; i < child->n; i += few) {
        size_t length = length_of(child, i), bytes = length;
        uintptr_t first = memory + (size_t)tf_node_place(child, i);
        few = find_group(child, i, places);
        if (few > 1) {
            bytes = few * length;
            tf_runs_grouped(way, memory, stride, stream, child->size, places, few, length, n);
        } else if (is_pair(child, i)) {
            few = 2;
            bytes += length_of(child, i + 1);
            tf_runs_paired(way, first, stride, stream, child->size,
                           tf_node_place(child, i + 1) - tf_node_place(child, i), length, bytes - length, n);
        } else {
            tf_runs_strided(way, first, stride, stream, child->size, length, n);
        }
        stream += bytes;
    }
}

static void interchange_tiles(enum tf_runs_way way, const struct tf_node *child, uintptr_t memory, ptrdiff_t stride,
                              char *stream, size_t n)
{
    size_t apart = (size_t)(stride < 0 ? -stride : stride);
    size_t most = apart < TILE / LEAST_TILE ? TILE / (apart | 1) : LEAST_TILE;
    for (size_t done = 0; done < n; done += most)
        interchange(way, child, memory + done * (size_t)stride, stride, stream + done * child->size,
                    n - done < most ? n - done : most);
}

static bool is_interchanged(const struct tf_node *child, size_t n)
{
    if (child->n > FEW || n < LEAST || child->size >= WIDE)
        return false;
    return child->kind == TF_NODE_PIECES ||
           ((child->kind == TF_NODE_LOOP || child->kind == TF_NODE_BLOCKS) && child->child->kind == TF_NODE_LEAF);
}

static void move_node(enum tf_runs_way way, const struct tf_node *node, uintptr_t memory, char *stream);

/* n whole children of a LOOP. */
static void move_loop(enum tf_runs_way way, const struct tf_node *child, uintptr_t memory, ptrdiff_t stride,
                      char *stream, size_t n)
{
    if (child->kind == TF_NODE_LEAF)
        tf_runs_row(way, memory, stride, stream, child->size, n);
    else if (is_interchanged(child, n))
        interchange_tiles(way, child, memory, stride, stream, n);
    else
        for (; n > 0; n--, memory += (size_t)stride, stream += child->size)
            move_node(way, child, memory, stream);
}

/* n whole children of BLOCKS. */
static void move_blocks(enum tf_runs_way way, const struct tf_node *child, uintptr_t memory, const ptrdiff_t *offsets,
                        char *stream, size_t n)
{
    if (child->kind == TF_NODE_LEAF)
        tf_runs_indexed(way, memory, offsets, stream, child->size, n);
    else
        for (size_t i = 0; i < n; i++, stream += child->size)
            move_node(way, child, memory + (size_t)offsets[i], stream);
}

static void move_node(enum tf_runs_way way, const struct tf_node *node, uintptr_t memory, char *stream)
{
    switch (node->kind) {
    case TF_NODE_LEAF:
        tf_runs_one(way, memory, stream, node->size);
        break;
    case TF_NODE_LOOP:
        move_loop(way, node->child, memory, node->stride, stream, node->n);
        break;
    case TF_NODE_BLOCKS:
        move_blocks(way, node->child, memory, node->offsets, stream, node->n);
        break;
    case TF_NODE_PIECES:
        tf_runs_listed(way, memory, node->offsets, node->before, stream, node->n);
        break;
    case TF_NODE_LIST:
        for (size_t i = 0; i < node->n; i++)
            move_node(way, node->children[i], memory + (size_t)node->offsets[i], stream + node->before[i]);
    }
}

/* ---- bytes [pos, pos + len) of a node ---- */

static void move_part(enum tf_runs_way way, const struct tf_node *node, uintptr_t memory, size_t pos, char *stream,
                      size_t len);

static size_t shorter(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Of a LOOP or BLOCKS. */
static void part_of_equal(enum tf_runs_way way, const struct tf_node *node, uintptr_t memory, size_t pos, char *stream,
                          size_t len)
{
    const struct tf_node *child = node->child;
    size_t i = pos ? pos / child->size : 0, skip = pos - i * child->size;
    if (skip > 0) {
        size_t bytes = shorter(child->size - skip, len);
        move_part(way, child, memory + (size_t)tf_node_place(node, i), skip, stream, bytes);
        stream += bytes, len -= bytes, i++;
    }
    size_t n = len / child->size, rest = len - n * child->size;
    if (n > 0 && node->kind == TF_NODE_LOOP)
        move_loop(way, child, memory + (size_t)tf_node_place(node, i), node->stride, stream, n);
    else if (n > 0)
        move_blocks(way, child, memory, node->offsets + i, stream, n);
    if (rest > 0)
        move_part(way, child, memory + (size_t)tf_node_place(node, i + n), 0, stream + n * child->size, rest);
}

/* Of PIECES. */
static void part_of_pieces(enum tf_runs_way way, const struct tf_node *node, uintptr_t memory, size_t pos, char *stream,
                           size_t len)
{
    size_t i = tf_node_find(node, pos), last = tf_node_find(node, pos + len - 1);
    size_t skip = pos - node->before[i], bytes = shorter(node->before[i + 1] - pos, len);
    tf_runs_one(way, memory + (size_t)node->offsets[i] + skip, stream, bytes);
    if (last == i)
        return;
    stream += bytes, i++;
    tf_runs_listed(way, memory, node->offsets + i, node->before + i, stream, last - i);
    stream += node->before[last] - node->before[i];
    tf_runs_one(way, memory + (size_t)node->offsets[last], stream, pos + len - node->before[last]);
}

static void part_of_list(enum tf_runs_way way, const struct tf_node *node, uintptr_t memory, size_t pos, char *stream,
                         size_t len)
{
    for (size_t i = tf_node_find(node, pos); len > 0; i++) {
        size_t skip = pos - node->before[i], bytes = shorter(node->before[i + 1] - pos, len);
        move_part(way, node->children[i], memory + (size_t)node->offsets[i], skip, stream, bytes);
        pos += bytes, stream += bytes, len -= bytes;
    }
}

static void move_part(enum tf_runs_way way, const struct tf_node *node, uintptr_t memory, size_t pos, char *stream,
                      size_t len)
{
    if (node->kind == TF_NODE_LEAF)
        tf_runs_one(way, memory + pos, stream, len);
    else if (len == node->size)
        move_node(way, node, memory, stream);
    else if (node->kind == TF_NODE_PIECES)
        part_of_pieces(way, node, memory, pos, stream, len);
    else if (node->kind == TF_NODE_LIST)
        part_of_list(way, node, memory, pos, stream, len);
    else
        part_of_equal(way, node, memory, pos, stream, len);
}

/* ---- of a type ---- */

static void move(enum tf_runs_way way, const struct tf_type *type, uintptr_t buf, size_t pos, char *stream, size_t len)
{
    const struct tf_nest *nest = &type->nest;
    if (len > 0)
        move_part(way, &nest->elements, buf + (size_t)nest->offset, pos, stream, len);
}

void tf_type_pack(const struct tf_type *type, const void *buf, MPI_Count count, size_t pos, void *dst, size_t len)
{
    (void)count;
    move(TF_PACK, type, (uintptr_t)buf, pos, dst, len);
}

void tf_type_unpack(const struct tf_type *type, void *buf, MPI_Count count, size_t pos, const void *src, size_t len)
{
    (void)count;
    move(TF_UNPACK, type, (uintptr_t)buf, pos, (char *)src, len);
}

/* Both with gaps: through a piece of stack that stays in the first-level cache. */
static void copy_pieces(void *dst, MPI_Count dcount, const struct tf_type *dtype, const void *src, MPI_Count scount,
                        const struct tf_type *stype, size_t len)
{
    char piece[8192];
    for (size_t pos = 0, n; pos < len; pos += n) {
        n = len - pos < sizeof piece ? len - pos : sizeof piece;
        tf_type_pack(stype, src, scount, pos, piece, n);
        tf_type_unpack(dtype, dst, dcount, pos, piece, n);
    }
}

void tf_type_copy(void *dst, MPI_Count dcount, const struct tf_type *dtype, const void *src, MPI_Count scount,
                  const struct tf_type *stype)
{
    size_t dlen = dcount * dtype->size, slen = scount * stype->size;
    size_t len = dlen < slen ? dlen : slen;
    if (dtype->dense)
        tf_type_pack(stype, src, scount, 0, (void *)((uintptr_t)dst + dtype->true_lb), len);
    else if (stype->dense)
        tf_type_unpack(dtype, dst, dcount, 0, (const void *)((uintptr_t)src + stype->true_lb), len);
    else
        copy_pieces(dst, dcount, dtype, src, scount, stype, len);
}

static MPI_Count least(MPI_Count a, MPI_Count b)
{
    return a < b ? a : b;
}

static MPI_Count greatest(MPI_Count a, MPI_Count b)
{
    return a > b ? a : b;
}

void tf_type_span(const struct tf_type *type, MPI_Count count, size_t *span, ptrdiff_t *shift)
{
    MPI_Count reach = 0;
    if (count > 0 && __builtin_mul_overflow(count - 1, type->extent, &reach)) {
        /* No memory can be that large: let the allocation say so. */
        *span = SIZE_MAX;
        *shift = 0;
        return;
    }
    MPI_Count ub = type->lb + type->extent;
    MPI_Count low = least(type->true_lb, least(type->lb, ub)) + least(reach, 0);
    MPI_Count high = greatest(type->true_lb + type->true_extent, greatest(type->lb, ub)) + greatest(reach, 0);
    *span = count > 0 ? high - low : 0;
    *shift = count > 0 ? low : 0;
}
