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
 * All time goes into runs of a few bytes that are repeated: those of the size of a basic type or two are a load and a
 * store.  Where few of them are a child that is repeated, the loops are interchanged, for a piece of the repetition
 * that stays in the first-level cache.
 */
#include "type/type.h"

#define INLINE static inline __attribute__((always_inline))

enum {
    FEW = 16,   /* runs of a child that are interchanged with its repetition */
    PIECE = 64, /* repetitions for which they are */
    LONG = 256  /* bytes from which on a call of memcpy() is worth it */
};

/* ---- one run ---- */

/* Addresses are integers here: the buffer of a type with absolute addresses is MPI_BOTTOM, which is NULL. */
INLINE void move_run(bool pack, uintptr_t memory, char *stream, size_t length)
{
    if (pack)
        memcpy(stream, (const void *)memory, length);
    else
        memcpy((void *)memory, stream, length);
}

/* Between `size` and twice that: the first and the last bytes, which may be the same ones. */
#define MOVE_ENDS(size)                                                                                                \
    do {                                                                                                               \
        move_run(pack, memory, stream, size);                                                                          \
        move_run(pack, memory + length - (size), stream + length - (size), size);                                      \
    } while (0)

/* Of a length that is not known before. */
INLINE void move_any(bool pack, uintptr_t memory, char *stream, size_t length)
{
    if (length >= LONG) {
        move_run(pack, memory, stream, length);
    } else if (length >= 16) {
        for (size_t i = 0; i + 16 < length; i += 16)
            move_run(pack, memory + i, stream + i, 16);
        move_run(pack, memory + length - 16, stream + length - 16, 16);
    } else if (length >= 8)
        MOVE_ENDS(8);
    else if (length >= 4)
        MOVE_ENDS(4);
    else if (length >= 2)
        MOVE_ENDS(2);
    else
        move_run(pack, memory, stream, 1);
}

/* ---- runs of one length ---- */

/* statement(length) with the length as a constant, if it is one of the usual ones. */
#define BY_LENGTH(length, statement)                                                                                   \
    switch (length) {                                                                                                  \
    case 1:                                                                                                            \
        statement(move_run, 1);                                                                                        \
        break;                                                                                                         \
    case 2:                                                                                                            \
        statement(move_run, 2);                                                                                        \
        break;                                                                                                         \
    case 4:                                                                                                            \
        statement(move_run, 4);                                                                                        \
        break;                                                                                                         \
    case 8:                                                                                                            \
        statement(move_run, 8);                                                                                        \
        break;                                                                                                         \
    case 12:                                                                                                           \
        statement(move_run, 12);                                                                                       \
        break;                                                                                                         \
    case 16:                                                                                                           \
        statement(move_run, 16);                                                                                       \
        break;                                                                                                         \
    case 24:                                                                                                           \
        statement(move_run, 24);                                                                                       \
        break;                                                                                                         \
    case 32:                                                                                                           \
        statement(move_run, 32);                                                                                       \
        break;                                                                                                         \
    default:                                                                                                           \
        statement(move_any, length);                                                                                   \
    }

/* n runs, `stride` bytes apart in memory and `step` in the stream. */
INLINE void move_strided(bool pack, uintptr_t memory, ptrdiff_t stride, char *stream, size_t step, size_t length,
                         size_t n)
{
#define STRIDED(mover, bytes)                                                                                          \
    _Pragma("GCC unroll 4") for (size_t i = 0; i < n; i++, memory += (size_t)stride, stream += step)                   \
        mover(pack, memory, stream, bytes)
    BY_LENGTH(length, STRIDED);
#undef STRIDED
}

/* n runs at offsets, one after the other in the stream. */
INLINE void move_indexed(bool pack, uintptr_t memory, const ptrdiff_t *offsets, char *stream, size_t length, size_t n)
{
#define INDEXED(mover, bytes)                                                                                          \
    _Pragma("GCC unroll 4") for (size_t i = 0; i < n; i++, stream += (bytes))                                          \
        mover(pack, memory + (size_t)offsets[i], stream, bytes)
    BY_LENGTH(length, INDEXED);
#undef INDEXED
}

/* ---- whole nodes ---- */

static void pack_node(const struct tf_node *node, uintptr_t memory, char *stream);
static void unpack_node(const struct tf_node *node, uintptr_t memory, char *stream);

INLINE void move_node(bool pack, const struct tf_node *node, uintptr_t memory, char *stream)
{
    if (pack)
        pack_node(node, memory, stream);
    else
        unpack_node(node, memory, stream);
}

/* A few runs, each n times. */
INLINE void interchange(bool pack, const struct tf_node *child, uintptr_t memory, ptrdiff_t stride, char *stream,
                        size_t n)
{
    for (size_t done = 0; done < n; done += PIECE) {
        size_t now = n - done < PIECE ? n - done : PIECE;
        uintptr_t from = memory + done * (size_t)stride;
        char *to = stream + done * child->size;
        for (size_t i = 0; i < child->n; i++) {
            bool pieces = child->kind == TF_NODE_PIECES;
            size_t length = pieces ? child->before[i + 1] - child->before[i] : child->child->size;
            size_t at = pieces ? child->before[i] : i * length;
            move_strided(pack, from + (size_t)tf_node_place(child, i), stride, to + at, child->size, length, now);
        }
    }
}

INLINE bool is_interchanged(const struct tf_node *child, size_t n)
{
    if (child->n > FEW || n < 4 || child->size >= LONG)
        return false;
    return child->kind == TF_NODE_PIECES ||
           ((child->kind == TF_NODE_LOOP || child->kind == TF_NODE_BLOCKS) && child->child->kind == TF_NODE_LEAF);
}

/* n whole children of a LOOP. */
INLINE void move_loop(bool pack, const struct tf_node *child, uintptr_t memory, ptrdiff_t stride, char *stream,
                      size_t n)
{
    if (child->kind == TF_NODE_LEAF)
        move_strided(pack, memory, stride, stream, child->size, child->size, n);
    else if (is_interchanged(child, n))
        interchange(pack, child, memory, stride, stream, n);
    else
        for (; n > 0; n--, memory += (size_t)stride, stream += child->size)
            move_node(pack, child, memory, stream);
}

/* n whole children of BLOCKS. */
INLINE void move_blocks(bool pack, const struct tf_node *child, uintptr_t memory, const ptrdiff_t *offsets,
                        char *stream, size_t n)
{
    if (child->kind == TF_NODE_LEAF)
        move_indexed(pack, memory, offsets, stream, child->size, n);
    else
        for (size_t i = 0; i < n; i++, stream += child->size)
            move_node(pack, child, memory + (size_t)offsets[i], stream);
}

/* The runs from `first` on. */
INLINE void move_pieces(bool pack, const struct tf_node *node, uintptr_t memory, char *stream, size_t first, size_t n)
{
    for (size_t i = first; i < first + n; i++) {
        size_t length = node->before[i + 1] - node->before[i];
        move_any(pack, memory + (size_t)node->offsets[i], stream, length);
        stream += length;
    }
}

INLINE void move_whole(bool pack, const struct tf_node *node, uintptr_t memory, char *stream)
{
    switch (node->kind) {
    case TF_NODE_LEAF:
        move_any(pack, memory, stream, node->size);
        break;
    case TF_NODE_LOOP:
        move_loop(pack, node->child, memory, node->stride, stream, node->n);
        break;
    case TF_NODE_BLOCKS:
        move_blocks(pack, node->child, memory, node->offsets, stream, node->n);
        break;
    case TF_NODE_PIECES:
        move_pieces(pack, node, memory, stream, 0, node->n);
        break;
    case TF_NODE_LIST:
        for (size_t i = 0; i < node->n; i++)
            move_node(pack, node->children[i], memory + (size_t)node->offsets[i], stream + node->before[i]);
    }
}

static void pack_node(const struct tf_node *node, uintptr_t memory, char *stream)
{
    move_whole(true, node, memory, stream);
}

static void unpack_node(const struct tf_node *node, uintptr_t memory, char *stream)
{
    move_whole(false, node, memory, stream);
}

/* ---- bytes [pos, pos + len) of a node ---- */

static void pack_part(const struct tf_node *node, uintptr_t memory, size_t pos, char *stream, size_t len);
static void unpack_part(const struct tf_node *node, uintptr_t memory, size_t pos, char *stream, size_t len);

INLINE void move_part(bool pack, const struct tf_node *node, uintptr_t memory, size_t pos, char *stream, size_t len)
{
    if (pack)
        pack_part(node, memory, pos, stream, len);
    else
        unpack_part(node, memory, pos, stream, len);
}

INLINE size_t shorter(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Of a LOOP or BLOCKS. */
INLINE void part_of_equal(bool pack, const struct tf_node *node, uintptr_t memory, size_t pos, char *stream, size_t len)
{
    const struct tf_node *child = node->child;
    size_t i = pos ? pos / child->size : 0, skip = pos - i * child->size;
    if (skip > 0) {
        size_t bytes = shorter(child->size - skip, len);
        move_part(pack, child, memory + (size_t)tf_node_place(node, i), skip, stream, bytes);
        stream += bytes, len -= bytes, i++;
    }
    if (len == 0)
        return;
    size_t n = len / child->size, rest = len - n * child->size;
    if (n > 0 && node->kind == TF_NODE_LOOP)
        move_loop(pack, child, memory + (size_t)tf_node_place(node, i), node->stride, stream, n);
    else if (n > 0)
        move_blocks(pack, child, memory, node->offsets + i, stream, n);
    if (rest > 0)
        move_part(pack, child, memory + (size_t)tf_node_place(node, i + n), 0, stream + n * child->size, rest);
}

/* Of PIECES or a LIST. */
INLINE void part_of_list(bool pack, const struct tf_node *node, uintptr_t memory, size_t pos, char *stream, size_t len)
{
    for (size_t i = tf_node_find(node, pos); len > 0; i++) {
        size_t skip = pos - node->before[i], bytes = shorter(node->before[i + 1] - pos, len);
        uintptr_t at = memory + (size_t)node->offsets[i];
        if (node->kind == TF_NODE_PIECES)
            move_any(pack, at + skip, stream, bytes);
        else if (skip == 0 && bytes == node->children[i]->size)
            move_node(pack, node->children[i], at, stream);
        else
            move_part(pack, node->children[i], at, skip, stream, bytes);
        pos += bytes, stream += bytes, len -= bytes;
    }
}

INLINE void move_bytes(bool pack, const struct tf_node *node, uintptr_t memory, size_t pos, char *stream, size_t len)
{
    if (node->kind == TF_NODE_LEAF)
        move_any(pack, memory + pos, stream, len);
    else if (node->kind <= TF_NODE_BLOCKS)
        part_of_equal(pack, node, memory, pos, stream, len);
    else
        part_of_list(pack, node, memory, pos, stream, len);
}

static void pack_part(const struct tf_node *node, uintptr_t memory, size_t pos, char *stream, size_t len)
{
    move_bytes(true, node, memory, pos, stream, len);
}

static void unpack_part(const struct tf_node *node, uintptr_t memory, size_t pos, char *stream, size_t len)
{
    move_bytes(false, node, memory, pos, stream, len);
}

/* ---- of a type ---- */

INLINE void move(bool pack, const struct tf_type *type, uintptr_t buf, size_t pos, char *stream, size_t len)
{
    const struct tf_nest *nest = &type->nest;
    if (len > 0)
        move_part(pack, &nest->elements, buf + (size_t)nest->offset, pos, stream, len);
}

void tf_type_pack(const struct tf_type *type, const void *buf, MPI_Count count, size_t pos, void *dst, size_t len)
{
    (void)count;
    move(true, type, (uintptr_t)buf, pos, dst, len);
}

void tf_type_unpack(const struct tf_type *type, void *buf, MPI_Count count, size_t pos, const void *src, size_t len)
{
    (void)count;
    move(false, type, (uintptr_t)buf, pos, (char *)src, len);
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
