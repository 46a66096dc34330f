/* quick.c - see quick.h. */
#include "rma/quick.h"

bool tf_quick_is_open(struct tf_win *win, struct tf_target *target)
{
    return target->lock ? target->unchecked || tf_lock_now(target) : target->started || (win->fenced && win->used);
}

/* Who else may come near; NULL: nobody does. */
static struct tf_share *share_of(const struct tf_target *target)
{
    return tf_share_is_alone(target->share) ? NULL : target->share;
}

static uint64_t there(const struct tf_target *target, MPI_Aint disp)
{
    return target->base + (uint64_t)disp * target->unit;
}

static char *find(struct tf_win *win, int rank, MPI_Aint disp, const struct tf_type *type)
{
    char *at = tf_quick_find(win, rank, disp, (size_t)type->size);
    return tf_single_can(type, (uintptr_t)at) ? at : NULL;
}

/* Any operator on any datatype. */
static __attribute__((noinline)) bool fetch(struct tf_win *win, int rank, MPI_Aint disp, const struct tf_type *type,
                                            const struct tf_op *op, const void *data, void *old)
{
    if (!tf_single_is_defined(op, type) || (tf_quick_is_special(data) && !tf_single_op_is(op, MPI_NO_OP)))
        return false;
    char *at = find(win, rank, disp, type);
    if (!at)
        return false;
    struct tf_share *share = share_of(&win->targets[rank]);
    if (share)
        tf_share_enter(share, there(&win->targets[rank], disp), win->share);
    tf_single_combine(at, type, op, data, old);
    if (share)
        tf_share_leave(win->share);
    return true;
}

/* A counter comes first. */
static inline bool add_or_fetch(struct tf_win *win, int rank, MPI_Aint disp, const struct tf_type *type,
                                const struct tf_op *op, const void *data, void *old)
{
    if (!tf_single_op_is(op, MPI_SUM) || type->obj.handle >= 4096 || type->size != 8 || !tf_single_is_integer(type) ||
        tf_quick_is_special(data))
        return fetch(win, rank, disp, type, op, data, old);
    char *at = tf_quick_find(win, rank, disp, 8);
    if (!at || (uintptr_t)at % 8 != 0)
        return false;
    struct tf_share *share = share_of(&win->targets[rank]);
    if (share)
        tf_share_enter(share, there(&win->targets[rank], disp), win->share);
    tf_single_add_64(at, data, old);
    if (share)
        tf_share_leave(win->share);
    return true;
}

bool tf_quick_fetch(struct tf_win *win, int rank, MPI_Aint disp, const struct tf_type *type, const struct tf_op *op,
                    const void *data, void *old)
{
    return !tf_quick_is_special(old) && add_or_fetch(win, rank, disp, type, op, data, old);
}

bool tf_quick_combine(struct tf_win *win, int rank, MPI_Aint disp, const struct tf_type *type, const struct tf_op *op,
                      const void *data)
{
    return add_or_fetch(win, rank, disp, type, op, data, NULL);
}

bool tf_quick_accumulate(struct tf_win *win, int rank, MPI_Aint disp, struct tf_type *type, MPI_Count count,
                         size_t bytes, const struct tf_op *op, const void *data)
{
    if (bytes == SIZE_MAX || bytes == 0 || !tf_single_is_defined(op, type) || !data)
        return false;
    char *at = tf_quick_find(win, rank, disp, bytes);
    if (!at)
        return false;
    struct tf_target *target = &win->targets[rank];
    struct tf_apply a = {.at = (uintptr_t)at, .count = count, .type = type, .length = bytes, .op = op, .element = type};
    tf_win_share(target, &a);
    a.shift = (ptrdiff_t)((uintptr_t)at - there(target, disp));
    target->stored = true;
    tf_apply_combine(&a, data, NULL);
    return true;
}

bool tf_quick_swap(struct tf_win *win, int rank, MPI_Aint disp, const struct tf_type *type, const void *compare,
                   const void *data, void *old)
{
    if (type->obj.handle >= 4096 || !tf_single_is_integer(type) || tf_quick_is_special(compare) ||
        tf_quick_is_special(data) || tf_quick_is_special(old))
        return false;
    char *at = find(win, rank, disp, type);
    if (!at)
        return false;
    struct tf_share *share = share_of(&win->targets[rank]);
    if (share)
        tf_share_enter(share, there(&win->targets[rank], disp), win->share);
    tf_single_swap(at, (size_t)type->size, compare, data, old);
    if (share)
        tf_share_leave(win->share);
    return true;
}
