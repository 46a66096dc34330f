/* test_aside.c - a process that finds another one of the job on its processor goes to another one, and may run wherever
 * it might before. */
#include "net/shm/aside.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "net/awake.h"
#include "net/pause.h"

enum { FIRST, OWN, LAST, PLACES };
static _Atomic int32_t at[PLACES], sleepers;
static _Atomic uint32_t asleep[PLACES];
static cpu_set_t all;
static int64_t now;

static struct tf_aside_place place(int i)
{
    return (struct tf_aside_place){&at[i], &asleep[i]};
}

/* Stays where it is while the test looks. */
static int begin(void **state)
{
    (void)state;
    for (int i = 0; i < PLACES; i++)
        at[i] = 0, asleep[i] = 0;
    sleepers = 0;
    tf_awake_share(&sleepers, PLACES, PLACES);
    now += TF_SECOND * 1000;
    sched_getaffinity(0, sizeof all, &all);
    tf_aside_begin(place, PLACES, OWN);
    return 0;
}

static int end(void **state)
{
    (void)state;
    tf_aside_end();
    tf_awake_share(NULL, 0, 0);
    assert_null(tf_pause_meets);
    return 0;
}

/* The one that this one was on, and it may run where it might. */
static bool meets(int who)
{
    cpu_set_t after;
    at[who] = sched_getcpu() + 1;
    bool moves = tf_pause_meets(now);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&all, &after));
    return moves;
}

static bool there_are_others(void)
{
    if (CPU_COUNT(&all) > 1)
        return true;
    printf("skipped: this process may run on one processor only\n");
    return false;
}

static void says_where_it_is(void **state)
{
    (void)state;
    assert_false(tf_pause_meets(now));
    assert_true(at[OWN] > 0);
    assert_true(CPU_ISSET((size_t)(at[OWN] - 1), &all));
}

static void steps_aside_for_one_that_comes_before(void **state)
{
    (void)state;
    if (!there_are_others())
        return;
    bool moves = false;
    for (int i = 0; i < 100 && !moves; i++) { /* the system may move it in between */
        now += TF_SECOND;
        moves = meets(FIRST) && at[OWN] != at[FIRST];
    }
    assert_true(moves);
}

static void stays_for_one_that_comes_behind(void **state)
{
    (void)state;
    assert_false(meets(LAST));
}

static void stays_for_one_that_sleeps(void **state)
{
    (void)state;
    asleep[FIRST] = TF_ASLEEP;
    assert_false(meets(FIRST));
}

/* Where more are awake than there are processors some have to share one. */
static void stays_in_a_crowd(void **state)
{
    (void)state;
    tf_awake_share(&sleepers, PLACES, PLACES - 1);
    for (int i = 0; i < 10; i++) {
        now += TF_SECOND;
        assert_false(meets(FIRST));
    }
}

static void stays_where_all_others_are_taken(void **state)
{
    (void)state;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    at[FIRST] = sched_getcpu() + 1;
    assert_false(tf_pause_meets(now));
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

/* Each time it waits longer before it does. */
static void gives_in_to_a_system_that_wants_them_together(void **state)
{
    (void)state;
    int moves = 0;
    if (!there_are_others())
        return;
    for (int i = 0; i < 10000; i++) {
        moves += meets(FIRST);
        now += TF_MILLISECOND;
    }
    assert_true(moves > 100 && moves < 1000); /* in 10 seconds */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(says_where_it_is, begin, end),
        cmocka_unit_test_setup_teardown(steps_aside_for_one_that_comes_before, begin, end),
        cmocka_unit_test_setup_teardown(stays_for_one_that_comes_behind, begin, end),
        cmocka_unit_test_setup_teardown(stays_for_one_that_sleeps, begin, end),
        cmocka_unit_test_setup_teardown(stays_in_a_crowd, begin, end),
        cmocka_unit_test_setup_teardown(stays_where_all_others_are_taken, begin, end),
        cmocka_unit_test_setup_teardown(gives_in_to_a_system_that_wants_them_together, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
