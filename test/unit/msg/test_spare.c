/* test_spare.c - memory of kept messages is used again, and little of it is held. */
#include "msg/spare.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void what_is_given_back_is_taken_again(void **state)
{
    (void)state;
    void *first = tf_spare_take(8192), *second = tf_spare_take(8192);
    tf_spare_give(first, 8192);
    tf_spare_give(second, 8192);
    assert_ptr_equal(tf_spare_take(8192), second);
    assert_ptr_equal(tf_spare_take(8192), first);
    tf_spare_give(first, 8192);
    tf_spare_give(second, 8192);
    tf_spare_drop();
}

/* Of whatever length was there before: each has room for what is asked for, and hardly more, since what is kept of each
 * sender is bounded by what it is asked for. */
static void each_is_long_enough(void **state)
{
    (void)state;
    for (size_t before = 1; before < 300000; before += before / 3 + 1)
        for (size_t bytes = 1; bytes < 300000; bytes += bytes / 3 + 1) {
            tf_spare_give(tf_spare_take(before), before);
            void *block = tf_spare_take(bytes);
            assert_true(malloc_usable_size(block) >= bytes);
            assert_true(malloc_usable_size(block) <= bytes + bytes / 7 + 64 || bytes > 100000); /* or a mapping */
            memset(block, 1, bytes);
            tf_spare_give(block, bytes);
        }
    tf_spare_drop();
}

static size_t in_use(void)
{
#if __GLIBC_PREREQ(2, 33)
    return mallinfo2().uordblks;
#else
    return (unsigned)mallinfo().uordblks;
#endif
}

static void little_is_held(void **state)
{
    enum { MANY = 1000, BYTES = 60000 };
    void *blocks[MANY];
    (void)state;
    malloc_trim(0);
    size_t before = in_use();
    for (int i = 0; i < MANY; i++)
        assert_non_null(blocks[i] = tf_spare_take(BYTES));
    for (int i = 0; i < MANY; i++)
        tf_spare_give(blocks[i], BYTES);
    assert_true(in_use() - before < MANY * BYTES / 20);
    tf_spare_drop();
    assert_true(in_use() - before < BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_given_back_is_taken_again),
        cmocka_unit_test(each_is_long_enough),
        cmocka_unit_test(little_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
