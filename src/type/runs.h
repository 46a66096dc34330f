/* runs.h - runs of bytes that are moved between memory and a packed stream.
 *
 * Addresses in memory are integers: the buffer of a type with absolute addresses is MPI_BOTTOM, which is NULL.
 */
#ifndef TF_TYPE_RUNS_H
#define TF_TYPE_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tf_runs_way { TF_UNPACK, TF_PACK };

/* One run, > 0 bytes. */
void tf_runs_one(enum tf_runs_way way, uintptr_t memory, char *stream, size_t length);
/* n runs, `stride` bytes apart in memory; in the stream one behind the other, or `step` bytes apart. */
void tf_runs_row(enum tf_runs_way way, uintptr_t memory, ptrdiff_t stride, char *stream, size_t length, size_t n);
void tf_runs_strided(enum tf_runs_way way, uintptr_t memory, ptrdiff_t stride, char *stream, size_t step, size_t length,
                     size_t n);
/* n runs of one length at offsets, one behind the other in the stream. */
void tf_runs_indexed(enum tf_runs_way way, uintptr_t memory, const ptrdiff_t *offsets, char *stream, size_t length,
                     size_t n);
/* n runs at offsets, of packed bytes [before[i], before[i + 1]) of a stream that begins with the first of them. */
void tf_runs_listed(enum tf_runs_way way, uintptr_t memory, const ptrdiff_t *offsets, const size_t *before,
                    char *stream, size_t n);

/* 2 to TF_RUNS_FEW runs of such a length at offsets, one behind the other in the stream; all that n times. */
enum { TF_RUNS_FEW = 4 };
static inline bool tf_runs_may_be_grouped(size_t length)
{
    return length == 4 || length == 8 || length == 16;
}
void tf_runs_grouped(enum tf_runs_way way, uintptr_t memory, ptrdiff_t stride, char *stream, size_t step,
                     const ptrdiff_t *offsets, size_t few, size_t length, size_t n);

/* A run of `length` bytes and one of `next`, `apart` from it in memory and behind it in the stream; both that n times.
 * What is stored together mostly goes to one line, which takes the processor half as long. */
static inline bool tf_runs_may_be_paired(size_t length)
{
    return length == 1 || length == 2 || length == 4 || (length >= 8 && length < 32);
}
void tf_runs_paired(enum tf_runs_way way, uintptr_t memory, ptrdiff_t stride, char *stream, size_t step,
                    ptrdiff_t apart, size_t length, size_t next, size_t n);

#endif
