/* quick.h - operations that are a few instructions: contiguous memory that this process has before it, in an epoch that
 * is open.  What these functions do not take, or what is wrong, goes the long way (call.c), which says why.
 */
#ifndef TF_QUICK_H
#define TF_QUICK_H

#include "rma/apply.h"
#include "rma/lock.h"
#include "rma/single.h"

enum { TF_QUICK_MOST = 1 << 30 }; /* bytes, elements, and of a unit */

/* Where `bytes` at that displacement lie, or NULL. */
static inline char *tf_quick_find(struct tf_win *win, int rank, MPI_Aint disp, size_t bytes)
{
    if ((unsigned)rank >= (unsigned)win->comm->size)
        return NULL;
    struct tf_target *target = &win->targets[rank];
    bool open = target->lock ? target->granted || target->unchecked || tf_lock_now(target)
                             : target->started || (win->fenced && win->used);
    uint64_t at = (uint64_t)disp * target->unit;
    if (!target->here || !open || (uint64_t)disp > target->size || target->unit > TF_QUICK_MOST || at > target->size ||
        bytes > target->size - at)
        return NULL;
    return (char *)target->here + at;
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

static inline bool tf_quick_put(struct tf_win *win, int rank, MPI_Aint disp, const void *from, size_t bytes)
{
    char *at = bytes == SIZE_MAX ? NULL : tf_quick_find(win, rank, disp, bytes);
    if (!at)
        return false;
    memcpy(at, from, bytes);
    win->targets[rank].stored = true;
    return true;
}

static inline bool tf_quick_get(struct tf_win *win, int rank, MPI_Aint disp, void *to, size_t bytes)
{
    const char *at = bytes == SIZE_MAX ? NULL : tf_quick_find(win, rank, disp, bytes);
    if (at)
        memcpy(to, at, bytes);
    return at != NULL;
}

/* One element; false: not by this way. */
bool tf_quick_fetch(struct tf_win *win, int rank, MPI_Aint disp, const struct tf_type *type, const struct tf_op *op,
                    const void *data, void *old);
bool tf_quick_swap(struct tf_win *win, int rank, MPI_Aint disp, const struct tf_type *type, const void *compare,
                   const void *data, void *old);

#endif
