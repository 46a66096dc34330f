/* quick.h - operations that are a few instructions: contiguous memory that this process has before it, in an epoch that
 * is open.  What these functions do not take, or what is wrong, goes the long way (call.c), which says why.
 */
#ifndef TF_QUICK_H
#define TF_QUICK_H

#include "rma/apply.h"
#include "rma/lock.h"
#include "rma/single.h"

enum { TF_QUICK_MOST = 1 << 30 }; /* bytes of an element, and elements */

/* Whether an operation may go there now; it is only asked where the lock is not known to be held. */
bool tf_quick_is_open(struct tf_win *win, struct tf_target *target);

/* Where `bytes` at that displacement lie, or NULL. */
static inline char *tf_quick_find(struct tf_win *win, int rank, MPI_Aint disp, size_t bytes)
{
    if ((unsigned)rank >= (unsigned)win->comm->size)
        return NULL;
    struct tf_target *target = &win->targets[rank];
    if (!target->granted && !tf_quick_is_open(win, target))
        return NULL;
    if ((uint64_t)disp > target->units || bytes > target->reach - (uint64_t)disp * target->unit)
        return NULL;
    return (char *)target->here + (uint64_t)disp * target->unit;
}

/* The bytes of both sides, if they are the same and lie in a row; SIZE_MAX: not so. */
static inline size_t tf_quick_bytes(MPI_Count count, const struct tf_type *type, MPI_Count target_count,
                                    const struct tf_type *target_type)
{
    bool row = type == target_type && count == target_count && type->dense && type->true_lb == 0;
    return row && (uint64_t)count <= TF_QUICK_MOST && (uint64_t)type->size <= TF_QUICK_MOST
               ? (size_t)count * (size_t)type->size
               : SIZE_MAX;
}

/* One element, which is what most short ones are, without a call. */
static inline void tf_quick_copy(void *to, const void *from, size_t bytes)
{
    if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes == 4)
        memcpy(to, from, 4);
    else
        memcpy(to, from, bytes);
}

static inline bool tf_quick_put(struct tf_win *win, int rank, MPI_Aint disp, const void *from, size_t bytes)
{
    char *at = bytes == SIZE_MAX ? NULL : tf_quick_find(win, rank, disp, bytes);
    if (!at)
        return false;
    tf_quick_copy(at, from, bytes);
    win->targets[rank].stored = true;
    return true;
}

static inline bool tf_quick_get(struct tf_win *win, int rank, MPI_Aint disp, void *to, size_t bytes)
{
    const char *at = bytes == SIZE_MAX ? NULL : tf_quick_find(win, rank, disp, bytes);
    if (at)
        tf_quick_copy(to, at, bytes);
    return at != NULL;
}

/* The null pointer, MPI_IN_PLACE and the like are no addresses of elements. */
static inline bool tf_quick_is_special(const void *address)
{
    return (uintptr_t)address <= 3;
}

/* One element; false: not by this way. */
bool tf_quick_fetch(struct tf_win *win, int rank, MPI_Aint disp, const struct tf_type *type, const struct tf_op *op,
                    const void *data, void *old);
/* The same without what was there. */
bool tf_quick_combine(struct tf_win *win, int rank, MPI_Aint disp, const struct tf_type *type, const struct tf_op *op,
                      const void *data);
/* `count` of them, so many bytes; SIZE_MAX: not by this way. */
bool tf_quick_accumulate(struct tf_win *win, int rank, MPI_Aint disp, struct tf_type *type, MPI_Count count,
                         size_t bytes, const struct tf_op *op, const void *data);
bool tf_quick_swap(struct tf_win *win, int rank, MPI_Aint disp, const struct tf_type *type, const void *compare,
                   const void *data, void *old);

#endif
