/* exscan_pipelined.c - the chain of exscan_linear.c in segments: a rank passes one on while the next arrives.
 *
 *     0 -> 1 -> 2 -> 3        rank 3 gets (x0 op x1) op x2
 *
 * p - 2 + s rounds of m / s bytes, s segments, m bytes a rank: for long vectors.  Here segments are needed, since what
 * a rank passes on is not what it receives.  Scratch: one vector on inner ranks.  Rank 0's result is untouched.
 */
#include "algo/algo.h"
#include "algo/pattern.h"

void tf_algo_exscan_pipelined(struct tf_plan *plan, const struct tf_shape *shape)
{
    int r = shape->rank, n = tf_algo_segments(shape), own = tf_algo_own(shape), sum = own;
    bool last = r + 1 == shape->size;

    tf_plan_blocks(plan, n);
    if (r > 0 && !last) {
        sum = tf_plan_temp(plan, 0, n);
        tf_plan_copy(plan, tf_blocks(own, 0, n), tf_blocks(sum, 0, n));
    }
    for (int i = 0; i < n; i++) {
        if (r > 0)
            tf_plan_recv(plan, r - 1, tf_blocks(TF_OUTPUT, i, 1));
        if (r > 0 && !last)
            tf_plan_reduce(plan, TF_LEFT, tf_blocks(TF_OUTPUT, i, 1), tf_blocks(sum, i, 1));
        if (!last)
            tf_plan_send(plan, r + 1, tf_blocks(sum, i, 1));
    }
}
