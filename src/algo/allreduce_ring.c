/* allreduce_ring.c - each block travels once around the ring growing, and once more as a result.
 *
 *     r -> r+1: block r, r-1, ... growing; then block r+1, r, ... finished    (all modulo p)
 *
 * 2 (p - 1) rounds, 2 m (p - 1) / p bytes a rank: the least there is, for long vectors.  Block b is combined in the
 * order b, b+1, ... around the ring, so the operator must be commutative.  What is passed on follows what arrives chunk
 * by chunk. Patarasuk, Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", JPDC 2009.
 */
#include "algo/algo.h"
#include "algo/pattern.h"

void tf_algo_allreduce_ring(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank, right = (r + 1) % p, left = (r + p - 1) % p, own = tf_algo_own(shape);

    tf_plan_blocks(plan, p);
    for (int k = 0; k < p - 1; k++) {
        int out = (r - k + p) % p, in = (left - k + p) % p;
        tf_plan_send(plan, right, tf_blocks(k == 0 ? own : TF_OUTPUT, out, 1));
        tf_plan_recv_reduce(plan, left, TF_LEFT, tf_blocks(own, in, 1), tf_blocks(TF_OUTPUT, in, 1));
    }
    for (int k = 0; k < p - 1; k++) {
        tf_plan_send(plan, right, tf_blocks(TF_OUTPUT, (r + 1 - k + p) % p, 1));
        tf_plan_recv(plan, left, tf_blocks(TF_OUTPUT, (left + 1 - k + p) % p, 1));
    }
    if (p == 1)
        tf_algo_move(plan, tf_blocks(own, 0, 1), tf_blocks(TF_OUTPUT, 0, 1));
}
