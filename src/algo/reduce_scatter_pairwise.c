/* reduce_scatter_pairwise.c - every rank sends each other rank its block and combines what it gets for its own.
 *
 *     round k:  r -> r+k: block r+k     r <- r-k: block r    (modulo p)
 *
 * p - 1 rounds, m (p - 1) / p bytes a rank, m the whole vector, any p; combines in the order r, r-1, ..., so the
 * operator must be commutative.  No scratch but in place: one block.
 */
#include "algo/algo.h"

void tf_algo_reduce_scatter_pairwise(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank;
    struct tf_ref own = tf_blocks(TF_INPUT, r, 1), output = tf_blocks(TF_OUTPUT, 0, 1), home = output, at = own;

    tf_plan_blocks(plan, p);
    if (shape->inplace) {
        tf_plan_alias(plan);
        if (p == 1)
            return;
        home = tf_blocks(tf_plan_temp(plan, r, 1), 0, 1);
    }
    for (int k = 1; k < p; k++) {
        int to = (r + k) % p, from = (r - k + p) % p;
        tf_plan_send(plan, to, tf_blocks(TF_INPUT, to, 1));
        tf_plan_recv_reduce(plan, from, TF_LEFT, at, home);
        at = home;
    }
    if (at.buffer != TF_OUTPUT)
        tf_plan_copy(plan, at, output);
}
