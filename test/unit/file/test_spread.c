/* test_spread.c - ranks go to processors in turn, and may use the same ones as before. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "file/spread.h"

enum { RANKS = 8 };

static void stays_free(void **state)
{
    (void)state;
    cpu_set_t before, after;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    for (int rank = 0; rank < RANKS; rank++) {
        tf_spread(rank, rank % 2);
        assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
        assert_true(CPU_EQUAL(&before, &after));
    }
}

static void takes_turns(void **state)
{
    (void)state;
    static const int even[RANKS] = {3, 5, 7, 9, 3, 5, 7, 9}, alone[RANKS] = {3, 5, 7, 9, 5, 7, 9, 5};
    cpu_set_t four;
    CPU_ZERO(&four);
    for (int processor = 3; processor < 10; processor += 2)
        CPU_SET(processor, &four);
    for (int rank = 0; rank < RANKS; rank++) {
        assert_int_equal(tf_spread_processor(&four, rank, false), even[rank]);
        assert_int_equal(tf_spread_processor(&four, rank, true), alone[rank]);
    }
}

static void shares_one(void **state)
{
    (void)state;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(6, &one);
    for (int rank = 0; rank < RANKS; rank++)
        assert_int_equal(tf_spread_processor(&one, rank, rank % 2), 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stays_free),
        cmocka_unit_test(takes_turns),
        cmocka_unit_test(shares_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
