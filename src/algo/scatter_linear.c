/* scatter_linear.c - the root sends every rank its block.  One round, all blocks out of the root.  Scatter and
 * scatterv. */
#include "algo/algo.h"

void tf_algo_scatter_linear(struct tf_plan *plan, const struct tf_shape *shape)
{
    tf_plan_blocks(plan, shape->size);
    if (shape->rank != shape->root) {
        tf_plan_recv(plan, shape->root, tf_blocks(TF_OUTPUT, 0, 1));
        return;
    }
    for (int i = 1; i < shape->size; i++) {
        int peer = (shape->root + i) % shape->size;
        tf_plan_send(plan, peer, tf_blocks(TF_INPUT, peer, 1));
    }
    if (!shape->inplace)
        tf_plan_copy(plan, tf_blocks(TF_INPUT, shape->rank, 1), tf_blocks(TF_OUTPUT, 0, 1));
}
