/* levels.h - the ranks' domains (packages, nodes), as algorithms of two levels see them.
 *
 *     domain      0 0 0 1 1 2      ranks  0 1 2 | 3 4 | 5      leaders  0 3 5
 *                 0 1 0 1 0 1             0 2 4 | 1 3 5                 0 1
 *
 * Domains are numbered by their lowest ranks.  Where order counts, each run of adjacent ranks is a domain of its own,
 * so that what a domain combines is a run of ranks whatever the placement: the second line above is six domains then.
 */
#ifndef TF_LEVELS_H
#define TF_LEVELS_H

#include "plan/plan.h"

struct tf_levels {
    int ndomains, least;     /* domains; ranks of the smallest one */
    int mine, me;            /* this rank's domain, its number in that */
    int nmembers;            /* ranks of its domain */
    const int *members;      /* [nmembers] rising */
    const int *first, *rank; /* the members of domain d are rank[first[d]] to rank[first[d + 1] - 1] */
    int *leaders;            /* [ndomains] the root, where it is in the domain, or the lowest rank */
    int root_domain;         /* where the shape's root is */
    int leader;              /* the number in this rank's domain of its leader */
    int *memory;
};

/* False: no memory, which is the plan's error then. */
bool tf_algo_levels_open(struct tf_plan *plan, const struct tf_shape *shape, bool ordered, struct tf_levels *levels);
void tf_algo_levels_close(struct tf_levels *levels);

/* This rank is the leader of its domain. */
static inline bool tf_algo_leads(const struct tf_levels *levels)
{
    return levels->me == levels->leader;
}

#endif
