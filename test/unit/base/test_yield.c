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

/* The sleeps until yielding pays again, if each takes so long. */
static int sleep_for(int64_t time)
{
    int n = 0;
    for (; !tf_yield_pays(); n++)
        tf_yield_slept(time);
    return n;
}

static int sleeps(void)
{
    return sleep_for(10 * TF_MICROSECOND);
}

/* How many follow a long yield in the end, of which there are so many, each behind so many short ones. */
static int in_turns(int turns, int of_short, int64_t time)
{
    int n = 0;
    for (int turn = 0; turn < turns; turn++) {
        for (int i = 0; i < of_short; i++)
            tf_yield_took(10 * TF_MICROSECOND, 0);
        tf_yield_took(4 * TF_MILLISECOND, 0);
        n = sleep_for(time);
    }
    return n;
}

static void short_ones_pay(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++)
        tf_yield_took(10 * TF_MICROSECOND, 0);
    assert_true(tf_yield_pays());
    tf_yield_slept(0);
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
    (void)state;
    int n = in_turns(5, 100, 4 * TF_MILLISECOND);
    assert_true(n > 0 && n < 20);
}

/* A program of low priority takes a slice for each few hundred yields. */
static void sleeping_goes_on_where_it_helps(void **state)
{
    (void)state;
    assert_true(in_turns(100, 300, 10 * TF_MICROSECOND) > 1000);
    for (int i = 0; i < 10000; i++) /* it has ended */
        tf_yield_took(10 * TF_MICROSECOND, 0);
    tf_yield_took(4 * TF_MILLISECOND, 0);
    int n = sleeps();
    assert_true(n > 0 && n < 20);
}

/* Who is woken waits for a turn too, or for what others compute. */
static void it_does_not_where_it_does_not(void **state)
{
    (void)state;
    assert_true(in_turns(100, 300, 10 * TF_MICROSECOND) > 1000);
    for (int round = 0; round < 2; round++) {
        int n = in_turns(50, 300, 4 * TF_MILLISECOND);
        assert_true(n > 0 && n < 20);
        n = in_turns(50, 300, 2 * TF_MILLISECOND); /* not tried yet, or in vain */
        assert_true(n > 0 && n < 200);
    }
    assert_true(in_turns(1000, 300, 10 * TF_MICROSECOND) > 1000); /* tried once more */
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

static _Atomic uint64_t worked;
static struct tf_yield_run run;
static bool another_computes;
static int64_t running(int64_t from, int64_t now)
{
    return another_computes ? 2 * (now - from) : 0;
}
static const struct tf_yield_others others = {2, 20, &worked, &run, running};

/* Of two processors' processes each has copied or computed most of the time. */
static void what_others_do_of_the_job_is_no_reason_to_sleep(void **state)
{
    (void)state;
    tf_yield_share(&others);
    tf_yield_took(4 * TF_MILLISECOND, 7 * TF_MILLISECOND);
    assert_true(tf_yield_pays());
    tf_yield_took(4 * TF_MILLISECOND, 5 * TF_MILLISECOND); /* each of twenty had a turn */
    assert_true(tf_yield_pays());
    tf_yield_took(4 * TF_MILLISECOND, 2 * TF_MILLISECOND);
    assert_true(sleeps() > 1);
    tf_yield_share(NULL);
}

/* It is told at the end of it, and while it lasts since when. */
static void tells_the_others_how_long_it_ran(void **state)
{
    static const int64_t RAN = 400 * TF_MICROSECOND;
    (void)state;
    tf_yield_share(&others);
    int64_t now = tf_time();
    tf_yield_waits(now);
    worked = 0;
    tf_yield_slept(TF_MILLISECOND);
    now += TF_MILLISECOND;
    assert_int_equal(run.since, now);
    tf_yield_waits(now += RAN);
    assert_int_equal(run.since, 0);
    assert_int_equal(worked, RAN);
    tf_yield_waits(now + TF_MICROSECOND); /* too little to be told */
    assert_int_equal(worked, RAN);
    int64_t then = tf_yield(tf_time());
    assert_int_equal(run.since, then);
    tf_yield_share(NULL);
    assert_int_equal(run.since, 0);
}

/* An hour, of which this process had no more than moments. */
static void only_what_it_had_a_processor_for_counts(void **state)
{
    (void)state;
    tf_yield_share(&others);
    int64_t now = tf_yield(tf_time());
    assert_true(run.had > 0);
    worked = 0;
    tf_yield_waits(now + 3600 * TF_SECOND);
    assert_true(worked < 1800 * TF_SECOND);
    int64_t before = (int64_t)worked;
    tf_yield_worked(100 * TF_MILLISECOND);
    assert_int_equal(worked, before + 100 * TF_MILLISECOND);
    tf_yield_slept(0);
    tf_yield_share(NULL);
}

static void a_turn_counts_and_no_more(void **state)
{
    (void)state;
    assert_int_equal(tf_yield_counts(TF_MILLISECOND, TF_MILLISECOND + TF_MICROSECOND), TF_MILLISECOND);
    assert_int_equal(tf_yield_counts(4 * TF_MILLISECOND, TF_MILLISECOND), TF_MILLISECOND); /* another program had it */
    assert_int_equal(tf_yield_counts(4 * TF_MILLISECOND, 4 * TF_MILLISECOND), 0);
    assert_int_equal(tf_yield_counts(TF_MILLISECOND, -TF_MICROSECOND), 0);
}

/* A yield that began so long ago. */
static void who_still_computes_counts(void **state)
{
    (void)state;
    sleeps(); /* beside other programs a yield of the tests before may have been long */
    tf_yield_share(&others);
    another_computes = true;
    tf_yield(tf_time() - 4 * TF_MILLISECOND);
    assert_true(tf_yield_pays());
    another_computes = false;
    tf_yield(tf_time() - 4 * TF_MILLISECOND);
    assert_true(sleeps() > 1);
    tf_yield_share(NULL);
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
        cmocka_unit_test(sleeping_goes_on_where_it_helps),
        cmocka_unit_test(it_does_not_where_it_does_not),
        cmocka_unit_test(who_has_waited_long_asks_for_short_slices),
        cmocka_unit_test(a_long_one_is_remembered),
        cmocka_unit_test(what_others_do_of_the_job_is_no_reason_to_sleep),
        cmocka_unit_test(tells_the_others_how_long_it_ran),
        cmocka_unit_test(only_what_it_had_a_processor_for_counts),
        cmocka_unit_test(a_turn_counts_and_no_more),
        cmocka_unit_test(who_still_computes_counts),
        cmocka_unit_test(tells_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
