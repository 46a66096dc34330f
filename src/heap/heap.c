/* heap.c - see heap.h. */
#include "heap/heap.h"

#include <pthread.h>

#include "heap/blocks.h"
#include "heap/region.h"

enum {
    KEPT = 16 << 20,                /* bytes of free blocks whose memory stays for the next ones */
    HUGE_BLOCK = 2 * TF_REGION_HUGE /* which begin at a huge page */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tf_blocks blocks;
static enum { UNTRIED, OPEN, NONE, COPIED } state; /* COPIED: by fork(), the parent's */
static void (*listener)(void);

static void hold(void)
{
    pthread_mutex_lock(&lock);
}

static void let_go(void)
{
    pthread_mutex_unlock(&lock);
}

static void in_child(void)
{
    if (state == OPEN) {
        state = COPIED;
        tf_region_copy();
    }
    let_go();
}

static bool open_heap(void)
{
    return !pthread_atfork(hold, let_go, in_child) && tf_region_open() &&
           tf_blocks_open(&blocks, (uintptr_t)tf_heap.base, tf_heap.bytes);
}

static bool is_open(void)
{
    if (TF_UNLIKELY(state == UNTRIED)) {
        state = open_heap() ? OPEN : NONE;
        if (state == OPEN && listener)
            listener();
    }
    return state == OPEN;
}

static void *take(size_t bytes, size_t alignment)
{
    if (bytes >= HUGE_BLOCK && alignment < TF_REGION_HUGE)
        alignment = TF_REGION_HUGE;
    size_t offset = tf_blocks_take(&blocks, bytes, alignment);
    if (offset == TF_BLOCKS_NOWHERE)
        return NULL;
    tf_region_use(blocks.top);
    if (bytes >= HUGE_BLOCK)
        tf_region_advise(offset, bytes);
    return tf_heap.base + offset;
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
    hold();
    void *memory = is_open() ? take(bytes, alignment) : NULL;
    let_go();
    return memory;
}

void *tf_heap_alloc(size_t bytes, size_t alignment, const char *what)
{
    void *memory = tf_heap_take(bytes, alignment);
    return memory ? memory : tf_heap_alloc_private(bytes, alignment, what);
}

static bool give(size_t offset)
{
    bool good = tf_blocks_give(&blocks, offset);
    if (state == OPEN && blocks.dirty > KEPT)
        tf_blocks_clean(&blocks, tf_region_release);
    return good;
}

int tf_heap_free(void *at)
{
    size_t offset = tf_heap_find(at, 0);
    if (offset == TF_HEAP_NOWHERE) {
        free(at);
        return MPI_SUCCESS;
    }
    hold();
    bool good = give(offset);
    let_go();
    return good ? MPI_SUCCESS
                : tf_error(MPI_ERR_BASE,
                           "%p is not the address of memory that MPI_Alloc_mem gave and that is still there", at);
}

void tf_heap_listen(void (*who)(void))
{
    hold();
    listener = who;
    if (state == OPEN && who)
        who();
    let_go();
}

void tf_heap_count(size_t *nblocks, size_t *bytes, size_t *kept)
{
    hold();
    *nblocks = blocks.taken;
    *bytes = blocks.taken_bytes;
    *kept = blocks.dirty;
    let_go();
}
