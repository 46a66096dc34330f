/* arena.c - see arena.h. */
#include "heap/arena.h"

#include <errno.h>
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
static bool watching;

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

bool tf_arena_watch_forks(void)
{
    watching = watching || !pthread_atfork(hold, let_go, in_child);
    return watching;
}

static bool open_region(void)
{
    const char *reason = "no memory";
    bool good = tf_arena_watch_forks() && tf_region_open(tf_arena_sharers(), &reason);
    if (!good)
        tf_arena_lacking(reason);
    return good && tf_blocks_open(&blocks, (uintptr_t)tf_heap.base, tf_heap.bytes);
}

static bool is_open(void)
{
    if (TF_UNLIKELY(state == UNTRIED)) {
        state = open_region() ? OPEN : NONE;
        if (state == OPEN && listener)
            listener();
    }
    return state == OPEN;
}

static char *place(size_t bytes, size_t alignment)
{
    if (bytes >= HUGE_BLOCK && alignment < TF_REGION_HUGE)
        alignment = TF_REGION_HUGE;
    size_t offset = tf_blocks_take(&blocks, bytes, alignment);
    if (offset == TF_BLOCKS_NOWHERE)
        return NULL;
    if (!tf_region_use(blocks.top))
        return NULL; /* its addresses stay taken: nobody may clean them */
    if (bytes >= HUGE_BLOCK)
        tf_region_advise(offset, bytes);
    return tf_heap.base + offset;
}

/* Most of a large block has never been written, or was given back to the system since. */
static void *take(size_t bytes, size_t alignment, bool zeroed)
{
    size_t dirty = 0, clean = 0;
    hold();
    char *at = is_open() ? place(bytes, alignment) : NULL;
    if (at && zeroed) {
        const struct tf_tag *tag = tf_blocks_find(&blocks, (size_t)(at - tf_heap.base));
        dirty = tag->dirty;
        clean = tag->clean;
    }
    let_go();
    if (dirty < clean)
        memset(tf_heap.base + dirty, 0, clean - dirty);
    return at;
}

static void clean_up(void)
{
    if (state == OPEN && blocks.dirty > KEPT)
        tf_blocks_clean(&blocks, tf_region_release);
}

static bool give(void *at)
{
    int before = errno;
    hold();
    bool good = tf_blocks_give(&blocks, (size_t)((char *)at - tf_heap.base));
    clean_up();
    let_go();
    errno = before;
    return good;
}

static bool resize(void *at, size_t bytes)
{
    size_t offset = (size_t)((char *)at - tf_heap.base);
    hold();
    bool good = state == OPEN && tf_blocks_resize(&blocks, offset, bytes);
    if (good) {
        good = tf_region_use(blocks.top);
        clean_up();
    }
    let_go();
    return good;
}

static size_t size(const void *at)
{
    hold();
    const struct tf_tag *tag = tf_blocks_find(&blocks, (size_t)((const char *)at - tf_heap.base));
    size_t bytes = tag ? tag->bytes : 0;
    let_go();
    return bytes;
}

static void listen(void (*who)(void))
{
    hold();
    listener = who;
    if (state == OPEN && who)
        who();
    let_go();
}

static void count(size_t *nblocks, size_t *bytes, size_t *kept)
{
    hold();
    *nblocks = blocks.taken;
    *bytes = blocks.taken_bytes;
    *kept = blocks.dirty;
    let_go();
}

const struct tf_arena tf_arena = {.version = TF_ARENA_VERSION,
                                  .heap = &tf_heap,
                                  .take = take,
                                  .give = give,
                                  .resize = resize,
                                  .size = size,
                                  .listen = listen,
                                  .count = count};
