/* test_await.c - when a wait gives the processor up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/settings.h"
#include "fake_net.h"
#include "msg/await.h"

/* What is waited for is there at the so manieth look. */
static int until;

static bool is_there(void *state, bool *moved)
{
    (void)state;
    (void)moved;
    return --until == 0;
}

/* Whether the wait, of so many looks, has come to more than looking. */
static bool pauses(int looks)
{
    until = looks;
    tf_pause_now = 0;
    tf_await_seen(TF_AWAITS_WINDOW, NULL, is_there, NULL);
    assert_int_equal(until, 0);
    return tf_pause_now != 0;
}

/* However seldom the first looks are enough, of which there are fewer each time. */
static void who_has_a_processor_looks_on(void **state)
{
    static const int looks[] = {1100, 600, 300, 150, 100, 100, 100, 100};
    (void)state;
    tf_pause_setup();
    for (tf_pause_now = 0; tf_pause_now == 0;) /* a pass looks at the clock, and then only one in some thousand */
        tf_msg_progress();
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
        assert_false(pauses(looks[i]));
}

static void who_shares_one_gives_it_up(void **state)
{
    (void)state;
    tf_pause_crowded = true;
    tf_settings.spin = 0;
    tf_pause_setup();
    assert_true(tf_pause_is_short());
    assert_true(pauses(22));
    assert_false(pauses(3));
    assert_true(pauses(22));
    tf_pause_crowded = false;
    tf_pause_setup();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_has_a_processor_looks_on, fake_job_open, fake_job_close),
        cmocka_unit_test_setup_teardown(who_shares_one_gives_it_up, fake_job_open, fake_job_close),
    };
    tf_library.locking = false; /* one thread */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
