/* test_value.c - the prover's values: interned, described in words; and the contract of a few collectives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/contract.h"
#include "plan/value.h"

static void assert_described(const struct tf_values *values, uint32_t value, const char *wanted)
{
    char text[64];

    assert_string_equal(tf_value_describe(values, value, text, sizeof text), wanted);
}

static void test_interning(void **state)
{
    (void)state;
    struct tf_values values;

    assert_true(tf_values_create(&values, 4));
    uint32_t a = tf_value_contribution(&values, 0, 7), b = tf_value_contribution(&values, 1, 7);
    assert_int_not_equal(a, b);
    assert_int_equal(a, tf_value_contribution(&values, 0, 7));
    assert_int_not_equal(a, tf_value_contribution(&values, 0, 6));
    assert_int_equal(tf_value_combine(&values, a, b), tf_value_combine(&values, a, b));
    assert_int_not_equal(tf_value_combine(&values, a, b), tf_value_combine(&values, b, a));
    tf_values_destroy(&values);
}

static void test_words(void **state)
{
    (void)state;
    struct tf_values values;
    uint32_t x[6];

    assert_true(tf_values_create(&values, 6));
    for (int r = 0; r < 6; r++)
        x[r] = tf_value_contribution(&values, r, 0);
    uint32_t low = tf_value_combine(&values, x[0], x[1]), gap = tf_value_combine(&values, low, x[3]);
    assert_described(&values, 0, "nothing");
    assert_described(&values, x[3], "rank 3");
    assert_described(&values, low, "ranks 0-1");
    assert_described(&values, gap, "ranks 0-1,3");
    assert_described(&values, tf_value_combine(&values, x[2], low), "ranks 2,0-1");
    assert_described(&values, tf_value_combine(&values, gap, x[4]), "ranks 0-1,3-4");
    assert_true(values.values[low].ordered);
    assert_false(values.values[gap].ordered);
    assert_int_equal(tf_value_common(&values, gap, x[2]), -1);
    assert_int_equal(tf_value_common(&values, gap, x[3]), 3);
    assert_true(tf_value_contains(&values, gap, 1));
    assert_false(tf_value_contains(&values, gap, 2));
    tf_values_destroy(&values);
}

/* More ranks than bits in a word, more values than the first table holds, words longer than the text. */
static void test_many(void **state)
{
    (void)state;
    enum { RANKS = 200 };
    struct tf_values values;
    uint32_t x[RANKS], all = 0, odd = 0;
    char text[32];

    assert_true(tf_values_create(&values, RANKS));
    for (int block = 0; block < 50; block++)
        for (int r = 0; r < RANKS; r++)
            x[r] = tf_value_contribution(&values, r, block);
    for (int r = 0; r < RANKS; r++) {
        all = r ? tf_value_combine(&values, all, x[r]) : x[r];
        if (r % 2)
            odd = odd ? tf_value_combine(&values, odd, x[r]) : x[r];
    }
    for (int r = 0; r < RANKS; r++)
        assert_int_equal(x[r], tf_value_contribution(&values, r, 49));
    assert_described(&values, all, "ranks 0-199");
    assert_int_equal(values.values[all].count, RANKS);
    assert_int_equal(tf_value_common(&values, x[199], all), 199);
    tf_value_describe(&values, odd, text, sizeof text);
    assert_memory_equal(text, "ranks 1,3,5,", 12);
    assert_true(strlen(text) < sizeof text);
    tf_values_destroy(&values);
}

static void test_contract(void **state)
{
    (void)state;
    struct tf_contract reduce = {TF_REDUCE, 4, 2, true, true, true, 0, NULL, NULL, NULL},
                       exscan = {TF_EXSCAN, 4, 0, false, true, true, 0, NULL, NULL, NULL};
    struct tf_contract alltoall = {TF_ALLTOALL, 4, 0, false, true, true, 0, NULL, NULL, NULL};

    assert_true(tf_contract_inplace(&reduce, 2));
    assert_false(tf_contract_inplace(&reduce, 1));
    assert_int_equal(tf_contract_blocks(&reduce, 2, TF_INPUT, 8), 0);
    assert_int_equal(tf_contract_blocks(&reduce, 2, TF_OUTPUT, 8), 8);
    assert_int_equal(tf_contract_blocks(&reduce, 1, TF_INPUT, 8), 8);
    assert_int_equal(tf_contract_blocks(&reduce, 1, TF_OUTPUT, 8), 0);
    assert_int_equal(tf_contract_blocks(&exscan, 0, TF_OUTPUT, 1), 0);
    assert_int_equal(tf_contract_after(&exscan, 3, 0).last, 2);
    assert_int_equal(tf_contract_before(&alltoall, 1, TF_INPUT, 3).block, 3);
    assert_int_equal(tf_contract_after(&alltoall, 1, 3).first, 3);
    assert_int_equal(tf_contract_after(&alltoall, 1, 3).block, 1);
    for (int coll = 0; coll < TF_NCOLL; coll++)
        assert_non_null(tf_coll_name(coll));
    assert_string_equal(tf_coll_name(TF_REDUCE_SCATTER_BLOCK), "reduce_scatter_block");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interning),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
