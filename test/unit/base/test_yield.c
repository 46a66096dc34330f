/* test_yield.c - when who waits should sleep rather than yield. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/yield.h"

/* The sleeps until yielding pays again. */
static int sleeps(void)
{
    int n = 0;
    for (; !tf_yield_pays(); n++)
        tf_yield_slept();
    return n;
}

static void short_ones_pay(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++)
        tf_yield_took(10 * TF_MICROSECOND, 0);
    assert_true(tf_yield_pays());
    tf_yield_slept();
    assert_true(tf_yield_pays());
}

static void after_a_long_one_some_sleep(void **state)
{
    (void)state;
    tf_yield_took(4 * TF_MILLISECOND, 0);
    assert_false(tf_yield_pays());
    int n = sleeps();
    assert_true(n > 1 && n < 20);
}

/* Nobody who waits gets the processor but by waking up. */
static void more_sleep_the_longer_it_lasts(void **state)
{
    int before = 0, n = 0;
    (void)state;
    for (int i = 0; i < 20; i++) {
        tf_yield_took(4 * TF_MILLISECOND, 0);
        n = sleeps();
        assert_true(n >= before);
        before = n;
    }
    assert_true(n > 1000 && n < 100000);
}

/* A program that computes, and then sends many messages, again and again. */
static void few_sleep_where_most_are_short(void **state)
{
    int n = 0;
    (void)state;
    for (int turn = 0; turn < 100; turn++) {
        tf_yield_took(4 * TF_MILLISECOND, 0);
        n = sleeps();
        for (int i = 0; i < 100; i++)
            tf_yield_took(10 * TF_MICROSECOND, 0);
    }
    assert_true(n < 20);
}

/* Looks are worth more then, for a while. */
static void a_long_one_is_remembered(void **state)
{
    (void)state;
    tf_yield_took(4 * TF_MILLISECOND, 0);
    assert_true(tf_yield_is_dear(tf_time()));
    tf_yield_took(10 * TF_MICROSECOND, 0);
    assert_true(tf_yield_is_dear(tf_time()));
    assert_false(tf_yield_is_dear(tf_time() + TF_SECOND));
    sleeps();
}

/* Of two processors' processes each has copied most of the time. */
static void what_others_do_for_the_job_is_no_reason_to_sleep(void **state)
{
    (void)state;
    _Atomic uint64_t counter = 0;
    tf_yield_share(&counter, 2);
    tf_yield_took(4 * TF_MILLISECOND, 7 * TF_MILLISECOND);
    assert_true(tf_yield_pays());
    tf_yield_took(4 * TF_MILLISECOND, 2 * TF_MILLISECOND);
    assert_true(sleeps() > 1);
    tf_yield_worked(TF_MILLISECOND);
    assert_int_equal(counter, TF_MILLISECOND);
    tf_yield_share(NULL, 1);
}

static void tells_the_time(void **state)
{
    int64_t before = tf_time(), after = tf_yield(before);
    (void)state;
    assert_true(after >= before && after <= tf_time());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_ones_pay),
        cmocka_unit_test(after_a_long_one_some_sleep),
        cmocka_unit_test(more_sleep_the_longer_it_lasts),
        cmocka_unit_test(few_sleep_where_most_are_short),
        cmocka_unit_test(a_long_one_is_remembered),
        cmocka_unit_test(what_others_do_for_the_job_is_no_reason_to_sleep),
        cmocka_unit_test(tells_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
