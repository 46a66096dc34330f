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

static const struct tf_rules *shipped(void)
{
    struct tf_rules *sets[TF_RULES_SETS];
    assert_int_equal(tf_coll_rules(sets), MPI_SUCCESS);
    assert_int_equal(sets[TF_RULES_SHIPPED]->wrong, 0);
    return sets[TF_RULES_SHIPPED];
}

/* Something about every call, of any operator, that a rule matches: no condition. */
static bool is_unconditional(const struct tf_rule *rule)
{
    return !rule->when && rule->from <= 1 && rule->to == INT_MAX && rule->low == 0 && rule->high == SIZE_MAX;
}

static bool needs_nothing(const struct tf_algo *algo)
{
    char words[200];
    return !*tf_algo_needs(algo, words, sizeof words);
}

/* So that there is always an answer, and an algorithm whose preconditions fail is never taken. */
static void the_last_rule_matches_everything(void **state)
{
    const struct tf_rules *rules = shipped();
    (void)state;
    for (int c = 0; c < TF_NKINDS; c++) {
        if (!tf_coll_exists((enum tf_coll)c))
            continue;
        assert_true(rules->first[c] < rules->first[c + 1]);
        const struct tf_rule *last = &rules->rule[rules->first[c + 1] - 1];
        assert_true(is_unconditional(last));
        assert_true(needs_nothing(last->algo));
    }
}

/* A rule that can never be reached says something that is not so. */
static void no_rule_is_shadowed(void **state)
{
    const struct tf_rules *rules = shipped();
    (void)state;
    for (int i = 0; i < rules->first[TF_NKINDS]; i++)
        for (int k = 0; k < i; k++) {
            const struct tf_rule *early = &rules->rule[k], *late = &rules->rule[i];
            bool covers = early->coll == late->coll && !(early->when & ~late->when) && early->from <= late->from &&
                          early->to >= late->to && early->low <= late->low && early->high >= late->high;
            bool promised = (!(late->when & TF_WHEN_FIXED) || (early->algo->traits & TF_GIVES_FIXED)) &&
                            (!(late->when & TF_WHEN_EXACT) || (early->algo->traits & TF_GIVES_ONCE));
            if (covers && needs_nothing(early->algo) && promised)
                fail_msg("line %d (%s %s) is never reached because of line %d (%s)", late->line,
                         tf_coll_name(late->coll), late->algo->name, early->line, early->algo->name);
        }
}

/* Where the ranks are: 0 on one node, 1 each on one of its own, 2 on several with several each. */
static int nodes;

/* `op`: 1 commutes, 2 may be applied to parts, 4 operands must be bracketed in the one way. */
static const struct tf_algo *choose(int coll, int p, size_t bytes, int op, size_t *low, size_t *high)
{
    unsigned must_give = (op & 4) && tf_coll_base((enum tf_coll)coll) >= TF_REDUCE ? TF_GIVES_FIXED : 0;
    struct tf_coll_case which = {(enum tf_coll)coll, p,         bytes,     op & 1, (op & 2) != 0, NULL,
                                 must_give,          nodes > 0, nodes > 1, false};
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
    for (int where = 0; where < 4; where++)
        for (int c = 0; c < TF_NKINDS; c++)
            for (int p = 1; p < 2000 && tf_coll_exists((enum tf_coll)c); p += p < 20 ? 1 : 77)
                for (size_t s = 0; s < TF_ARRAY_LEN(sizes); s++)
                    for (int op = 0; op < 8; op++) {
                        size_t low, high, low2, high2;
                        tf_pause_crowded = where == 3;
                        nodes = where % 3;
                        const struct tf_algo *algo = choose(c, p, sizes[s], op, &low, &high);
                        assert_int_equal(algo->coll, c);
                        assert_true(tf_algo_fits(algo, p, op & 1, (op & 2) != 0));
                        assert_true(tf_coll_base((enum tf_coll)c) < TF_REDUCE || !(op & 4) ||
                                    (algo->traits & TF_GIVES_FIXED));
                        assert_true(low <= sizes[s] && sizes[s] < high);
                        assert_ptr_equal(choose(c, p, low, op, &low2, &high2), algo);
                        assert_true(low2 == low && high2 == high);
                        assert_ptr_equal(choose(c, p, high - 1, op, &low2, &high2), algo);
                        assert_true(low2 == low && high2 == high);
                    }
    nodes = 0;
    tf_pause_crowded = false;
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

static void exact_sums_are_combined_at_once(void **state)
{
    static const enum tf_coll colls[] = {TF_REDUCE, TF_ALLREDUCE, TF_REDUCE_SCATTER, TF_REDUCE_SCATTER_BLOCK};
    (void)state;
    for (size_t c = 0; c < TF_ARRAY_LEN(colls); c++)
        for (size_t bytes = 8; bytes < 1 << 24; bytes *= 8) {
            struct tf_coll_case which = {colls[c], 7, bytes, true, true, NULL, TF_GIVES_ONCE, false, false, false};
            struct tf_coll_choice choice;
            assert_int_equal(tf_coll_select(&which, &choice), MPI_SUCCESS);
            assert_true(choice.algo->traits & TF_GIVES_ONCE);
        }
}

static void a_setting_that_makes_no_sense_is_ignored(void **state)
{
    static const char *const settings[] = {"",
                                           "=",
                                           ",",
                                           "scan",
                                           "scan=",
                                           "scan=ring_of_fire,",
                                           ",,scan=,",
                                           "scan=linea",
                                           "scan=linearr",
                                           "=linear",
                                           "scan linear",
                                           "scan(=linear",
                                           "scan=linear(",
                                           "scan=linear(radix=2)"};
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

/* ---- whose rules go first ---- */

static struct tf_rules *own;

static void assert_from(size_t bytes, const char *algo, int parameter, const char *source)
{
    struct tf_coll_case which = {TF_BCAST, 4, bytes, true, true, own, 0, false, false, false};
    struct tf_coll_choice choice;
    assert_int_equal(tf_coll_select(&which, &choice), MPI_SUCCESS);
    assert_string_equal(choice.algo->name, algo);
    assert_int_equal(choice.parameter, parameter);
    assert_string_equal(choice.from->source, source);
}

static void own_rules_then_the_setting_then_the_file(void **state)
{
    char path[] = "/tmp/treefold-rules-XXXXXX";
    int fd = mkstemp(path);
    const char text[] = "bcast = chain\n";
    (void)state;
    assert_true(fd >= 0 && write(fd, text, sizeof text - 1) == sizeof text - 1);
    close(fd);
    assert_from(8, "binomial", 0, "shipped rules");
    tf_settings.rules = path;
    assert_from(8, "chain", 0, path);
    tf_settings.algorithm = "bcast bytes <1K = binomial(radix=3)";
    assert_from(8, "binomial", 3, "setting algorithm");
    assert_from(1024, "chain", 0, path);
    own = tf_rules_parse("bcast bytes <8 = linear; bcast bytes 2K.. = linear", "own", NULL);
    assert_from(8, "binomial", 3, "setting algorithm");
    assert_from(7, "linear", 0, "own");
    assert_from(2047, "chain", 0, path);
    assert_from(2048, "linear", 0, "own");
    tf_rules_free(own);
    own = NULL;
    tf_settings.algorithm = tf_settings.rules = "";
    assert_from(8, "binomial", 0, "shipped rules");
    unlink(path);
}

static void a_choice_holds_between_the_bounds_of_all_rules(void **state)
{
    struct tf_coll_case which = {TF_BCAST, 4, 100, true, true, NULL, 0, false, false, false};
    struct tf_coll_choice choice;
    (void)state;
    tf_settings.algorithm = "bcast bytes 200..300 = linear, bcast bytes ..49 = chain";
    assert_int_equal(tf_coll_select(&which, &choice), MPI_SUCCESS);
    assert_true(choice.low == 50 && choice.high == 200);
    which.bytes = 250;
    assert_int_equal(tf_coll_select(&which, &choice), MPI_SUCCESS);
    assert_true(choice.low == 200 && choice.high == 301);
    tf_settings.algorithm = "";
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_rule_matches_everything),
        cmocka_unit_test(no_rule_is_shadowed),
        cmocka_unit_test(every_choice_fits_and_holds_in_its_range),
        cmocka_unit_test(the_setting_goes_first_where_it_fits),
        cmocka_unit_test(exact_sums_are_combined_at_once),
        cmocka_unit_test(a_setting_that_makes_no_sense_is_ignored),
        cmocka_unit_test(own_rules_then_the_setting_then_the_file),
        cmocka_unit_test(a_choice_holds_between_the_bounds_of_all_rules),
    };
    alarm(20);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
