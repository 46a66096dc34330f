/* test_stacked.c - when who waits should yield after a few looks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/stacked.h"

static int64_t now = TF_SECOND;

/* One that looked in vain for so many microseconds, then paused so often for so many. */
static void wait_for(int64_t looked, uint32_t pauses, int64_t paused)
{
    int64_t since = now + looked * TF_MICROSECOND;
    now = since + paused * TF_MICROSECOND;
    tf_stacked_waited(pauses, since, now);
}

/* The waits that yield at once after one in vain. */
static int waits(void)
{
    int n = 0;
    for (; tf_stacked() && n < 100000; n++)
        wait_for(0, 1, 2);
    return n;
}

static void rest(void)
{
    now += TF_SECOND;
}

static void after_one_in_vain_some_yield_at_once(void **state)
{
    (void)state;
    rest();
    assert_false(tf_stacked());
    wait_for(8, 1, 2);
    int n = waits();
    assert_true(n > 1 && n < 20);
    rest();
    wait_for(8, 2, 100); /* asleep, and woken */
    assert_true(waits() == n);
}

static void more_do_where_looking_is_in_vain_again(void **state)
{
    int before = 0, n = 0;
    (void)state;
    rest();
    for (int i = 0; i < 20; i++) {
        wait_for(70, 1, 10);
        n = waits();
        assert_true(n >= before);
        before = n;
    }
    assert_true(n > 100 && n < 10000);
    rest(); /* looking was worth it */
    wait_for(70, 1, 10);
    assert_true(waits() < 20);
}

/* The awaited one computes, or somebody else does here. */
static void none_does_after_a_longer_wait(void **state)
{
    (void)state;
    rest();
    wait_for(8, 1, 4000);
    assert_false(tf_stacked());
    wait_for(8, 30, 10);
    assert_false(tf_stacked());
}

/* Its partner asks for something meanwhile, again and again. */
static void none_does_any_longer_in_a_wait_that_lasts(void **state)
{
    (void)state;
    rest();
    wait_for(8, 1, 2);
    assert_true(tf_stacked());
    assert_false(tf_stacked_is_past(now + TF_MICROSECOND));
    assert_true(tf_stacked());
    assert_true(tf_stacked_is_past(now + 100 * TF_MILLISECOND));
    assert_false(tf_stacked());
    assert_false(tf_stacked_is_past(now + 200 * TF_MILLISECOND));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_one_in_vain_some_yield_at_once),
        cmocka_unit_test(more_do_where_looking_is_in_vain_again),
        cmocka_unit_test(none_does_after_a_longer_wait),
        cmocka_unit_test(none_does_any_longer_in_a_wait_that_lasts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
