/* linear.c - receive every rank's vector and combine them in rank order.  See linear.h. */
#include "algo/linear.h"

#include "algo/pattern.h"

void tf_algo_combine_in_order(struct tf_plan *plan, const struct tf_shape *shape, int own, int home)
{
    int p = shape->size, r = shape->rank, n = plan->nblocks, next = 1;
    struct tf_ref result = tf_blocks(home, 0, n), mine = tf_blocks(own, 0, n);

    if (p == 1) {
        tf_algo_move(plan, mine, result);
        return;
    }
    if (r <= 1) { /* the first two operands are at hand at once: one pass, no copy */
        tf_plan_recv_reduce(plan, 1 - r, tf_algo_side(1 - r, r), mine, result);
        next = 2;
    } else {
        tf_plan_recv(plan, 0, result);
    }
    for (; next < p; next++) {
        if (next == r)
            tf_plan_reduce(plan, TF_RIGHT, mine, result);
        else
            tf_plan_recv_reduce(plan, next, TF_RIGHT, result, result);
    }
}
