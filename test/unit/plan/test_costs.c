/* test_costs.c - the algorithms cost what the comments of their files say: messages, blocks, applications of the
 * operator.  That they are right is for test/plan/prove to say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "algo/algo.h"
#include "algo/ordered_tree.h"
#include "algo/swing.h"

#define MAX_SIZE 66

struct cost {
    int sends, receives; /* messages */
    int blocks_sent, blocks_received;
    int applications; /* of the operator */
};

static struct cost cost_of(tf_algo_generate *generate, int rank, int size, int radix)
{
    struct tf_shape shape = {.rank = rank, .size = size, .commutes = true, .parameter = radix};
    struct tf_plan *plan = tf_plan_create();
    struct cost cost = {0};

    generate(plan, &shape);
    assert_int_equal(tf_plan_finish(plan), MPI_SUCCESS);
    for (uint32_t i = 0; i < plan->nsteps; i++) {
        const struct tf_step *s = &plan->steps[i];
        bool receives = s->kind == TF_RECV || s->kind == TF_RECV_REDUCE;
        cost.sends += s->kind == TF_SEND;
        cost.receives += receives;
        cost.blocks_sent += s->kind == TF_SEND ? s->src.count : 0;
        cost.blocks_received += receives ? s->dst.count : 0;
        cost.applications += s->kind == TF_RECV_REDUCE || s->kind == TF_REDUCE_LOCAL;
    }
    tf_plan_destroy(plan);
    return cost;
}

/* The least k with base^k >= n. */
static int rounds(int64_t base, int64_t n)
{
    int k = 0;

    for (int64_t power = 1; power < n; power *= base)
        k++;
    return k;
}

/* p - 1 blocks each way for any p; a run of blocks is at most two messages. */
static void test_circulant(void **state)
{
    (void)state;
    for (int p = 2; p <= MAX_SIZE; p++)
        for (int r = 0; r < p; r++) {
            struct cost scatter = cost_of(tf_algo_reduce_scatter_circulant, r, p, 0);
            struct cost gather = cost_of(tf_algo_allgather_circulant, r, p, 0);
            struct cost both = cost_of(tf_algo_allreduce_circulant, r, p, 0);
            assert_int_equal(scatter.blocks_sent, p - 1);
            assert_int_equal(scatter.blocks_received, p - 1);
            assert_in_range(scatter.sends, rounds(2, p), rounds(2, p) + 1);
            assert_int_equal(gather.blocks_sent, p - 1);
            assert_int_equal(gather.blocks_received, p - 1);
            assert_in_range(gather.sends, rounds(2, p), 2 * rounds(2, p));
            assert_int_equal(both.blocks_sent, 2 * (p - 1));
            assert_int_equal(both.blocks_received, 2 * (p - 1));
        }
}

/* As many applications of the operator as messages received: one a round but the first, and one for distance 2. */
static void test_exscan_123_doubling(void **state)
{
    (void)state;
    for (int p = 5; p <= MAX_SIZE; p++)
        for (int r = 0; r < p; r++) {
            struct cost cost = cost_of(tf_algo_exscan_123_doubling, r, p, 0);
            int most = 2 + rounds(2, (p - 1 + 2) / 3);
            assert_in_range(cost.receives, 0, most);
            assert_in_range(cost.sends, 0, most);
            assert_in_range(cost.applications, 0, cost.receives);
        }
}

static void test_recursive_multiplying(void **state)
{
    (void)state;
    for (int radix = 2; radix <= 8; radix++)
        for (int p = radix; p <= 512; p *= radix) {
            struct cost cost = cost_of(tf_algo_allreduce_recursive_multiplying, p / 2, p, radix);
            assert_int_equal(cost.sends, (radix - 1) * rounds(radix, p));
            assert_int_equal(cost.receives, cost.sends);
            assert_int_equal(cost.applications, cost.sends);
        }
}

/* m bytes a rank at most: what is halved away, and the block that goes home. */
static void test_ordered_halving(void **state)
{
    (void)state;
    for (int p = 2; p <= 64; p *= 2)
        for (int r = 0; r < p; r++) {
            struct cost cost = cost_of(tf_algo_reduce_scatter_ordered_halving, r, p, 0);
            assert_in_range(cost.blocks_sent, p - 1, p);
            assert_in_range(cost.sends, rounds(2, p), rounds(2, p) + 1);
            assert_int_equal(cost.applications, rounds(2, p));
        }
}

/* The two roots and inner ranks send each segment three times, leaves once. */
static void test_dual_root(void **state)
{
    (void)state;
    for (int p = 2; p <= MAX_SIZE; p++)
        for (int r = 0; r < p; r++)
            assert_in_range(cost_of(tf_algo_allreduce_dual_root, r, p, 5).blocks_sent, 5, 15);
}

static void test_alltoall_bruck(void **state)
{
    (void)state;
    for (int p = 2; p <= MAX_SIZE; p++) {
        struct cost cost = cost_of(tf_algo_alltoall_bruck, p - 1, p, 0);
        assert_int_equal(cost.sends, rounds(2, p));
        assert_in_range(cost.blocks_sent, p - 1, p / 2 * rounds(2, p));
    }
}

/* Partners agree, have the same lower bits and differ in the round's; distances are the ones of the paper. */
static void test_swing(void **state)
{
    static const int distances[] = {1, 1, 3, 5, 11, 21};

    (void)state;
    for (int p = 2; p <= 64; p *= 2)
        for (int r = 0; r < p; r++) {
            struct tf_swing swing = tf_algo_swing(r, p);
            for (int k = 0; k < swing.rounds; k++) {
                int peer = tf_algo_swing_peer(&swing, k), apart = abs(peer - r);
                struct tf_swing other = tf_algo_swing(peer, p);
                assert_int_equal(tf_algo_swing_peer(&other, k), r);
                assert_int_equal((swing.bits ^ other.bits) & ((2 << k) - 1), 1 << k);
                assert_true(apart == distances[k] % p || p - apart == distances[k] % p);
            }
        }
}

/* The in-order tree is as flat as a binary tree can be, and each subtree is the run it says. */
static void test_ordered_tree(void **state)
{
    (void)state;
    for (int p = 1; p <= MAX_SIZE; p++)
        for (int r = 0; r < p; r++) {
            struct tf_ordered_tree tree = tf_algo_ordered_tree(r, 0, p, tf_algo_middle(0, p));
            assert_in_range(tree.depth, 0, rounds(2, p + 1) - 1);
            assert_in_range(r, tree.first, tree.end - 1);
            assert_int_equal(tree.left >= 0, r > tree.first);
            assert_int_equal(tree.right >= 0, r + 1 < tree.end);
            if (tree.left >= 0)
                assert_int_equal(tf_algo_ordered_tree(tree.left, 0, p, tf_algo_middle(0, p)).parent, r);
            if (tree.right >= 0)
                assert_int_equal(tf_algo_ordered_tree(tree.right, 0, p, tf_algo_middle(0, p)).parent, r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_circulant),
        cmocka_unit_test(test_exscan_123_doubling),
        cmocka_unit_test(test_recursive_multiplying),
        cmocka_unit_test(test_ordered_halving),
        cmocka_unit_test(test_dual_root),
        cmocka_unit_test(test_alltoall_bruck),
        cmocka_unit_test(test_swing),
        cmocka_unit_test(test_ordered_tree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
