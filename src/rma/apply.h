/* apply.h - what an operation does to memory: for whoever has the memory before him, the process whose it is, or one
 * that shares it.
 *
 * Accumulates are done element by element, each as a whole towards other accumulates.
 */
#ifndef TF_APPLY_H
#define TF_APPLY_H

#include "op/op.h"
#include "rma/share.h"
#include "rma/win.h"

/* Bytes [position, position + length) of the packed stream of `count` elements at `at`. */
struct tf_apply {
    uintptr_t at;
    MPI_Count count;
    const struct tf_type *type;
    size_t position, length;
    /* Accumulates: */
    const struct tf_op *op;
    const struct tf_type *element; /* of the stream */
    struct tf_share *share;        /* of whose memory it is; NULL: nobody else comes near it */
    struct tf_share *own;          /* with it: of this process */
    ptrdiff_t shift;               /* what was added to the address that its owner has */
};

/* Who else may come near the memory of that target that this process has before it; NULL: nobody does. */
static inline struct tf_share *tf_win_shared(const struct tf_target *target)
{
    bool others = target->here && !tf_share_is_alone(target->share);
    return others ? target->share : NULL;
}
static inline void tf_win_share(const struct tf_target *target, struct tf_apply *a)
{
    a->share = tf_win_shared(target);
    a->own = target->win->share;
}

/* The types and operators of accumulates: the kernel, if the operator has one there. */
void tf_apply_put(const struct tf_apply *a, const void *data);
void tf_apply_get(const struct tf_apply *a, void *data);
/* memory = memory op data; `old`, if not NULL, gets what was there. */
void tf_apply_combine(const struct tf_apply *a, const void *data, void *old);
/* One element: memory becomes `data` if it is `compare`; `old` gets what was there. */
void tf_apply_swap(const struct tf_apply *a, const void *compare, const void *data, void *old);

#endif
