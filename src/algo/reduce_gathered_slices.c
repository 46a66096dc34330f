/* reduce_gathered_slices.c - each rank combines its slice of everybody's vector at once, and sends the result to the
 * root.
 *
 *     r -> everyone: their block of x_r        r: block r of (x0 op x1 op x2 op x3)        r -> root: block r
 *
 * Two rounds, of p - 1 messages and of one, 2 m (p - 1) / p bytes a rank, for any p.  See allreduce_gathered_slices.c.
 */
#include "algo/algo.h"
#include "algo/gathered_slices.h"
#include "algo/pattern.h"

void tf_algo_reduce_gathered_slices(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank;
    bool root = r == shape->root;

    tf_plan_blocks(plan, p);
    struct tf_ref mine = root ? tf_blocks(TF_OUTPUT, r, 1) : tf_blocks(tf_plan_temp(plan, r, 1), 0, 1);
    tf_algo_gathered_slice(plan, shape, tf_algo_own(shape), mine);
    if (!root)
        tf_plan_send(plan, shape->root, mine);
    for (int k = 1; root && k < p; k++)
        tf_plan_recv(plan, (r + k) % p, tf_blocks(TF_OUTPUT, (r + k) % p, 1));
}
