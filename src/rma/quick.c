/* quick.c - see quick.h. */
#include "rma/quick.h"

static bool is_predefined(const struct tf_type *type)
{
    return type->obj.handle < 4096 && type->basic != TF_BASIC_NONE;
}

/* Where the element is, and what keeps others from it; NULL: not by this way. */
static char *find(struct tf_win *win, int rank, MPI_Aint disp, const struct tf_type *type, struct tf_apply *a)
{
    char *at = is_predefined(type) ? tf_quick_find(win, rank, disp, (size_t)type->size) : NULL;
    if (!at || !tf_single_can(type, (uintptr_t)at))
        return NULL;
    tf_win_share(&win->targets[rank], a);
    return at;
}

static int stripe_of(const struct tf_target *target, MPI_Aint disp)
{
    return tf_share_stripe(target->base + (uint64_t)disp * target->unit);
}

static bool is(const struct tf_op *op, MPI_Op handle)
{
    return op->obj.handle == (uint32_t)(uintptr_t)handle;
}

static bool is_defined(const struct tf_op *op, const struct tf_type *type)
{
    return is(op, MPI_REPLACE) || is(op, MPI_NO_OP) || (op->kernels && op->kernels[type->basic]);
}

bool tf_quick_fetch(struct tf_win *win, int rank, MPI_Aint disp, const struct tf_type *type, const struct tf_op *op,
                    const void *data, void *old)
{
    struct tf_apply a;
    if (!is_defined(op, type) || (!data && !is(op, MPI_NO_OP)))
        return false;
    char *at = find(win, rank, disp, type, &a);
    if (!at)
        return false;
    if (a.share)
        tf_share_enter(a.share, stripe_of(&win->targets[rank], disp), a.own);
    tf_single_combine(at, type, op, data, old);
    if (a.share)
        tf_share_leave(a.own);
    return true;
}

bool tf_quick_swap(struct tf_win *win, int rank, MPI_Aint disp, const struct tf_type *type, const void *compare,
                   const void *data, void *old)
{
    struct tf_apply a;
    char *at = compare && data && old ? find(win, rank, disp, type, &a) : NULL;
    if (!at)
        return false;
    if (a.share)
        tf_share_enter(a.share, stripe_of(&win->targets[rank], disp), a.own);
    tf_single_swap(at, (size_t)type->size, compare, data, old);
    if (a.share)
        tf_share_leave(a.own);
    return true;
}
