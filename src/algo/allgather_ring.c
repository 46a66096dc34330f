/* allgather_ring.c - blocks travel around a ring; each rank passes on what it received last.
 *
 *     r -> r+1: block r, then r-1, ... then r+2    (all modulo p)
 *
 * p - 1 rounds, every rank sends and receives p - 1 blocks, always from and to the same neighbours.  Allgather and
 * allgatherv.
 */
#include "algo/algo.h"

void tf_algo_allgather_ring(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank, right = (r + 1) % p, left = (r + p - 1) % p;

    tf_plan_blocks(plan, p);
    for (int k = 0; k < p - 1; k++) {
        bool first = k == 0 && !shape->inplace;
        tf_plan_send(plan, right, first ? tf_blocks(TF_INPUT, 0, 1) : tf_blocks(TF_OUTPUT, (r - k + p) % p, 1));
        tf_plan_recv(plan, left, tf_blocks(TF_OUTPUT, (left - k + p) % p, 1));
    }
    if (!shape->inplace)
        tf_plan_copy(plan, tf_blocks(TF_INPUT, 0, 1), tf_blocks(TF_OUTPUT, r, 1));
}
