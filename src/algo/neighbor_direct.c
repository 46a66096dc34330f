/* neighbor_direct.c - every rank sends each of its destinations what is for it, and receives from each of its sources.
 *
 *     out of 0:  --> 1 --> 3 --> 1        into 1:  <-- 0 <-- 2 <-- 0        two edges from 0 to 1: first to first
 *
 * One round; a message an edge.  Edges from a rank to itself are copies.  All blocks of an alltoall are different, an
 * allgather sends one block to all.
 *
 * Messages from one rank to another are received in the order in which they are sent, so the slots that belong together
 * have to come up in the same order on both sides (struct tf_neighbors): in a grid the slots of a dimension are
 * exchanged, since in a ring of two both edges lead to the same rank.
 */
#include "algo/algo.h"

/* What is received as number j goes there. */
static int32_t slot_of(const struct tf_neighbors *neighbors, int32_t j)
{
    return neighbors->grid ? j ^ 1 : j;
}

static struct tf_ref sent(bool one_block, int32_t k)
{
    return tf_blocks(TF_INPUT, one_block ? 0 : k, 1);
}

static void copy_own(struct tf_plan *plan, const struct tf_shape *shape, bool one_block)
{
    const struct tf_neighbors *n = shape->neighbors;
    int32_t k = 0;

    for (int32_t j = 0; j < n->indegree; j++) {
        if (n->sources[slot_of(n, j)] != shape->rank)
            continue;
        while (n->destinations[k] != shape->rank)
            k++;
        tf_plan_copy(plan, sent(one_block, k++), tf_blocks(TF_OUTPUT, slot_of(n, j), 1));
    }
}

static void exchange(struct tf_plan *plan, const struct tf_shape *shape, bool one_block)
{
    const struct tf_neighbors *n = shape->neighbors;

    for (int32_t k = 0; k < n->outdegree; k++)
        if (n->destinations[k] >= 0 && n->destinations[k] != shape->rank)
            tf_plan_send(plan, n->destinations[k], sent(one_block, k));
    copy_own(plan, shape, one_block);
    for (int32_t j = 0; j < n->indegree; j++) {
        int32_t slot = slot_of(n, j), source = n->sources[slot];
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
