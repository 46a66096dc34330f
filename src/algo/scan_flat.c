/* scan_flat.c - every rank sends its vector to all ranks above, and each combines what comes in rank order; scan and
 * exscan.
 *
 *     r -> r+1, r+2, ...: x_r        rank 3 gets ((x0 op x1) op x2) op x3; exscan (x0 op x1) op x2
 *
 * One round, m (p - 1) bytes at both ends: for short vectors.  The brackets are those of the chain (scan_linear.c).  In
 * place costs a copy of the contribution, which is being sent while the result grows.  Rank 0's result of exscan is
 * untouched.
 */
#include "algo/algo.h"
#include "algo/pattern.h"

/* Where this rank's contribution stays while TF_OUTPUT is written. */
static struct tf_ref contribution(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_ref own = tf_blocks(tf_algo_own(shape), 0, 1);

    if (shape->inplace && shape->rank > 0) {
        own.buffer = tf_plan_temp(plan, 0, 1);
        tf_plan_copy(plan, tf_blocks(TF_OUTPUT, 0, 1), own);
    }
    return own;
}

/* Send to all ranks above; combine all below into TF_OUTPUT. */
static void meet(struct tf_plan *plan, const struct tf_shape *shape, struct tf_ref own)
{
    struct tf_ref output = tf_blocks(TF_OUTPUT, 0, 1);

    for (int peer = shape->rank + 1; peer < shape->size; peer++)
        tf_plan_send(plan, peer, own);
    for (int peer = 0; peer < shape->rank; peer++) {
        if (peer == 0)
            tf_plan_recv(plan, 0, output);
        else
            tf_plan_recv_reduce(plan, peer, TF_RIGHT, output, output);
    }
}

void tf_algo_scan_flat(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_ref own = contribution(plan, shape), output = tf_blocks(TF_OUTPUT, 0, 1);

    meet(plan, shape, own);
    if (shape->rank > 0)
        tf_plan_reduce(plan, TF_RIGHT, own, output);
    else
        tf_algo_move(plan, own, output);
}

void tf_algo_exscan_flat(struct tf_plan *plan, const struct tf_shape *shape)
{
    meet(plan, shape, contribution(plan, shape));
}
