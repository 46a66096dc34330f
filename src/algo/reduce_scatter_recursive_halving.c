/* reduce_scatter_recursive_halving.c - in each round partners at half the distance exchange halves of what they have
 * left.
 *
 *     p = 4     0 <-> 2, 1 <-> 3: blocks 2 3 for 0 1     0 <-> 1, 2 <-> 3: a block each
 *
 * log2 p rounds, m (p - 1) / p bytes a rank, m the whole vector; where p is no power of two, the extra ranks are folded
 * into their neighbours, which keep their blocks for them: two more rounds.  Halving starts with distant ranks, so that
 * halves are runs of blocks, and does not keep rank order.  Scratch: half the vector (all of it on folded pairs).
 */
#include "algo/algo.h"
#include "algo/pattern.h"

struct halving {
    struct tf_plan *plan;
    int at, home, origin; /* where the vector stands, where results go, the vector's block that home begins with */
};

/* The run [first, end) of the vector's blocks in the buffer that holds it now, or in the scratch buffer. */
static struct tf_ref run(const struct halving *h, int buffer, int first, int end)
{
    return tf_blocks(buffer, buffer == h->home ? first - h->origin : first, end - first);
}

void tf_algo_reduce_scatter_recursive_halving(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_fold fold = tf_algo_fold(shape->rank, shape->size, 0);
    struct halving h = {plan, TF_INPUT, 0, 0};
    int p = shape->size, me = fold.member, low = 0, high = fold.core;

    tf_plan_blocks(plan, p);
    if (tf_algo_reduce_scatter_alone(plan, shape))
        return;
    if (me < 0) {
        tf_plan_send(plan, fold.partner, tf_blocks(TF_INPUT, 0, p));
        tf_plan_recv(plan, fold.partner, tf_blocks(TF_OUTPUT, 0, 1));
        return;
    }
    int half = fold.core / 2, middle = tf_algo_fold_first(&fold, half), upper = me >= half;
    if (fold.partner >= 0)
        h.home = tf_plan_temp(plan, 0, p);
    else
        h.home = tf_plan_temp(plan, h.origin = upper ? middle : 0, upper ? p - middle : middle);
    if (fold.partner >= 0) {
        tf_plan_recv_reduce(plan, fold.partner, TF_RIGHT, run(&h, TF_INPUT, 0, p), run(&h, h.home, 0, p));
        h.at = h.home;
    }
    for (int mask = half; mask > 0; mask /= 2) {
        int peer = me ^ mask, rank = tf_algo_fold_rank(&fold, peer, 0), split = (low + high) / 2;
        int first = tf_algo_fold_first(&fold, low), end = tf_algo_fold_first(&fold, high);
        int cut = tf_algo_fold_first(&fold, split);
        bool keep_upper = me & mask;
        int keep = keep_upper ? cut : first, keep_end = keep_upper ? end : cut;
        tf_plan_send(plan, rank, keep_upper ? run(&h, h.at, first, cut) : run(&h, h.at, cut, end));
        /* The last round of an unfolded rank ends in its block; in place that lies over the input being read. */
        bool last = mask == 1 && fold.partner < 0 && !(shape->inplace && h.at == TF_INPUT);
        tf_plan_recv_reduce(plan, rank, tf_algo_side(peer, me), run(&h, h.at, keep, keep_end),
                            last ? tf_blocks(TF_OUTPUT, 0, 1) : run(&h, h.home, keep, keep_end));
        h.at = last ? TF_OUTPUT : h.home;
        if (keep_upper)
            low = split;
        else
            high = split;
    }
    if (fold.partner >= 0)
        tf_plan_send(plan, fold.partner, run(&h, h.at, fold.partner, fold.partner + 1));
    if (h.at != TF_OUTPUT)
        tf_plan_copy(plan, run(&h, h.at, shape->rank, shape->rank + 1), tf_blocks(TF_OUTPUT, 0, 1));
}
