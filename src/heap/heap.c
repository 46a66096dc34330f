/* heap.c - see heap.h. */
#include "heap/heap.h"

#include <dlfcn.h>
#include <stdio.h>

#include "heap/arena.h"
#include "launch/nodes.h"

static _Atomic(const struct tf_arena *) chosen;
static void (*listener)(void);

size_t tf_arena_sharers(void)
{
    return tf_nodes.size > 1 ? (size_t)tf_nodes.size : 1;
}

void tf_arena_lacking(const char *reason)
{
    fprintf(stderr,
            "treefold[%d]: there is no memory that processes of the node could share (%s); what MPI_Alloc_mem gives is "
            "private\n",
            tf_job.rank, reason);
}

/* There is a region. */
static void learn(void)
{
    const struct tf_heap *heap = atomic_load(&chosen)->heap;
    if (heap != &tf_heap) {
        tf_heap.base = heap->base;
        tf_heap.file = heap->file;
        tf_heap.device = heap->device;
        tf_heap.inode = heap->inode;
        atomic_store_explicit(&tf_heap.bytes, heap->bytes, memory_order_release);
    }
    if (listener)
        listener();
}

static TF_COLD const struct tf_arena *choose(void)
{
    const struct tf_arena *const *preloaded = dlsym(RTLD_DEFAULT, TF_ARENA_PRELOADED), *none = NULL;
    bool known = preloaded && (*preloaded)->version == TF_ARENA_VERSION;
    const struct tf_arena *arena = known ? *preloaded : &tf_arena;
    if (atomic_compare_exchange_strong(&chosen, &none, arena))
        arena->listen(learn);
    return arena;
}

/* The arena of malloc stays where this library is closed. */
__attribute__((destructor)) static void leave(void)
{
    const struct tf_arena *arena = atomic_load(&chosen);
    if (arena)
        arena->listen(NULL);
}

static const struct tf_arena *arena(void)
{
    const struct tf_arena *arena = atomic_load(&chosen);
    return TF_LIKELY(arena) ? arena : choose();
}

void *tf_heap_alloc_private(size_t bytes, size_t alignment, const char *what)
{
    void *memory = NULL;
    if (posix_memalign(&memory, alignment > TF_CACHE_LINE ? alignment : TF_CACHE_LINE, bytes ? bytes : 1)) {
        tf_error(MPI_ERR_NO_MEM, "cannot allocate %zu bytes for %s", bytes, what);
        return NULL;
    }
    return memory;
}

void *tf_heap_take(size_t bytes, size_t alignment)
{
    return arena()->take(bytes, alignment, false);
}

void *tf_heap_alloc(size_t bytes, size_t alignment, const char *what)
{
    void *memory = tf_heap_take(bytes, alignment);
    return memory ? memory : tf_heap_alloc_private(bytes, alignment, what);
}

int tf_heap_free(void *at)
{
    size_t offset = tf_heap_find(at, 0);
    if (offset == TF_HEAP_NOWHERE) {
        free(at);
        return MPI_SUCCESS;
    }
    return arena()->give(at)
               ? MPI_SUCCESS
               : tf_error(MPI_ERR_BASE,
                          "%p is not the address of memory that MPI_Alloc_mem gave and that is still there", at);
}

void tf_heap_listen(void (*who)(void))
{
    const struct tf_arena *of = arena();
    of->listen(NULL);
    listener = who;
    of->listen(learn);
}

void tf_heap_count(size_t *blocks, size_t *bytes, size_t *kept)
{
    arena()->count(blocks, bytes, kept);
}
