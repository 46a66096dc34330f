/* inter_gather.c - every rank of the other group sends its block to the root, or gets it from there.
 *
 * One round, all blocks into or out of the root.  Gather, gatherv, scatter, scatterv.
 */
#include "algo/algo.h"
#include "algo/inter.h"

void tf_algo_inter_gather_linear(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_inter inter = tf_algo_inter(shape);

    tf_plan_blocks(plan, inter.has_root ? inter.groups.other_size : inter.groups.size);
    if (!inter.has_root)
        tf_plan_send(plan, shape->root, tf_blocks(TF_INPUT, 0, 1));
    for (int i = 0; shape->rank == shape->root && i < inter.groups.other_size; i++)
        tf_plan_recv(plan, inter.across + i, tf_blocks(TF_OUTPUT, i, 1));
}

void tf_algo_inter_scatter_linear(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_inter inter = tf_algo_inter(shape);

    tf_plan_blocks(plan, inter.has_root ? inter.groups.other_size : inter.groups.size);
    if (!inter.has_root)
        tf_plan_recv(plan, shape->root, tf_blocks(TF_OUTPUT, 0, 1));
    for (int i = 0; shape->rank == shape->root && i < inter.groups.other_size; i++)
        tf_plan_send(plan, inter.across + i, tf_blocks(TF_INPUT, i, 1));
}
