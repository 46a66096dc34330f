/* inter_reduce_scatter.c - each group reduces the vector to its leader, the leaders exchange the results, and each
 * hands out to its group the blocks of what it got.
 *
 *     A <- B     a <- b     A <-> a: the whole vector     A -> B: block of B     a -> b: block of b
 *
 * The groups cut the vector at different places, and neither knows those of the other, so it crosses as a whole.  Up a
 * tree for short vectors, along a chain for long ones; the blocks are handed out by the leader.  In rank order and with
 * the whole vector in each application.  Scratch: one vector on inner ranks, two on the leaders.  Reduce_scatter and
 * reduce_scatter_block.
 */
#include "algo/algo.h"
#include "algo/inter.h"

static void reduce_scatter(struct tf_plan *plan, const struct tf_shape *shape, enum tf_inter_way way)
{
    struct tf_inter inter = tf_algo_inter(shape);
    int n = inter.groups.size, begin = inter.groups.begin;
    struct tf_ref output = tf_blocks(TF_OUTPUT, 0, 1);

    tf_plan_blocks(plan, n);
    int at = tf_algo_inter_reduce(plan, &inter, way, -1);
    if (inter.me > 0) {
        tf_plan_recv(plan, begin, output);
        return;
    }
    struct tf_ref result = n > 1 ? tf_blocks(tf_plan_temp(plan, 0, n), 0, n) : output;
    tf_plan_send(plan, inter.across, tf_blocks(at, 0, n));
    tf_plan_recv(plan, inter.across, result);
    for (int i = 1; i < n; i++)
        tf_plan_send(plan, begin + i, tf_blocks(result.buffer, i, 1));
    if (n > 1)
        tf_plan_copy(plan, tf_blocks(result.buffer, 0, 1), output);
}

void tf_algo_inter_reduce_scatter_tree(struct tf_plan *plan, const struct tf_shape *shape)
{
    reduce_scatter(plan, shape, TF_INTER_TREE);
}

void tf_algo_inter_reduce_scatter_chain(struct tf_plan *plan, const struct tf_shape *shape)
{
    reduce_scatter(plan, shape, TF_INTER_CHAIN);
}
