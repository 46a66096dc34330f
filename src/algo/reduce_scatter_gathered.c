/* reduce_scatter_gathered.c - each rank combines its block of everybody's vector at once.
 *
 *     r -> everyone: their block of x_r        r: block r of (x0 op x1 op x2 op x3)
 *
 * One round of p - 1 messages, m (p - 1) / p bytes a rank.  See allreduce_gathered_slices.c.  Scratch: p blocks.
 */
#include "algo/algo.h"
#include "algo/gathered_slices.h"
#include "algo/pattern.h"

void tf_algo_reduce_scatter_gathered(struct tf_plan *plan, const struct tf_shape *shape)
{
    tf_plan_blocks(plan, shape->size);
    if (!tf_algo_reduce_scatter_alone(plan, shape))
        tf_algo_gathered_slice(plan, shape, TF_INPUT, tf_blocks(TF_OUTPUT, 0, 1));
}
