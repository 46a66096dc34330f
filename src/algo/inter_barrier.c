/* inter_barrier.c - every rank signals every rank of the other group.
 *
 *     A B -> a b c        a b c -> A B
 *
 * One round, m n signals each way: nobody has to wait for its own group (MPI-5.0 section 6.3), so where ranks share
 * processors each waits once.
 */
#include "algo/algo.h"
#include "algo/inter.h"

void tf_algo_inter_barrier_flat(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_inter inter = tf_algo_inter(shape);
    int m = inter.groups.other_size;

    for (int i = 0; i < m; i++)
        tf_plan_send(plan, inter.across + (inter.me + i) % m, TF_NO_REF);
    for (int i = 0; i < m; i++)
        tf_plan_recv(plan, inter.across + i, TF_NO_REF);
}
