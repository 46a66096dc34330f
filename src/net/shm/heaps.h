/* heaps.h - the heaps of processes that share memory: each tells where its own is, and maps another's when it first
 * needs it.
 */
#ifndef TF_SHM_HEAPS_H
#define TF_SHM_HEAPS_H

#include <stdatomic.h>

#include "base/base.h"

/* In memory that both see; see struct tf_heap. */
struct tf_shm_heap {
    uint64_t base, device, inode;
    _Atomic uint64_t bytes; /* written last; 0: there is none yet */
    int32_t file;
};

/* A place where this process tells of its heap, from begin() to end(). */
struct tf_shm_teller {
    struct tf_shm_heap *at;
    struct tf_shm_teller *next;
};
void tf_shm_heap_begin(struct tf_shm_teller *teller, struct tf_shm_heap *at);
void tf_shm_heap_end(struct tf_shm_teller *teller);

/* What this process sees of another one's heap; zeroed. */
struct tf_shm_view {
    char *at; /* NULL: not mapped */
    bool refused;
    uint64_t base;
    size_t bytes, reach; /* of these, what may be touched */
};
/* `bytes` at that address of that process; NULL: they are not in its heap, or that cannot be mapped. */
void *tf_shm_heap_map(struct tf_shm_view *view, struct tf_shm_heap *theirs, int pid, uint64_t address, size_t bytes);
void tf_shm_heap_unmap(struct tf_shm_view *view);

#endif
