/* alltoall_pairwise.c - in round k every rank sends to the rank k above it and receives from the rank k below; in
 * place, where a pair must exchange at one time, ranks whose numbers add up to k meet.
 *
 *     round k:  r -> r+k, r <- r-k    in place:  r <-> k-r    (modulo p)
 *
 * p - 1 rounds that spread the traffic: no rank is the target of two at once.  Alltoall, alltoallv, alltoallw.
 */
#include "algo/algo.h"
#include "algo/alltoall.h"

void tf_algo_alltoall_pairwise(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank, first = p > 1;

    tf_plan_blocks(plan, p);
    int temp = tf_algo_alltoall_temp(plan, shape);
    for (int k = 0; k < p; k++) {
        int to = shape->inplace ? (k - r + p) % p : (r + k) % p;
        int from = shape->inplace ? to : (r - k + p) % p;
        if (to != r)
            tf_algo_alltoall_send(plan, shape, to);
        if (k == first)
            tf_algo_alltoall_own(plan, shape);
        if (to != r)
            tf_algo_alltoall_recv(plan, shape, from, temp);
    }
    tf_algo_alltoall_put_back(plan, shape, temp);
}
