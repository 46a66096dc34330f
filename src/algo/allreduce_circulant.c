/* allreduce_circulant.c - the rounds of circulant.h leave each rank a combined block, the same rounds backwards gather
 * the blocks.
 *
 *     p = 5     r -> r+3: 2 blocks     r -> r+2: 1     r -> r+1: 1        combining
 *               r <- r+1: 1 block      r <- r+2: 1     r <- r+3: 2        results      (all modulo p)
 *
 * 2 ceil(log2 p) rounds, 2 m (p - 1) / p bytes a rank for any p: no rank is folded away.  Contributions are combined
 * around the circle, so the operator must be commutative.  No scratch.  Paper: see circulant.h.
 */
#include "algo/algo.h"
#include "algo/circulant.h"
#include "algo/pattern.h"

/* Combine what comes from `peer` for a run of blocks of `at` into TF_OUTPUT. */
static void take(struct tf_plan *plan, int peer, int at, int first, int count)
{
    struct tf_ref run = tf_algo_run(plan, at, first, count), rest = tf_algo_run_rest(plan, at, first, count);

    tf_plan_recv_reduce(plan, peer, TF_LEFT, run, tf_blocks(TF_OUTPUT, run.first, run.count));
    if (rest.count > 0)
        tf_plan_recv_reduce(plan, peer, TF_LEFT, rest, tf_blocks(TF_OUTPUT, rest.first, rest.count));
}

void tf_algo_allreduce_circulant(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank, own = tf_algo_own(shape), left[TF_CIRCULANT_MAX_ROUNDS + 1];
    int rounds = tf_algo_circulant_rounds(p, left);

    tf_plan_blocks(plan, p);
    if (p == 1) {
        tf_algo_move(plan, tf_blocks(own, 0, 1), tf_blocks(TF_OUTPUT, 0, 1));
        return;
    }
    for (int k = 0; k < rounds; k++) {
        int distance = left[k + 1], count = left[k] - distance, above = (int)(((int64_t)r + distance) % p);
        int at = k == 0 ? own : TF_OUTPUT, middle = (int)(((int64_t)r + count) % p);
        tf_algo_run_send(plan, above, at, above, count);
        take(plan, (r - distance + p) % p, at, r, count);
        /* Where the number is odd the block in the middle is not combined yet. */
        if (k == 0 && distance > count)
            tf_algo_move(plan, tf_blocks(own, middle, 1), tf_blocks(TF_OUTPUT, middle, 1));
    }
    uint32_t meeting = plan->nsteps - 2;
    tf_algo_circulant_gather(plan, r);
    tf_algo_echo(plan, meeting);
}
