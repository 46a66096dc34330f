/* heaps.h - the heaps of the processes of a node: each tells where its own is, and maps another's when it first needs
 * it.
 */
#ifndef TF_SHM_HEAPS_H
#define TF_SHM_HEAPS_H

#include <stdatomic.h>

#include "base/base.h"

/* In the memory that all share; see struct tf_heap. */
struct tf_shm_heap {
    uint64_t base, device, inode;
    _Atomic uint64_t bytes; /* written last; 0: there is none yet */
    int32_t file;
};

/* From now on what is known of this process's heap is told there, and those of so many places can be mapped. */
void tf_shm_heaps_open(struct tf_shm_heap *mine, int places);
void tf_shm_heaps_close(void);
/* `bytes` at that address of the process in that place; NULL: they are not in its heap, or that cannot be mapped. */
void *tf_shm_heap_map(int place, int pid, struct tf_shm_heap *theirs, uint64_t address, size_t bytes);

#endif
