/* inter.h - what the generators for intercommunicators share: a reduction within the group, and its mirror image.
 *
 * Ranks are numbered through both groups, first group first; in its own group each of them has a leader, its lowest
 * rank.  Long data cross once, from leader to leader, and what a group does among itself is a tree or a chain: a chain
 * sends the vector once out of each rank and pipelines by itself (plan.h).
 */
#ifndef TF_ALGO_INTER_H
#define TF_ALGO_INTER_H

#include "plan/plan.h"

struct tf_inter {
    struct tf_groups groups;
    int me;        /* this rank in its group; 0 is the leader */
    int across;    /* the other group's leader */
    bool has_root; /* the root is in this group */
};

static inline struct tf_inter tf_algo_inter(const struct tf_shape *shape)
{
    struct tf_groups g = tf_plan_groups(shape->rank, shape->first, shape->size);
    bool has_root = shape->root < 0 || (shape->root >= g.begin && shape->root < g.begin + g.size);
    return (struct tf_inter){g, shape->rank - g.begin, g.other_begin, has_root};
}

enum tf_inter_way { TF_INTER_TREE, TF_INTER_CHAIN };

/* Combine the vectors of this rank's group, in TF_INPUT, in rank order: on return the leader's result is in the buffer
 * returned, TF_INPUT or `home`; the others have sent theirs on.  `home` -1: scratch, on ranks that need it. */
int tf_algo_inter_reduce(struct tf_plan *plan, const struct tf_inter *inter, enum tf_inter_way way, int home);
/* The leader's TF_OUTPUT goes to all of its group. */
void tf_algo_inter_bcast(struct tf_plan *plan, const struct tf_inter *inter, enum tf_inter_way way);

#endif
