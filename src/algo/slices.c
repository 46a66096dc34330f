/* slices.c - every rank combines one slice of everybody's vector.  See slices.h. */
#include "algo/slices.h"

#include "algo/pattern.h"

/* Result and own contribution may be the same memory: what comes first is then combined beside it. */
static void combine(struct tf_plan *plan, int p, int r, struct tf_ref mine, struct tf_ref result)
{
    struct tf_ref at = result;
    int next = 1;

    if (p == 1) {
        tf_algo_move(plan, mine, result);
        return;
    }
    if (plan->alias || (mine.buffer == result.buffer && r > 1))
        at = tf_blocks(tf_plan_temp(plan, r, 1), 0, 1);
    if (r <= 1) {
        tf_plan_recv_reduce(plan, 1 - r, tf_algo_side(1 - r, r), mine, at);
        next = 2;
    } else {
        tf_plan_recv(plan, 0, at);
    }
    for (; next < p; next++) {
        if (next == r)
            tf_plan_reduce(plan, TF_RIGHT, mine, at);
        else
            tf_plan_recv_reduce(plan, next, TF_RIGHT, at, at);
    }
    if (at.buffer != result.buffer)
        tf_plan_copy(plan, at, result);
}

void tf_algo_slices(struct tf_plan *plan, const struct tf_shape *shape, int own, struct tf_ref result)
{
    int p = shape->size, r = shape->rank;

    tf_plan_pull(plan);
    for (int k = 1; k < p; k++)
        tf_plan_send(plan, (r + k) % p, tf_blocks(own, (r + k) % p, 1));
    combine(plan, p, r, tf_blocks(own, r, 1), result);
}
