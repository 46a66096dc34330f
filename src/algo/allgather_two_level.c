/* allgather_two_level.c - gather in each domain at its leader, exchange among leaders, broadcast within.
 *
 *     domains 0 1 | 2 3     1 -> 0, 3 -> 2     0 <-> 2: blocks 0 1, blocks 2 3     0 -> 1, 2 -> 3: all
 *
 * 2 + ceil(log2 of the largest domain) rounds; a block goes into each other domain once, those of adjacent ranks in one
 * message.  The leaders' exchange is flat: d (d - 1) messages for d domains of adjacent ranks.
 */
#include "algo/algo.h"
#include "algo/levels.h"
#include "algo/phase.h"

/* The run of adjacent ranks of a domain that begins at *i; *i goes behind it. */
static struct tf_ref next_run(const struct tf_levels *l, int d, int *i)
{
    int from = *i;

    do {
        ++*i;
    } while (*i < l->first[d + 1] && l->rank[*i] == l->rank[*i - 1] + 1);
    return tf_blocks(TF_OUTPUT, l->rank[from], *i - from);
}

static void exchange(struct tf_plan *plan, const struct tf_levels *l)
{
    for (int k = 1; k < l->ndomains; k++)
        for (int i = l->first[l->mine]; i < l->first[l->mine + 1];)
            tf_plan_send(plan, l->leaders[(l->mine + k) % l->ndomains], next_run(l, l->mine, &i));
    for (int k = 1; k < l->ndomains; k++) {
        int d = (l->mine + l->ndomains - k) % l->ndomains;
        for (int i = l->first[d]; i < l->first[d + 1];)
            tf_plan_recv(plan, l->leaders[d], next_run(l, d, &i));
    }
}

void tf_algo_allgather_two_level(struct tf_plan *plan, const struct tf_shape *shape)
{
    int r = shape->rank, p = shape->size;
    struct tf_ref own = shape->inplace ? tf_blocks(TF_OUTPUT, r, 1) : tf_blocks(TF_INPUT, 0, 1);
    struct tf_levels l;

    tf_plan_blocks(plan, p);
    if (!tf_algo_levels_open(plan, shape, false, &l))
        return;
    if (tf_algo_leads(&l)) {
        if (!shape->inplace)
            tf_plan_copy(plan, own, tf_blocks(TF_OUTPUT, r, 1));
        for (int i = 1; i < l.nmembers; i++)
            tf_plan_recv(plan, l.members[i], tf_blocks(TF_OUTPUT, l.members[i], 1));
        exchange(plan, &l);
    } else {
        tf_plan_send(plan, l.members[0], own);
    }
    tf_algo_phase(plan, shape,
                  &(struct tf_phase){tf_algo_bcast_binomial, l.members, l.nmembers, l.me, l.leader, .output = TF_OUTPUT,
                                     .count = p});
    tf_algo_levels_close(&l);
}
