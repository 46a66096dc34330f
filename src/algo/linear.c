/* linear.c - receive the vectors of all ranks, or of a few, and combine them in rank order.  See linear.h. */
#include "algo/linear.h"

#include "algo/pattern.h"

/* Without `ranks` the i-th is rank i. */
static void combine(struct tf_plan *plan, const int *ranks, int n, int me, int own, int home)
{
    struct tf_ref result = tf_blocks(home, 0, plan->nblocks), mine = tf_blocks(own, 0, plan->nblocks);
    int next = 1;

    if (n == 1) {
        tf_algo_move(plan, mine, result);
        return;
    }
    if (me <= 1) { /* the first two operands are at hand at once: one pass, no copy */
        tf_plan_recv_reduce(plan, ranks ? ranks[1 - me] : 1 - me, tf_algo_side(1 - me, me), mine, result);
        next = 2;
    } else {
        tf_plan_recv(plan, ranks ? ranks[0] : 0, result);
    }
    for (; next < n; next++) {
        if (next == me)
            tf_plan_reduce(plan, TF_RIGHT, mine, result);
        else
            tf_plan_recv_reduce(plan, ranks ? ranks[next] : next, TF_RIGHT, result, result);
    }
}

void tf_algo_combine_in_order(struct tf_plan *plan, const struct tf_shape *shape, int own, int home)
{
    combine(plan, NULL, shape->size, shape->rank, own, home);
}

void tf_algo_combine_group(struct tf_plan *plan, const int *ranks, int n, int me, int own, int home)
{
    combine(plan, ranks, n, me, own, home);
}
