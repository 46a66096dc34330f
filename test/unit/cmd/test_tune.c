/* test_tune.c - what `treefold tune` makes of figures: rules that say the same as the figures, or a verdict.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "cmd/tune.h"

static char *text;
static size_t length;

static struct tf_tune_results results_of(int processors, int ranks, const char *const lines[], int n)
{
    struct tf_tune_results r = {.processors = processors};
    for (int i = 0; i < n; i++)
        assert_true(tf_tune_take(&r, ranks, lines[i]));
    return r;
}

/* The rules written, parsed again. */
static struct tf_rules *written(struct tf_tune_results *r, bool all)
{
    tf_tune_sort(r);
    FILE *out = open_memstream(&text, &length);
    tf_tune_write(r, out, 1.1, all);
    fclose(out);
    struct tf_rules *rules = tf_rules_parse(text, "written", NULL);
    if (rules->wrong)
        fail_msg("%d rules make no sense: %s", rules->wrong, text);
    return rules;
}

static void done(struct tf_tune_results *r, struct tf_rules *rules)
{
    tf_rules_free(rules);
    tf_tune_free(r);
    free(text);
}

static void assert_rule(const struct tf_rules *rules, int i, int from, int to, size_t low, size_t high,
                        const char *algo, int parameter)
{
    const struct tf_rule *rule = &rules->rule[i];
    assert_true(i < rules->first[TF_NKINDS]);
    assert_int_equal(rule->from, from);
    assert_int_equal(rule->to, to);
    assert_int_equal(rule->low, low);
    assert_int_equal(rule->high, high);
    assert_string_equal(rule->algo->name, algo);
    assert_int_equal(rule->parameter, parameter);
}

/* At 8 the default is about as good as the best; ring is best or nearly so at 32 and 128; at 512 another is. */
static const char *const figures[] = {
    "bcast 8 1.05e-6 default\n", "bcast 8 1e-6 linear\n",    "bcast 8 9e-6 chain\n",
    "bcast 32 2e-6 default\n",   "bcast 32 1e-6 chain\n",    "bcast 32 1.04e-6 linear\n",
    "bcast 128 9e-6 default\n",  "bcast 128 2.1e-6 chain\n", "bcast 128 2e-6 bine\n",
    "bcast 512 9e-6 default\n",  "bcast 512 8e-6 chain\n",   "bcast 512 4e-6 binomial(radix=8)\n",
};

static void neighbours_are_joined(void **state)
{
    (void)state;
    struct tf_tune_results r = results_of(16, 8, figures, TF_ARRAY_LEN(figures));
    struct tf_rules *rules = written(&r, false);
    assert_int_equal(rules->first[TF_NKINDS], 2);
    assert_rule(rules, 0, 6, 11, 16, 256, "chain", 0);
    assert_rule(rules, 1, 6, 11, 256, SIZE_MAX, "binomial", 8);
    assert_int_equal(rules->rule[0].when, TF_WHEN_ROOMY);
    done(&r, rules);
}

static void all_sizes_get_a_rule_if_asked_for(void **state)
{
    (void)state;
    struct tf_tune_results r = results_of(2, 8, figures, TF_ARRAY_LEN(figures));
    struct tf_rules *rules = written(&r, true);
    assert_int_equal(rules->first[TF_NKINDS], 3);
    assert_int_equal(rules->rule[0].low, 0);
    assert_int_equal(rules->rule[0].high, 64);
    assert_string_equal(rules->rule[0].algo->name, "linear"); /* what the shipped rules say of crowded ranks */
    assert_int_equal(rules->rule[0].when, TF_WHEN_CROWDED);
    done(&r, rules);
}

static void numbers_of_ranks_share_what_lies_between(void **state)
{
    static const char *const two[] = {"scan 8 3 default", "scan 8 1 binary_tree", "barrier 0 2 default",
                                      "barrier 0 1 tree"};
    (void)state;
    struct tf_tune_results r = {.processors = 4};
    for (int ranks = 16; ranks >= 2; ranks /= ranks == 16 ? 4 : 2)
        for (size_t i = 0; i < TF_ARRAY_LEN(two); i++)
            assert_true(tf_tune_take(&r, ranks, two[i]));
    struct tf_rules *rules = written(&r, false);
    assert_int_equal(rules->first[TF_NKINDS], 6);
    assert_rule(rules, 0, 2, 2, 0, SIZE_MAX, "tree", 0);
    assert_rule(rules, 1, 3, 8, 0, SIZE_MAX, "tree", 0);
    assert_rule(rules, 2, 9, 22, 0, SIZE_MAX, "tree", 0);
    assert_rule(rules, 5, 9, 22, 0, SIZE_MAX, "binary_tree", 0);
    done(&r, rules);
}

static void the_worst_ratio_counts(void **state)
{
    (void)state;
    struct tf_tune_results r = results_of(16, 8, figures, TF_ARRAY_LEN(figures));
    FILE *out = open_memstream(&text, &length);
    double worst = tf_tune_check(&r, out, 1.3);
    fclose(out);
    assert_true(worst == 4.5);
    assert_non_null(strstr(text, "3 of 4 cells are above 1.30; the worst ratio is 4.50"));
    free(text);
    out = open_memstream(&text, &length);
    r.ncells = 1;
    assert_true(tf_tune_check(&r, out, 1.3) < 1.06);
    fclose(out);
    tf_tune_free(&r);
    free(text);
}

static void other_lines_are_refused(void **state)
{
    struct tf_tune_results r = {.processors = 1};
    (void)state;
    assert_false(tf_tune_take(&r, 2, "hello\n"));
    assert_false(tf_tune_take(&r, 2, "frobnicate 8 1e-6 default\n"));
    assert_false(tf_tune_take(&r, 2, "bcast 8 1e-6 linear\n")); /* the default comes first */
    assert_int_equal(r.ncells, 0);
    tf_tune_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_are_joined),
        cmocka_unit_test(all_sizes_get_a_rule_if_asked_for),
        cmocka_unit_test(numbers_of_ranks_share_what_lies_between),
        cmocka_unit_test(the_worst_ratio_counts),
        cmocka_unit_test(other_lines_are_refused),
    };
    alarm(20);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
