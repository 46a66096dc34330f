/* reduce_rabenseifner.c - recursive halving leaves each rank a combined block, a tree gathers the blocks at the root.
 *
 *     p = 4, root 0     0 <-> 1, 2 <-> 3: half the vector     0 <-> 2, 1 <-> 3: a quarter
 *                       then 2 -> 0, 3 -> 1: a quarter        1 -> 0: a half
 *
 * 2 log2 p rounds, 2 m (p - 1) / p bytes a rank; where p is no power of two, first one more round that folds the extra
 * ranks, m bytes.  Keeps rank order, since halving starts with adjacent ranks.  Rabenseifner, "Optimization of
 * collective reduction operations", ICCS 2004.
 */
#include "algo/algo.h"
#include "algo/pattern.h"

/* The blocks' way back: of each pair the rank that differs from the root in that bit sends all it has. */
static void gather(struct tf_plan *plan, const struct tf_fold *fold, int root, int root_member, int buffer, int first)
{
    int me = fold->member, length = 1;

    for (int mask = fold->core / 2; mask > 0; mask /= 2) {
        int peer = tf_algo_fold_rank(fold, me ^ mask, root);
        if ((me ^ root_member) & mask) {
            tf_plan_send(plan, peer, tf_blocks(buffer, first, length));
            return;
        }
        tf_plan_recv(plan, peer, tf_blocks(buffer, first ^ length, length));
        first &= ~length;
        length *= 2;
    }
}

void tf_algo_reduce_rabenseifner(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_fold fold = tf_algo_fold(shape->rank, shape->size, shape->root);
    struct tf_fold of_root = tf_algo_fold(shape->root, shape->size, shape->root);
    int n = fold.core, at = tf_algo_own(shape), home = TF_OUTPUT;

    tf_plan_blocks(plan, n);
    if (fold.member < 0) {
        tf_plan_send(plan, fold.partner, tf_blocks(TF_INPUT, 0, n));
        return;
    }
    if (shape->rank != shape->root)
        home = tf_plan_temp(plan, 0, n);
    if (fold.partner >= 0) {
        tf_plan_recv_reduce(plan, fold.partner, tf_algo_side(fold.partner, shape->rank), tf_blocks(at, 0, n),
                            tf_blocks(home, 0, n));
        at = home;
    }
    if (n == 1) {
        tf_algo_move(plan, tf_blocks(at, 0, 1), tf_blocks(home, 0, 1));
        return;
    }
    int first = tf_algo_halve(plan, &fold, shape->root, at, home);
    uint32_t meeting = plan->nsteps - 2;
    gather(plan, &fold, shape->root, of_root.member, home, first);
    /* The first round of gathering is with the peer of the last of halving: for one of the two an echo. */
    if (!plan->error)
        tf_plan_echo(plan, meeting + (plan->steps[meeting + 2].kind == TF_SEND), meeting + 2);
}
