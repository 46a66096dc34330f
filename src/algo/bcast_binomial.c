/* bcast_binomial.c - down the tree of tree.h, largest subtrees first.
 *
 *     p = 8, root 0     0 -> 4     0 -> 2, 4 -> 6     0 -> 1, 2 -> 3, 4 -> 5, 6 -> 7
 *
 * ceil(log2 p) rounds, m bytes a hop; a radix k gives ceil(log_k p) rounds of k - 1 messages.  What a rank passes on
 * follows what it receives chunk by chunk.
 */
#include "algo/algo.h"
#include "algo/tree.h"

void tf_algo_bcast_binomial(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_tree tree = tf_algo_tree(shape->rank, shape->size, shape->root, shape->parameter);

    if (tree.parent >= 0)
        tf_plan_recv(plan, tree.parent, tf_blocks(TF_OUTPUT, 0, 1));
    for (int i = tree.nchildren - 1; i >= 0; i--)
        tf_plan_send(plan, tree.child[i].rank, tf_blocks(TF_OUTPUT, 0, 1));
}
