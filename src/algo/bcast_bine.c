/* bcast_bine.c - down the tree of bine.h, largest subtrees first.
 *
 *     p = 8, root 0     0 -> 3     0 -> 7, 3 -> 4     0 -> 1, 3 -> 2, 4 -> 5, 7 -> 6
 *
 * As many rounds as down a binomial tree, m bytes a hop, over shorter distances.  What a rank passes on follows what it
 * receives chunk by chunk.  Paper: see bine.h.
 */
#include "algo/algo.h"
#include "algo/bine.h"

void tf_algo_bcast_bine(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_bine tree = tf_algo_bine(shape);
    struct tf_ref vector = tf_blocks(TF_OUTPUT, 0, 1);

    if (tree.parent >= 0)
        tf_plan_recv(plan, tree.parent, vector);
    for (int i = tree.nchildren - 1; i >= 0; i--)
        tf_plan_send(plan, tree.child[i], vector);
}
