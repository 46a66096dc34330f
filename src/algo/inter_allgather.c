/* inter_allgather.c - each rank gets its share of the other group's blocks across, and the shares travel around a ring
 * of its own group.
 *
 *     A gets a b c, B gets d e; a gets A, b nothing, c B, ...     A <-> B     a -> b -> c -> d -> e -> a
 *
 * Each block crosses once; n - 1 rounds in a group of n.  What a rank passes on follows what it receives.  In the v
 * form blocks stand apart and each is a message of its own.
 *
 * Or all of the other group's blocks go to the leader, who broadcasts them: for many short ones.
 *
 *     A <- a b c d e, a <- A B     A -> B, a -> e, a -> c, a -> b, c -> d
 */
#include "algo/algo.h"
#include "algo/inter.h"
#include "algo/tree.h"

/* Of m blocks those that are the share of rank `rank` of n are first..end-1. */
static int share(int rank, int n, int m)
{
    return (int)((int64_t)rank * m / n);
}

/* The rank of n whose share block b of m is in. */
static int keeper(int b, int n, int m)
{
    return (int)(((int64_t)(b + 1) * n - 1) / m);
}

static void pass(struct tf_plan *plan, int peer, bool sends, struct tf_ref blocks, bool apart)
{
    int step = apart ? 1 : blocks.count;

    for (int b = 0; b < blocks.count; b += step) {
        struct tf_ref part = tf_blocks(blocks.buffer, blocks.first + b, step);
        if (sends)
            tf_plan_send(plan, peer, part);
        else
            tf_plan_recv(plan, peer, part);
    }
}

static void ring(struct tf_plan *plan, const struct tf_shape *shape, bool apart)
{
    struct tf_inter inter = tf_algo_inter(shape);
    int n = inter.groups.size, m = inter.groups.other_size, begin = inter.groups.begin, me = inter.me;
    int right = begin + (me + 1) % n, left = begin + (me + n - 1) % n;

    tf_plan_blocks(plan, m);
    tf_plan_send(plan, inter.across + keeper(me, m, n), tf_blocks(TF_INPUT, 0, 1));
    for (int b = share(me, n, m); b < share(me + 1, n, m); b++)
        tf_plan_recv(plan, inter.across + b, tf_blocks(TF_OUTPUT, b, 1));
    for (int k = 0; k < n - 1; k++) {
        int out = (me + n - k) % n, in = (me + n - 1 - k) % n;
        int first = share(out, n, m), first_in = share(in, n, m);
        pass(plan, right, true, tf_blocks(TF_OUTPUT, first, share(out + 1, n, m) - first), apart);
        pass(plan, left, false, tf_blocks(TF_OUTPUT, first_in, share(in + 1, n, m) - first_in), apart);
    }
}

void tf_algo_inter_allgather_ring(struct tf_plan *plan, const struct tf_shape *shape)
{
    ring(plan, shape, false);
}

void tf_algo_inter_allgatherv_ring(struct tf_plan *plan, const struct tf_shape *shape)
{
    ring(plan, shape, true);
}

void tf_algo_inter_allgather_tree(struct tf_plan *plan, const struct tf_shape *shape)
{
    struct tf_inter inter = tf_algo_inter(shape);
    struct tf_tree tree = tf_algo_tree(inter.me, inter.groups.size, 0, 0);
    int m = inter.groups.other_size;

    tf_plan_blocks(plan, m);
    tf_plan_send(plan, inter.across, tf_blocks(TF_INPUT, 0, 1));
    for (int b = 0; inter.me == 0 && b < m; b++)
        tf_plan_recv(plan, inter.across + b, tf_blocks(TF_OUTPUT, b, 1));
    tf_plan_origin(plan, inter.groups.begin);
    if (tree.parent >= 0)
        tf_plan_recv(plan, tree.parent, tf_blocks(TF_OUTPUT, 0, m));
    for (int i = tree.nchildren - 1; i >= 0; i--)
        tf_plan_send(plan, tree.child[i].rank, tf_blocks(TF_OUTPUT, 0, m));
    tf_plan_origin(plan, 0);
}
