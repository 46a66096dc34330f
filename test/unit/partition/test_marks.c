/* test_marks.c - marks of partitions beside plain arrays, and set by several threads. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"
#include "partition/marks.h"

static uint32_t rng = 11;
static int draw(int below)
{
    rng = rng * 1664525 + 1013904223;
    return (int)((uint64_t)(rng >> 8) * (uint32_t)below >> 24);
}

static void nothing_before_it_is_cleared(void **state)
{
    struct tf_marks marks;
    int first;
    (void)state;
    assert_true(tf_marks_open(&marks, 70));
    assert_int_equal(tf_marks_set(&marks, 66, 69), 66);
    assert_int_equal(tf_marks_run(&marks, 70, &first), 0);
    tf_marks_clear(&marks);
    assert_false(tf_marks_heard(&marks));
    assert_int_equal(tf_marks_set(&marks, 60, 69), -1);
    assert_true(tf_marks_heard(&marks));
    assert_false(tf_marks_heard(&marks));
    assert_int_equal(tf_marks_set(&marks, 0, 69), 60);
    assert_false(tf_marks_has(&marks, 0)); /* what is refused marks nothing */
    assert_int_equal(tf_marks_run(&marks, 70, &first), 10);
    assert_int_equal(first, 60);
    tf_marks_go(&marks, first, 10);
    assert_int_equal(tf_marks_run(&marks, 70, &first), 0);
    tf_marks_close(&marks);
}

/* Ranges are set and runs taken in any order; what comes out is what went in, once. */
static void one_size(int number)
{
    struct tf_marks marks;
    char *set = calloc((size_t)number, 1), *gone = calloc((size_t)number, 1);
    int left = number, first, length;
    assert_true(tf_marks_open(&marks, number));
    tf_marks_clear(&marks);
    while (left > 0) {
        int low = draw(number), high = low + draw(number - low), twice = -1;
        if (high - low > 40 && number > 100)
            high = low + 40;
        for (int i = high; i >= low; i--)
            twice = set[i] ? i : twice;
        assert_int_equal(tf_marks_set(&marks, low, high), twice);
        if (twice >= 0) /* the first that is not set yet */
            for (low = 0; low < number && set[low]; low++)
                ;
        if (twice >= 0 && low < number)
            assert_int_equal(tf_marks_set(&marks, high = low, low), -1);
        for (int i = low; i <= high && i < number; i++)
            set[i] = 1;
        int most = 1 + draw(number);
        while (draw(4) && (length = tf_marks_run(&marks, most, &first)) > 0) {
            assert_true(length <= most && first + length <= number);
            for (int i = first; i < first + length; i++) {
                assert_true(set[i] && !gone[i]);
                gone[i] = 1;
                left--;
            }
            tf_marks_go(&marks, first, length);
        }
    }
    assert_int_equal(tf_marks_run(&marks, number, &first), 0);
    tf_marks_close(&marks);
    free(set);
    free(gone);
}

static void all_sizes(void **state)
{
    (void)state;
    for (int number = 1; number < 140; number++)
        one_size(number);
    one_size(1000);
}

enum { THREADS = 4, EACH = 5000 };
static struct tf_marks shared;
static _Atomic int refused;

/* Each partition is marked by two threads. */
static void *mark(void *number)
{
    int id = (int)(intptr_t)number;
    for (int i = id / 2; i < EACH; i += THREADS / 2)
        refused += tf_marks_set(&shared, i, i) >= 0;
    return NULL;
}

static void by_threads(void **state)
{
    pthread_t threads[THREADS];
    int first, length, total = 0;
    (void)state;
    assert_true(tf_marks_open(&shared, EACH));
    tf_marks_clear(&shared);
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, mark, (void *)i);
    while (total < EACH)
        if (tf_marks_heard(&shared))
            for (; (length = tf_marks_run(&shared, 9, &first)) > 0; total += length)
                tf_marks_go(&shared, first, length);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(total, EACH);
    assert_int_equal(refused, EACH);
    tf_marks_close(&shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_before_it_is_cleared),
        cmocka_unit_test(all_sizes),
        cmocka_unit_test(by_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
