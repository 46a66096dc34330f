/* gather_binomial.c - up the tree of tree.h, whose subtrees are runs of ranks: a message is a run of blocks, and the
 * root's arrive in their places.
 *
 *     p = 4, root 0     1 -> 0: block 1, 3 -> 2: block 3     2 -> 0: blocks 2 3
 *
 * ceil(log2 p) rounds, (p - 1) blocks into the root.  Uniform blocks only: an inner rank holds other ranks' blocks.
 */
#include "algo/algo.h"
#include "algo/tree.h"

void tf_algo_gather_binomial(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_tree tree = tf_algo_tree(shape->rank, shape->size, shape->root, shape->parameter);
    bool root = tree.parent < 0;
    int first = root ? 0 : tree.first, buffer = TF_OUTPUT;

    tf_plan_blocks(plan, shape->size);
    if (!root && tree.nchildren == 0) {
        tf_plan_send(plan, tree.parent, tf_blocks(TF_INPUT, 0, 1));
        return;
    }
    if (!root)
        buffer = tf_plan_temp(plan, tree.first, tree.count);
    if (!shape->inplace)
        tf_plan_copy(plan, tf_blocks(TF_INPUT, 0, 1), tf_blocks(buffer, shape->rank - first, 1));
    for (int i = 0; i < tree.nchildren; i++)
        tf_plan_recv(plan, tree.child[i].rank, tf_blocks(buffer, tree.child[i].first - first, tree.child[i].count));
    if (!root)
        tf_plan_send(plan, tree.parent, tf_blocks(buffer, 0, tree.count));
}
