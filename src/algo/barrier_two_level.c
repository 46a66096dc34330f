/* barrier_two_level.c - signals go to the leader of each domain, leaders meet, and signals go back.
 *
 *     domains 0 1 2 | 3 4 5     1 2 -> 0, 4 5 -> 3     0 <-> 3     0 -> 1 2, 3 -> 4 5
 *
 * 2 + ceil(log2 d) rounds for d domains, of which the inner ones alone go between domains: d ceil(log2 d) signals.
 */
#include "algo/algo.h"
#include "algo/levels.h"
#include "algo/phase.h"

void tf_algo_barrier_two_level(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_levels l;

    if (!tf_algo_levels_open(plan, shape, false, &l))
        return;
    if (!tf_algo_leads(&l)) {
        tf_plan_send(plan, l.members[l.leader], TF_NO_REF);
        tf_plan_recv(plan, l.members[l.leader], TF_NO_REF);
    } else {
        for (int i = 1; i < l.nmembers; i++)
            tf_plan_recv(plan, l.members[i], TF_NO_REF);
        tf_algo_phase(plan, shape,
                      &(struct tf_phase){tf_algo_barrier_dissemination, l.leaders, .size = l.ndomains, .me = l.mine});
        for (int i = 1; i < l.nmembers; i++)
            tf_plan_send(plan, l.members[i], TF_NO_REF);
    }
    tf_algo_levels_close(&l);
}
