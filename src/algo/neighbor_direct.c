/* neighbor_direct.c - every rank sends each of its destinations what is for it, and receives from each of its sources.
 *
 *     out of 0:  --> 1 --> 3 --> 1        into 1:  <-- 0 <-- 2 <-- 0        two edges from 0 to 1: first to first
 *
 * One round; a message an edge.  Edges from a rank to itself are copies.  All blocks of an alltoall are different, an
 * allgather sends one block to all.
 */
#include "algo/algo.h"
#include "algo/neighbor.h"

void tf_algo_neighbor_copy_own(struct tf_plan *plan, const struct tf_shape *shape, bool one_block)
{
    const struct tf_neighbors *n = shape->neighbors;
    int32_t k = 0;

    for (int32_t j = 0; j < n->indegree; j++) {
        if (n->sources[tf_algo_neighbor_slot(n, j)] != shape->rank)
            continue;
        while (n->destinations[k] != shape->rank)
            k++;
        tf_plan_copy(plan, tf_algo_neighbor_sent(one_block, k++), tf_blocks(TF_OUTPUT, tf_algo_neighbor_slot(n, j), 1));
    }
}

static void exchange(struct tf_plan *plan, const struct tf_shape *shape, bool one_block)
{
    const struct tf_neighbors *n = shape->neighbors;

    for (int32_t k = 0; k < n->outdegree; k++)
        if (n->destinations[k] >= 0 && n->destinations[k] != shape->rank)
            tf_plan_send(plan, n->destinations[k], tf_algo_neighbor_sent(one_block, k));
    tf_algo_neighbor_copy_own(plan, shape, one_block);
    for (int32_t j = 0; j < n->indegree; j++) {
        int32_t slot = tf_algo_neighbor_slot(n, j), source = n->sources[slot];
        if (source >= 0 && source != shape->rank)
            tf_plan_recv(plan, source, tf_blocks(TF_OUTPUT, slot, 1));
    }
}

void tf_algo_neighbor_allgather_direct(struct tf_plan *plan, const struct tf_shape *shape)
{
    exchange(plan, shape, true);
}

void tf_algo_neighbor_alltoall_direct(struct tf_plan *plan, const struct tf_shape *shape)
{
    exchange(plan, shape, false);
}
