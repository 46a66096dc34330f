/* heap.h - memory that processes of the node can load from and store to: MPI_Alloc_mem, windows, messages.
 *
 * Each process has one reservation of shared memory, which begins with the first block.  Where a block is not to be had
 * from it, since a limit forbids the reservation or it is full, it is private memory, which works everywhere but cannot
 * be mapped.  Functions may be called by any thread at any time.
 *
 * After fork() the child has a copy of its own: what it writes the parent does not see.  What it has not written shows
 * what the parent has there now.  What it takes is private memory, and nothing that it frees changes the parent's.
 */
#ifndef TF_HEAP_H
#define TF_HEAP_H

#include <stdatomic.h>

#include "base/base.h"

#define TF_HEAP_NOWHERE SIZE_MAX

/* Where it is, for who maps it: the file is open in this process under that number, and is the one with that inode. */
extern struct tf_heap {
    char *base;
    _Atomic size_t bytes; /* all of it, of which few may be in use; set last, 0: there is none (yet) */
    int file;
    uint64_t device, inode;
} tf_heap;

/* `bytes` at a multiple of `alignment`, a power of two; at least a cache line.  NULL: no memory, recorded ("cannot
 * allocate N bytes for WHAT"). */
void *tf_heap_alloc(size_t bytes, size_t alignment, const char *what);
/* The same, in the heap; NULL: there is no heap, or no room in it, and nothing is recorded. */
void *tf_heap_take(size_t bytes, size_t alignment);
/* The same of private memory. */
void *tf_heap_alloc_private(size_t bytes, size_t alignment, const char *what);
/* What one of these gave; NULL is nothing.  MPI_ERR_BASE: no block begins there, though it lies in the heap. */
int tf_heap_free(void *at);

/* The offset of `bytes` that lie in the heap as a whole; TF_HEAP_NOWHERE: they do not. */
static inline size_t tf_heap_find(const void *address, size_t bytes)
{
    size_t all = atomic_load_explicit(&tf_heap.bytes, memory_order_acquire);
    size_t offset = (size_t)((uintptr_t)address - (uintptr_t)tf_heap.base);
    return offset < all && bytes <= all - offset ? offset : TF_HEAP_NOWHERE;
}

/* Called once there is a heap, at once if there is one: who tells other processes. */
void tf_heap_listen(void (*listener)(void));

/* For tests and tools: blocks that are taken, bytes in them, and bytes of free ones that may have memory. */
void tf_heap_count(size_t *blocks, size_t *bytes, size_t *kept);

#endif
