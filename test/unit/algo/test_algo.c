/* test_algo.c - the registry, and what algorithms promise to cost: messages, and blocks sent.  That they are right is
 * proved by test/plan.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "algo/algo.h"

static void names_are_unique_within_a_collective(void **state)
{
    (void)state;
    for (int i = 0; i < tf_algo_count; i++) {
        assert_ptr_equal(tf_algo_find(tf_algos[i].coll, tf_algos[i].name), &tf_algos[i]);
        assert_null(strpbrk(tf_algos[i].name, " ,=")); /* they are named in a setting */
    }
    assert_null(tf_algo_find(TF_BCAST, "no_such_algorithm"));
    assert_null(tf_algo_find(TF_BCAST, ""));
}

/* Whatever the call, something can be done. */
static void each_collective_has_one_without_needs(void **state)
{
    (void)state;
    for (int c = 0; c < TF_NCOLL; c++) {
        bool any = false;
        for (int i = 0; i < tf_algo_count; i++)
            any |= tf_algos[i].coll == (enum tf_coll)c && tf_algo_fits(&tf_algos[i], 3, false, false);
        assert_true(any);
    }
}

static void needs_are_looked_at(void **state)
{
    (void)state;
    for (unsigned needs = 0; needs < 16; needs++) {
        const struct tf_algo algo = {"some", TF_ALLREDUCE, needs, NULL};
        for (int size = 1; size <= 17; size++)
            for (int op = 0; op < 4; op++) {
                bool power = size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
                bool wanted = (!(needs & TF_NEEDS_COMMUTATIVE) || (op & 1)) &&
                              (!(needs & TF_NEEDS_ELEMENTWISE) || (op & 2)) &&
                              (!(needs & TF_NEEDS_POWER_OF_TWO) || power);
                assert_int_equal(tf_algo_fits(&algo, size, op & 1, op & 2), wanted);
            }
    }
}

static struct tf_plan *generate_with(const struct tf_algo *algo, int rank, int p, int radix)
{
    int32_t domain[64];
    const int32_t next[] = {(rank + p - 1) % p, (rank + 1) % p};
    const struct tf_neighbors ring = {2, 2, next, next, true};
    struct tf_shape shape = {.rank = rank, .size = p, .commutes = true, .parameter = radix, .neighbors = &ring};
    struct tf_plan *plan = tf_plan_create();
    for (int r = 0; r < p && p <= 64; r++)
        domain[r] = r / 8;
    if (p <= 64 && (algo->traits & TF_NEEDS_LEVELS))
        shape.domain = domain;
    algo->generate(plan, &shape);
    assert_int_equal(tf_plan_finish(plan), MPI_SUCCESS);
    return plan;
}

static struct tf_plan *generate(const struct tf_algo *algo, int rank, int p)
{
    return generate_with(algo, rank, p, 0);
}

/* An algorithm says that it takes a parameter where that makes a difference, and only there. */
static void parameters_are_told(void **state)
{
    (void)state;
    for (int i = 0; i < tf_algo_count; i++) {
        bool differs = false;
        for (int rank = 0; rank < 16; rank++) {
            struct tf_plan *a = generate_with(&tf_algos[i], rank, 16, 3), *b = generate_with(&tf_algos[i], rank, 16, 5);
            differs |= a->nsteps != b->nsteps || a->nblocks != b->nblocks;
            for (uint32_t s = 0; s < a->nsteps && !differs; s++)
                differs = a->steps[s].peer != b->steps[s].peer;
            tf_plan_destroy(a);
            tf_plan_destroy(b);
        }
        if (differs != (tf_algo_parameter(&tf_algos[i]) != NULL))
            fail_msg("%s/%s %s", tf_coll_name(tf_algos[i].coll), tf_algos[i].name,
                     differs ? "takes a parameter and does not say so" : "says that it takes a parameter");
    }
}

static bool comes_after(const struct tf_plan *plan, uint32_t later, uint32_t earlier)
{
    const struct tf_step *s = &plan->steps[later];
    bool found = later == earlier;
    for (uint32_t d = s->first_dep; d < s->first_dep + s->ndeps && !found; d++)
        found = plan->deps[d].step >= earlier && comes_after(plan, plan->deps[d].step, earlier);
    return found;
}

/* The step of that kind with that peer; there is one. */
static uint32_t step_with(const struct tf_plan *plan, enum tf_step_kind kind, int peer)
{
    uint32_t i = 0;
    while (i < plan->nsteps && (plan->steps[i].kind != kind || plan->steps[i].peer != peer))
        i++;
    assert_true(i < plan->nsteps);
    return i;
}

/* With a window of w, the message of the root's w+1st peer does not begin before that of the first has come. */
static void windows_are_kept(void **state)
{
    (void)state;
    const struct tf_algo *gather = tf_algo_find(TF_GATHER, "linear"), *scatter = tf_algo_find(TF_SCATTER, "linear");
    for (int p = 2; p <= 20; p++)
        for (int window = 1; window <= p; window++) {
            struct tf_plan *to = generate_with(gather, 0, p, window), *from = generate_with(scatter, 0, p, window);
            assert_int_equal(to->nsteps, 1 + p - 1 + (window < p - 1 ? p - 1 - window : 0));
            assert_int_equal(from->nsteps, to->nsteps);
            for (int peer = window + 1; peer < p; peer++) {
                uint32_t go = step_with(to, TF_SEND, peer), send = step_with(from, TF_SEND, peer);
                assert_true(comes_after(to, go, step_with(to, TF_RECV, peer - window)));
                assert_true(comes_after(from, send, step_with(from, TF_RECV, peer - window)));
                struct tf_plan *leaf = generate_with(gather, peer, p, window);
                assert_true(comes_after(leaf, step_with(leaf, TF_SEND, 0), step_with(leaf, TF_RECV, 0)));
                tf_plan_destroy(leaf);
                leaf = generate_with(scatter, peer - window, p, window);
                assert_true(comes_after(leaf, step_with(leaf, TF_SEND, 0), step_with(leaf, TF_RECV, 0)));
                tf_plan_destroy(leaf);
            }
            tf_plan_destroy(to);
            tf_plan_destroy(from);
        }
}

/* Plans are cached by shape: nothing else may make a difference. */
static void generators_are_pure(void **state)
{
    (void)state;
    for (int i = 0; i < tf_algo_count; i++)
        for (int p = 1; p <= 9; p++) {
            if (tf_coll_is_inter(tf_algos[i].coll) || !tf_algo_fits(&tf_algos[i], p, true, true))
                continue;
            struct tf_plan *a = generate(&tf_algos[i], p / 2, p), *b = generate(&tf_algos[i], p / 2, p);
            assert_int_equal(a->nsteps, b->nsteps);
            assert_int_equal(a->ndeps, b->ndeps);
            for (uint32_t s = 0; s < a->nsteps; s++) {
                const struct tf_step *x = &a->steps[s], *y = &b->steps[s];
                assert_true(x->kind == y->kind && x->side == y->side && x->peer == y->peer && x->tag == y->tag);
                assert_memory_equal(&x->src, &y->src, sizeof x->src);
                assert_memory_equal(&x->dst, &y->dst, sizeof x->dst);
            }
            tf_plan_destroy(a);
            tf_plan_destroy(b);
        }
}

/* Alone there is nobody to talk to; and nobody talks to himself. */
static void nobody_talks_to_himself(void **state)
{
    (void)state;
    for (int i = 0; i < tf_algo_count; i++)
        for (int p = 1; p <= 17; p++)
            for (int rank = 0;
                 rank < p && tf_algo_fits(&tf_algos[i], p, true, true) && !tf_coll_is_inter(tf_algos[i].coll); rank++) {
                struct tf_plan *plan = generate(&tf_algos[i], rank, p);
                for (uint32_t s = 0; s < plan->nsteps; s++) {
                    uint8_t kind = plan->steps[s].kind;
                    bool local = kind == TF_COPY || kind == TF_REDUCE_LOCAL || kind == TF_COMBINE;
                    assert_int_equal(plan->steps[s].peer < 0, local);
                    assert_true(plan->steps[s].peer < p && plan->steps[s].peer != rank);
                }
                tf_plan_destroy(plan);
            }
}

/* ---- costs ---- */

struct cost {
    int messages, most;     /* of all ranks; of the busiest */
    int most_blocks, parts; /* sent by the busiest; blocks that the vector is cut into */
};

static struct cost cost_of(enum tf_coll coll, const char *name, int p)
{
    struct cost cost = {0};
    const struct tf_algo *algo = tf_algo_find(coll, name);
    assert_non_null(algo);
    for (int rank = 0; rank < p; rank++) {
        struct tf_plan *plan = generate(algo, rank, p);
        int messages = 0, blocks = 0;
        for (uint32_t s = 0; s < plan->nsteps; s++)
            if (plan->steps[s].kind == TF_SEND) {
                messages++;
                blocks += plan->steps[s].src.count;
            }
        cost.messages += messages;
        cost.most = messages > cost.most ? messages : cost.most;
        cost.most_blocks = blocks > cost.most_blocks ? blocks : cost.most_blocks;
        cost.parts = plan->nblocks;
        tf_plan_destroy(plan);
    }
    return cost;
}

static int log2_up(int p)
{
    int n = 0;
    while (1 << n < p)
        n++;
    return n;
}

static void trees_send_one_message_an_edge(void **state)
{
    (void)state;
    for (int p = 1; p <= 40; p++) {
        assert_int_equal(cost_of(TF_BCAST, "binomial", p).messages, p - 1);
        assert_int_equal(cost_of(TF_BCAST, "binomial", p).most, log2_up(p));
        assert_int_equal(cost_of(TF_BCAST, "linear", p).most, p - 1);
        assert_int_equal(cost_of(TF_REDUCE, "binomial", p).messages, p - 1);
        assert_int_equal(cost_of(TF_REDUCE, "binomial", p).most, p > 1);
        assert_int_equal(cost_of(TF_GATHER, "binomial", p).messages, p - 1);
        assert_int_equal(cost_of(TF_SCATTER, "binomial", p).messages, p - 1);
    }
}

static void short_algorithms_take_a_logarithm_of_messages(void **state)
{
    (void)state;
    for (int p = 1; p <= 40; p++) {
        int rounds = log2_up(p), floor = (1 << rounds) == p ? rounds : rounds - 1;
        assert_int_equal(cost_of(TF_BARRIER, "dissemination", p).most, rounds);
        assert_int_equal(cost_of(TF_ALLGATHER, "bruck", p).most, rounds);
        /* Two more where ranks beyond a power of two fold in and are told the result. */
        assert_in_range(cost_of(TF_ALLREDUCE, "recursive_doubling", p).most, floor, floor + 1);
        assert_in_range(cost_of(TF_SCAN, "recursive_doubling", p).most, floor, rounds);
    }
}

/* Of the vector's p parts a rank sends p-1 in each half of the algorithm, and no more. */
static void long_algorithms_send_no_more_than_they_must(void **state)
{
    (void)state;
    for (int p = 2; p <= 32; p++) {
        struct cost ring = cost_of(TF_ALLREDUCE, "ring", p);
        assert_int_equal(ring.parts, p);
        assert_int_equal(ring.most, 2 * (p - 1));
        assert_int_equal(ring.most_blocks, 2 * (p - 1));
        assert_int_equal(cost_of(TF_ALLGATHER, "ring", p).most_blocks, p - 1);
        assert_int_equal(cost_of(TF_ALLTOALL, "pairwise", p).most, p - 1);
        assert_int_equal(cost_of(TF_REDUCE_SCATTER_BLOCK, "pairwise", p).most_blocks, p - 1);
    }
    for (int p = 2; p <= 32; p *= 2) {
        struct cost halving = cost_of(TF_ALLREDUCE, "rabenseifner", p);
        assert_int_equal(halving.most, 2 * log2_up(p));
        assert_int_equal(halving.most_blocks * p, 2 * (p - 1) * halving.parts);
        assert_int_equal(cost_of(TF_REDUCE_SCATTER_BLOCK, "recursive_halving", p).most, log2_up(p));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_unique_within_a_collective),
        cmocka_unit_test(each_collective_has_one_without_needs),
        cmocka_unit_test(needs_are_looked_at),
        cmocka_unit_test(parameters_are_told),
        cmocka_unit_test(windows_are_kept),
        cmocka_unit_test(generators_are_pure),
        cmocka_unit_test(nobody_talks_to_himself),
        cmocka_unit_test(trees_send_one_message_an_edge),
        cmocka_unit_test(short_algorithms_take_a_logarithm_of_messages),
        cmocka_unit_test(long_algorithms_send_no_more_than_they_must),
    };
    alarm(20);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
