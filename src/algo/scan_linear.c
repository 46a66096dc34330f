/* scan_linear.c - each rank combines its contribution with what comes from the rank below, and passes the result on.
 *
 *     0 -> 1 -> 2 -> 3        ((x0 op x1) op x2) op x3
 *
 * p - 1 rounds, m bytes a rank; long vectors pipeline, as what is passed on follows what arrives chunk by chunk.
 */
#include "algo/algo.h"
#include "algo/pattern.h"

void tf_algo_scan_linear(struct tf_plan *plan, const struct tf_shape *shape)
{
    int r = shape->rank;
    struct tf_ref own = tf_blocks(tf_algo_own(shape), 0, 1), output = tf_blocks(TF_OUTPUT, 0, 1);

    if (r > 0)
        tf_plan_recv_reduce(plan, r - 1, TF_LEFT, own, output);
    if (r + 1 < shape->size)
        tf_plan_send(plan, r + 1, r > 0 ? output : own);
    if (r == 0)
        tf_algo_move(plan, own, output);
}
