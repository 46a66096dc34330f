/* memory.h - what the processes of a node share of a window, by a segment of each window that all of them map.
 *
 *     locks and the like                                                           share.h
 *     memory of the first process of the node | of the second | ...                where MPI allocates it
 *
 * The first has it, in its heap (heap/heap.h) or as a mapping of its own, and says where; the others map it.  The
 * memory of one follows that of the one before at once (MPI_Win_allocate_shared) or begins with a page.  Memory of
 * MPI_Win_allocate is a block of its owner's heap instead, and in the segment only where one of the node has no heap.
 */
#ifndef TF_RMA_MEMORY_H
#define TF_RMA_MEMORY_H

#include "rma/win.h"

enum { TF_MEMORY_NAME = 64 };

/* What the first of a node tells the others; neither an address nor a name: there is no such memory. */
struct tf_memory_fact {
    uint64_t address; /* in its heap */
    uint64_t cookie;
    char name[TF_MEMORY_NAME];
};

/* Whether memory of heaps is used for windows: the settings allow it. */
bool tf_memory_heaps(void);
/* Where each process of this node has its memory in the segment, whose length is returned; those of other nodes have
 * none.  `together`: without gaps; `data`: there is memory, not only what belongs to locks. */
struct tf_memory_place {
    size_t share, data;
};
size_t tf_memory_lay_out(const struct tf_win *win, bool data, bool together, size_t alignment,
                         struct tf_memory_place *places);
/* The first of the node: make one.  *fd, if not -1, is to be closed when all have opened it.  Heaps of other jobs' are
 * mapped by those that talk with them only, so for these it is a mapping of its own. */
int tf_memory_create(const struct tf_win *win, struct tf_segment *memory, size_t bytes, struct tf_memory_fact *fact,
                     int *fd);
/* The others. */
int tf_memory_open(struct tf_segment *memory, size_t bytes, struct tf_peer *first, const struct tf_memory_fact *fact);
/* After all have: nothing of its name is left. */
void tf_memory_close(const struct tf_memory_fact *fact, int fd);
void tf_memory_release(struct tf_segment *memory);

/* The first process of the window on the node of that rank. */
int tf_memory_leader(const struct tf_win *win, int rank);
bool tf_memory_same_node(const struct tf_win *win, int rank1, int rank2);

#endif
