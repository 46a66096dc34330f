/* allreduce_reduce_broadcast.c - a reduction up the tree of tree.h to rank 0, and a broadcast down the same tree.
 *
 *     p = 4     0 <- 1, 2 <- 3     0 <- 2     0 -> 2     0 -> 1, 2 -> 3
 *
 * 2 ceil(log2 p) rounds, m bytes a hop, any p; half the messages of recursive doubling.
 */
#include "algo/algo.h"
#include "algo/pattern.h"
#include "algo/tree.h"

void tf_algo_allreduce_reduce_broadcast(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_tree tree = tf_algo_tree(shape->rank, shape->size, 0, shape->parameter);
    struct tf_ref output = tf_blocks(TF_OUTPUT, 0, 1);
    int at = tf_algo_tree_reduce(plan, &tree, shape->rank, tf_algo_own(shape), TF_OUTPUT, 1);

    if (tree.parent >= 0)
        tf_plan_recv(plan, tree.parent, output);
    else
        tf_algo_move(plan, tf_blocks(at, 0, 1), output);
    for (int i = tree.nchildren - 1; i >= 0; i--)
        tf_plan_send(plan, tree.child[i].rank, output);
}
