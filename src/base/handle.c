/* handle.c - the pools of objects behind handles, and words for handles that are none.
 *
 * A pool is a list of chunks that never move.  Freed objects are reused last in, first out (they are still in cache);
 * each time an object is given back its generation goes up by one, so that its index comes back under the same handle
 * only after 64 turns.  While an object is free, `refs` holds the link to the next one and the generation to come:
 *
 *     27        22 21                  0
 *    +------------+---------------------+
 *    | generation |   next index + 1    |
 *    +------------+---------------------+
 *
 * Taking and giving are O(1); the memory of a pool is never given back to the system before the process ends.
 */
#include "base/handle.h"

#include <stdio.h>
#include <string.h>

#include "base/other.h"
#include "base/own.h"

#define INDEX_BITS 21
#define INDEX_MASK ((1u << INDEX_BITS) - 1)
#define GENERATION_BITS 6
#define GENERATION_MASK ((1u << GENERATION_BITS) - 1)
#define KIND_SHIFT (INDEX_BITS + GENERATION_BITS)
#define NEXT_BITS (INDEX_BITS + 1)
#define NEXT_MASK ((1u << NEXT_BITS) - 1)

/* What the handles of each kind are called, and where the ABI puts the predefined ones (MPI-5.0 chapter 20).  Kind 0
 * are objects that Treefold does not have: their predefined handles are recognised all the same. */
static const struct words {
    enum tf_kind kind;
    const char *a_what, *null_name;
    uint32_t null, last;
    int errclass;
} words[] = {
#define TF_HANDLE(object, KIND, ctype, ...) {TF_KIND_##KIND, __VA_ARGS__},
#define TF_FOREIGN(ctype, ...) {TF_KIND_NONE, __VA_ARGS__, MPI_ERR_ARG},
#include "base/gen/handles.def"
    {TF_KIND_KEYVAL, "an attribute key", "MPI_KEYVAL_INVALID", 0, 0, MPI_ERR_KEYVAL},
    {TF_KIND_TOOL, "a tool variable", "MPI_T_PVAR_HANDLE_NULL", 0, 0, MPI_T_ERR_INVALID_HANDLE},
};

/* Each pool by its kind, from its first object on. */
static struct tf_pool *pools[16];

static struct tf_object *object_at(const struct tf_pool *pool, uint32_t index)
{
    return (struct tf_object *)(pool->chunks[index / TF_POOL_CHUNK] + (size_t)(index % TF_POOL_CHUNK) * pool->size);
}

/* Room for the object of index pool->used.  The list of chunks doubles; the chunks stay where they are. */
static int pool_grow(struct tf_pool *pool)
{
    uint32_t n = pool->used / TF_POOL_CHUNK;
    if (pool->used > INDEX_MASK)
        return tf_error(MPI_ERR_NO_MEM, "%u handles of the kind \"%s\" are in use, which is the most there can be",
                        pool->live, pool->what);
    if (pool->used % TF_POOL_CHUNK)
        return MPI_SUCCESS;
    if (!pool->lasting && (n & (n - 1)) == 0) {
        char **chunks = realloc(pool->chunks, (n ? 2 * (size_t)n : 1) * sizeof *chunks);
        if (!chunks)
            return tf_error(MPI_ERR_NO_MEM, "cannot allocate the list of %u chunks of the kind \"%s\"", 2 * n,
                            pool->what);
        pool->chunks = chunks;
    }
    pool->chunks[n] = calloc(TF_POOL_CHUNK, pool->size);
    if (!pool->chunks[n])
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate %zu bytes for %d objects of the kind \"%s\"",
                        (size_t)TF_POOL_CHUNK * pool->size, TF_POOL_CHUNK, pool->what);
    pools[pool->kind] = pool;
    return MPI_SUCCESS;
}

void *tf_pool_take(struct tf_pool *pool)
{
    uint32_t index, generation = 0;
    struct tf_object *o;
    if (pool->free_head) {
        index = pool->free_head - 1;
        o = object_at(pool, index);
        pool->free_head = (uint32_t)o->refs & NEXT_MASK;
        generation = (uint32_t)o->refs >> NEXT_BITS;
        memset(o, 0, pool->size - pool->used_as_is);
    } else {
        if (pool_grow(pool))
            return NULL;
        index = pool->used;
        o = object_at(pool, index);
        __atomic_store_n(&pool->used, index + 1, __ATOMIC_RELEASE); /* for tf_pool_find_unlocked() */
    }
    o->handle = (uint32_t)pool->kind << KIND_SHIFT | generation << INDEX_BITS | index;
    o->refs = 1;
    pool->live++;
    return o;
}

void tf_pool_give(struct tf_pool *pool, void *object)
{
    struct tf_object *o = object;
    uint32_t index = o->handle & INDEX_MASK;
    uint32_t generation = ((o->handle >> INDEX_BITS) + 1) & GENERATION_MASK;
    o->handle = 0;
    o->refs = (int32_t)(generation << NEXT_BITS | pool->free_head);
    pool->free_head = index + 1;
    pool->live--;
}

void *tf_pool_each(const struct tf_pool *pool, uint32_t *place)
{
    while (*place < pool->predef_count + pool->used) {
        uint32_t i = (*place)++;
        struct tf_object *o = i < pool->predef_count ? pool->predef[i] : object_at(pool, i - pool->predef_count);
        if (o && o->handle)
            return o;
    }
    return NULL;
}

uint32_t tf_pools_live(const char **what)
{
    uint32_t n = 0;
    for (size_t i = 0; i < TF_ARRAY_LEN(pools); i++) {
        if (!pools[i] || !pools[i]->live)
            continue;
        if (!n && what)
            *what = pools[i]->what;
        n += pools[i]->live;
    }
    return n;
}

static const struct words *words_of_kind(enum tf_kind kind)
{
    for (size_t i = 0; i < TF_ARRAY_LEN(words); i++) {
        if (kind && words[i].kind == kind)
            return &words[i];
    }
    return NULL;
}

static const struct words *words_of_predefined(uintptr_t handle)
{
    for (size_t i = 0; i < TF_ARRAY_LEN(words); i++) {
        if (handle >= words[i].null && handle <= words[i].last && words[i].last)
            return &words[i];
    }
    return NULL;
}

static const struct words *words_of(uintptr_t handle)
{
    if (handle < 4096)
        return words_of_predefined(handle);
    return handle <= INT32_MAX ? words_of_kind((enum tf_kind)(handle >> KIND_SHIFT)) : NULL;
}

enum tf_kind tf_handle_kind(uintptr_t handle)
{
    const struct words *is = words_of(handle);
    return is ? is->kind : TF_KIND_NONE;
}

int tf_handle_errclass(enum tf_kind kind)
{
    return words_of_kind(kind)->errclass;
}

/* Handles of another MPI are no handles here, or by chance those of something else. */
static void add_other(char *text)
{
    char name[TF_OTHER_NAME];
    size_t used = strlen(text);
    if (tf_other_loaded(name))
        snprintf(text + used, TF_OWN_BYTES - used,
                 " (%s of another MPI is loaded in this process, too: was the code that calls compiled for that?)",
                 name);
}

const char *tf_handle_describe(const struct tf_pool *pool, uintptr_t handle)
{
    char *text = tf_own(TF_OWN_HANDLE);
    const struct words *mine = words_of_kind(pool->kind);
    const struct words *is = words_of(handle);
    unsigned long long value = handle;
    if (handle == mine->null) {
        snprintf(text, TF_OWN_BYTES, "%s", mine->null_name);
        return text;
    }
    if (handle == 0)
        snprintf(text, TF_OWN_BYTES, "0, which is no handle (a variable that was not set?)");
    else if (!is || !is->a_what)
        snprintf(text, TF_OWN_BYTES, "0x%llx, which is no handle", value);
    else if (is != mine && handle == is->null)
        snprintf(text, TF_OWN_BYTES, "%s, not %s", is->null_name, mine->a_what);
    else if (is != mine)
        snprintf(text, TF_OWN_BYTES, "%s handle (0x%llx), not %s", is->a_what, value, mine->a_what);
    else if (handle < 4096)
        snprintf(text, TF_OWN_BYTES, "0x%llx, which is not a predefined handle of %s", value, mine->a_what);
    else if ((handle & INDEX_MASK) < pool->used)
        snprintf(text, TF_OWN_BYTES, "0x%llx, a stale handle: %s that was freed", value, mine->a_what);
    else
        snprintf(text, TF_OWN_BYTES, "0x%llx, which looks like the handle of %s but was never one", value,
                 mine->a_what);
    add_other(text);
    return text;
}
