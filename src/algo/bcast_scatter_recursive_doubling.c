/* bcast_scatter_recursive_doubling.c - scatter the vector's p blocks down a tree, then ranks 2^k apart exchange runs of
 * 2^k blocks.
 *
 *     p = 4, root 0     0 -> 2: blocks 2 3     0 -> 1: block 1, 2 -> 3: block 3
 *                       0 -> 1, 2 -> 3: a block         0 -> 2, 1 <-> 3: two blocks
 *
 * 2 log2 p rounds, about 2 m (p - 1) / p bytes a rank; what a rank has from the tree is not sent to it again.  Powers
 * of two.  Barnett, Gupta, Payne, Shuler, van de Geijn, Watts, "Building a high-performance collective communication
 * library", SC 1994.
 */
#include "algo/algo.h"
#include "algo/tree.h"

/* Whether the rank has that run of blocks from the tree: its whole subtree's, a run of a power of two. */
static bool has(const struct tf_tree *tree, int first)
{
    return first >= tree->first && first < tree->first + tree->count;
}

void tf_algo_bcast_scatter_recursive_doubling(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank;
    struct tf_tree mine = tf_algo_tree(r, p, shape->root, 2);

    tf_plan_blocks(plan, p);
    if (mine.parent >= 0)
        tf_plan_recv(plan, mine.parent, tf_blocks(TF_OUTPUT, mine.first, mine.count));
    for (int i = mine.nchildren - 1; i >= 0; i--)
        tf_plan_send(plan, mine.child[i].rank, tf_blocks(TF_OUTPUT, mine.child[i].first, mine.child[i].count));

    for (int run = 1; run < p; run *= 2) {
        int peer = r ^ run, out = r - r % run, in = peer - peer % run;
        struct tf_tree theirs = tf_algo_tree(peer, p, shape->root, 2);
        if (!has(&theirs, out))
            tf_plan_send(plan, peer, tf_blocks(TF_OUTPUT, out, run));
        if (!has(&mine, in))
            tf_plan_recv(plan, peer, tf_blocks(TF_OUTPUT, in, run));
    }
}
