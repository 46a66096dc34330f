/* runs.c - runs of bytes that are moved between memory and a packed stream: where the time goes.
 *
 * Runs of the size of a basic type or a few are loads and stores.  Each loop is compiled for both ways and for each
 * usual length; instructions beside the loads and stores are what is to be saved.
 */
#include "type/runs.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { LONG = 512 }; /* bytes from which on a call of memcpy() is worth it */

#define UNROLLED(times) PRAGMA(GCC unroll times)
#define PRAGMA(words) _Pragma(#words)

/* ---- one run ---- */

INLINE void move(enum tf_runs_way way, uintptr_t memory, char *stream, size_t length)
{
    if (way == TF_PACK)
        memcpy(stream, (const void *)memory, length);
    else
        memcpy((void *)memory, stream, length);
}

/* The first and the last bytes, which may be the same ones. */
#define ENDS(bytes)                                                                                                    \
    INLINE void move_ends##bytes(enum tf_runs_way way, uintptr_t memory, char *stream, size_t length)                  \
    {                                                                                                                  \
        move(way, memory, stream, bytes);                                                                              \
        move(way, memory + length - (bytes), stream + length - (bytes), bytes);                                        \
    }
ENDS(2)
ENDS(4)
ENDS(8)
ENDS(16)
ENDS(32)

/* Of a length that is not known before. */
INLINE void move_any(enum tf_runs_way way, uintptr_t memory, char *stream, size_t length)
{
    if (length >= LONG)
        move(way, memory, stream, length);
    else if (length >= 32) {
#pragma GCC unroll 1
        for (size_t i = 0; i + 32 < length; i += 32)
            move(way, memory + i, stream + i, 32);
        move(way, memory + length - 32, stream + length - 32, 32);
    } else if (length >= 16)
        move_ends16(way, memory, stream, length);
    else if (length >= 8)
        move_ends8(way, memory, stream, length);
    else if (length >= 4)
        move_ends4(way, memory, stream, length);
    else if (length >= 2)
        move_ends2(way, memory, stream, length);
    else
        move(way, memory, stream, 1);
}

void tf_runs_one(enum tf_runs_way way, uintptr_t memory, char *stream, size_t length)
{
    if (way == TF_PACK)
        move_any(TF_PACK, memory, stream, length);
    else
        move_any(TF_UNPACK, memory, stream, length);
}

/* ---- runs of one length ---- */

/* LOOP(move, length, times) with a usual length as a constant, or with one that is not. */
#define CASE(LOOP, length, times)                                                                                      \
    case length:                                                                                                       \
        LOOP(move, length, times);                                                                                     \
        break
#define BY_LENGTH(length, LOOP)                                                                                        \
    switch (length) {                                                                                                  \
        CASE(LOOP, 1, 4);                                                                                              \
        CASE(LOOP, 2, 4);                                                                                              \
        CASE(LOOP, 4, 4);                                                                                              \
        CASE(LOOP, 8, 4);                                                                                              \
        CASE(LOOP, 12, 2);                                                                                             \
        CASE(LOOP, 16, 2);                                                                                             \
        CASE(LOOP, 24, 2);                                                                                             \
        CASE(LOOP, 32, 2);                                                                                             \
        CASE(LOOP, 40, 2);                                                                                             \
        CASE(LOOP, 48, 2);                                                                                             \
        CASE(LOOP, 64, 2);                                                                                             \
    default:                                                                                                           \
        if (length > 32 && length < 64)                                                                                \
            LOOP(move_ends32, length, 1);                                                                              \
        else if (length > 16 && length < 32)                                                                           \
            LOOP(move_ends16, length, 2);                                                                              \
        else if (length > 8 && length < 16)                                                                            \
            LOOP(move_ends8, length, 2);                                                                               \
        else                                                                                                           \
            LOOP(move_any, length, 1);                                                                                 \
    }

INLINE void strided(enum tf_runs_way way, uintptr_t memory, ptrdiff_t stride, char *stream, size_t step, size_t length,
                    size_t n)
{
#define STRIDED(mover, bytes, times)                                                                                   \
    UNROLLED(times)                                                                                                    \
    for (size_t i = 0; i < n; i++, memory += (size_t)stride, stream += step)                                           \
    mover(way, memory, stream, bytes)
    BY_LENGTH(length, STRIDED);
#undef STRIDED
}

void tf_runs_strided(enum tf_runs_way way, uintptr_t memory, ptrdiff_t stride, char *stream, size_t step, size_t length,
                     size_t n)
{
    if (way == TF_PACK)
        strided(TF_PACK, memory, stride, stream, step, length, n);
    else
        strided(TF_UNPACK, memory, stride, stream, step, length, n);
}

INLINE void indexed(enum tf_runs_way way, uintptr_t memory, const ptrdiff_t *offsets, char *stream, size_t length,
                    size_t n)
{
#define INDEXED(mover, bytes, times)                                                                                   \
    UNROLLED(times)                                                                                                    \
    for (size_t i = 0; i < n; i++, stream += (bytes))                                                                  \
    mover(way, memory + (size_t)offsets[i], stream, bytes)
    BY_LENGTH(length, INDEXED);
#undef INDEXED
}

void tf_runs_indexed(enum tf_runs_way way, uintptr_t memory, const ptrdiff_t *offsets, char *stream, size_t length,
                     size_t n)
{
    if (way == TF_PACK)
        indexed(TF_PACK, memory, offsets, stream, length, n);
    else
        indexed(TF_UNPACK, memory, offsets, stream, length, n);
}

INLINE void grouped(enum tf_runs_way way, uintptr_t memory, ptrdiff_t stride, char *stream, size_t step,
                    const ptrdiff_t *offsets, size_t few, size_t length, size_t n)
{
    size_t at[TF_RUNS_FEW];
    for (size_t j = 0; j < few; j++)
        at[j] = (size_t)offsets[j];
    for (size_t i = 0; i < n; i++, memory += (size_t)stride, stream += step)
        for (size_t j = 0; j < few; j++)
            move(way, memory + at[j], stream + j * length, length);
}

INLINE void groups(enum tf_runs_way way, uintptr_t memory, ptrdiff_t stride, char *stream, size_t step,
                   const ptrdiff_t *offsets, size_t few, size_t length, size_t n)
{
#define GROUPED(few, length)                                                                                           \
    case 64 * (few) + (length):                                                                                        \
        grouped(way, memory, stride, stream, step, offsets, few, length, n);                                           \
        break
    switch (64 * few + length) {
        GROUPED(2, 4);
        GROUPED(3, 4);
        GROUPED(4, 4);
        GROUPED(2, 8);
        GROUPED(3, 8);
        GROUPED(4, 8);
        GROUPED(2, 16);
        GROUPED(3, 16);
        GROUPED(4, 16);
    }
#undef GROUPED
}

void tf_runs_grouped(enum tf_runs_way way, uintptr_t memory, ptrdiff_t stride, char *stream, size_t step,
                     const ptrdiff_t *offsets, size_t few, size_t length, size_t n)
{
    if (way == TF_PACK)
        groups(TF_PACK, memory, stride, stream, step, offsets, few, length, n);
    else
        groups(TF_UNPACK, memory, stride, stream, step, offsets, few, length, n);
}

/* As groups, whose addresses take fewer instructions. */
void tf_runs_row(enum tf_runs_way way, uintptr_t memory, ptrdiff_t stride, char *stream, size_t length, size_t n)
{
    if (tf_runs_may_be_grouped(length) && n >= 2 * TF_RUNS_FEW) {
        const ptrdiff_t offsets[TF_RUNS_FEW] = {0, stride, 2 * stride, 3 * stride};
        size_t whole = n / TF_RUNS_FEW, moved = TF_RUNS_FEW * whole;
        tf_runs_grouped(way, memory, TF_RUNS_FEW * stride, stream, TF_RUNS_FEW * length, offsets, TF_RUNS_FEW, length,
                        whole);
        memory += moved * (size_t)stride;
        stream += moved * length;
        n -= moved;
    }
    if (n > 0)
        tf_runs_strided(way, memory, stride, stream, length, length, n);
}

/* ---- two runs of an element, one behind the other ---- */

/* How a short run is moved: by a load and a store, or by two of each. */
enum short_kind { ONE, TWO, FOUR, EIGHT, SIXTEEN, ENDS_OF_8, ENDS_OF_16 };

static enum short_kind kind_of(size_t length)
{
    switch (length) {
    case 1:
        return ONE;
    case 2:
        return TWO;
    case 4:
        return FOUR;
    case 8:
        return EIGHT;
    case 16:
        return SIXTEEN;
    default:
        return length < 16 ? ENDS_OF_8 : ENDS_OF_16;
    }
}

INLINE void move_short(enum tf_runs_way way, uintptr_t memory, char *stream, enum short_kind kind, size_t length)
{
    if (kind == ENDS_OF_8)
        move_ends8(way, memory, stream, length);
    else if (kind == ENDS_OF_16)
        move_ends16(way, memory, stream, length);
    else
        move(way, memory, stream, (size_t)1 << kind);
}

/* A loop for each pair of kinds. */
#define BY_KIND(kind, LOOP)                                                                                            \
    switch (kind) {                                                                                                    \
        LOOP(ONE);                                                                                                     \
        LOOP(TWO);                                                                                                     \
        LOOP(FOUR);                                                                                                    \
        LOOP(EIGHT);                                                                                                   \
        LOOP(SIXTEEN);                                                                                                 \
        LOOP(ENDS_OF_8);                                                                                               \
        LOOP(ENDS_OF_16);                                                                                              \
    }

INLINE void paired_with(enum tf_runs_way way, uintptr_t memory, ptrdiff_t stride, char *stream, size_t step,
                        ptrdiff_t apart, enum short_kind kind, size_t length, size_t next, size_t n)
{
#define PAIRED(next_kind)                                                                                              \
    case next_kind:                                                                                                    \
        for (; n > 0; n--, memory += (size_t)stride, stream += step) {                                                 \
            move_short(way, memory, stream, kind, length);                                                             \
            move_short(way, memory + (size_t)apart, stream + length, next_kind, next);                                 \
        }                                                                                                              \
        break
    BY_KIND(kind_of(next), PAIRED);
#undef PAIRED
}

INLINE void paired(enum tf_runs_way way, uintptr_t memory, ptrdiff_t stride, char *stream, size_t step, ptrdiff_t apart,
                   size_t length, size_t next, size_t n)
{
#define FIRST(kind)                                                                                                    \
    case kind:                                                                                                         \
        paired_with(way, memory, stride, stream, step, apart, kind, length, next, n);                                  \
        break
    BY_KIND(kind_of(length), FIRST);
#undef FIRST
}

void tf_runs_paired(enum tf_runs_way way, uintptr_t memory, ptrdiff_t stride, char *stream, size_t step,
                    ptrdiff_t apart, size_t length, size_t next, size_t n)
{
    if (way == TF_PACK)
        paired(TF_PACK, memory, stride, stream, step, apart, length, next, n);
    else
        paired(TF_UNPACK, memory, stride, stream, step, apart, length, next, n);
}

/* ---- runs of any length ---- */

INLINE void listed(enum tf_runs_way way, uintptr_t memory, const ptrdiff_t *offsets, const size_t *before, char *stream,
                   size_t n)
{
    for (size_t i = 0; i < n; i++)
        move_any(way, memory + (size_t)offsets[i], stream + (before[i] - before[0]), before[i + 1] - before[i]);
}

void tf_runs_listed(enum tf_runs_way way, uintptr_t memory, const ptrdiff_t *offsets, const size_t *before,
                    char *stream, size_t n)
{
    if (way == TF_PACK)
        listed(TF_PACK, memory, offsets, before, stream, n);
    else
        listed(TF_UNPACK, memory, offsets, before, stream, n);
}
