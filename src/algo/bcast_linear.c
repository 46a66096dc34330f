/* bcast_linear.c - the root sends the vector to every other rank.  One round, m (p - 1) bytes out of the root. */
#include "algo/algo.h"

void tf_algo_bcast_linear(struct tf_plan *plan, const struct tf_shape *shape)
{
    if (shape->rank != shape->root) {
        tf_plan_recv(plan, shape->root, tf_blocks(TF_OUTPUT, 0, 1));
        return;
    }
    for (int i = 1; i < shape->size; i++)
        tf_plan_send(plan, (shape->root + i) % shape->size, tf_blocks(TF_OUTPUT, 0, 1));
}
