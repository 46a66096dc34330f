/* gathered_slices.h - every rank combines one block of everybody's vector, all operands at once. */
#ifndef TF_GATHERED_SLICES_H
#define TF_GATHERED_SLICES_H

#include "plan/plan.h"

/* Among p ranks, the vector in p blocks in `own`: give every other rank its block, take theirs of this rank's, and
 * leave them combined in dst. */
static inline void tf_algo_gathered_slice(struct tf_plan *plan, const struct tf_shape *shape, int own,
                                          struct tf_ref dst)
{
    int p = shape->size, r = shape->rank, temp = tf_plan_temp_alike(plan, r, p);

    for (int k = 1; k < p; k++)
        tf_plan_send(plan, (r + k) % p, tf_blocks(own, (r + k) % p, 1));
    tf_plan_copy(plan, tf_blocks(own, r, 1), tf_blocks(temp, r, 1));
    for (int k = 1; k < p; k++)
        tf_plan_recv(plan, (r - k + p) % p, tf_blocks(temp, (r - k + p) % p, 1));
    tf_plan_combine(plan, tf_blocks(temp, 0, p), dst);
}

#endif
