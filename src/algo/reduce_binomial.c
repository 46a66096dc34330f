/* reduce_binomial.c - up the tree of tree.h, in rank order for every root.
 *
 *     p = 4, root 0     0 <- 1, 2 <- 3     0 <- 2        (x0 op x1) op (x2 op x3)
 *
 * ceil(log2 p) rounds, m bytes a hop; a radix k gives ceil(log_k p) rounds.  Scratch: one vector on inner ranks.
 */
#include "algo/algo.h"
#include "algo/pattern.h"
#include "algo/tree.h"

void tf_algo_reduce_binomial(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_tree tree = tf_algo_tree(shape->rank, shape->size, shape->root, shape->parameter);
    int own = tf_algo_own(shape), home = TF_OUTPUT;

    if (tree.parent >= 0 && tree.nchildren > 0)
        home = tf_plan_temp(plan, 0, 1);
    int at = tf_algo_tree_reduce(plan, &tree, shape->rank, own, home, 1);
    if (tree.parent < 0)
        tf_algo_move(plan, tf_blocks(at, 0, 1), tf_blocks(TF_OUTPUT, 0, 1));
}
