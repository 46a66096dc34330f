/* test_base.c - error texts, memory, the clock, and the big lock. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/base.h"

#include <cmocka.h>

static void error_keeps_words_and_class(void **state)
{
    (void)state;
    assert_int_equal(tf_error(MPI_ERR_COUNT, "count is %d; it must be at least 0", -3), MPI_ERR_COUNT);
    assert_string_equal(tf_error_text(MPI_ERR_COUNT), "count is -3; it must be at least 0");
    assert_null(tf_error_text(MPI_ERR_TAG));
    assert_null(tf_error_text(MPI_SUCCESS));
}

static void error_may_quote_the_one_before(void **state)
{
    (void)state;
    tf_error(MPI_ERR_TYPE, "the type is null");
    tf_error(MPI_ERR_ARG, "element 3: %s", tf_error_text(MPI_ERR_TYPE));
    assert_string_equal(tf_error_text(MPI_ERR_ARG), "element 3: the type is null");
}

static void error_that_is_too_long_is_cut(void **state)
{
    char words[2000];
    (void)state;
    memset(words, 'x', sizeof words - 1);
    words[sizeof words - 1] = '\0';
    tf_error(MPI_ERR_OTHER, "%s", words);
    size_t length = strlen(tf_error_text(MPI_ERR_OTHER));
    assert_true(length > 100 && length < sizeof words - 1);
}

static void *err_elsewhere(void *unused)
{
    (void)unused;
    tf_error(MPI_ERR_RANK, "of the other thread");
    return NULL;
}

static void error_belongs_to_its_thread(void **state)
{
    pthread_t thread;
    (void)state;
    tf_error(MPI_ERR_RANK, "of this thread");
    assert_int_equal(pthread_create(&thread, NULL, err_elsewhere, NULL), 0);
    pthread_join(thread, NULL);
    assert_string_equal(tf_error_text(MPI_ERR_RANK), "of this thread");
}

static void alloc_says_what_was_wanted(void **state)
{
    (void)state;
    void *memory = tf_alloc(100, "a test");
    assert_non_null(memory);
    free(memory);
#ifdef __SANITIZE_ADDRESS__
    skip(); /* it ends the program where malloc would return NULL */
#endif
    /* volatile: the compiler knows that such a size is nonsense */
    volatile size_t bytes = SIZE_MAX / 4;
    assert_null(tf_alloc(bytes, "a test"));
    assert_non_null(strstr(tf_error_text(MPI_ERR_NO_MEM), "bytes for a test"));
}

static void time_goes_forward(void **state)
{
    (void)state;
    int64_t before = tf_time();
    for (int i = 0; i < 1000; i++) {
        int64_t now = tf_time();
        assert_true(now >= before);
        before = now;
    }
}

#define THREADS 4
#define ROUNDS 20000
static long counter;

static void *count(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        tf_lock_enter();
        tf_lock_enter(); /* as a callback that calls MPI */
        counter++;
        tf_lock_leave();
        counter++;
        tf_lock_leave();
    }
    return NULL;
}

static void lock_excludes_and_is_recursive(void **state)
{
    pthread_t threads[THREADS];
    (void)state;
    counter = 0;
    tf_library.locking = true;
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, count, NULL), 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    tf_library.locking = false;
    assert_int_equal(counter, 2L * THREADS * ROUNDS);
}

static volatile bool sent;

static void *send_once(void *unused)
{
    (void)unused;
    tf_lock_enter();
    sent = true;
    tf_lock_leave();
    return NULL;
}

/* Who polls, taking and dropping the lock without a pause, must not keep the other out. */
static void lock_is_fair_to_who_comes_later(void **state)
{
    pthread_t thread;
    (void)state;
    sent = false;
    tf_library.locking = true;
    assert_int_equal(pthread_create(&thread, NULL, send_once, NULL), 0);
    int64_t start = tf_time();
    bool done = false;
    while (!done && tf_time() - start < 10 * TF_SECOND) {
        tf_lock_enter();
        done = sent;
        tf_lock_leave();
    }
    tf_library.locking = false;
    pthread_join(thread, NULL);
    assert_true(done);
}

static void leaving_a_lock_that_was_never_taken_is_nothing(void **state)
{
    (void)state;
    tf_lock_enter(); /* MPI_Init_thread: no lock yet */
    tf_library.locking = true;
    tf_lock_leave();
    tf_lock_enter();
    tf_lock_leave();
    tf_library.locking = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_keeps_words_and_class),
        cmocka_unit_test(error_may_quote_the_one_before),
        cmocka_unit_test(error_that_is_too_long_is_cut),
        cmocka_unit_test(error_belongs_to_its_thread),
        cmocka_unit_test(alloc_says_what_was_wanted),
        cmocka_unit_test(time_goes_forward),
        cmocka_unit_test(lock_excludes_and_is_recursive),
        cmocka_unit_test(lock_is_fair_to_who_comes_later),
        cmocka_unit_test(leaving_a_lock_that_was_never_taken_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
