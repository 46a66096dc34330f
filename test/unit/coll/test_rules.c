/* test_rules.c - rules of selection read from text, and what is said of text that makes no sense.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "coll/rules.h"

static char said[4000];
static int complaints;

static void complain(const char *words)
{
    snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", words);
    complaints++;
}

static struct tf_rules *parse(const char *text)
{
    said[0] = '\0';
    complaints = 0;
    struct tf_rules *rules = tf_rules_parse(text, "text", complain);
    assert_non_null(rules);
    assert_int_equal(complaints, rules->wrong);
    return rules;
}

static void one_rule(const char *text, struct tf_rule wanted)
{
    struct tf_rules *rules = parse(text);
    if (complaints)
        fail_msg("\"%s\": %s", text, said);
    assert_int_equal(rules->first[TF_NKINDS], 1);
    const struct tf_rule *rule = &rules->rule[0];
    assert_int_equal(rule->coll, wanted.coll);
    assert_int_equal(rule->from, wanted.from);
    assert_int_equal(rule->to, wanted.to);
    assert_int_equal(rule->low, wanted.low);
    assert_int_equal(rule->high, wanted.high);
    assert_int_equal(rule->when, wanted.when);
    assert_ptr_equal(rule->algo, wanted.algo);
    assert_int_equal(rule->parameter, wanted.parameter);
    tf_rules_free(rules);
}

static void conditions_and_parameters(void **state)
{
    const struct tf_rule any = {
        .coll = TF_ALLREDUCE, .to = INT_MAX, .high = SIZE_MAX, .algo = tf_algo_find(TF_ALLREDUCE, "flat")};
    struct tf_rule rule = any;
    (void)state;
    one_rule("allreduce=flat", any);
    one_rule(" \t allreduce   =\tflat  \r\n", any);
    one_rule("\n\n# words = words, words\nallreduce = flat # because\n,,;", any);
    rule.from = 3, rule.to = 5;
    one_rule("allreduce ranks 3..5 = flat", rule);
    rule.from = 0;
    one_rule("allreduce ranks ..5 = flat", rule);
    one_rule("allreduce ranks <6 = flat", rule);
    rule.from = 5;
    one_rule("allreduce ranks 5 = flat", rule);
    rule.to = INT_MAX;
    one_rule("allreduce ranks 5.. = flat", rule);
    one_rule("allreduce ranks 5..99999999999 = flat", rule);
    rule = any;
    rule.high = 2048;
    one_rule("allreduce bytes <2K = flat", rule);
    one_rule("allreduce bytes ..2047 = flat", rule);
    rule.low = 1024, rule.high = ((size_t)1 << 20) + 1;
    one_rule("allreduce bytes 1k..1M = flat", rule);
    rule.low = (size_t)3 << 30, rule.high = SIZE_MAX;
    one_rule("allreduce bytes 3G.. = flat", rule);
    rule = any;
    rule.when = TF_WHEN_CROWDED | TF_WHEN_COMMUTATIVE | TF_WHEN_NODE;
    rule.to = 7, rule.high = 1;
    one_rule("allreduce commutative bytes 0 crowded ranks ..7 node = flat", rule);
    rule.when = TF_WHEN_ROOMY | TF_WHEN_ELEMENTWISE | TF_WHEN_NETWORK | TF_WHEN_LEVELS;
    one_rule("allreduce network ranks ..7 roomy levels bytes ..0 elementwise = flat", rule);
    rule = any;
    rule.algo = tf_algo_find(TF_ALLREDUCE, "recursive_multiplying");
    rule.parameter = 8;
    one_rule("allreduce = recursive_multiplying(radix=8)", rule);
    one_rule("allreduce = recursive_multiplying ( radix = 8 ) ", rule);
    rule.algo = tf_algo_find(TF_ALLREDUCE, "dual_root");
    rule.parameter = 100;
    one_rule("allreduce=dual_root(segments=100)", rule);
}

static void many_rules_keep_their_order(void **state)
{
    (void)state;
    struct tf_rules *rules =
        parse("scan = linear, allreduce ranks 2 = flat\nbarrier = tree(radix=4); allreduce = ring\n"
              "\nscan = recursive_doubling");
    const struct tf_rule *first = &rules->rule[rules->first[TF_ALLREDUCE]];
    assert_int_equal(complaints, 0);
    assert_int_equal(rules->first[TF_ALLREDUCE + 1] - rules->first[TF_ALLREDUCE], 2);
    assert_string_equal(first[0].algo->name, "flat");
    assert_int_equal(first[0].line, 1);
    assert_string_equal(first[1].algo->name, "ring");
    assert_int_equal(first[1].line, 2);
    assert_int_equal(rules->rule[rules->first[TF_SCAN] + 1].line, 4);
    assert_int_equal(rules->first[TF_REDUCE], rules->first[TF_REDUCE + 1]);
    tf_rules_free(rules);
}

static void assert_wrong(const char *text, const char *words)
{
    struct tf_rules *rules = parse(text);
    if (complaints != 1 || !strstr(said, words))
        fail_msg("of \"%s\" is said: \"%s\", %d times; wanted: \"%s\"", text, said, complaints, words);
    assert_int_equal(rules->first[TF_NKINDS], 0);
    tf_rules_free(rules);
}

static void what_makes_no_sense_is_said(void **state)
{
    char text[1000] = "scan = ";
    (void)state;
    assert_wrong("allreduce", "text:1: \"allreduce\" is no rule; it must be like");
    assert_wrong("\n\n  alreduce=ring", "text:3: there is no collective \"alreduce\"; there are barrier, bcast");
    assert_wrong("=ring", "the collective is missing");
    assert_wrong("allreduce=", "the algorithm is missing");
    assert_wrong("allreduce = rong",
                 "there is no algorithm \"rong\" for allreduce; there are recursive_doubling, flat");
    assert_wrong("allreduce big = ring", "\"big\" is no condition; there are ranks RANGE");
    assert_wrong("allreduce bytes = ring", "\"bytes\" is no range; it must be like bytes 1K..64K");
    assert_wrong("allreduce ranks 8..4 = ring", "\"ranks 8..4\" is no range; it must be like ranks 4");
    assert_wrong("allreduce ranks 2K = ring", "\"ranks 2K\" is no range");
    assert_wrong("allreduce bytes .. = ring", "is no range");
    assert_wrong("allreduce bytes <0 = ring", "is no range");
    assert_wrong("allreduce bytes -1 = ring", "is no range");
    assert_wrong("allreduce bytes 1..2..3 = ring", "is no range");
    assert_wrong("allreduce bytes 99999999999999999999 = ring", "is no range");
    assert_wrong("allreduce bytes 99999999999G = ring", "is no range");
    assert_wrong("allreduce = ring(radix=4)", "ring of allreduce takes no parameter");
    assert_wrong("bcast = binomial(radix=1)", "the parameter of binomial must be (radix=N) with N from 2 to 16");
    assert_wrong("bcast = binomial(radix=17)", "from 2 to 16");
    assert_wrong("bcast = binomial(radix=4", "must be (radix=N)");
    assert_wrong("bcast = binomial(radix=4) x", "must be (radix=N)");
    assert_wrong("bcast = binomial()", "must be (radix=N)");
    assert_wrong("bcast = binomial(segments=4)", "must be (radix=N)");
    memset(text + 7, 'x', 900);
    assert_wrong(text, "a rule of 907 characters is too long");
}

static void the_rest_still_counts(void **state)
{
    (void)state;
    struct tf_rules *rules = parse("bcast = x\nbcast = linear\nscan\nscan = linear");
    assert_int_equal(complaints, 2);
    assert_non_null(strstr(said, "text:1:"));
    assert_non_null(strstr(said, "text:3:"));
    assert_int_equal(rules->first[TF_NKINDS], 2);
    tf_rules_free(rules);
}

static void a_rule_shown_is_the_rule(void **state)
{
    static const char *const texts[] = {
        "allreduce ranks 3..5 bytes <2K crowded = flat", "allreduce = dual_root(segments=7)",
        "bcast ranks 4.. bytes 1000.. roomy commutative elementwise = chain",
        "scan bytes 3K..4000 ranks ..2 network levels node = linear", "reduce bytes 0 ranks 1 = binomial(radix=3)"};
    (void)state;
    for (size_t i = 0; i < TF_ARRAY_LEN(texts); i++) {
        char text[300];
        struct tf_rules *rules = parse(texts[i]);
        assert_int_equal(complaints, 0);
        struct tf_rule wanted = rules->rule[0];
        one_rule(tf_rule_show(&wanted, text, sizeof text), wanted);
        tf_rules_free(rules);
    }
}

static void files(void **state)
{
    char path[] = "/tmp/treefold-rules-XXXXXX", line[] = "scan bytes 1 = linear # one of many\n";
    int fd = mkstemp(path), n = 2000;
    (void)state;
    assert_true(fd >= 0);
    for (int i = 0; i < n; i++)
        assert_int_equal(write(fd, line, sizeof line - 1), sizeof line - 1);
    assert_int_equal(write(fd, "scan", 4), 4);
    close(fd);
    said[0] = '\0', complaints = 0;
    struct tf_rules *rules;
    assert_int_equal(tf_rules_read(path, complain, &rules), MPI_SUCCESS);
    assert_int_equal(rules->first[TF_NKINDS], n);
    assert_int_equal(complaints, 1);
    assert_non_null(strstr(said, ":2001: \"scan\" is no rule"));
    tf_rules_free(rules);
    unlink(path);
    assert_int_equal(tf_rules_read(path, complain, &rules), MPI_SUCCESS);
    assert_null(rules);
    assert_non_null(strstr(said, "cannot be read (No such file or directory)"));
    assert_int_equal(tf_rules_read("/", NULL, &rules), MPI_SUCCESS);
    assert_null(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_and_parameters),   cmocka_unit_test(many_rules_keep_their_order),
        cmocka_unit_test(what_makes_no_sense_is_said), cmocka_unit_test(the_rest_still_counts),
        cmocka_unit_test(a_rule_shown_is_the_rule),    cmocka_unit_test(files),
    };
    alarm(20);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
