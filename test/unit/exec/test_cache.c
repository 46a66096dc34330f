/* test_cache.c - the plan cache: the second call of a shape builds nothing, plans in use stay, the longest unused goes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "exec/exec.h"

enum { RANKS = 1000 };

/* Everybody is the same, and was met. */
static const struct tf_net net;
static struct tf_peer peer = {.net = &net}, *peers[RANKS];
static struct tf_comm comm = {.peers = peers, .npeers = RANKS, .size = RANKS};
static int built;

static void generate(struct tf_plan *plan, const struct tf_shape *shape)
{
    built++;
    tf_plan_send(plan, shape->root, tf_blocks(TF_INPUT, 0, 1));
}

static const struct tf_algo algo = {"one", TF_BCAST, TF_NEEDS_NOTHING, generate},
                            other = {"two", TF_BCAST, TF_NEEDS_NOTHING, generate};

static const struct tf_plan *get(struct tf_plan_cache *cache, int root)
{
    struct tf_shape shape = {.size = RANKS, .root = root};
    const struct tf_plan *plan = tf_plan_cache_get(cache, &algo, &shape);
    assert_non_null(plan);
    assert_int_equal(plan->steps[0].peer, root);
    return plan;
}

static void a_shape_is_built_once(void **state)
{
    struct tf_plan_cache *cache = tf_plan_cache_create(&comm);
    (void)state;
    built = 0;
    const struct tf_plan *first = get(cache, 1), *second = get(cache, 2);
    assert_ptr_not_equal(first, second);
    for (int i = 0; i < 5; i++) {
        assert_ptr_equal(get(cache, 1), first);
        assert_ptr_equal(get(cache, 2), second);
    }
    assert_int_equal(built, 2);
    tf_plan_cache_destroy(cache);
}

static void everything_of_a_shape_counts(void **state)
{
    static const int32_t domain[4];
    const struct tf_shape shapes[] = {{.size = 4},
                                      {.size = 4, .rank = 1},
                                      {.size = 5},
                                      {.size = 4, .root = 1},
                                      {.size = 4, .inplace = true},
                                      {.size = 4, .commutes = true},
                                      {.size = 4, .parameter = 2},
                                      {.size = 4, .first = 1},
                                      {.size = 4, .domain = domain}};
    struct tf_plan_cache *cache = tf_plan_cache_create(&comm);
    (void)state;
    built = 0;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < TF_ARRAY_LEN(shapes); i++) {
            tf_plan_cache_get(cache, &algo, &shapes[i]);
            tf_plan_cache_get(cache, &other, &shapes[i]);
        }
    assert_int_equal(built, 2 * TF_ARRAY_LEN(shapes));
    tf_plan_cache_destroy(cache);
}

static void the_longest_unused_goes(void **state)
{
    enum { MANY = 500 };
    struct tf_plan_cache *cache = tf_plan_cache_create(&comm);
    (void)state;
    built = 0;
    const struct tf_plan *kept = get(cache, 0); /* in use all the time */
    for (int i = 1; i < MANY; i++) {
        tf_plan_cache_release(cache, get(cache, i));
        tf_plan_cache_release(cache, get(cache, 0)); /* twice in use, then once again */
    }
    assert_int_equal(built, MANY);
    assert_ptr_equal(get(cache, 0), kept);
    tf_plan_cache_release(cache, get(cache, MANY - 1));
    assert_int_equal(built, MANY); /* the latest are there */
    tf_plan_cache_release(cache, get(cache, 1));
    assert_int_equal(built, MANY + 1); /* the first is not */
    tf_plan_cache_destroy(cache);
}

static void plans_in_use_stay(void **state)
{
    enum { MANY = 200 };
    static const struct tf_plan *plans[MANY];
    struct tf_plan_cache *cache = tf_plan_cache_create(&comm);
    (void)state;
    built = 0;
    for (int i = 0; i < MANY; i++)
        plans[i] = get(cache, i);
    for (int i = 0; i < MANY; i++)
        assert_ptr_equal(get(cache, i), plans[i]);
    assert_int_equal(built, MANY);
    for (int i = 0; i < MANY; i++) {
        tf_plan_cache_release(cache, plans[i]);
        tf_plan_cache_release(cache, plans[i]);
    }
    tf_plan_cache_destroy(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shape_is_built_once),
        cmocka_unit_test(everything_of_a_shape_counts),
        cmocka_unit_test(the_longest_unused_goes),
        cmocka_unit_test(plans_in_use_stay),
    };
    alarm(20);
    for (int r = 0; r < RANKS; r++)
        peers[r] = &peer;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
