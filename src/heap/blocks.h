/* blocks.h - which parts of a range of bytes are taken: two-level segregated fit (Masmano, Ripoll, Crespo, Real, "TLSF:
 * a new dynamic memory allocator for real-time systems", ECRTS 2004), with the tags apart from the memory.
 *
 *     range    | taken |  free  | taken |            free            |      by address: each tag knows its neighbors
 *     bins     8 | .. | 512..543 | 544..575 | ...                            free ones by size, sixteen bins an octave
 *     table    offset -> tag                                                 taken ones, to be found by their address
 *
 * Nothing here touches the range: whoever writes past a block, or another process that maps the memory, cannot break
 * it. Taking and giving cost the same whatever there is; a tag is 80 bytes of memory of its own, not of malloc, as
 * malloc may come here for its blocks.  Not for two threads at once.
 */
#ifndef TF_BLOCKS_H
#define TF_BLOCKS_H

#include "base/base.h"

enum { TF_BLOCKS_UNIT = 64, TF_BLOCKS_OCTAVES = 48, TF_BLOCKS_STEPS = 16 };
#define TF_BLOCKS_NOWHERE SIZE_MAX

struct tf_tag {
    size_t offset, bytes;
    size_t dirty, clean; /* from the one offset to the other it may have memory; of a taken one, when it was taken */
    struct tf_tag *lower, *upper; /* neighbors in the range */
    struct tf_tag *next, *last;   /* in its bin; taken: in the table */
    bool free;
};

struct tf_blocks {
    uint64_t octaves;                  /* those with a free block */
    uint32_t steps[TF_BLOCKS_OCTAVES]; /* and of these, the steps */
    struct tf_tag *bins[TF_BLOCKS_OCTAVES][TF_BLOCKS_STEPS];
    struct tf_tag **table, *unused, *slabs; /* tags that were allocated at once: the first leads to the next such */
    size_t table_size, taken, taken_bytes;  /* blocks, bytes */
    size_t dirty;                           /* bytes of free blocks that may have memory */
    size_t top;                             /* the end of the highest block that ever was */
    struct tf_tag *lowest;
    uintptr_t origin; /* the address of the range */
};

/* A range of so many bytes at that address, both multiples of the unit.  False: no memory for the tags. */
bool tf_blocks_open(struct tf_blocks *blocks, uintptr_t origin, size_t bytes);
void tf_blocks_close(struct tf_blocks *blocks);
/* The offset of a block of at least that size whose address is a multiple of the alignment, a power of two;
 * TF_BLOCKS_NOWHERE: there is no room, or no memory for tags. */
size_t tf_blocks_take(struct tf_blocks *blocks, size_t bytes, size_t alignment);
/* The block that begins there and is taken; NULL: there is none. */
const struct tf_tag *tf_blocks_find(const struct tf_blocks *blocks, size_t offset);
/* It has so many bytes from now on, its first ones as they were; false: there is no room behind it, or no memory for
 * tags. */
bool tf_blocks_resize(struct tf_blocks *blocks, size_t offset, size_t bytes);
/* The block that begins there is free; false: none does. */
bool tf_blocks_give(struct tf_blocks *blocks, size_t offset);
/* Each free block that may have memory is told, as a whole, and counts as clean from then on if the answer is true. */
void tf_blocks_clean(struct tf_blocks *blocks, bool (*tell)(size_t offset, size_t bytes));
#endif
