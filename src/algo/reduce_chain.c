/* reduce_chain.c - two chains of neighbours that end at the root.
 *
 *     p = 5, root 2     0 -> 1 -> 2 <- 3 <- 4        (x0 op x1) op x2 op (x3 op x4)
 *
 * max(root, p-1-root) hops, m bytes a rank: the least a rank can send, for long vectors, which pipeline, as what is
 * passed on follows what arrives chunk by chunk.  Rank order.  Scratch: one vector on inner ranks.
 */
#include "algo/algo.h"
#include "algo/pattern.h"

void tf_algo_reduce_chain(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank, root = shape->root;
    int below = r <= root ? r - 1 : -1, above = r >= root && r + 1 < p ? r + 1 : -1;
    struct tf_ref at = tf_blocks(tf_algo_own(shape), 0, 1), home = tf_blocks(TF_OUTPUT, 0, 1);

    if (r != root && (below >= 0 || above >= 0))
        home.buffer = tf_plan_temp(plan, 0, 1);
    if (below >= 0) {
        tf_plan_recv_reduce(plan, below, TF_LEFT, at, home);
        at = home;
    }
    if (above >= 0) {
        tf_plan_recv_reduce(plan, above, TF_RIGHT, at, home);
        at = home;
    }
    if (r != root)
        tf_plan_send(plan, r < root ? r + 1 : r - 1, at);
    else
        tf_algo_move(plan, at, home);
}
