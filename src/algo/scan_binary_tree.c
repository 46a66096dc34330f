/* scan_binary_tree.c - up the tree of ordered_tree.h goes the combination of each subtree, down comes that of all ranks
 * left of it.
 *
 *     p = 7, rank 5     4 -> 5: x4     6 is not asked     3 -> 5: x0 .. x3       result x0 .. x5
 *                       5 -> 3: nothing, as no rank is right of 6                5 -> 4: x0 .. x3     5 -> 6: x0 .. x5
 *
 * In segments, on their way up and down at one time: about 2 log2 p + s rounds of exchanges of m / s bytes, s segments,
 * where a chain takes p hops: for long vectors.  Rank order.  Scratch: up to two vectors.  Sanders, Traff, "Parallel
 * prefix (scan) algorithms for MPI", EuroPVM/MPI 2006.
 */
#include "algo/algo.h"
#include "algo/pattern.h"
#include "algo/prefix_tree.h"

static void join(const struct tf_prefix *s, int i)
{
    if (s->tree.left >= 0)
        tf_plan_recv_reduce(s->plan, s->tree.left, TF_LEFT, tf_blocks(s->own, i, 1), tf_blocks(s->through, i, 1));
}

static void spread(const struct tf_prefix *s, int i)
{
    struct tf_ref through = tf_blocks(s->through, i, 1), before = tf_blocks(s->before, i, 1);
    struct tf_ref output = tf_blocks(TF_OUTPUT, i, 1);

    if (s->tree.first == 0) {
        tf_algo_move(s->plan, through, output);
    } else if (s->tree.left < 0) {
        tf_plan_recv_reduce(s->plan, s->tree.parent, TF_LEFT, through, output);
    } else {
        tf_plan_recv(s->plan, s->tree.parent, before);
        tf_plan_send(s->plan, s->tree.left, before);
        tf_plan_reduce(s->plan, TF_LEFT, before, output);
    }
    if (s->tree.right >= 0)
        tf_plan_send(s->plan, s->tree.right, output);
}

void tf_algo_scan_binary_tree(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_prefix s = tf_algo_prefix(plan, shape);

    if (s.tree.left >= 0)
        s.through = TF_OUTPUT;
    tf_algo_prefix_walk(&s, shape, join, spread);
}
