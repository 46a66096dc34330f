/* barrier_tree.c - signals go up the tree of tree.h to rank 0 and down again.
 *
 *     p = 4     0 <- 1, 2 <- 3     0 <- 2     0 -> 2     0 -> 1, 2 -> 3
 *
 * 2 ceil(log2 p) rounds (log_k with a radix k), 2 (p - 1) signals in all: a dissemination sends p log2 p.
 */
#include "algo/algo.h"
#include "algo/tree.h"

void tf_algo_barrier_tree(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_tree tree = tf_algo_tree(shape->rank, shape->size, 0, shape->parameter);

    for (int i = 0; i < tree.nchildren; i++)
        tf_plan_recv(plan, tree.child[i].rank, TF_NO_REF);
    if (tree.parent >= 0) {
        tf_plan_send(plan, tree.parent, TF_NO_REF);
        tf_plan_recv(plan, tree.parent, TF_NO_REF);
    }
    for (int i = tree.nchildren - 1; i >= 0; i--)
        tf_plan_send(plan, tree.child[i].rank, TF_NO_REF);
}
