/* memory.h - what kind of memory a buffer lies in.
 *
 * This is the one place that asks, once for each buffer of a call, where the buffer is bound; MPI_IN_PLACE is of the
 * host.  What comes of the buffer (a span, a send, a receive) carries the answer.  Today every buffer is memory of the
 * host, which the processor and the kernel (single copy, net.h `read`) can read.  A kind that they cannot read is a row
 * here, an answer in tf_memory_of(), and a branch where TF_MEMORY_HOST is asked for.
 */
#ifndef TF_MEMORY_H
#define TF_MEMORY_H

#include <stdbool.h>

enum __attribute__((packed)) tf_memory { TF_MEMORY_HOST }; /* a byte */

/* What the hint mpi_memory_alloc_kinds says of it wherever it is shown (MPI-5.0 section 11.4.3): more than is asked for
 * is allowed. */
#define TF_MEMORY_KINDS_HINT "mpi_memory_alloc_kinds"
#define TF_MEMORY_KINDS "mpi,system,mpi:alloc_mem,mpi:win_allocate,mpi:win_allocate_shared"

static inline enum tf_memory tf_memory_of(const void *buffer)
{
    (void)buffer;
    return TF_MEMORY_HOST;
}

static inline bool tf_memory_is_host(const void *buffer)
{
    return tf_memory_of(buffer) == TF_MEMORY_HOST;
}

#endif
