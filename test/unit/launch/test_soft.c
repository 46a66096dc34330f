/* The greatest number of processes of a set of triplets (MPI-5.0 section 11.8.4), which the standard's words, step by
 * step, give too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <stdio.h>

#include "launch/soft.h"

static void test_examples(void **state)
{
    static const struct {
        const char *soft;
        int most, best;
    } of[] = {
        {"4", 5, 4},
        {"1:4", 5, 4},
        {"0:100", 5, 5},
        {"2:10000:2", 5, 4},
        {"2,4,8,16", 9, 8},
        {"16,8,4,2", 9, 8},
        {"-3:-1,2", 9, 2},
        {"9:1:-3", 8, 6},
        {"9:1:-3", 9, 9},
        {"0", 4, 0},
        {"5:9", 4, TF_SOFT_NONE},
        {"3:1", 4, TF_SOFT_NONE}, /* b < a wants a negative c */
        {"1:3:-1", 4, TF_SOFT_NONE},
        {"-1", 4, TF_SOFT_NONE},
        {"9:5:-9", 4, TF_SOFT_NONE},
        {"-9223372036854775808:8", 5, 5},
        {"9223372036854775807:0:-1", 5, 5},
        {"9223372036854775807:-9223372036854775808:-9223372036854775808", INT_MAX, TF_SOFT_NONE},
        {"0:9223372036854775807:9223372036854775807", INT_MAX, 0},
        {"99999999999999999999:1:-1", 5, 5},
        {"", 5, TF_SOFT_WRONG},
        {"many", 5, TF_SOFT_WRONG},
        {"1:", 5, TF_SOFT_WRONG},
        {"1:2:0", 5, TF_SOFT_WRONG},
        {"1:2:3:4", 5, TF_SOFT_WRONG},
        {"1;2", 5, TF_SOFT_WRONG},
        {"1,,2", 5, TF_SOFT_WRONG},
    };
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
        if (tf_soft_choose(of[i].soft, of[i].most) != of[i].best)
            fail_msg("of \"%s\" up to %d it takes %d, not %d", of[i].soft, of[i].most,
                     tf_soft_choose(of[i].soft, of[i].most), of[i].best);
}

static void test_steps(void **state)
{
    char soft[40];
    (void)state;
    for (int a = -3; a <= 8; a++)
        for (int b = -3; b <= 8; b++)
            for (int c = -4; c <= 4; c += c == -1 ? 2 : 1)
                for (int most = 0; most <= 7; most++) {
                    int best = TF_SOFT_NONE;
                    for (int n = a; c > 0 ? n <= b : n >= b; n += c)
                        best = n >= 0 && n <= most && n > best ? n : best;
                    snprintf(soft, sizeof soft, "%d:%d:%d", a, b, c);
                    assert_int_equal(tf_soft_choose(soft, most), best);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
