/* memory.h - what kind of memory a buffer lies in.
 *
 * This is the one place that asks, once for each buffer of a call, where the buffer is bound.  Today every buffer is
 * memory of the host, which the processor and the kernel (single copy, net.h `read`) can read.  A kind that they cannot
 * read is a row here, an answer in tf_memory_of(), and a branch where TF_MEMORY_HOST is asked for.
 */
#ifndef TF_MEMORY_H
#define TF_MEMORY_H

enum tf_memory { TF_MEMORY_HOST };

static inline enum tf_memory tf_memory_of(const void *buffer)
{
    (void)buffer;
    return TF_MEMORY_HOST;
}

#endif
