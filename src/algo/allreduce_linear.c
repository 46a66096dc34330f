/* allreduce_linear.c - every rank sends its vector to rank 0, which combines them in rank order and sends the result
 * back.
 *
 *     1 2 3 -> 0 -> 1 2 3        everywhere ((x0 op x1) op x2) op x3
 *
 * Two rounds, 2 m (p - 1) bytes at rank 0, 2 (p - 1) messages in all.
 */
#include "algo/algo.h"
#include "algo/linear.h"
#include "algo/pattern.h"

void tf_algo_allreduce_linear(struct tf_plan *plan, const struct tf_shape *shape)
{
    int own = tf_algo_own(shape);

    if (shape->rank != 0) {
        tf_plan_send(plan, 0, tf_blocks(own, 0, 1));
        tf_plan_recv(plan, 0, tf_blocks(TF_OUTPUT, 0, 1));
        return;
    }
    tf_algo_combine_in_order(plan, shape, own, TF_OUTPUT);
    for (int peer = 1; peer < shape->size; peer++)
        tf_plan_send(plan, peer, tf_blocks(TF_OUTPUT, 0, 1));
}
