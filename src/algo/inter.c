/* inter.c - a reduction and a broadcast within one group of an intercommunicator.  See inter.h. */
#include "algo/inter.h"

#include "algo/algo.h"
#include "algo/tree.h"

/* n - 1 -> ... -> 1 -> 0 */
static int reduce_chain(struct tf_plan *plan, const struct tf_inter *inter, int home)
{
    struct tf_ref at = tf_blocks(TF_INPUT, 0, plan->nblocks), result = tf_blocks(home, 0, plan->nblocks);

    if (inter->me + 1 < inter->groups.size) {
        tf_plan_recv_reduce(plan, inter->me + 1, TF_RIGHT, at, result);
        at = result;
    }
    if (inter->me > 0)
        tf_plan_send(plan, inter->me - 1, at);
    return at.buffer;
}

int tf_algo_inter_reduce(struct tf_plan *plan, const struct tf_inter *inter, enum tf_inter_way way, int home)
{
    struct tf_tree tree = tf_algo_tree(inter->me, inter->groups.size, 0, 0);
    bool receives = way == TF_INTER_TREE ? tree.nchildren > 0 : inter->me + 1 < inter->groups.size;
    int at;

    if (home < 0 && receives)
        home = tf_plan_temp(plan, 0, plan->nblocks);
    tf_plan_origin(plan, inter->groups.begin);
    if (way == TF_INTER_TREE)
        at = tf_algo_tree_reduce(plan, &tree, inter->me, TF_INPUT, home, plan->nblocks);
    else
        at = reduce_chain(plan, inter, home);
    tf_plan_origin(plan, 0);
    return at;
}

void tf_algo_inter_bcast(struct tf_plan *plan, const struct tf_inter *inter, enum tf_inter_way way)
{
    struct tf_shape group = {.rank = inter->me, .size = inter->groups.size};

    tf_plan_origin(plan, inter->groups.begin);
    if (way == TF_INTER_TREE)
        tf_algo_bcast_binomial(plan, &group);
    else
        tf_algo_bcast_chain(plan, &group);
    tf_plan_origin(plan, 0);
}
