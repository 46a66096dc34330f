/* pattern.c - what several generators share.  See pattern.h. */
#include "algo/pattern.h"

bool tf_algo_reduce_scatter_alone(struct tf_plan *plan, const struct tf_shape *shape)
{
    if (shape->inplace)
        tf_plan_alias(plan);
    if (shape->size > 1)
        return false;
    if (!shape->inplace)
        tf_plan_copy(plan, tf_blocks(TF_INPUT, 0, 1), tf_blocks(TF_OUTPUT, 0, 1));
    return true;
}

void tf_algo_move(struct tf_plan *plan, struct tf_ref src, struct tf_ref dst)
{
    if (src.buffer != dst.buffer || src.first != dst.first)
        tf_plan_copy(plan, src, dst);
}

struct tf_fold tf_algo_fold(int rank, int size, int root)
{
    struct tf_fold fold = {.core = 1, .partner = -1};

    while (2 * (int64_t)fold.core <= size)
        fold.core *= 2;
    fold.extra = size - fold.core;
    if (rank >= 2 * fold.extra) {
        fold.member = rank - fold.extra;
        return fold;
    }
    fold.partner = rank ^ 1;
    fold.member = tf_algo_fold_rank(&fold, rank / 2, root) == rank ? rank / 2 : -1;
    return fold;
}

int tf_algo_fold_rank(const struct tf_fold *fold, int member, int root)
{
    if (member >= fold->extra)
        return member + fold->extra;
    return root == 2 * member + 1 ? root : 2 * member;
}

int tf_algo_relay_next(struct tf_plan *plan, struct tf_relay *relay)
{
    int odd = --relay->left % 2, next = TF_OUTPUT;

    /* In place the value starts in TF_OUTPUT; the second buffer makes up for a parity that would write there at once.
     */
    if (odd || relay->at == TF_OUTPUT) {
        int *temp = &relay->temp[!odd];
        if (!*temp)
            *temp = tf_plan_temp(plan, 0, plan->nblocks);
        next = *temp;
    }
    return relay->at = next;
}

int tf_algo_halve(struct tf_plan *plan, const struct tf_fold *fold, int root, int at, int home)
{
    int me = fold->member, first = 0, length = fold->core;

    for (int mask = 1; mask < fold->core; mask *= 2) {
        int peer = me ^ mask, rank = tf_algo_fold_rank(fold, peer, root);
        length /= 2;
        int keep = me & mask ? first + length : first, give = me & mask ? first : first + length;
        tf_plan_send(plan, rank, tf_blocks(at, give, length));
        tf_plan_recv_reduce(plan, rank, tf_algo_side(peer, me), tf_blocks(at, keep, length),
                            tf_blocks(home, keep, length));
        at = home;
        first = keep;
    }
    return first;
}
