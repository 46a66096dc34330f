/* reduce_gathered.c - every rank sends its vector to the root, which combines them at once.
 *
 *     r -> root: x_r        root: (x0 op x1 op x2 op x3)
 *
 * One round of p - 1 messages into the root: for short vectors of few ranks.  Scratch: p vectors at the root.
 */
#include "algo/algo.h"
#include "algo/pattern.h"

void tf_algo_reduce_gathered(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank, own = tf_algo_own(shape);

    if (r != shape->root) {
        tf_plan_send(plan, shape->root, tf_blocks(own, 0, 1));
        return;
    }
    int temp = tf_plan_temp_alike(plan, 0, p);
    tf_plan_copy(plan, tf_blocks(own, 0, 1), tf_blocks(temp, r, 1));
    for (int k = 1; k < p; k++)
        tf_plan_recv(plan, (r + k) % p, tf_blocks(temp, (r + k) % p, 1));
    tf_plan_combine(plan, tf_blocks(temp, 0, p), tf_blocks(TF_OUTPUT, 0, 1));
}
