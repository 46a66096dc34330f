/* inter_allreduce.c - each group reduces to its leader, the leaders exchange the results, and each broadcasts in its
 * group what it got.
 *
 *     A <- B     a <- b, c <- d     a <- c     A <-> a     A -> B     a -> c     a -> b, c -> d
 *
 * Up a tree and down again for short vectors; along a chain, which pipelines through both groups, for long ones.  Rank
 * order; all ranks of a group get the same bits.  Scratch: one vector on the leaders, whose result comes in while their
 * own is on its way.
 *
 * Or every rank sends its vector to every rank of the other group, and each combines what it gets: one round, for short
 * vectors where ranks share processors.
 */
#include "algo/algo.h"
#include "algo/inter.h"

static void allreduce(struct tf_plan *plan, const struct tf_shape *shape, enum tf_inter_way way)
{
    struct tf_inter inter = tf_algo_inter(shape);
    bool leads = inter.me == 0;
    int at = tf_algo_inter_reduce(plan, &inter, way, leads ? -1 : TF_OUTPUT);

    if (leads) {
        tf_plan_send(plan, inter.across, tf_blocks(at, 0, 1));
        tf_plan_recv(plan, inter.across, tf_blocks(TF_OUTPUT, 0, 1));
    }
    tf_algo_inter_bcast(plan, &inter, way);
}

void tf_algo_inter_allreduce_tree(struct tf_plan *plan, const struct tf_shape *shape)
{
    allreduce(plan, shape, TF_INTER_TREE);
}

void tf_algo_inter_allreduce_chain(struct tf_plan *plan, const struct tf_shape *shape)
{
    allreduce(plan, shape, TF_INTER_CHAIN);
}

void tf_algo_inter_allreduce_flat(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_inter inter = tf_algo_inter(shape);
    struct tf_ref result = tf_blocks(TF_OUTPUT, 0, 1);
    int m = inter.groups.other_size;

    for (int i = 0; i < m; i++)
        tf_plan_send(plan, inter.across + (inter.me + i) % m, tf_blocks(TF_INPUT, 0, 1));
    tf_plan_recv(plan, inter.across, result);
    for (int i = 1; i < m; i++)
        tf_plan_recv_reduce(plan, inter.across + i, TF_RIGHT, result, result);
}
