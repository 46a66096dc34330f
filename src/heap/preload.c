/* preload.c - the library that has large blocks of malloc come from the shared heap (LD_PRELOAD, mpiexec -share-heap).
 *
 *     malloc(n)    n < the setting share_malloc    the next malloc: the C library's, or one that a library brings
 *                  larger                          the arena; the next malloc where that has no room
 *     free(p)      p in the arena                  the arena
 *                  elsewhere                       the next free
 *
 * So a small block costs a comparison more, and blocks may go from one to the other by realloc.  A program that has a
 * malloc of its own in its executable keeps it: then nothing here is called but what it lacks (posix_memalign, say),
 * the blocks of which its own free could not take back from the arena.
 *
 * This is called before anything else in the process is ready, by the dynamic linker too.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "base/settings.h"
#include "heap/arena.h"

#define EXPORT __attribute__((visibility("default")))

enum { LEAST = 4096 }; /* what the arena and the settings allocate for themselves is less */

struct calls {
    void *(*malloc)(size_t bytes);
    void *(*calloc)(size_t n, size_t bytes);
    void *(*realloc)(void *old, size_t bytes);
    void (*free)(void *at);
    int (*posix_memalign)(void **at, size_t alignment, size_t bytes);
    void *(*memalign)(size_t alignment, size_t bytes);
    void *(*aligned_alloc)(size_t alignment, size_t bytes);
    size_t (*malloc_usable_size)(void *at);
};

EXPORT extern const struct tf_arena *const treefold_preloaded_arena;
const struct tf_arena *const treefold_preloaded_arena = &tf_arena;

static struct calls next;

/* ---- while the next functions are looked for ---- */

/* What the look-up itself allocates, which some C libraries do. */
static _Alignas(16) char early[4096];
static _Atomic size_t early_used;
static bool looking;

static bool is_early(const void *at)
{
    return (uintptr_t)at - (uintptr_t)early < sizeof early;
}

static void *take_early(size_t bytes)
{
    size_t at = atomic_fetch_add(&early_used, (bytes + 15) & ~(size_t)15);
    return at + bytes <= sizeof early ? early + at : NULL;
}

/* They are called once at most if the look-up allocates nothing. */
static const struct calls *look(void)
{
    struct calls found;
    if (looking)
        return NULL;
    looking = true;
#define FIND(name) *(void **)&found.name = dlsym(RTLD_NEXT, #name)
    FIND(malloc);
    FIND(calloc);
    FIND(realloc);
    FIND(free);
    FIND(posix_memalign);
    FIND(memalign);
    FIND(aligned_alloc);
    FIND(malloc_usable_size);
#undef FIND
    next = found;
    looking = false;
    return &next;
}

static void *first_malloc(size_t bytes)
{
    return look() ? next.malloc(bytes) : take_early(bytes);
}
static void *first_calloc(size_t n, size_t bytes)
{
    return look() ? next.calloc(n, bytes) : take_early(n * bytes);
}
static void *first_realloc(void *old, size_t bytes)
{
    return look() ? next.realloc(old, bytes) : NULL;
}
static void first_free(void *at)
{
    if (look())
        next.free(at);
}
static int first_posix_memalign(void **at, size_t alignment, size_t bytes)
{
    return look() ? next.posix_memalign(at, alignment, bytes) : ENOMEM;
}
static void *first_memalign(size_t alignment, size_t bytes)
{
    return look() ? next.memalign(alignment, bytes) : NULL;
}
static void *first_aligned_alloc(size_t alignment, size_t bytes)
{
    return look() ? next.aligned_alloc(alignment, bytes) : NULL;
}
static size_t first_malloc_usable_size(void *at)
{
    return look() ? next.malloc_usable_size(at) : 0;
}

static struct calls next = {first_malloc,         first_calloc,   first_realloc,       first_free,
                            first_posix_memalign, first_memalign, first_aligned_alloc, first_malloc_usable_size};

/* ---- from which size on ---- */

static _Atomic size_t least_large = LEAST, least_shared = SIZE_MAX; /* until find_out() */

size_t tf_arena_sharers(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 1 ? (size_t)processors : 1;
}

void tf_arena_lacking(const char *reason)
{
    fprintf(stderr,
            "treefold: there is no memory that processes of the node could share (%s); large blocks of malloc are as "
            "small ones\n",
            reason);
}

/* As early as a library can. */
__attribute__((constructor)) static void watch(void)
{
    tf_arena_watch_forks();
}

static _Atomic int heard;
static struct calls heard_for;

static void *hear_malloc(size_t bytes)
{
    heard |= 1;
    return heard_for.malloc(bytes);
}

static void hear_free(void *at)
{
    heard |= 2;
    heard_for.free(at);
}

/* Whether malloc and free of the program are those here: they are called and listened for. */
static bool is_asked(void)
{
    void *(*malloc_of_program)(size_t) = NULL;
    void (*free_of_program)(void *) = NULL;
    *(void **)&malloc_of_program = dlsym(RTLD_DEFAULT, "malloc");
    *(void **)&free_of_program = dlsym(RTLD_DEFAULT, "free");
    heard_for = next;
    next.malloc = hear_malloc;
    next.free = hear_free;
    free_of_program(malloc_of_program(1));
    next = heard_for;
    return heard == 3;
}

static TF_COLD void find_out(void)
{
    static _Atomic bool done;
    if (atomic_exchange(&done, true))
        return;
    if (next.malloc == first_malloc)
        look();
    bool asked = is_asked();
    tf_settings_load(false);
    size_t least = tf_settings.share_malloc > LEAST ? tf_settings.share_malloc : LEAST;
    least_large = least_shared = asked ? least : SIZE_MAX;
}

static inline bool is_small(size_t bytes)
{
    return bytes < atomic_load_explicit(&least_large, memory_order_relaxed);
}

static void *take(size_t bytes, size_t alignment, bool zeroed)
{
    find_out();
    return bytes < least_shared ? NULL : tf_arena.take(bytes, alignment, zeroed);
}

static inline bool is_ours(const void *at)
{
    return tf_heap_find(at, 0) != TF_HEAP_NOWHERE;
}

static TF_COLD void refuse(const char *function, const void *at)
{
    fprintf(stderr, "treefold: %s(): %p is not the address of a block that is still there\n", function, at);
    abort();
}

/* ---- the functions ---- */

EXPORT void *malloc(size_t bytes)
{
    void *at = TF_LIKELY(is_small(bytes)) ? NULL : take(bytes, 1, false);
    return at ? at : next.malloc(bytes);
}

EXPORT void *calloc(size_t n, size_t bytes)
{
    size_t all;
    void *at = __builtin_mul_overflow(n, bytes, &all) || TF_LIKELY(is_small(all)) ? NULL : take(all, 1, true);
    return at ? at : next.calloc(n, bytes);
}

EXPORT void free(void *at)
{
    if (TF_LIKELY(!is_ours(at))) {
        if (TF_LIKELY(!is_early(at)))
            next.free(at);
    } else if (!tf_arena.give(at))
        refuse("free", at);
}

EXPORT size_t malloc_usable_size(void *at)
{
    return is_ours(at) ? tf_arena.size(at) : is_early(at) ? 0 : next.malloc_usable_size(at);
}

static void *move(void *old, size_t had, size_t bytes, void *to)
{
    if (to) {
        memcpy(to, old, had < bytes ? had : bytes);
        free(old);
    }
    return to;
}

/* Where it stays small, or was large before, as there was no room for it here: the next one.  Even a small block may
 * have somewhat more bytes than are small. */
static void *realloc_other(void *old, size_t bytes)
{
    size_t had = is_small(bytes) || !next.malloc_usable_size ? SIZE_MAX : next.malloc_usable_size(old);
    void *at = is_small(had / 2) ? take(bytes, 1, false) : NULL;
    return at ? move(old, had, bytes, at) : next.realloc(old, bytes);
}

static void *realloc_ours(void *old, size_t bytes)
{
    size_t had = tf_arena.size(old);
    if (had == 0)
        refuse("realloc", old);
    if (bytes == 0) { /* as the C library does */
        free(old);
        return NULL;
    }
    if (!is_small(bytes) && tf_arena.resize(old, bytes))
        return old;
    void *moved = move(old, had, bytes, malloc(bytes));
    return moved || bytes > had ? moved : old;
}

EXPORT void *realloc(void *old, size_t bytes)
{
    if (!old)
        return malloc(bytes);
    if (TF_UNLIKELY(is_early(old))) { /* how long it was nobody knows */
        size_t most = (size_t)(early + sizeof early - (char *)old);
        return move(old, most, bytes, malloc(bytes));
    }
    return is_ours(old) ? realloc_ours(old, bytes) : realloc_other(old, bytes);
}

static void *take_aligned(size_t alignment, size_t bytes)
{
    bool power = alignment > 0 && (alignment & (alignment - 1)) == 0;
    return is_small(bytes) || !power ? NULL : take(bytes, alignment, false);
}

EXPORT int posix_memalign(void **at, size_t alignment, size_t bytes)
{
    void *block = alignment % sizeof(void *) == 0 ? take_aligned(alignment, bytes) : NULL;
    if (!block)
        return next.posix_memalign(at, alignment, bytes);
    *at = block;
    return 0;
}

EXPORT void *memalign(size_t alignment, size_t bytes)
{
    void *at = take_aligned(alignment, bytes);
    return at ? at : next.memalign(alignment, bytes);
}

EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
    void *at = take_aligned(alignment, bytes);
    return at ? at : next.aligned_alloc(alignment, bytes);
}

/* C23. */
EXPORT void free_sized(void *at, size_t bytes);
EXPORT void free_sized(void *at, size_t bytes)
{
    (void)bytes;
    free(at);
}

EXPORT void free_aligned_sized(void *at, size_t alignment, size_t bytes);
EXPORT void free_aligned_sized(void *at, size_t alignment, size_t bytes)
{
    (void)alignment;
    free_sized(at, bytes);
}
