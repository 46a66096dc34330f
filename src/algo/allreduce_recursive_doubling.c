/* allreduce_recursive_doubling.c - in round k ranks 2^k apart exchange what they have and both combine it.
 *
 *     p = 4     0 <-> 1, 2 <-> 3     0 <-> 2, 1 <-> 3        everywhere (x0 op x1) op (x2 op x3)
 *
 * log2 p rounds, m bytes a round, the whole vector in one application of the operator.  Where p is no power of two, the
 * extra ranks are folded into their neighbours and get the result at the end: two more rounds.  Rank order, the same
 * tree on all ranks.  Each value is written beside the one being sent (struct tf_relay): two ranks are a send of the
 * input and one receive-reduce of input and message into the output.
 */
#include "algo/algo.h"
#include "algo/pattern.h"

void tf_algo_allreduce_recursive_doubling(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_fold fold = tf_algo_fold(shape->rank, shape->size, 0);
    struct tf_relay relay = {.at = tf_algo_own(shape)};
    struct tf_ref output = tf_blocks(TF_OUTPUT, 0, 1);

    if (fold.member < 0) {
        tf_plan_send(plan, fold.partner, tf_blocks(relay.at, 0, 1));
        tf_plan_recv(plan, fold.partner, output);
        return;
    }
    for (int mask = 1; mask < fold.core; mask *= 2)
        relay.left++;
    if (fold.partner >= 0) {
        struct tf_ref own = tf_blocks(relay.at, 0, 1);
        relay.left++;
        tf_plan_recv_reduce(plan, fold.partner, TF_RIGHT, own, tf_blocks(tf_algo_relay_next(plan, &relay), 0, 1));
    }
    for (int mask = 1; mask < fold.core; mask *= 2) {
        int peer = tf_algo_fold_rank(&fold, fold.member ^ mask, 0);
        struct tf_ref value = tf_blocks(relay.at, 0, 1);
        tf_plan_send(plan, peer, value);
        tf_plan_recv_reduce(plan, peer, tf_algo_side(peer, shape->rank), value,
                            tf_blocks(tf_algo_relay_next(plan, &relay), 0, 1));
    }
    tf_algo_move(plan, tf_blocks(relay.at, 0, 1), output);
    if (fold.partner >= 0)
        tf_plan_send(plan, fold.partner, output);
}
