/* scan_two_level.c - scan within each domain, exscan of the domains' totals among their last ranks, and one more
 * application on every rank.
 *
 *     domains 0 1 2 | 3 4 5     x3 x34 x345 in the second     2 -> 5: x012     5 -> 3, 4     x012 op x3, x012 op x34,
 * ...
 *
 * ceil(log2 of the largest domain) rounds twice, and about ceil(log2 d) for d domains; between domains goes what the
 * exscan of d ranks sends.  A domain is a run of adjacent ranks (levels.h).  Sanders, Traeff, "Parallel prefix (scan)
 * algorithms for MPI", EuroPVM/MPI 2006.
 */
#include "algo/algo.h"
#include "algo/levels.h"
#include "algo/pattern.h"
#include "algo/phase.h"

/* What stands in `total` on the last rank of each domain; afterwards all ranks of all domains but the first have what
 * is before their domain, in the buffer that is returned. */
static int before_domain(struct tf_plan *plan, const struct tf_shape *shape, const struct tf_levels *l, int total)
{
    int before = tf_plan_temp(plan, 0, 1);

    if (l->me == l->nmembers - 1)
        tf_algo_phase(plan, shape,
                      &(struct tf_phase){tf_algo_exscan_recursive_doubling, l->rank, l->ndomains, l->mine, 0, false,
                                         total, before, .count = 1, .starts = l->first + 1, .plus = -1});
    if (l->mine > 0)
        tf_algo_phase(plan, shape,
                      &(struct tf_phase){tf_algo_bcast_binomial, l->members, l->nmembers, l->me, l->nmembers - 1,
                                         .output = before, .count = 1});
    return before;
}

void tf_algo_scan_two_level(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_levels l;

    if (!tf_algo_levels_open(plan, shape, true, &l))
        return;
    tf_algo_phase(plan, shape,
                  &(struct tf_phase){tf_algo_scan_recursive_doubling, l.members, l.nmembers, l.me, 0, shape->inplace,
                                     TF_INPUT, TF_OUTPUT, .count = 1});
    int before = before_domain(plan, shape, &l, TF_OUTPUT);
    if (l.mine > 0)
        tf_plan_reduce(plan, TF_LEFT, tf_blocks(before, 0, 1), tf_blocks(TF_OUTPUT, 0, 1));
    tf_algo_levels_close(&l);
}

/* The last rank adds its own contribution to what is before it, which makes the domain's total. */
void tf_algo_exscan_two_level(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_ref output = tf_blocks(TF_OUTPUT, 0, 1);
    int own = tf_algo_own(shape), total = own;
    struct tf_levels l;

    if (!tf_algo_levels_open(plan, shape, true, &l))
        return;
    if (l.nmembers > 1 && l.me == l.nmembers - 1) {
        total = tf_plan_temp(plan, 0, 1);
        tf_plan_copy(plan, tf_blocks(own, 0, 1), tf_blocks(total, 0, 1));
    }
    tf_algo_phase(plan, shape,
                  &(struct tf_phase){tf_algo_exscan_recursive_doubling, l.members, l.nmembers, l.me, 0, shape->inplace,
                                     own, TF_OUTPUT, .count = 1});
    if (total != own)
        tf_plan_reduce(plan, TF_LEFT, output, tf_blocks(total, 0, 1));
    int before = before_domain(plan, shape, &l, total);
    if (l.mine > 0 && l.me == 0)
        tf_plan_copy(plan, tf_blocks(before, 0, 1), output);
    else if (l.mine > 0)
        tf_plan_reduce(plan, TF_LEFT, tf_blocks(before, 0, 1), output);
    tf_algo_levels_close(&l);
}
