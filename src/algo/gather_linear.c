/* gather_linear.c - every rank sends its block to the root.  One round, all blocks into the root.  Gather and gatherv.
 */
#include "algo/algo.h"

void tf_algo_gather_linear(struct tf_plan *plan, const struct tf_shape *shape)
{
    tf_plan_blocks(plan, shape->size);
    if (shape->rank != shape->root) {
        tf_plan_send(plan, shape->root, tf_blocks(TF_INPUT, 0, 1));
        return;
    }
    if (!shape->inplace)
        tf_plan_copy(plan, tf_blocks(TF_INPUT, 0, 1), tf_blocks(TF_OUTPUT, shape->rank, 1));
    for (int i = 1; i < shape->size; i++) {
        int peer = (shape->root + i) % shape->size;
        tf_plan_recv(plan, peer, tf_blocks(TF_OUTPUT, peer, 1));
    }
}
