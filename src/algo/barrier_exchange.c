/* barrier_exchange.c - every rank signals every other one.
 *
 *     0 -> 1 2 3    1 -> 0 2 3    2 -> 0 1 3    3 -> 0 1 2
 *
 * One round, p - 1 signals a rank: where ranks share cores, each need run only once.
 */
#include "algo/algo.h"

void tf_algo_barrier_exchange(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank;

    for (int k = 1; k < p; k++)
        tf_plan_send(plan, (r + k) % p, TF_NO_REF);
    for (int k = 1; k < p; k++)
        tf_plan_recv(plan, (r - k + p) % p, TF_NO_REF);
}
