/* allgather_flat.c - every rank sends its block to every other one.  One round, p - 1 messages a rank.  Allgather and
 * allgatherv. */
#include "algo/algo.h"

void tf_algo_allgather_flat(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank;
    struct tf_ref own = shape->inplace ? tf_blocks(TF_OUTPUT, r, 1) : tf_blocks(TF_INPUT, 0, 1);

    tf_plan_blocks(plan, p);
    for (int k = 1; k < p; k++)
        tf_plan_send(plan, (r + k) % p, own);
    if (!shape->inplace)
        tf_plan_copy(plan, own, tf_blocks(TF_OUTPUT, r, 1));
    for (int k = 1; k < p; k++)
        tf_plan_recv(plan, (r - k + p) % p, tf_blocks(TF_OUTPUT, (r - k + p) % p, 1));
}
