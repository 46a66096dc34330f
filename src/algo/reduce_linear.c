/* reduce_linear.c - every rank sends its vector to the root, which combines them in rank order from the left.
 *
 *     ((x0 op x1) op x2) op x3
 *
 * One round of p - 1 messages into the root.  The order of combination is the same for every root.
 */
#include "algo/algo.h"
#include "algo/linear.h"
#include "algo/pattern.h"

void tf_algo_reduce_linear(struct tf_plan *plan, const struct tf_shape *shape)
{
    if (shape->rank != shape->root) {
        tf_plan_send(plan, shape->root, tf_blocks(TF_INPUT, 0, 1));
        return;
    }
    int own = tf_algo_own(shape);
    /* The value of the ranks below grows beside this rank's own until its turn comes. */
    int home = shape->inplace && shape->rank > 1 ? tf_plan_temp(plan, 0, 1) : TF_OUTPUT;
    tf_algo_combine_in_order(plan, shape, own, home);
    if (home != TF_OUTPUT)
        tf_plan_copy(plan, tf_blocks(home, 0, 1), tf_blocks(TF_OUTPUT, 0, 1));
}
