/* allreduce_multi_leader.c - each rank of a domain leads a slice of the vector: it combines the slice of its domain,
 * then that of all domains with the leaders of the same slice, and gives it to the domain.
 *
 *     domains 0 1 | 2 3     slice 0: 0 <- 1, 2 <- 3     0 <-> 2     0 -> 1, 2 -> 3
 *                           slice 1: 1 <- 0, 3 <- 2     1 <-> 3     1 -> 0, 3 -> 2
 *
 * As many slices as the smallest domain has ranks, s.  2 + log2 d rounds for d domains; a rank of a domain of s sends
 * 2 m (s - 1) / s bytes within and m / s log2 d between domains, over s links at a time.  Rank order: for an operator
 * that does not commute a domain is a run of ranks (levels.h).  Bayatpour, Chakraborty, Subramoni, Lu, Panda, "Scalable
 * reduction collectives with data partitioning-based multi-leader design", SC 2017.
 */
#include "algo/algo.h"
#include "algo/levels.h"
#include "algo/pattern.h"
#include "algo/phase.h"

/* Slice j within the domain: reduced to its leader, or broadcast from it. */
static void within(struct tf_plan *plan, const struct tf_shape *shape, const struct tf_levels *l,
                   tf_algo_generate *generate, int j)
{
    struct tf_phase phase = {generate,           l->members, l->nmembers, l->me,     j, shape->inplace && l->me == j,
                             tf_algo_own(shape), TF_OUTPUT,  j,           .count = 1};
    tf_algo_phase(plan, shape, &phase);
}

/* The slice that this rank leads, with the leaders of the other domains. */
static void between(struct tf_plan *plan, const struct tf_shape *shape, const struct tf_levels *l)
{
    tf_algo_phase(plan, shape,
                  &(struct tf_phase){tf_algo_allreduce_recursive_doubling, l->rank, l->ndomains, l->mine, 0, true,
                                     TF_OUTPUT, TF_OUTPUT, l->me, .count = 1, .starts = l->first, .plus = l->me});
}

void tf_algo_allreduce_multi_leader(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_levels l;

    if (!tf_algo_levels_open(plan, shape, !shape->commutes, &l))
        return;
    tf_plan_blocks(plan, l.least);
    for (int i = 1; i <= l.least; i++) /* what this rank sends comes before what it waits for */
        if ((l.me + i) % l.least != l.me)
            within(plan, shape, &l, tf_algo_reduce_linear, (l.me + i) % l.least);
    if (l.me < l.least) {
        within(plan, shape, &l, tf_algo_reduce_linear, l.me);
        between(plan, shape, &l);
        within(plan, shape, &l, tf_algo_bcast_linear, l.me);
    }
    for (int j = 0; j < l.least; j++)
        if (j != l.me)
            within(plan, shape, &l, tf_algo_bcast_linear, j);
    tf_algo_levels_close(&l);
}
