/* barrier_dissemination.c - in round k every rank signals the rank 2^k above it, and waits for the one 2^k below.
 *
 *     p = 5     round 0: r -> r+1     round 1: r -> r+2     round 2: r -> r+4   (all modulo p)
 *
 * ceil(log2 p) rounds, one signal a rank and round.  Hensgen, Finkel, Manber, "Two algorithms for barrier
 * synchronization", IJPP 1988.
 */
#include "algo/algo.h"

void tf_algo_barrier_dissemination(struct tf_plan *plan, const struct tf_shape *shape)
{
    for (int64_t step = 1; step < shape->size; step *= 2) {
        tf_plan_send(plan, (int)((shape->rank + step) % shape->size), TF_NO_REF);
        tf_plan_recv(plan, (int)((shape->rank - step + shape->size) % shape->size), TF_NO_REF);
    }
}
