/* inter_alltoall.c - every rank sends to, and receives from, every rank of the other group.
 *
 * One round of m messages each way; ranks begin at different peers.  Alltoall, alltoallv and alltoallw, whose blocks
 * are all different, and allgather and allgatherv of few ranks or short blocks, where one block goes to all.
 */
#include "algo/algo.h"
#include "algo/inter.h"

static void exchange(struct tf_plan *plan, const struct tf_shape *shape, bool one_block)
{
    struct tf_inter inter = tf_algo_inter(shape);
    int m = inter.groups.other_size, begin = inter.across;

    tf_plan_blocks(plan, m);
    for (int i = 0; i < m; i++) {
        int peer = (inter.me + i) % m;
        tf_plan_send(plan, begin + peer, tf_blocks(TF_INPUT, one_block ? 0 : peer, 1));
    }
    for (int i = 0; i < m; i++) {
        int peer = (inter.me + m - i % m) % m;
        tf_plan_recv(plan, begin + peer, tf_blocks(TF_OUTPUT, peer, 1));
    }
}

void tf_algo_inter_alltoall_linear(struct tf_plan *plan, const struct tf_shape *shape)
{
    exchange(plan, shape, false);
}

void tf_algo_inter_allgather_flat(struct tf_plan *plan, const struct tf_shape *shape)
{
    exchange(plan, shape, true);
}
