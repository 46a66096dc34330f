/* allreduce_slices.c - rank r combines slice r of everybody's vector, then everybody gets everybody's slice.
 *
 *     everyone -> r: slice r     r: ((x0 op x1) op x2) op x3     r -> everyone: slice r of the result
 *
 * Two rounds, 2 m (p - 1) / p bytes a rank, in rank order, no scratch (in place: a slice).  For long vectors of
 * processes that read each other's memory: each byte is then read where it lies and moved once.  Li, Hoefler, Snir,
 * "NUMA-aware shared-memory collective communication for MPI", HPDC 2013; Jain, Kaleem, Balmana, Langer, Durnov,
 * Sannikov, Garzaran, "Framework for scalable intra-node collective operations using shared memory", SC 2018.
 */
#include "algo/algo.h"
#include "algo/pattern.h"
#include "algo/slices.h"

void tf_algo_allreduce_slices(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank;
    struct tf_ref slice = tf_blocks(TF_OUTPUT, r, 1);

    tf_plan_blocks(plan, p);
    tf_algo_slices(plan, shape, tf_algo_own(shape), slice);
    for (int k = 1; k < p; k++)
        tf_plan_send(plan, (r + k) % p, slice);
    for (int k = 1; k < p; k++)
        tf_plan_recv(plan, (r + k) % p, tf_blocks(TF_OUTPUT, (r + k) % p, 1));
}
