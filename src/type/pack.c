/* pack.c - moving bytes between a typed buffer and its packed stream, from any position for any length.
 *
 * The stream is a sequence of patterns (struct tf_flat): the pattern that a position falls into is a division, the run
 * within it a binary search.  A walk is then a part of a pattern, whole patterns, and a part of a pattern.
 */
#include "type/type.h"

#define INLINE static inline __attribute__((always_inline))

/* Addresses are integers here: the buffer of a type with absolute addresses is MPI_BOTTOM, which is NULL. */
INLINE void move(bool pack, uintptr_t memory, char *stream, size_t length)
{
    if (pack)
        memcpy(stream, (const void *)memory, length);
    else
        memcpy((void *)memory, stream, length);
}

INLINE void move_fixed(bool pack, uintptr_t memory, ptrdiff_t stride, char *stream, size_t length, size_t n)
{
    for (size_t i = 0; i < n; i++, memory += stride, stream += length)
        move(pack, memory, stream, length);
}

/* n runs of one length, `stride` bytes apart: those of the size of a basic type or two are plain loads and stores. */
INLINE void move_runs(bool pack, uintptr_t memory, ptrdiff_t stride, char *stream, size_t length, size_t n)
{
#define FIXED(size)                                                                                                    \
    case size:                                                                                                         \
        move_fixed(pack, memory, stride, stream, size, n);                                                             \
        break
    switch (length) {
        FIXED(1);
        FIXED(2);
        FIXED(4);
        FIXED(8);
        FIXED(12);
        FIXED(16);
        FIXED(20);
        FIXED(24);
        FIXED(32);
        FIXED(64);
    default:
        move_fixed(pack, memory, stride, stream, length, n);
    }
#undef FIXED
}

/* Bytes [pos, pos + len) of one pattern at `memory`. */
INLINE void move_part(bool pack, const struct tf_flat *flat, uintptr_t memory, size_t pos, char *stream, size_t len)
{
    size_t low = 0, high = flat->nsegs;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (flat->segs[middle].before <= pos)
            low = middle;
        else
            high = middle;
    }
    for (const struct tf_seg *seg = &flat->segs[low]; len > 0; seg++) {
        size_t skip = pos - seg->before;
        size_t n = seg->length - skip < len ? seg->length - skip : len;
        move(pack, memory + seg->offset + skip, stream, n);
        pos += n, stream += n, len -= n;
    }
}

/* n whole patterns in a row. */
INLINE void move_patterns(bool pack, const struct tf_flat *flat, uintptr_t memory, ptrdiff_t stride, char *stream,
                          size_t n)
{
    if (flat->nsegs == 1) {
        move_runs(pack, memory + flat->segs[0].offset, stride, stream, flat->pattern, n);
        return;
    }
    for (; n > 0; n--, memory += stride)
        for (const struct tf_seg *seg = flat->segs; seg < flat->segs + flat->nsegs; seg++) {
            move_runs(pack, memory + seg->offset, 0, stream, seg->length, 1);
            stream += seg->length;
        }
}

INLINE void walk(bool pack, const struct tf_type *type, uintptr_t buf, size_t pos, char *stream, size_t len)
{
    const struct tf_flat *flat = &type->flat;
    size_t reps = flat->reps;
    ptrdiff_t stride = flat->stride;

    if (len == 0)
        return;
    if (type->dense) {
        move(pack, buf + type->true_lb + pos, stream, len);
        return;
    }
    if (reps == 1 || type->extent == (ptrdiff_t)(reps * stride)) {
        /* All elements are one long repetition. */
        stride = reps == 1 ? type->extent : stride;
        reps = SIZE_MAX;
    }
    size_t within = 0, element = 0, rep = 0;
    if (pos > 0) {
        size_t index = pos / flat->pattern;
        within = pos % flat->pattern;
        element = index / reps;
        rep = index % reps;
    }
    uintptr_t at = buf + element * type->extent + rep * stride;
    while (len > 0) {
        size_t n = 1, bytes;
        if (within > 0 || len < flat->pattern) {
            bytes = flat->pattern - within < len ? flat->pattern - within : len;
            move_part(pack, flat, at, within, stream, bytes);
            within = 0;
        } else {
            n = len / flat->pattern < reps - rep ? len / flat->pattern : reps - rep;
            bytes = n * flat->pattern;
            move_patterns(pack, flat, at, stride, stream, n);
        }
        stream += bytes, len -= bytes, rep += n;
        at += n * stride;
        if (rep == reps) {
            at = buf + ++element * type->extent;
            rep = 0;
        }
    }
}

void tf_type_pack(const struct tf_type *type, const void *buf, MPI_Count count, size_t pos, void *dst, size_t len)
{
    (void)count;
    walk(true, type, (uintptr_t)buf, pos, dst, len);
}

void tf_type_unpack(const struct tf_type *type, void *buf, MPI_Count count, size_t pos, const void *src, size_t len)
{
    (void)count;
    walk(false, type, (uintptr_t)buf, pos, (char *)src, len);
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
