/* reduce_two_level.c - up a binomial tree within each domain to its leader, then up one of the leaders.
 *
 *     domains 0 1 2 | 3 4 5, root 0     0 <- 1, 3 <- 4     0 <- 2, 3 <- 5     0 <- 3
 *
 * ceil(log2 of the largest domain) + ceil(log2 d) rounds for d domains, m bytes a hop, one hop between domains for each
 * but the root's.  Rank order: for an operator that does not commute a domain is a run of ranks (levels.h).  Scratch: a
 * vector on leaders, one more where they have children among the leaders.
 */
#include "algo/algo.h"
#include "algo/levels.h"
#include "algo/pattern.h"
#include "algo/phase.h"

void tf_algo_reduce_two_level(struct tf_plan *plan, const struct tf_shape *shape)
{
    int own = tf_algo_own(shape), home = TF_OUTPUT, at = own;
    struct tf_levels l;

    if (!tf_algo_levels_open(plan, shape, !shape->commutes, &l))
        return;
    if (l.nmembers > 1) {
        if (tf_algo_leads(&l) && shape->rank != shape->root)
            home = tf_plan_temp(plan, 0, 1);
        tf_algo_phase(plan, shape,
                      &(struct tf_phase){tf_algo_reduce_binomial, l.members, l.nmembers, l.me, l.leader, own == home,
                                         own, home, .count = 1});
        at = home;
    }
    if (tf_algo_leads(&l))
        tf_algo_phase(plan, shape,
                      &(struct tf_phase){tf_algo_reduce_binomial, l.leaders, l.ndomains, l.mine, l.root_domain,
                                         at == TF_OUTPUT, at, TF_OUTPUT, .count = 1});
    tf_algo_levels_close(&l);
}
