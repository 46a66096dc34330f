/* bcast_chain.c - each rank passes the vector on to the next.
 *
 *     p = 4, root 2     2 -> 3 -> 0 -> 1
 *
 * p - 1 hops, m bytes a rank and hop; long vectors pipeline, as what is passed on follows what arrives chunk by chunk.
 */
#include "algo/algo.h"

void tf_algo_bcast_chain(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank, next = (r + 1) % p;
    struct tf_ref vector = tf_blocks(TF_OUTPUT, 0, 1);

    if (r != shape->root)
        tf_plan_recv(plan, (r + p - 1) % p, vector);
    if (next != shape->root)
        tf_plan_send(plan, next, vector);
}
