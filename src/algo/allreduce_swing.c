/* allreduce_swing.c - recursive halving and doubling between the ranks that meet in swing.h.
 *
 *     p = 4     0 <-> 1, 2 <-> 3: half the vector     3 <-> 0, 1 <-> 2: a quarter, combined
 *               3 <-> 0, 1 <-> 2: a quarter           0 <-> 1, 2 <-> 3: half, results
 *
 * 2 log2 p rounds, 2 m (p - 1) / p bytes a rank, at two thirds of the distance; where p is no power of two, the extra
 * ranks are folded into their neighbours: two more rounds of m bytes.  The ranks that meet do not hold adjacent runs,
 * so the operator must be commutative.  Paper: see swing.h.
 */
#include "algo/algo.h"
#include "algo/pattern.h"
#include "algo/swing.h"

struct halving {
    struct tf_plan *plan;
    struct tf_fold fold;
    struct tf_swing swing;
};

static int peer(const struct halving *h, int round)
{
    return tf_algo_fold_rank(&h->fold, tf_algo_swing_peer(&h->swing, round), 0);
}

/* Halves of what is left are exchanged; the block that remains, combined, stands in TF_OUTPUT. */
static int halve(const struct halving *h, int at)
{
    int first = 0, length = h->fold.core;

    for (int k = 0; k < h->swing.rounds; k++) {
        bool upper = h->swing.bits >> k & 1;
        length /= 2;
        int keep = upper ? first + length : first, give = upper ? first : first + length;
        tf_plan_send(h->plan, peer(h, k), tf_blocks(at, give, length));
        tf_plan_recv_reduce(h->plan, peer(h, k), TF_RIGHT, tf_blocks(at, keep, length),
                            tf_blocks(TF_OUTPUT, keep, length));
        at = TF_OUTPUT;
        first = keep;
    }
    return first;
}

static void spread(const struct halving *h, int first)
{
    int length = 1;

    for (int k = h->swing.rounds - 1; k >= 0; k--) {
        tf_plan_send(h->plan, peer(h, k), tf_blocks(TF_OUTPUT, first, length));
        tf_plan_recv(h->plan, peer(h, k), tf_blocks(TF_OUTPUT, first ^ length, length));
        first &= ~length;
        length *= 2;
    }
}

void tf_algo_allreduce_swing(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct halving h = {.plan = plan, .fold = tf_algo_fold(shape->rank, shape->size, 0)};
    int n = h.fold.core, at = tf_algo_own(shape);
    struct tf_ref output = tf_blocks(TF_OUTPUT, 0, n);

    tf_plan_blocks(plan, n);
    if (h.fold.member < 0) {
        tf_plan_send(plan, h.fold.partner, tf_blocks(at, 0, n));
        tf_plan_recv(plan, h.fold.partner, output);
        return;
    }
    if (h.fold.partner >= 0) {
        tf_plan_recv_reduce(plan, h.fold.partner, TF_RIGHT, tf_blocks(at, 0, n), output);
        at = TF_OUTPUT;
    }
    h.swing = tf_algo_swing(h.fold.member, n);
    if (n == 1) {
        tf_algo_move(plan, tf_blocks(at, 0, 1), output);
    } else {
        int own = halve(&h, at);
        uint32_t meeting = plan->nsteps - 2;
        spread(&h, own);
        tf_algo_echo(plan, meeting);
    }
    if (h.fold.partner >= 0)
        tf_plan_send(plan, h.fold.partner, output);
}
