/* allreduce_gathered.c - every rank sends its vector to every other one, and each combines all of them at once.
 *
 *     r -> everyone: x_r        everywhere (x0 op x1 op x2 op x3)
 *
 * One round of p - 1 messages, m (p - 1) bytes a rank: for short vectors of few ranks.  What allreduce_slices.c is for
 * long ones.  Scratch: p vectors.
 */
#include "algo/algo.h"
#include "algo/pattern.h"

void tf_algo_allreduce_gathered(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank, own = tf_algo_own(shape), temp = tf_plan_temp_alike(plan, 0, p);

    for (int k = 1; k < p; k++)
        tf_plan_send(plan, (r + k) % p, tf_blocks(own, 0, 1));
    tf_plan_copy(plan, tf_blocks(own, 0, 1), tf_blocks(temp, r, 1));
    for (int k = 1; k < p; k++)
        tf_plan_recv(plan, (r - k + p) % p, tf_blocks(temp, (r - k + p) % p, 1));
    tf_plan_combine(plan, tf_blocks(temp, 0, p), tf_blocks(TF_OUTPUT, 0, 1));
}
