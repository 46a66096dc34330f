/* inter_reduce.c - a reduction within the group that contributes, up a tree or along a chain to its leader, which sends
 * the result to the root in the other group.
 *
 *     first group A B, second group a b c d, root B     a <- b, c <- d     a <- c     a -> B
 *
 * ceil(log2 n) + 1 hops by the tree, for short vectors; n by the chain, which pipelines, for long ones.  Rank order.
 * Scratch: one vector on inner ranks.
 */
#include "algo/algo.h"
#include "algo/inter.h"

static void reduce(struct tf_plan *plan, const struct tf_shape *shape, enum tf_inter_way way)
{
    struct tf_inter inter = tf_algo_inter(shape);

    if (shape->rank == shape->root)
        tf_plan_recv(plan, inter.across, tf_blocks(TF_OUTPUT, 0, 1));
    if (inter.has_root)
        return;
    int at = tf_algo_inter_reduce(plan, &inter, way, -1);
    if (inter.me == 0)
        tf_plan_send(plan, shape->root, tf_blocks(at, 0, 1));
}

void tf_algo_inter_reduce_tree(struct tf_plan *plan, const struct tf_shape *shape)
{
    reduce(plan, shape, TF_INTER_TREE);
}

void tf_algo_inter_reduce_chain(struct tf_plan *plan, const struct tf_shape *shape)
{
    reduce(plan, shape, TF_INTER_CHAIN);
}
