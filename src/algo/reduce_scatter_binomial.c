/* reduce_scatter_binomial.c - a reduction of the whole vector up the tree of tree.h to rank 0, whose blocks are then
 * scattered down the same tree.
 *
 *     p = 4     0 <- 1, 2 <- 3     0 <- 2     0 -> 2: blocks 2 3     0 -> 1: block 1, 2 -> 3: block 3
 *
 * 2 ceil(log2 p) rounds, m bytes a hop up.  In rank order and with the whole vector in each application: for operators
 * of the user's.  Scratch: one vector on inner ranks.
 */
#include "algo/algo.h"
#include "algo/tree.h"

void tf_algo_reduce_scatter_binomial(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank, buffer = TF_INPUT;
    struct tf_tree tree = tf_algo_tree(r, p, 0, shape->parameter);
    struct tf_ref output = tf_blocks(TF_OUTPUT, 0, 1);

    tf_plan_blocks(plan, p);
    if (shape->inplace)
        tf_plan_alias(plan);
    if (tree.nchildren > 0)
        buffer = tf_plan_temp(plan, 0, p);
    tf_algo_tree_reduce(plan, &tree, r, TF_INPUT, buffer, p);
    if (tree.parent >= 0 && tree.nchildren == 0) {
        tf_plan_recv(plan, tree.parent, output);
        return;
    }
    if (tree.parent >= 0)
        tf_plan_recv(plan, tree.parent, tf_blocks(buffer, tree.first, tree.count));
    for (int i = tree.nchildren - 1; i >= 0; i--)
        tf_plan_send(plan, tree.child[i].rank, tf_blocks(buffer, tree.child[i].first, tree.child[i].count));
    if (p > 1 || !shape->inplace)
        tf_plan_copy(plan, tf_blocks(buffer, r, 1), output);
}
