/* scan_binary_tree.c - up the tree of inorder.h goes the combination of each subtree, down comes that of all ranks left
 * of it.
 *
 *     p = 7, rank 5     4 -> 5: x4     6 is not asked     3 -> 5: x0 .. x3       result x0 .. x5
 *                       5 -> 3: nothing, as no rank is right of 6                5 -> 4: x0 .. x3     5 -> 6: x0 .. x5
 *
 * In segments, on their way up and down at one time: about 2 log2 p + s rounds of exchanges of m / s bytes, s segments,
 * where a chain takes p hops: for long vectors.  Rank order.  Scratch: up to two vectors.  Sanders, Traff, "Parallel
 * prefix (scan) algorithms for MPI", EuroPVM/MPI 2006.
 */
#include "algo/algo.h"
#include "algo/inorder.h"
#include "algo/pattern.h"

struct scan {
    struct tf_plan *plan;
    struct tf_inorder tree;
    bool asked;  /* there are ranks right of the subtree, who need what it holds */
    int through; /* the left subtree and this rank, combined */
    int all;     /* the whole subtree; where there is a right one and it is asked for */
    int before;  /* all ranks left of the subtree; where a left child needs it too */
};

static void go_up(const struct scan *s, int own, int i)
{
    struct tf_ref through = tf_blocks(s->through, i, 1), all = tf_blocks(s->all, i, 1);

    if (s->tree.left >= 0)
        tf_plan_recv_reduce(s->plan, s->tree.left, TF_LEFT, tf_blocks(own, i, 1), through);
    if (!s->asked)
        return;
    if (s->tree.right >= 0)
        tf_plan_recv_reduce(s->plan, s->tree.right, TF_RIGHT, through, all);
    tf_plan_send(s->plan, s->tree.parent, s->tree.right >= 0 ? all : through);
}

static void go_down(const struct scan *s, int i)
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
    int p = shape->size, n = tf_algo_segments(shape), own = tf_algo_own(shape);
    struct scan s = {plan, .tree = tf_algo_inorder(shape->rank, 0, p, tf_algo_middle(0, p))};

    tf_plan_blocks(plan, n);
    s.asked = s.tree.end < p;
    s.through = s.tree.left >= 0 ? TF_OUTPUT : own;
    if (s.asked && s.tree.right >= 0)
        s.all = tf_plan_temp(plan, 0, n);
    if (s.tree.first > 0 && s.tree.left >= 0)
        s.before = tf_plan_temp(plan, 0, n);
    for (int i = 0; i < n + s.tree.depth; i++) {
        if (i < n)
            go_up(&s, own, i);
        if (i >= s.tree.depth)
            go_down(&s, i - s.tree.depth);
    }
}
