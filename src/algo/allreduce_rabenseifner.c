/* allreduce_rabenseifner.c - recursive halving leaves each rank a combined block, recursive doubling spreads the
 * blocks.
 *
 *     p = 4     0 <-> 1, 2 <-> 3: half the vector     0 <-> 2, 1 <-> 3: a quarter, combined
 *               0 <-> 2, 1 <-> 3: a quarter           0 <-> 1, 2 <-> 3: half, results
 *
 * 2 log2 p rounds, 2 m (p - 1) / p bytes a rank; where p is no power of two, the extra ranks are folded: two more
 * rounds of m bytes.  Keeps rank order, since halving starts with adjacent ranks.  Rabenseifner, "Optimization of
 * collective reduction operations", ICCS 2004.
 */
#include "algo/algo.h"
#include "algo/pattern.h"

static void spread(struct tf_plan *plan, const struct tf_fold *fold, int first)
{
    int length = 1;

    for (int mask = fold->core / 2; mask > 0; mask /= 2) {
        int peer = tf_algo_fold_rank(fold, fold->member ^ mask, 0);
        tf_plan_send(plan, peer, tf_blocks(TF_OUTPUT, first, length));
        tf_plan_recv(plan, peer, tf_blocks(TF_OUTPUT, first ^ length, length));
        first &= ~length;
        length *= 2;
    }
}

void tf_algo_allreduce_rabenseifner(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_fold fold = tf_algo_fold(shape->rank, shape->size, 0);
    int n = fold.core, at = tf_algo_own(shape);
    struct tf_ref output = tf_blocks(TF_OUTPUT, 0, n);

    tf_plan_blocks(plan, n);
    if (fold.member < 0) {
        tf_plan_send(plan, fold.partner, tf_blocks(at, 0, n));
        tf_plan_recv(plan, fold.partner, output);
        return;
    }
    if (fold.partner >= 0) {
        tf_plan_recv_reduce(plan, fold.partner, TF_RIGHT, tf_blocks(at, 0, n), output);
        at = TF_OUTPUT;
    }
    if (n == 1) {
        tf_algo_move(plan, tf_blocks(at, 0, 1), output);
    } else {
        int own = tf_algo_halve(plan, &fold, 0, at, TF_OUTPUT);
        uint32_t meeting = plan->nsteps - 2;
        spread(plan, &fold, own);
        tf_algo_echo(plan, meeting);
    }
    if (fold.partner >= 0)
        tf_plan_send(plan, fold.partner, output);
}
