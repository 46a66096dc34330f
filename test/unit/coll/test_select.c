/* test_select.c - the rules of selection: whatever the call there is an algorithm that fits; ranges within which the
 * choice stays the same; and the setting `algorithm`.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <unistd.h>

#include "base/settings.h"
#include "coll/family.h"

static const struct rule {
    enum tf_coll coll;
    int from, to;
    size_t low, high;
    const char *algo;
    bool any;
} rules[] = {
#define MAX INT_MAX
#define TF_RULE(...) TF_RULE_ROW(__VA_ARGS__)
#define TF_RULE_ROW(coll, from, to, low, high, where, algo) {coll, from, to, low, high, #algo, #where[0] == 'A'},
#include "coll/rules.def"
#undef TF_RULE
#undef MAX
};

static void rules_name_algorithms(void **state)
{
    (void)state;
    for (size_t i = 0; i < TF_ARRAY_LEN(rules); i++) {
        if (!tf_algo_find(rules[i].coll, rules[i].algo))
            fail_msg("rule %zu: there is no %s %s", i, tf_coll_name(rules[i].coll), rules[i].algo);
        assert_true(rules[i].from >= 1 && rules[i].from <= rules[i].to);
        assert_true(rules[i].low < rules[i].high);
    }
}

/* So that there is always an answer, and an algorithm whose preconditions fail is never taken. */
static void the_last_rule_matches_everything(void **state)
{
    (void)state;
    for (int c = 0; c < TF_NCOLL; c++) {
        const struct rule *last = NULL;
        for (size_t i = 0; i < TF_ARRAY_LEN(rules); i++)
            if (rules[i].coll == (enum tf_coll)c)
                last = &rules[i];
        assert_non_null(last);
        assert_true(last->any && last->from == 1 && last->to == INT_MAX && last->low == 0 && last->high == SIZE_MAX);
        assert_int_equal(tf_algo_find(last->coll, last->algo)->needs, TF_NEEDS_NOTHING);
    }
}

/* A rule that can never be reached says something that is not so. */
static void no_rule_is_shadowed(void **state)
{
    (void)state;
    for (size_t i = 0; i < TF_ARRAY_LEN(rules); i++)
        for (size_t k = 0; k < i; k++) {
            const struct rule *early = &rules[k], *late = &rules[i];
            bool covers = early->coll == late->coll && early->any && early->from <= late->from &&
                          early->to >= late->to && early->low <= late->low && early->high >= late->high;
            if (covers && tf_algo_find(early->coll, early->algo)->needs == TF_NEEDS_NOTHING)
                fail_msg("rule %zu (%s %s) is never reached because of rule %zu (%s)", i, tf_coll_name(late->coll),
                         late->algo, k, early->algo);
        }
}

static const struct tf_algo *choose(int coll, int p, size_t bytes, int op, size_t *low, size_t *high)
{
    struct tf_coll_case which = {(enum tf_coll)coll, p, bytes, op & 1, op >> 1};
    struct tf_coll_choice choice;
    assert_int_equal(tf_coll_select(&which, &choice), MPI_SUCCESS);
    *low = choice.low;
    *high = choice.high;
    return choice.algo;
}

static void every_choice_fits_and_holds_in_its_range(void **state)
{
    const size_t sizes[] = {0, 1, 8, 1000, 2047, 2048, 8191, 8192, 16384, 65535, 65536, 98304, 1 << 20, SIZE_MAX / 2};
    (void)state;
    for (int crowded = 0; crowded < 2; crowded++)
        for (int c = 0; c < TF_NCOLL; c++)
            for (int p = 1; p < 2000; p += p < 20 ? 1 : 77)
                for (size_t s = 0; s < TF_ARRAY_LEN(sizes); s++)
                    for (int op = 0; op < 4; op++) {
                        size_t low, high, low2, high2;
                        tf_wait_crowded = crowded;
                        const struct tf_algo *algo = choose(c, p, sizes[s], op, &low, &high);
                        assert_int_equal(algo->coll, c);
                        assert_true(tf_algo_fits(algo, p, op & 1, op >> 1));
                        assert_true(low <= sizes[s] && sizes[s] < high);
                        assert_ptr_equal(choose(c, p, low, op, &low2, &high2), algo);
                        assert_true(low2 == low && high2 == high);
                        assert_ptr_equal(choose(c, p, high - 1, op, &low2, &high2), algo);
                        assert_true(low2 == low && high2 == high);
                    }
    tf_wait_crowded = false;
}

/* `wanted` NULL: what is chosen without a setting. */
static void assert_chosen(const char *setting, enum tf_coll coll, int p, bool commutative, const char *wanted)
{
    size_t low, high;
    const struct tf_algo *ordinary = choose(coll, p, 8, commutative | 2, &low, &high);
    tf_settings.algorithm = setting;
    const struct tf_algo *algo = choose(coll, p, 8, commutative | 2, &low, &high);
    assert_string_equal(algo->name, wanted ? wanted : ordinary->name);
    tf_settings.algorithm = "";
}

static void the_setting_goes_first_where_it_fits(void **state)
{
    (void)state;
    assert_chosen("allreduce=ring", TF_ALLREDUCE, 4, true, "ring");
    assert_chosen("bcast=linear,allreduce=ring", TF_ALLREDUCE, 4, true, "ring");
    assert_chosen("bcast=linear,allreduce=ring", TF_BCAST, 4, true, "linear");
    /* One name is another's beginning or end. */
    assert_chosen("reduce=linear,reduce_scatter=pairwise", TF_REDUCE_SCATTER, 4, true, "pairwise");
    assert_chosen("reduce_scatter=pairwise,reduce=linear", TF_REDUCE, 4, true, "linear");
    assert_chosen("allreduce=linear", TF_REDUCE, 4, true, NULL);
    /* What it needs comes before what the user wants. */
    assert_chosen("allreduce=ring", TF_ALLREDUCE, 4, false, NULL);
    assert_chosen("allgather=recursive_doubling", TF_ALLGATHER, 8, true, "recursive_doubling");
    assert_chosen("allgather=recursive_doubling", TF_ALLGATHER, 7, true, NULL);
}

static void a_setting_that_makes_no_sense_is_ignored(void **state)
{
    static const char *const settings[] = {
        "",        "=",           ",", "scan", "scan=", "scan=ring_of_fire,", ",,scan=,", "scan=linea", "scan=linearr",
        "=linear", "scan =linear"};
    (void)state;
    tf_settings.verbose = -1; /* rank 0 would say so on standard error */
    for (size_t i = 0; i < TF_ARRAY_LEN(settings); i++)
        assert_chosen(settings[i], TF_SCAN, 4, true, NULL);
    char long_name[300] = "scan=";
    memset(long_name + 5, 'x', 250);
    strcpy(long_name + 255, ",scan=linear");
    assert_chosen(long_name, TF_SCAN, 4, true, "linear");
    tf_settings.verbose = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_name_algorithms),
        cmocka_unit_test(the_last_rule_matches_everything),
        cmocka_unit_test(no_rule_is_shadowed),
        cmocka_unit_test(every_choice_fits_and_holds_in_its_range),
        cmocka_unit_test(the_setting_goes_first_where_it_fits),
        cmocka_unit_test(a_setting_that_makes_no_sense_is_ignored),
    };
    alarm(20);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
