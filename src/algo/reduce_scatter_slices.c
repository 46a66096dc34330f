/* reduce_scatter_slices.c - rank r combines block r of everybody's vector, in rank order.
 *
 *     everyone -> r: block r     r: ((x0 op x1) op x2) op x3
 *
 * One round, m (p - 1) / p bytes a rank, m the whole vector; pairwise in rank order, that is, and for operators that do
 * not commute.  Scratch: a block, in place.
 */
#include "algo/algo.h"
#include "algo/pattern.h"
#include "algo/slices.h"

void tf_algo_reduce_scatter_slices(struct tf_plan *plan, const struct tf_shape *shape)
{
    tf_plan_blocks(plan, shape->size);
    if (!tf_algo_reduce_scatter_alone(plan, shape))
        tf_algo_slices(plan, shape, TF_INPUT, tf_blocks(TF_OUTPUT, 0, 1));
}
