/* arena.h - a region in blocks: what is shared with the node, and who has what of it.  By any thread at any time.
 *
 * A process has one.  It is the MPI library's own, or that of the library which has large blocks of malloc come from
 * there (preload.c): such blocks may be older than MPI_Init, and than the MPI library, which finds the arena by its
 * name.
 */
#ifndef TF_ARENA_H
#define TF_ARENA_H

#include "heap/heap.h"

#define TF_ARENA_PRELOADED "treefold_preloaded_arena" /* a pointer to it */
enum { TF_ARENA_VERSION = 1 };

struct tf_arena {
    uint64_t version; /* of this struct and of tf_heap: of another one nothing is known */
    const struct tf_heap *heap;
    /* heap.h; the region is opened by the first block.  `zeroed`: all bytes are 0. */
    void *(*take)(size_t bytes, size_t alignment, bool zeroed);
    /* False: no block begins there. */
    bool (*give)(void *at);
    /* The block that begins there has so many bytes, where it is; false: there is no room behind it. */
    bool (*resize)(void *at, size_t bytes);
    /* How many it has, 0: no block begins there. */
    size_t (*size)(const void *at);
    /* NULL, or who is called once there is a region, at once if there is one. */
    void (*listen)(void (*listener)(void));
    void (*count)(size_t *blocks, size_t *bytes, size_t *kept);
};
extern const struct tf_arena tf_arena; /* of this library */

/* Of the library that has it. */
size_t tf_arena_sharers(void);             /* how many processes of the node have such a region, at a guess */
void tf_arena_lacking(const char *reason); /* there will be none: called once */

/* Before anything else in the process is registered for fork(), so that its functions may allocate; otherwise it is
 * done with the region. */
bool tf_arena_watch_forks(void);

#endif
