/* reduce_binary_tree.c - up the tree of ordered_tree.h in segments: while a rank combines one, its children combine the
 * next.
 *
 *     p = 7, root 3     0 -> 1 <- 2     4 -> 5 <- 6     1 -> 3 <- 5        (x0 x1 x2) x3 (x4 x5 x6)
 *
 * About 2 (log2 p + s) rounds of m / s bytes, s segments; a root at either end costs one level more.  Rank order for
 * every root.  Scratch: one vector on inner ranks.
 */
#include "algo/algo.h"
#include "algo/ordered_tree.h"
#include "algo/pattern.h"

void tf_algo_reduce_binary_tree(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_ordered_tree tree = tf_algo_ordered_tree(shape->rank, 0, shape->size, shape->root);
    int n = tf_algo_segments(shape), own = tf_algo_own(shape), home = TF_OUTPUT;
    bool leaf = tree.left < 0 && tree.right < 0;

    tf_plan_blocks(plan, n);
    if (tree.parent >= 0 && !leaf)
        home = tf_plan_temp(plan, 0, n);
    for (int i = 0; i < n; i++) {
        struct tf_ref at = tf_blocks(own, i, 1), sum = tf_blocks(home, i, 1);
        if (tree.left >= 0) {
            tf_plan_recv_reduce(plan, tree.left, TF_LEFT, at, sum);
            at = sum;
        }
        if (tree.right >= 0) {
            tf_plan_recv_reduce(plan, tree.right, TF_RIGHT, at, sum);
            at = sum;
        }
        if (tree.parent >= 0)
            tf_plan_send(plan, tree.parent, at);
        else
            tf_algo_move(plan, at, sum);
    }
}
