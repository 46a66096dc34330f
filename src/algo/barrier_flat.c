/* barrier_flat.c - everyone signals rank 0, which then signals everyone.
 *
 *     1 2 3 -> 0 -> 1 2 3
 *
 * 2 rounds, 2 (p - 1) signals in all: few, which counts where the ranks share cores.
 */
#include "algo/algo.h"

void tf_algo_barrier_flat(struct tf_plan *plan, const struct tf_shape *shape)
{
    if (shape->rank != 0) {
        tf_plan_send(plan, 0, TF_NO_REF);
        tf_plan_recv(plan, 0, TF_NO_REF);
        return;
    }
    for (int peer = 1; peer < shape->size; peer++)
        tf_plan_recv(plan, peer, TF_NO_REF);
    for (int peer = 1; peer < shape->size; peer++)
        tf_plan_send(plan, peer, TF_NO_REF);
}
