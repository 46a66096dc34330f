/* reduce_slices.c - rank r combines slice r of everybody's vector, the root collects the slices.
 *
 *     everyone -> r: slice r     r: ((x0 op x1) op x2) op x3     r -> root: slice r of the result
 *
 * Two rounds; m (p - 1) / p bytes go into each rank, and as many more into the root.  In rank order.  Scratch: a slice.
 * Papers: see allreduce_slices.c.
 */
#include "algo/algo.h"
#include "algo/pattern.h"
#include "algo/slices.h"

void tf_algo_reduce_slices(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank;
    struct tf_ref slice = tf_blocks(TF_OUTPUT, r, 1);

    tf_plan_blocks(plan, p);
    if (r != shape->root)
        slice = tf_blocks(tf_plan_temp(plan, r, 1), 0, 1);
    tf_algo_slices(plan, shape, tf_algo_own(shape), slice);
    if (r != shape->root) {
        tf_plan_send(plan, shape->root, slice);
        return;
    }
    for (int k = 1; k < p; k++)
        tf_plan_recv(plan, (r + k) % p, tf_blocks(TF_OUTPUT, (r + k) % p, 1));
}
