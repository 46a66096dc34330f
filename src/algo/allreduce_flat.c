/* allreduce_flat.c - every rank sends its vector to every other one, and each combines all of them in rank order.
 *
 *     r -> everyone: x_r        everywhere ((x0 op x1) op x2) op x3
 *
 * One round, m (p - 1) bytes a rank: for short vectors, above all where ranks share cores, since a rank that waits
 * waits once.  In place costs a copy of the contribution, which is being sent while the result grows.
 */
#include "algo/algo.h"
#include "algo/linear.h"

void tf_algo_allreduce_flat(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank, own = TF_INPUT;

    if (shape->inplace) {
        if (p == 1)
            return;
        own = tf_plan_temp(plan, 0, 1);
        tf_plan_copy(plan, tf_blocks(TF_OUTPUT, 0, 1), tf_blocks(own, 0, 1));
    }
    for (int k = 1; k < p; k++)
        tf_plan_send(plan, (r + k) % p, tf_blocks(own, 0, 1));
    tf_algo_combine_in_order(plan, shape, own, TF_OUTPUT);
}
