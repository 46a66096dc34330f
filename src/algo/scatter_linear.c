/* scatter_linear.c - the root sends every rank its block.  One round, all blocks out of the root.  Scatter and
 * scatterv.
 *
 *     window 2:   rank 1 <==========|
 *                 rank 2 <============|
 *                 rank 3            |-- got it (rank 1) --><==========     so only two blocks go at a time
 *
 * With a window of w, rank i after the root tells the root by a signal that it has its block, if there is a rank i+w,
 * whose block goes once those up to i are there.  p-1-w signals.
 */
#include "algo/algo.h"

void tf_algo_scatter_linear(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, window = shape->parameter > 0 && shape->parameter < p ? shape->parameter : p;
    int place = (shape->rank - shape->root + p) % p;

    tf_plan_blocks(plan, p);
    if (place > 0) {
        tf_plan_recv(plan, shape->root, tf_blocks(TF_OUTPUT, 0, 1));
        if (place + window < p)
            tf_plan_send(plan, shape->root, TF_NO_REF);
        return;
    }
    for (int i = 1; i < p; i++) {
        int peer = (shape->root + i) % p;
        if (i > window)
            tf_plan_recv(plan, (shape->root + i - window) % p, TF_NO_REF);
        tf_plan_send(plan, peer, tf_blocks(TF_INPUT, peer, 1));
    }
    if (!shape->inplace)
        tf_plan_copy(plan, tf_blocks(TF_INPUT, shape->rank, 1), tf_blocks(TF_OUTPUT, 0, 1));
}
