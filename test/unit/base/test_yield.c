/* test_yield.c - when who waits should sleep rather than yield. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* A program of low priority takes a slice for each few hundred yields. */
static void short_ones_in_between_say_little(void **state)
{
    int n = 0;
    (void)state;
    for (int turn = 0; turn < 20; turn++) {
        tf_yield_took(4 * TF_MILLISECOND, 0);
        n = sleeps();
        for (int i = 0; i < 500; i++)
            tf_yield_took(10 * TF_MICROSECOND, 0);
    }
    assert_true(n > 1000);
    for (int i = 0; i < 10000; i++) /* but it has ended some time */
        tf_yield_took(10 * TF_MICROSECOND, 0);
    tf_yield_took(4 * TF_MILLISECOND, 0);
    n = sleeps();
    assert_true(n > 0 && n < 20);
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

/* A program that computes, of which one process waits for the other on its processor, and then sends many messages,
 * again and again: what the others have done they say when they wait again. */
static void few_sleep_where_the_others_worked(void **state)
{
    _Atomic uint64_t counter = 0;
    int n = 0;
    (void)state;
    tf_yield_share(&counter, 2, true);
    for (int turn = 0; turn < 100; turn++) {
        tf_yield_took(4 * TF_MILLISECOND, 0);
        n = sleeps();
        counter += 6 * TF_MILLISECOND;
        tf_yield_worked(4 * TF_MILLISECOND); /* this one's own, in which it did not wait */
    }
    assert_true(n > 0 && n < 10);
    for (int turn = 0; turn < 100; turn++) { /* and now another program does */
        tf_yield_took(4 * TF_MILLISECOND, 0);
        n = sleeps();
        tf_yield_worked(4 * TF_MILLISECOND);
    }
    assert_true(n > 1000);
    tf_yield_share(NULL, 1, false);
}

static void compute(int64_t time)
{
    for (int64_t until = tf_time_of_thread() + time; tf_time_of_thread() < until;)
        ;
}

static void work_between_two_waits_counts(void **state)
{
    _Atomic uint64_t counter = 0;
    (void)state;
    tf_yield_share(&counter, 2, true);
    tf_yield_took(4 * TF_MILLISECOND, 0);
    sleeps();
    tf_yield_to_work(tf_time());
    tf_yield_from_work(tf_time());
    assert_int_equal(counter, 0);
    tf_yield_to_work(tf_time());
    compute(TF_MILLISECOND);
    usleep(1000);
    tf_yield_from_work(tf_time());
    assert_in_range(counter, TF_MILLISECOND, TF_MILLISECOND * 3 / 2);
    tf_yield_to_work(tf_time() + TF_SECOND); /* no yield has been long of late */
    compute(TF_MILLISECOND);
    tf_yield_from_work(tf_time() + TF_SECOND);
    assert_in_range(counter, TF_MILLISECOND, TF_MILLISECOND * 3 / 2);
    tf_yield_share(NULL, 1, false);
}

/* Linux tells since 6.12. */
static uint64_t slice(void)
{
    uint64_t attributes[6] = {0};
    assert_int_equal(syscall(SYS_sched_getattr, 0, attributes, sizeof attributes, 0), 0);
    return attributes[3];
}

static void *waits_long(void *usual)
{
    *(uint64_t *)usual = slice();
    tf_yield_took(4 * TF_MILLISECOND, 0);
    return (void *)(uintptr_t)slice();
}

static void who_has_waited_long_asks_for_short_slices(void **state)
{
    pthread_t thread;
    uint64_t usual;
    void *then;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, waits_long, &usual), 0);
    assert_int_equal(pthread_join(thread, &then), 0);
    if (usual == 0)
        assert_null(then);
    else
        assert_true((uintptr_t)then <= TF_MILLISECOND / 2 || (uintptr_t)then == usual); /* it may be forbidden */
    sleeps();
}

/* Of two processors' processes each has copied most of the time. */
static void what_others_do_for_the_job_is_no_reason_to_sleep(void **state)
{
    (void)state;
    _Atomic uint64_t counter = 0;
    tf_yield_share(&counter, 2, true);
    tf_yield_took(4 * TF_MILLISECOND, 7 * TF_MILLISECOND);
    assert_true(tf_yield_pays());
    tf_yield_took(4 * TF_MILLISECOND, 2 * TF_MILLISECOND);
    assert_true(sleeps() > 1);
    tf_yield_worked(TF_MILLISECOND);
    assert_int_equal(counter, TF_MILLISECOND);
    tf_yield_share(NULL, 1, false);
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
        cmocka_unit_test(short_ones_in_between_say_little),
        cmocka_unit_test(few_sleep_where_the_others_worked),
        cmocka_unit_test(work_between_two_waits_counts),
        cmocka_unit_test(who_has_waited_long_asks_for_short_slices),
        cmocka_unit_test(a_long_one_is_remembered),
        cmocka_unit_test(what_others_do_for_the_job_is_no_reason_to_sleep),
        cmocka_unit_test(tells_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
