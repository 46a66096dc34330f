/* allreduce_two_level.c - reduce within each domain to its leader, allreduce among leaders, broadcast within.
 *
 *     domains 0 1 | 2 3     0 <- 1, 2 <- 3     0 <-> 2     0 -> 1, 2 -> 3
 *
 * 2 ceil(log2 of the largest domain) + log2 d rounds for d domains, m bytes a hop; between domains goes what recursive
 * doubling on d ranks sends, whatever the domains hold.  Rank order: for an operator that does not commute a domain is
 * a run of ranks (levels.h).  Whole vectors in each application.
 */
#include "algo/algo.h"
#include "algo/levels.h"
#include "algo/pattern.h"
#include "algo/phase.h"

void tf_algo_allreduce_two_level(struct tf_plan *plan, const struct tf_shape *shape)
{
    int own = tf_algo_own(shape), at = own;
    struct tf_levels l;

    if (!tf_algo_levels_open(plan, shape, !shape->commutes, &l))
        return;
    if (l.nmembers > 1) {
        tf_algo_phase(plan, shape,
                      &(struct tf_phase){tf_algo_reduce_binomial, l.members, l.nmembers, l.me, l.leader,
                                         shape->inplace && tf_algo_leads(&l), own, TF_OUTPUT, .count = 1});
        at = TF_OUTPUT;
    }
    if (tf_algo_leads(&l))
        tf_algo_phase(plan, shape,
                      &(struct tf_phase){tf_algo_allreduce_recursive_doubling, l.leaders, l.ndomains, l.mine, 0,
                                         at == TF_OUTPUT, at, TF_OUTPUT, .count = 1});
    tf_algo_phase(plan, shape,
                  &(struct tf_phase){tf_algo_bcast_binomial, l.members, l.nmembers, l.me, l.leader, .output = TF_OUTPUT,
                                     .count = 1});
    tf_algo_levels_close(&l);
}
