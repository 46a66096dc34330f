/* bcast_scatter_allgather.c - scatter the vector's p blocks down a tree, then pass them around a ring.
 *
 *     p = 4, root 0     0 -> 2: blocks 2 3     0 -> 1: block 1, 2 -> 3: block 3
 *                       then r -> r+1: blocks r, r-1, r-2, except those that r+1 got from the tree
 *
 * ceil(log2 p) + p - 1 rounds, about 2 m (p - 1) / p bytes a rank.  The root receives nothing.  Barnett, Gupta, Payne,
 * Shuler, van de Geijn, Watts, "Building a high-performance collective communication library", SC 1994.
 */
#include "algo/algo.h"
#include "algo/tree.h"

void tf_algo_bcast_scatter_allgather(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank, right = (r + 1) % p, left = (r + p - 1) % p;
    struct tf_tree mine = tf_algo_tree(r, p, shape->root, shape->parameter);
    struct tf_tree theirs = tf_algo_tree(right, p, shape->root, shape->parameter);

    tf_plan_blocks(plan, p);
    if (mine.parent >= 0)
        tf_plan_recv(plan, mine.parent, tf_blocks(TF_OUTPUT, mine.first, mine.count));
    for (int i = mine.nchildren - 1; i >= 0; i--)
        tf_plan_send(plan, mine.child[i].rank, tf_blocks(TF_OUTPUT, mine.child[i].first, mine.child[i].count));

    for (int k = 0; k < p - 1; k++) {
        int out = (r - k + p) % p, in = (left - k + p) % p;
        if (out < theirs.first || out >= theirs.first + theirs.count)
            tf_plan_send(plan, right, tf_blocks(TF_OUTPUT, out, 1));
        if (in < mine.first || in >= mine.first + mine.count)
            tf_plan_recv(plan, left, tf_blocks(TF_OUTPUT, in, 1));
    }
}
