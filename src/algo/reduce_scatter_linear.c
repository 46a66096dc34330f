/* reduce_scatter_linear.c - every rank sends its vector to rank 0, which combines them in rank order and sends each
 * rank its block.
 *
 *     1 2 3 -> 0 -> 1 2 3        ((x0 op x1) op x2) op x3
 *
 * Two rounds, m (p - 1) bytes into rank 0 and m (p - 1) / p out of it.  The whole vector in each application of the
 * operator.  Scratch: one vector on rank 0.
 */
#include "algo/algo.h"
#include "algo/linear.h"

void tf_algo_reduce_scatter_linear(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, home = TF_INPUT;
    struct tf_ref output = tf_blocks(TF_OUTPUT, 0, 1);

    tf_plan_blocks(plan, p);
    if (shape->inplace)
        tf_plan_alias(plan);
    if (shape->rank != 0) {
        tf_plan_send(plan, 0, tf_blocks(TF_INPUT, 0, p));
        tf_plan_recv(plan, 0, output);
        return;
    }
    if (p > 1)
        home = tf_plan_temp(plan, 0, p);
    tf_algo_combine_in_order(plan, shape, TF_INPUT, home);
    for (int peer = 1; peer < p; peer++)
        tf_plan_send(plan, peer, tf_blocks(home, peer, 1));
    if (p > 1 || !shape->inplace)
        tf_plan_copy(plan, tf_blocks(home, 0, 1), output);
}
