/* reduce_scatter_ordered_halving.c - recursive halving that starts with adjacent ranks and so keeps rank order; each
 * rank ends with another's block, and one more round sends it home.
 *
 *     p = 4     0 <-> 1, 2 <-> 3: half the vector     0 <-> 2, 1 <-> 3: a block     1 <-> 2: each other's block
 *
 * 1 + log2 p rounds, at most m bytes a rank, m the whole vector; where p is no power of two, the extra ranks are folded
 * into their neighbours: one more round of m bytes.  For operators that do not commute.  Scratch: half the vector (all
 * of it on folded pairs).
 */
#include "algo/algo.h"
#include "algo/pattern.h"

struct halving {
    struct tf_plan *plan;
    struct tf_fold fold;
    int at, home, origin; /* where the vector stands, where results go, the vector's block that home begins with */
};

/* The blocks of members low..high-1 in a buffer. */
static struct tf_ref run(const struct halving *h, int buffer, int low, int high)
{
    int first = tf_algo_fold_first(&h->fold, low), end = tf_algo_fold_first(&h->fold, high);

    return tf_blocks(buffer, first - (buffer == h->home ? h->origin : 0), end - first);
}

/* The member that ends with the blocks of member m, and the other way round: the bits of m from right to left. */
static int mirrored(const struct tf_fold *fold, int m)
{
    int mirror = 0;

    for (int bit = 1; bit < fold->core; bit *= 2, m /= 2)
        mirror = 2 * mirror + m % 2;
    return mirror;
}

/* Combine the blocks that this rank keeps; returns the member whose blocks they are. */
static int halve(struct halving *h)
{
    int me = h->fold.member, low = 0, high = h->fold.core;

    for (int mask = 1; mask < h->fold.core; mask *= 2) {
        int peer = me ^ mask, rank = tf_algo_fold_rank(&h->fold, peer, 0), middle = (low + high) / 2;
        bool upper = me & mask;
        struct tf_ref give = upper ? run(h, h->at, low, middle) : run(h, h->at, middle, high);
        low = upper ? middle : low;
        high = upper ? high : middle;
        tf_plan_send(h->plan, rank, give);
        tf_plan_recv_reduce(h->plan, rank, tf_algo_side(peer, me), run(h, h->at, low, high),
                            run(h, h->home, low, high));
        h->at = h->home;
    }
    return low;
}

/* Where a rank's own member is one of a pair, its partner holds no blocks: the member has both. */
static int holder(const struct tf_fold *fold, int rank)
{
    int member = rank < 2 * fold->extra ? rank / 2 : rank - fold->extra;

    return tf_algo_fold_rank(fold, mirrored(fold, member), 0);
}

void tf_algo_reduce_scatter_ordered_halving(struct tf_plan *plan, const struct tf_shape *shape)
{
    int p = shape->size, r = shape->rank;
    struct halving h = {plan, tf_algo_fold(r, p, 0), TF_INPUT, 0, 0};
    struct tf_ref output = tf_blocks(TF_OUTPUT, 0, 1);

    tf_plan_blocks(plan, p);
    if (tf_algo_reduce_scatter_alone(plan, shape))
        return;
    if (h.fold.member < 0) {
        tf_plan_send(plan, h.fold.partner, tf_blocks(TF_INPUT, 0, p));
        tf_plan_recv(plan, holder(&h.fold, r), output);
        return;
    }
    int middle = tf_algo_fold_first(&h.fold, h.fold.core / 2), upper = h.fold.member % 2;
    if (h.fold.partner >= 0) {
        h.home = tf_plan_temp(plan, 0, p);
        tf_plan_recv_reduce(plan, h.fold.partner, TF_RIGHT, tf_blocks(TF_INPUT, 0, p), tf_blocks(h.home, 0, p));
        h.at = h.home;
    } else {
        h.home = tf_plan_temp(plan, h.origin = upper ? middle : 0, upper ? p - middle : middle);
    }
    int low = halve(&h), first = tf_algo_fold_first(&h.fold, low), end = tf_algo_fold_first(&h.fold, low + 1);
    for (int owner = first; owner < end; owner++) {
        struct tf_ref block = tf_blocks(h.at, owner - h.origin, 1);
        if (owner == r)
            tf_plan_copy(plan, block, output);
        else
            tf_plan_send(plan, owner, block);
    }
    if (r < first || r >= end)
        tf_plan_recv(plan, holder(&h.fold, r), output);
}
