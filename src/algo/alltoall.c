/* alltoall.c - one exchange of the all-to-all algorithms.
 *
 * In place, block b of the buffer goes to rank b and is replaced by rank b's.  Of each pair of ranks the upper receives
 * into scratch first, so the lower's send can end even where it is synchronous, and the lower may then receive in
 * place: half the scratch and half the copies that a copy of the whole buffer would take.
 */
#include "algo/alltoall.h"

int tf_algo_alltoall_temp(struct tf_plan *plan, const struct tf_shape *shape)
{
    return shape->inplace && shape->rank > 0 ? tf_plan_temp(plan, 0, shape->rank) : 0;
}

void tf_algo_alltoall_send(struct tf_plan *plan, const struct tf_shape *shape, int peer)
{
    tf_plan_send(plan, peer, tf_blocks(shape->inplace ? TF_OUTPUT : TF_INPUT, peer, 1));
}

void tf_algo_alltoall_recv(struct tf_plan *plan, const struct tf_shape *shape, int peer, int temp)
{
    tf_plan_recv(plan, peer, tf_blocks(shape->inplace && peer < shape->rank ? temp : TF_OUTPUT, peer, 1));
}

void tf_algo_alltoall_own(struct tf_plan *plan, const struct tf_shape *shape)
{
    int r = shape->rank;

    if (!shape->inplace)
        tf_plan_copy(plan, tf_blocks(TF_INPUT, r, 1), tf_blocks(TF_OUTPUT, r, 1));
}

void tf_algo_alltoall_put_back(struct tf_plan *plan, const struct tf_shape *shape, int temp)
{
    for (int peer = 0; shape->inplace && peer < shape->rank; peer++)
        tf_plan_copy(plan, tf_blocks(temp, peer, 1), tf_blocks(TF_OUTPUT, peer, 1));
}
