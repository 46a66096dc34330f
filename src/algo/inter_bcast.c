/* inter_bcast.c - the root sends to the leader of the other group, from where it goes on down a tree or along a chain.
 *
 *     first group A B, second group a b c d, root B     B -> a     a -> c     a -> b, c -> d
 *
 * 1 + ceil(log2 m) hops by the tree, for short vectors; m by the chain, which pipelines, for long ones.
 */
#include "algo/algo.h"
#include "algo/inter.h"

static void bcast(struct tf_plan *plan, const struct tf_shape *shape, enum tf_inter_way way)
{
    struct tf_inter inter = tf_algo_inter(shape);

    if (shape->rank == shape->root)
        tf_plan_send(plan, inter.across, tf_blocks(TF_OUTPUT, 0, 1));
    if (inter.has_root)
        return;
    if (inter.me == 0)
        tf_plan_recv(plan, shape->root, tf_blocks(TF_OUTPUT, 0, 1));
    tf_algo_inter_bcast(plan, &inter, way);
}

void tf_algo_inter_bcast_tree(struct tf_plan *plan, const struct tf_shape *shape)
{
    bcast(plan, shape, TF_INTER_TREE);
}

void tf_algo_inter_bcast_chain(struct tf_plan *plan, const struct tf_shape *shape)
{
    bcast(plan, shape, TF_INTER_CHAIN);
}
