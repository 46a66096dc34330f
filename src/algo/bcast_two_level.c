/* bcast_two_level.c - down a binomial tree of the domains' leaders, then down one within each domain.
 *
 *     domains 0 1 2 | 3 4 5, root 1     1 -> 3     1 -> 2, 3 -> 5     1 -> 0, 3 -> 4
 *
 * The vector goes into each domain once.  ceil(log2 d) + ceil(log2 of the largest domain) rounds for d domains, m bytes
 * a hop; what a rank passes on follows what it receives chunk by chunk.
 */
#include "algo/algo.h"
#include "algo/levels.h"
#include "algo/phase.h"

void tf_algo_bcast_two_level(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_levels l;

    if (!tf_algo_levels_open(plan, shape, false, &l))
        return;
    struct tf_phase between = {
        tf_algo_bcast_binomial, l.leaders, l.ndomains, l.mine, l.root_domain, .output = TF_OUTPUT,
        .count = plan->nblocks};
    struct tf_phase within = {tf_algo_bcast_binomial, l.members, l.nmembers, l.me, l.leader, .output = TF_OUTPUT,
                              .count = plan->nblocks};
    if (tf_algo_leads(&l))
        tf_algo_phase(plan, shape, &between);
    tf_algo_phase(plan, shape, &within);
    tf_algo_levels_close(&l);
}
