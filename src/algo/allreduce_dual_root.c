/* allreduce_dual_root.c - each half of the ranks reduces up a tree of its own (ordered_tree.h), the two roots exchange,
 * and the result comes back down, segment by segment and in both directions at once.
 *
 *     p = 6     0 -> 1 <- 2    |    3 -> 4 <- 5         a segment on its way up
 *                    1 <------ | -----> 4               both roots: (x0 x1 x2) op (x3 x4 x5)
 *               0 <- 1 -> 2    |    3 <- 4 -> 5         an earlier one on its way down
 *
 * In round j a rank at depth d takes segment j from its children, who get the result of segment j-d-1 in return.
 * About 2 log2 p + s rounds of three exchanges of m / s bytes, s segments: 3 m bytes where the vector is long, half of
 * what a reduction followed by a broadcast takes, and in rank order.  Scratch: one vector on the two roots.  Traff, "A
 * doubly-pipelined, dual-root reduction-to-all algorithm and implementation", arXiv 2109.12626.
 */
#include "algo/algo.h"
#include "algo/ordered_tree.h"
#include "algo/pattern.h"

struct dual {
    struct tf_plan *plan;
    struct tf_ordered_tree tree;
    int rank, other;  /* the other half's root, at a root; else -1 */
    int own, partial; /* where the contribution is, and what is combined of this half */
};

/* Take segment `up` from a child and give it the result of segment `down`, as far as there are such segments. */
static void meet_child(const struct dual *d, int child, int up, int down, int *at)
{
    int n = d->plan->nblocks;

    if (child < 0)
        return;
    if (down >= 0 && down < n)
        tf_plan_send(d->plan, child, tf_blocks(TF_OUTPUT, down, 1));
    if (up < n) {
        tf_plan_recv_reduce(d->plan, child, tf_algo_side(child, d->rank), tf_blocks(*at, up, 1),
                            tf_blocks(d->partial, up, 1));
        *at = d->partial;
    }
}

static void meet_parent(const struct dual *d, int up, int down, int at)
{
    int n = d->plan->nblocks;

    if (up < n)
        tf_plan_send(d->plan, d->tree.parent, tf_blocks(at, up, 1));
    if (down >= 0 && down < n)
        tf_plan_recv(d->plan, d->tree.parent, tf_blocks(TF_OUTPUT, down, 1));
}

static void meet_root(const struct dual *d, int segment, int at)
{
    struct tf_ref mine = tf_blocks(at, segment, 1);

    tf_plan_send(d->plan, d->other, mine);
    tf_plan_recv_reduce(d->plan, d->other, tf_algo_side(d->other, d->rank), mine, tf_blocks(TF_OUTPUT, segment, 1));
}

void tf_algo_allreduce_dual_root(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank, half = p / 2, n = tf_algo_segments(shape);
    int first = r < half ? 0 : half, end = r < half ? half : p;
    struct dual d = {plan, .rank = r, .other = -1, .own = tf_algo_own(shape), .partial = TF_OUTPUT};

    tf_plan_blocks(plan, n);
    if (p == 1) {
        tf_algo_move(plan, tf_blocks(d.own, 0, n), tf_blocks(TF_OUTPUT, 0, n));
        return;
    }
    d.tree = tf_algo_ordered_tree(r, first, end, tf_algo_middle(first, end));
    if (d.tree.parent < 0) {
        bool leaf = end - first == 1;
        d.other = r < half ? tf_algo_middle(half, p) : tf_algo_middle(0, half);
        if (!leaf || shape->inplace) /* what goes to the other root must outlast the result's arrival */
            d.partial = tf_plan_temp(plan, 0, n);
        if (leaf && shape->inplace) {
            tf_plan_copy(plan, tf_blocks(TF_OUTPUT, 0, n), tf_blocks(d.partial, 0, n));
            d.own = d.partial;
        }
    }
    for (int up = 0; up <= n + d.tree.depth; up++) {
        int down = up - d.tree.depth, at = d.own;
        meet_child(&d, d.tree.left, up, down - 1, &at);
        meet_child(&d, d.tree.right, up, down - 1, &at);
        if (d.tree.parent >= 0)
            meet_parent(&d, up, down, at);
        else if (up < n)
            meet_root(&d, up, at);
    }
}
