/* exscan_linear.c - each rank keeps what comes from the rank below and passes on that combined with its contribution.
 *
 *     0 -> 1 -> 2 -> 3        rank 3 gets (x0 op x1) op x2
 *
 * p - 1 rounds, m bytes a rank.  Scratch: one vector on inner ranks.  Rank 0's result is untouched.
 */
#include "algo/algo.h"
#include "algo/pattern.h"

void tf_algo_exscan_linear(struct tf_plan *plan, const struct tf_shape *shape)
{
    int r = shape->rank;
    bool last = r + 1 == shape->size;
    struct tf_ref own = tf_blocks(tf_algo_own(shape), 0, 1), output = tf_blocks(TF_OUTPUT, 0, 1);

    if (r == 0) {
        if (!last)
            tf_plan_send(plan, 1, own);
        return;
    }
    if (last) {
        tf_plan_recv(plan, r - 1, output);
        return;
    }
    struct tf_ref sum = tf_blocks(tf_plan_temp(plan, 0, 1), 0, 1);
    tf_plan_copy(plan, own, sum);
    tf_plan_recv(plan, r - 1, output);
    tf_plan_reduce(plan, TF_LEFT, output, sum);
    tf_plan_send(plan, r + 1, sum);
}
