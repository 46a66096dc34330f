/* neighbor.h - what algorithms between neighbors share. */
#ifndef TF_ALGO_NEIGHBOR_H
#define TF_ALGO_NEIGHBOR_H

#include "plan/plan.h"

/* Messages from one rank to another are received in the order in which they are sent, so the slots that belong together
 * have to come up in the same order on both sides (struct tf_neighbors): in a grid the slots of a dimension are
 * exchanged, since in a ring of two both edges lead to the same rank.  What is received as number j goes there: */
static inline int32_t tf_algo_neighbor_slot(const struct tf_neighbors *neighbors, int32_t j)
{
    return neighbors->grid ? j ^ 1 : j;
}

/* What goes to destination k.  one_block: all of them get the same. */
static inline struct tf_ref tf_algo_neighbor_sent(bool one_block, int32_t k)
{
    return tf_blocks(TF_INPUT, one_block ? 0 : k, 1);
}

/* The edges of a rank to itself (neighbor_direct.c). */
void tf_algo_neighbor_copy_own(struct tf_plan *plan, const struct tf_shape *shape, bool one_block);

#endif
