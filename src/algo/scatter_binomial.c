/* scatter_binomial.c - down the tree of tree.h, whose subtrees are runs of ranks: a message is a run of blocks.
 *
 *     p = 4, root 0     0 -> 2: blocks 2 3     0 -> 1: block 1, 2 -> 3: block 3
 *
 * ceil(log2 p) rounds, (p - 1) blocks out of the root.  Uniform blocks only: an inner rank holds other ranks' blocks.
 */
#include "algo/algo.h"
#include "algo/tree.h"

void tf_algo_scatter_binomial(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_tree tree = tf_algo_tree(shape->rank, shape->size, shape->root, shape->parameter);
    bool root = tree.parent < 0;
    int first = root ? 0 : tree.first, buffer = TF_INPUT;

    tf_plan_blocks(plan, shape->size);
    if (!root && tree.nchildren == 0) {
        tf_plan_recv(plan, tree.parent, tf_blocks(TF_OUTPUT, 0, 1));
        return;
    }
    if (!root) {
        buffer = tf_plan_temp(plan, tree.first, tree.count);
        tf_plan_recv(plan, tree.parent, tf_blocks(buffer, 0, tree.count));
    }
    for (int i = tree.nchildren - 1; i >= 0; i--)
        tf_plan_send(plan, tree.child[i].rank, tf_blocks(buffer, tree.child[i].first - first, tree.child[i].count));
    if (!shape->inplace)
        tf_plan_copy(plan, tf_blocks(buffer, shape->rank - first, 1), tf_blocks(TF_OUTPUT, 0, 1));
}
