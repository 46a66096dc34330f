/* reduce_bine.c - up the tree of bine.h.
 *
 *     p = 8, root 0     1 -> 0, 2 -> 3, 5 -> 4, 6 -> 7     7 -> 0, 4 -> 3     3 -> 0
 *
 * As many rounds as up a binomial tree, m bytes a hop, over shorter distances.  The subtrees lie around the root on
 * both sides, so the operator must be commutative.  Scratch: one vector on inner ranks.  Paper: see bine.h.
 */
#include "algo/algo.h"
#include "algo/bine.h"
#include "algo/pattern.h"

void tf_algo_reduce_bine(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_bine tree = tf_algo_bine(shape);
    struct tf_ref at = tf_blocks(tf_algo_own(shape), 0, 1), home = tf_blocks(TF_OUTPUT, 0, 1);

    if (tree.parent >= 0 && tree.nchildren > 0)
        home.buffer = tf_plan_temp(plan, 0, 1);
    for (int i = 0; i < tree.nchildren; i++) {
        tf_plan_recv_reduce(plan, tree.child[i], TF_RIGHT, at, home);
        at = home;
    }
    if (tree.parent >= 0)
        tf_plan_send(plan, tree.parent, at);
    else
        tf_algo_move(plan, at, home);
}
