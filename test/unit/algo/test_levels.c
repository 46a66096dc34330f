/* test_levels.c - the domains of ranks, and how often algorithms of two levels cross from one to another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "algo/algo.h"
#include "algo/levels.h"

static const int32_t blocks[] = {4, 4, 4, 1, 1, 0}, in_turn[] = {0, 1, 0, 1, 0, 1};

static struct tf_levels open_levels(int rank, int root, const int32_t *domain, bool ordered)
{
    struct tf_shape shape = {.rank = rank, .size = 6, .root = root, .domain = domain};
    struct tf_plan *plan = tf_plan_create();
    struct tf_levels l;
    assert_true(tf_algo_levels_open(plan, &shape, ordered, &l));
    tf_plan_destroy(plan);
    return l;
}

static void domains_are_numbered_by_lowest_rank(void **state)
{
    (void)state;
    struct tf_levels l = open_levels(4, 0, blocks, true);
    assert_int_equal(l.ndomains, 3);
    assert_int_equal(l.mine, 1);
    assert_int_equal(l.nmembers, 2);
    assert_int_equal(l.members[0], 3);
    assert_int_equal(l.me, 1);
    assert_int_equal(l.least, 1);
    assert_int_equal(l.leaders[2], 5);
    tf_algo_levels_close(&l);
}

static void the_root_leads(void **state)
{
    (void)state;
    struct tf_levels l = open_levels(1, 3, in_turn, false);
    assert_int_equal(l.ndomains, 2);
    assert_int_equal(l.leaders[0], 0);
    assert_int_equal(l.leaders[1], 3);
    assert_int_equal(l.root_domain, 1);
    assert_int_equal(l.leader, 1);
    assert_int_equal(l.members[l.leader], 3);
    assert_false(tf_algo_leads(&l));
    tf_algo_levels_close(&l);
}

static void runs_are_domains_where_order_counts(void **state)
{
    (void)state;
    struct tf_levels l = open_levels(2, 0, in_turn, true);
    assert_int_equal(l.ndomains, 6);
    assert_int_equal(l.mine, 2);
    assert_int_equal(l.nmembers, 1);
    tf_algo_levels_close(&l);
    l = open_levels(2, 0, NULL, true);
    assert_int_equal(l.ndomains, 1);
    assert_int_equal(l.nmembers, 6);
    tf_algo_levels_close(&l);
}

/* Messages from one domain to another, in a call on 12 ranks. */
static int crossings(enum tf_coll coll, const char *name, const int32_t *domain)
{
    int n = 0;
    for (int rank = 0; rank < 12; rank++) {
        struct tf_shape shape = {.rank = rank, .size = 12, .commutes = true, .domain = domain};
        struct tf_plan *plan = tf_plan_create();
        tf_algo_find(coll, name)->generate(plan, &shape);
        for (uint32_t i = 0; i < plan->nsteps; i++)
            n += plan->steps[i].kind == TF_SEND && domain[plan->steps[i].peer] != domain[rank];
        tf_plan_destroy(plan);
    }
    return n;
}

static void domains_are_crossed_as_seldom_as_can_be(void **state)
{
    int32_t domain[12];
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        for (int r = 0; r < 12; r++)
            domain[r] = turn ? r % 4 : r / 3; /* 4 domains of 3 ranks */
        assert_int_equal(crossings(TF_BCAST, "two_level", domain), 3);
        assert_int_equal(crossings(TF_REDUCE, "two_level", domain), 3);
        assert_int_equal(crossings(TF_ALLREDUCE, "two_level", domain), 4 * 2);
        assert_int_equal(crossings(TF_ALLREDUCE, "multi_leader", domain), 3 * 4 * 2);
        assert_int_equal(crossings(TF_BARRIER, "two_level", domain), 4 * 2);
    }
}

static struct tf_plan *plan_of(const struct tf_algo *algo, struct tf_shape shape, int rank,
                               const struct tf_levels_table *levels)
{
    struct tf_plan *plan = tf_plan_create();
    shape.rank = rank;
    shape.levels = levels;
    algo->generate(plan, &shape);
    assert_int_equal(plan->error, MPI_SUCCESS);
    return plan;
}

/* Between kind, side and peer there may be anything. */
static void check_same(const struct tf_step *a, const struct tf_step *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->side, b->side);
    assert_memory_equal(&a->peer, &b->peer, sizeof *a - offsetof(struct tf_step, peer));
}

/* A plan made with a table for all ranks is the one made without, whether that table can be used or not. */
static void a_shared_table_changes_nothing(void **state)
{
    int32_t domain[12];
    (void)state;
    for (int i = 0; i < tf_algo_count * 2 * 2 * 2; i++) {
        const struct tf_algo *algo = &tf_algos[i / 8];
        bool turn = i & 1, commutes = i & 2, ordered = i & 4;
        if (!(algo->traits & TF_NEEDS_LEVELS) || tf_coll_is_neighbor(algo->coll))
            continue;
        for (int r = 0; r < 12; r++)
            domain[r] = turn ? r % 4 : r / 5;
        bool rooted = algo->coll == TF_BCAST || algo->coll == TF_REDUCE || algo->coll == TF_BARRIER;
        struct tf_shape shape = {.size = 12, .root = rooted ? 5 : 0, .commutes = commutes, .domain = domain};
        struct tf_levels_table *levels = tf_algo_levels_share(&shape, ordered);
        for (int rank = 0; rank < 12; rank++) {
            struct tf_plan *with = plan_of(algo, shape, rank, levels);
            struct tf_plan *without = plan_of(algo, shape, rank, NULL);
            assert_int_equal(with->nsteps, without->nsteps);
            for (uint32_t k = 0; k < with->nsteps; k++)
                check_same(&with->steps[k], &without->steps[k]);
            tf_plan_destroy(with);
            tf_plan_destroy(without);
        }
        free(levels);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(domains_are_numbered_by_lowest_rank),
        cmocka_unit_test(the_root_leads),
        cmocka_unit_test(runs_are_domains_where_order_counts),
        cmocka_unit_test(domains_are_crossed_as_seldom_as_can_be),
        cmocka_unit_test(a_shared_table_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
