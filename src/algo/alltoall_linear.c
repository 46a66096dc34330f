/* alltoall_linear.c - all sends, then all receives, each in the order of distance; the transport sorts out the rest.
 *
 * One round of p - 1 messages each way: for short blocks.  Alltoall, alltoallv, alltoallw.
 */
#include "algo/algo.h"
#include "algo/alltoall.h"

void tf_algo_alltoall_linear(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank;

    tf_plan_blocks(plan, p);
    int temp = tf_algo_alltoall_temp(plan, shape);
    for (int k = 1; k < p; k++)
        tf_algo_alltoall_send(plan, shape, (r + k) % p);
    tf_algo_alltoall_own(plan, shape);
    for (int k = 1; k < p; k++)
        tf_algo_alltoall_recv(plan, shape, (r - k + p) % p, temp);
    tf_algo_alltoall_put_back(plan, shape, temp);
}
