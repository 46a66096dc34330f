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

/* What all ranks of a call see alike. */
struct tf_levels_table {
    bool ordered, runs;  /* order counts; it makes no difference, since each domain is one run of adjacent ranks */
    int ndomains, least; /* domains; ranks of the smallest one */
    int *of;             /* [size] each rank's domain */
    int *first, *rank;   /* the members of domain d are rank[first[d]] to rank[first[d + 1] - 1] */
    int *leaders;        /* [ndomains] the root, where it is in the domain, or the lowest rank */
    int root_domain;     /* where the root is */
    int memory[];
};

struct tf_levels {
    int ndomains, least, root_domain; /* as in the table */
    const int *of, *first, *rank, *leaders;
    int mine, me;       /* this rank's domain, its number in that */
    int nmembers;       /* ranks of its domain */
    const int *members; /* [nmembers] rising */
    int leader;         /* the number in this rank's domain of its leader */
    struct tf_levels_table *own;
};

/* To make the plans of many ranks: O(size) once instead of for each, where shape->levels is set to it.  Of the shape
 * its size, root and domain count.  The caller's to free; NULL: no memory. */
struct tf_levels_table *tf_algo_levels_share(const struct tf_shape *shape, bool ordered);

/* False: no memory, which is the plan's error then. */
bool tf_algo_levels_open(struct tf_plan *plan, const struct tf_shape *shape, bool ordered, struct tf_levels *levels);
void tf_algo_levels_close(struct tf_levels *levels);

/* This rank is the leader of its domain. */
static inline bool tf_algo_leads(const struct tf_levels *levels)
{
    return levels->me == levels->leader;
}

#endif
