/* allreduce_gathered_slices.c - each rank combines its slice of everybody's vector at once, and sends the result to
 * all.
 *
 *     r -> everyone: their block of x_r        r: block r of (x0 op x1 op x2 op x3)        r -> everyone: block r
 *
 * Two rounds of p - 1 messages, 2 m (p - 1) / p bytes a rank, for any p.  All operands of an element meet in one step:
 * for sums that are exact (op/binned.h), and in rank order for any operator.  Scratch: one vector.
 */
#include "algo/algo.h"
#include "algo/gathered_slices.h"
#include "algo/pattern.h"

void tf_algo_allreduce_gathered_slices(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank;
    struct tf_ref mine = tf_blocks(TF_OUTPUT, r, 1);

    tf_plan_blocks(plan, p);
    tf_algo_gathered_slice(plan, shape, tf_algo_own(shape), mine);
    for (int k = 1; k < p; k++)
        tf_plan_send(plan, (r + k) % p, mine);
    for (int k = 1; k < p; k++)
        tf_plan_recv(plan, (r - k + p) % p, tf_blocks(TF_OUTPUT, (r - k + p) % p, 1));
}
