/* reduce_scatter_ring.c - each block travels once around the ring, growing, to its own rank.
 *
 *     r -> r+1: block r-1, then r-2, ... then r+1    (all modulo p)
 *
 * p - 1 rounds, m (p - 1) / p bytes a rank, m the whole vector, always between the same neighbours; what is passed on
 * follows what arrives chunk by chunk.  Block b is combined in the order b+1, b+2, ... b, so the operator must be
 * commutative.  Scratch: one vector, since blocks may have any sizes.
 */
#include "algo/algo.h"
#include "algo/pattern.h"

void tf_algo_reduce_scatter_ring(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank, right = (r + 1) % p, left = (r + p - 1) % p, at = TF_INPUT, temp = TF_INPUT;
    struct tf_ref output = tf_blocks(TF_OUTPUT, 0, 1);

    tf_plan_blocks(plan, p);
    if (tf_algo_reduce_scatter_alone(plan, shape))
        return;
    if (p > 2 || shape->inplace)
        temp = tf_plan_temp(plan, 0, p);
    for (int k = 1; k < p; k++) {
        int out = (r - k + p) % p, in = (left - k + p) % p;
        bool last = k == p - 1 && !shape->inplace;
        tf_plan_send(plan, right, tf_blocks(at, out, 1));
        tf_plan_recv_reduce(plan, left, TF_LEFT, tf_blocks(TF_INPUT, in, 1), last ? output : tf_blocks(temp, in, 1));
        at = temp;
    }
    if (shape->inplace)
        tf_plan_copy(plan, tf_blocks(temp, r, 1), output);
}
