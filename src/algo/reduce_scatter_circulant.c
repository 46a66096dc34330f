/* reduce_scatter_circulant.c - the rounds of circulant.h.
 *
 *     p = 5     r -> r+3: blocks r+3 r+4     r -> r+2: block r+2     r -> r+1: block r+1    (all modulo p)
 *
 * ceil(log2 p) rounds, m (p - 1) / p bytes a rank, m the whole vector, for any p: no rank is folded away.
 * Contributions are combined around the circle, so the operator must be commutative.  Scratch: half the vector.
 */
#include "algo/algo.h"
#include "algo/circulant.h"
#include "algo/pattern.h"

/* Round 0, out of the user's vector: block r + i of it becomes block i of the scratch buffer. */
static void first_round(struct tf_plan *plan, int rank, int temp, int distance, int count)
{
    int p = plan->nblocks, above = (int)(((int64_t)rank + distance) % p), below = (rank - distance + p) % p;
    struct tf_ref run = tf_algo_run(plan, TF_INPUT, rank, count);
    struct tf_ref rest = tf_algo_run_rest(plan, TF_INPUT, rank, count);
    struct tf_ref middle = tf_blocks(TF_INPUT, (int)(((int64_t)rank + count) % p), 1);

    tf_algo_run_send(plan, above, TF_INPUT, above, count);
    tf_plan_recv_reduce(plan, below, TF_LEFT, run, tf_blocks(temp, 0, run.count));
    if (rest.count > 0)
        tf_plan_recv_reduce(plan, below, TF_LEFT, rest, tf_blocks(temp, run.count, rest.count));
    if (distance > count)
        tf_plan_copy(plan, middle, tf_blocks(temp, count, 1));
}

void tf_algo_reduce_scatter_circulant(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank, left[TF_CIRCULANT_MAX_ROUNDS + 1];
    int rounds = tf_algo_circulant_rounds(p, left);
    struct tf_ref output = tf_blocks(TF_OUTPUT, 0, 1);

    tf_plan_blocks(plan, p);
    if (tf_algo_reduce_scatter_alone(plan, shape))
        return;
    if (p == 2 && !shape->inplace) {
        tf_plan_send(plan, 1 - r, tf_blocks(TF_INPUT, 1 - r, 1));
        tf_plan_recv_reduce(plan, 1 - r, TF_LEFT, tf_blocks(TF_INPUT, r, 1), output);
        return;
    }
    int temp = tf_plan_temp(plan, r, left[1]);
    first_round(plan, r, temp, left[1], p - left[1]);
    for (int k = 1; k < rounds; k++) {
        int distance = left[k + 1], count = left[k] - distance;
        struct tf_ref mine = tf_blocks(temp, 0, count);
        tf_plan_send(plan, (int)(((int64_t)r + distance) % p), tf_blocks(temp, distance, count));
        tf_plan_recv_reduce(plan, (r - distance + p) % p, TF_LEFT, mine, k + 1 < rounds ? mine : output);
    }
    if (p == 2)
        tf_plan_copy(plan, tf_blocks(temp, 0, 1), output);
}
