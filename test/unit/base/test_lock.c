/* test_lock.c - the big lock: one thread at a time, calls within calls, threads that sleep for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <unistd.h>

#include "base/base.h"

enum { THREADS = 8, TURNS = 3000 };
static int inside, entries, wrong; /* of the lock */

static void pass(int turn)
{
    tf_lock_take();
    wrong += inside++ != 0;
    if (turn % 7 == 0) { /* a call within a call */
        tf_lock_take();
        wrong += !tf_lock_nested();
        tf_lock_drop();
    }
    wrong += tf_lock_nested();
    entries++;
    inside--;
    if (turn % 5 == 0)
        tf_lock_yield();
    wrong += inside != 0;
    tf_lock_drop();
}

static void *turns(void *unused)
{
    for (int turn = 0; turn < TURNS; turn++)
        if (turn % 11 == 0 && tf_lock_try()) {
            entries++;
            tf_lock_drop();
        } else {
            pass(turn);
        }
    return unused;
}

static void one_at_a_time(void **state)
{
    pthread_t threads[THREADS];
    (void)state;
    entries = 0;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, turns, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(entries, THREADS * TURNS);
    assert_int_equal(wrong, 0);
    assert_false(tf_lock_wanted());
}

static void *once(void *unused)
{
    tf_lock_take();
    entries++;
    tf_lock_drop();
    return unused;
}

/* It is held until all the others have gone to sleep, as far as can be seen, and then each of them is woken. */
static void sleepers_are_woken(void **state)
{
    pthread_t threads[THREADS];
    (void)state;
    entries = 0;
    tf_lock_take();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, once, NULL), 0);
    while (!tf_lock_wanted())
        usleep(100);
    usleep(20000);
    assert_int_equal(entries, 0);
    tf_lock_drop();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(entries, THREADS);
    assert_false(tf_lock_wanted());
}

static void *try_it(void *got)
{
    *(bool *)got = tf_lock_try();
    if (*(bool *)got)
        tf_lock_drop();
    return NULL;
}

static bool another_gets_it(void)
{
    pthread_t thread;
    bool got = false;
    assert_int_equal(pthread_create(&thread, NULL, try_it, &got), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return got;
}

static void tried(void **state)
{
    (void)state;
    assert_true(another_gets_it());
    tf_lock_take();
    assert_false(another_gets_it());
    assert_true(tf_lock_try()); /* its own */
    tf_lock_drop();
    assert_false(another_gets_it());
    tf_lock_drop();
    tf_lock_drop(); /* which is not held */
    assert_true(another_gets_it());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_at_a_time),
        cmocka_unit_test(sleepers_are_woken),
        cmocka_unit_test(tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
