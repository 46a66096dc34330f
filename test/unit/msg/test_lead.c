/* test_lead.c - threads that wait at the same time: who looks, and for whom.  A wait that nobody ends hangs the test,
 * and alarm() ends it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <unistd.h>

#include "base/settings.h"
#include "fake_net.h"
#include "msg/await.h"
#include "msg/lead.h"

enum { LOOKS = 1000 };

static int open_job(void **state)
{
    tf_settings.sleep_after = 1000000; /* nobody sleeps who looks for himself */
    tf_settings.spin = LOOKS;
    int err = fake_job_open(state);
    tf_pause_setup();
    tf_library.locking = true;
    tf_lock_enter();
    return err;
}

static int close_job(void **state)
{
    tf_lock_leave();
    tf_library.locking = false;
    return fake_job_close(state);
}

static volatile bool up;
static bool ended;

static void *wait_for_the_flag(void *unused)
{
    tf_lock_enter();
    tf_await_begin(TF_AWAITS_NOTHING, NULL, NULL);
    tf_await_flag(&up, NULL);
    ended = true;
    tf_lock_leave();
    return unused;
}

/* One that is through with spinning. */
static void turn(struct tf_pause *pause)
{
    pause->polls = tf_pause_spin;
    tf_await_pause(pause);
}

static void begin(pthread_t *thread, void *(*work)(void *))
{
    up = ended = false;
    assert_int_equal(pthread_create(thread, NULL, work, NULL), 0);
}

/* Without the lock. */
static void end(pthread_t thread)
{
    tf_lock_leave();
    pthread_join(thread, NULL);
    tf_lock_enter();
}

/* Somebody has stepped back: those that wait look for as long as one that has no others. */
static bool are_left_alone;

static void look(void)
{
    are_left_alone |= tf_pause_spin == LOOKS;
}

/* Until it has led for long. */
static void wait_beside(void)
{
    struct tf_pause pause = TF_PAUSE_INIT;
    while (!tf_lock_shared())
        turn(&pause);
    are_left_alone = false;
    tf_pause_look = look;
    while (!are_left_alone)
        turn(&pause);
    tf_pause_look = NULL;
    tf_pause_reset(&pause);
}

static void who_has_led_for_long_leaves_it_to_those_that_come(void **state)
{
    pthread_t thread;
    (void)state;
    begin(&thread, wait_for_the_flag);
    wait_beside();
    up = true;
    tf_msg_progress();
    end(thread);
    assert_true(tf_pause_spin < LOOKS);
}

/* Nobody makes a pass but the deputy. */
static void he_looks_when_nobody_comes_any_more(void **state)
{
    pthread_t thread;
    (void)state;
    begin(&thread, wait_for_the_flag);
    wait_beside();
    up = true;
    end(thread);
}

/* Those that come wait for one message each, and look at nothing else. */
static void he_looks_for_himself_while_others_wait(void **state)
{
    struct tf_pause pause = TF_PAUSE_INIT;
    pthread_t thread;
    (void)state;
    begin(&thread, wait_for_the_flag);
    wait_beside();
    up = true;
    unsigned turns = 0;
    for (; !ended; turns++)
        turn(&pause);
    tf_pause_reset(&pause);
    assert_true(turns < 100000); /* he sleeps no longer than as many as a thousand */
    end(thread);
}

static pthread_t asker; /* the last */
static int times_over;

static bool is_there(void *state, bool *moved)
{
    (void)state;
    (void)moved;
    asker = pthread_self();
    times_over += up;
    return up;
}

static void *wait_for_a_message(void *unused)
{
    static const struct tf_await_probe probe = {.call = "MPI_Probe"};
    tf_lock_enter();
    tf_await(TF_AWAITS_PROBE, &probe, is_there, NULL);
    tf_lock_leave();
    return unused;
}

/* Not by the one that waits, and only once, as a message that is taken is not there again. */
static void who_passes_sees_what_others_probe_for(void **state)
{
    struct tf_pause own = TF_PAUSE_INIT;
    pthread_t thread;
    (void)state;
    times_over = 0;
    asker = (pthread_t){0};
    tf_lead(&own);
    begin(&thread, wait_for_a_message);
    while (!pthread_equal(asker, pthread_self())) {
        tf_lock_leave();
        usleep(100);
        tf_lock_enter();
        tf_msg_progress();
    }
    up = true;
    tf_msg_progress();
    assert_int_equal(times_over, 1);
    tf_lead_end(&own);
    end(thread);
    assert_int_equal(times_over, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_has_led_for_long_leaves_it_to_those_that_come, open_job, close_job),
        cmocka_unit_test_setup_teardown(he_looks_when_nobody_comes_any_more, open_job, close_job),
        cmocka_unit_test_setup_teardown(he_looks_for_himself_while_others_wait, open_job, close_job),
        cmocka_unit_test_setup_teardown(who_passes_sees_what_others_probe_for, open_job, close_job),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
