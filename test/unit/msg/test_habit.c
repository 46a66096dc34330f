/* test_habit.c - for how many messages reads that were slow are done without. */
#include "msg/habit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "msg/wire.h"

enum { IN_A_ROW = 4, LEAST = 32, MOST = 512, ONCE = 1000 };

static int copied(size_t bytes)
{
    int n = 0;
    while (n < ONCE && tf_habit_copies(bytes, false))
        n++;
    return n;
}

/* So many reads, each of which is told to be slow. */
static void read_slowly(size_t bytes, int n)
{
    for (int i = 0; i < n; i++)
        tf_habit_hear(bytes, TF_FLAG_SLOW);
}

static void slow_ones_are_done_without_for_longer_and_longer(void **state)
{
    size_t bytes = 1 << 17;
    (void)state;
    assert_int_equal(copied(bytes), 0);
    for (int row = LEAST; row <= MOST; row *= 2) {
        read_slowly(bytes, IN_A_ROW - 1);
        assert_int_equal(copied(bytes), 0);
        read_slowly(bytes, 1);
        assert_int_equal(copied(bytes), row);
    }
    read_slowly(bytes, IN_A_ROW);
    assert_int_equal(copied(bytes), MOST);
}

static void one_that_was_not_ends_the_row(void **state)
{
    size_t bytes = 1 << 18;
    (void)state;
    for (int i = 0; i < 10 * IN_A_ROW; i++)
        tf_habit_hear(bytes, i % IN_A_ROW ? TF_FLAG_SLOW : 0);
    assert_int_equal(copied(bytes), 0);
    read_slowly(bytes, IN_A_ROW); /* it goes on from the one before */
    assert_int_equal(copied(bytes), LEAST);
    for (int i = 0; i < 100; i++)
        tf_habit_hear(bytes, 0);
    read_slowly(bytes, IN_A_ROW); /* after many reads it begins anew */
    assert_int_equal(copied(bytes), LEAST);
}

static void each_length_has_its_own(void **state)
{
    (void)state;
    read_slowly(1 << 20, IN_A_ROW);
    assert_int_equal(copied(1 << 15), 0);
    assert_int_equal(copied((1 << 21) - 1), LEAST); /* as many bits */
}

static void one_at_a_time_is_tried(void **state)
{
    size_t bytes = 1 << 14;
    (void)state;
    read_slowly(bytes, IN_A_ROW);
    assert_int_equal(copied(bytes), LEAST);
    assert_true(tf_habit_copies(bytes, true));
    assert_false(tf_habit_copies(bytes, false));
    tf_habit_hear(bytes, 0);
    assert_false(tf_habit_copies(bytes, true));
}

static void a_few_are_copied_to_see(void **state)
{
    size_t bytes = 1 << 13;
    (void)state;
    tf_habit_hear(bytes, TF_FLAG_TRY);
    int n = copied(bytes);
    assert_in_range(n, 1, LEAST - 1);
}

/* Of two that exchange, both read or both copy. */
static void what_we_say_counts_as_what_we_hear(void **state)
{
    size_t bytes = 1 << 12;
    (void)state;
    for (int i = 0; i < IN_A_ROW; i++)
        tf_habit_say(bytes, TF_FLAG_SLOW);
    assert_true(tf_habit_copies(bytes, false));
    tf_habit_say(bytes, TF_FLAG_SLOW); /* the other one tries again: so do we */
    assert_false(tf_habit_copies(bytes, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_ones_are_done_without_for_longer_and_longer),
        cmocka_unit_test(one_that_was_not_ends_the_row),
        cmocka_unit_test(each_length_has_its_own),
        cmocka_unit_test(one_at_a_time_is_tried),
        cmocka_unit_test(a_few_are_copied_to_see),
        cmocka_unit_test(what_we_say_counts_as_what_we_hear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
