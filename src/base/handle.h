/* handle.h - opaque handles and the pools of objects behind them.
 *
 * A user-created handle is an integer that fits a Fortran INTEGER, so C and Fortran handles convert by a cast:
 *
 *     30    27 26      21 20                 0
 *    +--------+----------+--------------------+
 *    |  kind  |generation|       index        |        kind is 1..15, so the value is at least 2^27
 *    +--------+----------+--------------------+
 *
 * Predefined handles are the standard's constants, all below 4096.  An object starts with struct tf_object, whose
 * `handle` is compared with the one given: a freed (stale) or foreign handle is recognised, never dereferenced.
 */
#ifndef TF_HANDLE_H
#define TF_HANDLE_H

#include "base/base.h"

/* TF_KIND_COMM and so on: the classes of maint/gen/handles.py that Treefold has, keys of attributes, and all that tools
 * have handles of. */
enum tf_kind {
    TF_KIND_NONE,
#define TF_HANDLE(object, KIND, ...) TF_KIND_##KIND,
#include "base/gen/handles.def"
    TF_KIND_KEYVAL,
    TF_KIND_TOOL,
};

struct tf_object {
    uint32_t handle; /* 0 while the object is in the free list */
    int32_t refs;
};

#define TF_POOL_CHUNK 256 /* objects allocated at a time; they never move */

struct tf_pool {
    const char *what; /* "communicator" */
    enum tf_kind kind;
    uint32_t size;                       /* of an object, bytes */
    uint32_t used_as_is;                 /* of these, at its end, those that a fresh object need not have zeroed */
    uint32_t predef_first, predef_count; /* the range of predefined handles */
    struct tf_object **predef;           /* [handle - predef_first], NULL where there is none */
    uint32_t used;                       /* indices ever handed out */
    uint32_t live;                       /* objects in use now: tests end with "all pools are empty" */
    uint32_t free_head;                  /* index + 1 of the first free object, 0 if none */
    char **chunks;
    bool lasting; /* the list of chunks is as long as it can get and never moves: tf_pool_find_unlocked() */
};
/* The longest list of chunks. */
enum { TF_POOL_CHUNKS = (1 << 21) / TF_POOL_CHUNK };

/* A zeroed object (but for what is used as it is) with a fresh handle and one reference, or NULL (MPI_ERR_NO_MEM
 * recorded). */
void *tf_pool_take(struct tf_pool *pool);
/* Give the object's memory back; its handle is stale from now on. */
void tf_pool_give(struct tf_pool *pool, void *object);

/* One object in use after the other, predefined ones too: *place is 0 at the start; NULL after the last. */
void *tf_pool_each(const struct tf_pool *pool, uint32_t *place);

/* Whether threads may meet in a class's pool whatever their level, as its objects are made at any time, or look handles
 * up without the big lock: its list of chunks is `lasting`, and who takes and gives has the lock. */
static inline bool tf_kind_is_met(enum tf_kind kind)
{
    return kind == TF_KIND_INFO || kind == TF_KIND_ERRHANDLER || kind == TF_KIND_KEYVAL || kind == TF_KIND_COMM ||
           kind == TF_KIND_GROUP || kind == TF_KIND_TYPE || kind == TF_KIND_OP;
}

/* Whether most handles of that class which programs pass are predefined ones: what the compiler is to expect. */
static inline bool tf_kind_is_mostly_predefined(enum tf_kind kind)
{
    return kind == TF_KIND_TYPE || kind == TF_KIND_OP || kind == TF_KIND_COMM;
}

static inline void *tf_pool_find_predefined(const struct tf_pool *pool, uintptr_t handle)
{
    uintptr_t i = handle - pool->predef_first;
    return TF_LIKELY(i < pool->predef_count) ? pool->predef[i] : NULL;
}

/* The object of a handle, or NULL if the handle is null, stale, foreign or of another kind.  `kind`, for the compiler:
 * TF_KIND_NONE if nobody can be making others. */
static inline void *tf_pool_find_kind(const struct tf_pool *pool, enum tf_kind kind, uintptr_t handle)
{
    if (tf_kind_is_mostly_predefined(kind)) {
        if (TF_LIKELY(handle < 4096))
            return tf_pool_find_predefined(pool, handle);
    } else if (TF_UNLIKELY(handle < 4096)) {
        return tf_pool_find_predefined(pool, handle);
    }
    uint32_t index = handle & 0x1fffff;
    if (TF_UNLIKELY(index >= (tf_kind_is_met(kind) ? __atomic_load_n(&pool->used, __ATOMIC_ACQUIRE) : pool->used)))
        return NULL;
    struct tf_object *o =
        (struct tf_object *)(pool->chunks[index / TF_POOL_CHUNK] + (size_t)(index % TF_POOL_CHUNK) * pool->size);
    return TF_LIKELY(o->handle == handle) ? o : NULL;
}

static inline void *tf_pool_find(const struct tf_pool *pool, uintptr_t handle)
{
    return tf_pool_find_kind(pool, TF_KIND_NONE, handle);
}

/* The same without the big lock, of a pool whose list of chunks is `lasting`.  Who has the handle must not free it
 * meanwhile, as is so with every handle. */
static inline void *tf_pool_find_unlocked(const struct tf_pool *pool, uintptr_t handle)
{
    uint32_t index = handle & 0x1fffff;
    if (TF_UNLIKELY(handle < 4096 || index >= __atomic_load_n(&pool->used, __ATOMIC_ACQUIRE)))
        return NULL;
    struct tf_object *o =
        (struct tf_object *)(pool->chunks[index / TF_POOL_CHUNK] + (size_t)(index % TF_POOL_CHUNK) * pool->size);
    return TF_LIKELY(o->handle == handle) ? o : NULL;
}

/* The handle of an object that the user freed and the library still holds is made stale: no lookup finds it, and
 * tf_pool_give() still works.  Revive undoes it. */
static inline void tf_handle_retire(struct tf_object *object)
{
    object->handle |= 0x80000000u;
}
static inline void tf_handle_revive(struct tf_object *object)
{
    object->handle &= 0x7fffffffu;
}

/* The kind of a handle, by its value alone: of a predefined one, of a user's, or TF_KIND_NONE. */
enum tf_kind tf_handle_kind(uintptr_t handle);
/* The error class of a wrong handle of that kind. */
int tf_handle_errclass(enum tf_kind kind);
/* Words for an error message: "stale or freed communicator handle 0x...", "null", "a datatype handle, not a
 * communicator", ...; in a thread-local buffer. */
const char *tf_handle_describe(const struct tf_pool *pool, uintptr_t handle) TF_COLD;

/* tf_comm_pool, tf_comm_find() and so on: the pool of each class, which its folder defines, and the object of a handle.
 */
#define TF_HANDLE(object, KIND, ctype, ...)                                                                            \
    extern struct tf_pool tf_##object##_pool;                                                                          \
    static inline struct tf_##object *tf_##object##_find(ctype handle)                                                 \
    {                                                                                                                  \
        return tf_pool_find_kind(&tf_##object##_pool, TF_KIND_##KIND, (uintptr_t)handle);                              \
    }
#include "base/gen/handles.def"

extern struct tf_pool tf_keyval_pool, tf_tool_pool;

/* How many objects of all kinds there are, and the kind of some of them: tests ask whether all pools are empty. */
uint32_t tf_pools_live(const char **what);

#endif
