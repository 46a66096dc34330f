/* test_bytes.c - bytes through the key-value space, that of the singleton. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include "launch/launch.h"

#include <cmocka.h>

enum { MOST = 3000 };

static int open_alone(void **state)
{
    (void)state;
    unsetenv("PMI_FD");
    unsetenv("PMIX_RANK");
    return tf_launch_open();
}

static int close_alone(void **state)
{
    (void)state;
    return tf_launch_close();
}

static void every_length_comes_back(void **state)
{
    unsigned char sent[MOST], got[MOST + 1];
    char key[40];
    (void)state;
    for (size_t i = 0; i < MOST; i++)
        sent[i] = (unsigned char)(i * 167 + i / 256);
    for (size_t n = 0; n <= MOST; n += n < 20 || n > MOST - 20 ? 1 : 61) {
        size_t length = 99999;
        snprintf(key, sizeof key, "every-%zu", n);
        memset(got, 0xa5, sizeof got);
        assert_int_equal(tf_launch_put_bytes(key, sent, n), MPI_SUCCESS);
        assert_int_equal(tf_launch_get_bytes(0, key, got, n, &length), MPI_SUCCESS);
        assert_int_equal(length, n);
        assert_memory_equal(got, sent, n);
        assert_int_equal(got[n], 0xa5);
    }
}

static void pieces_have_keys_of_their_own(void **state)
{
    unsigned char sent[741 + 741 + 1] = {0};
    char value[TF_LAUNCH_VALUE + 1];
    (void)state;
    assert_int_equal(tf_launch_put_bytes("p", sent, 741), MPI_SUCCESS);
    assert_int_not_equal(tf_launch_get(0, "p.1", value, sizeof value), MPI_SUCCESS);
    assert_int_equal(tf_launch_put_bytes("p", sent, sizeof sent), MPI_SUCCESS);
    assert_int_equal(tf_launch_get(0, "p.2", value, sizeof value), MPI_SUCCESS);
    assert_string_equal(value, "AA");
}

static void expect_error(const char *key, size_t capacity, const char *words)
{
    unsigned char got[MOST];
    size_t length = 12345;
    int err = tf_launch_get_bytes(0, key, got, capacity, &length);
    assert_int_not_equal(err, MPI_SUCCESS);
    assert_non_null(strstr(tf_error_text(err), words));
    assert_int_equal(length, 12345);
}

static void what_is_garbled_is_refused(void **state)
{
    unsigned char sent[800] = {1};
    (void)state;
    tf_launch_put("no-length", "AAAA");
    expect_error("no-length", MOST, "does not begin with a length");
    tf_launch_put("no-digits", "3,A+AA");
    expect_error("no-digits", MOST, "garbled");
    tf_launch_put("short", "3,AAA");
    expect_error("short", MOST, "garbled");
    tf_launch_put("long", "3,AAAAA");
    expect_error("long", MOST, "garbled");
    tf_launch_put_bytes("room", sent, sizeof sent);
    expect_error("room", sizeof sent - 1, "800 bytes; there is room for 799");
    expect_error("missing", MOST, "nobody has published");
    int err = tf_launch_put_bytes("a-key-that-is-as-long-as-no-process-manager-would-like-it-to-be-for-sure", sent, 1);
    assert_int_not_equal(err, MPI_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length_comes_back),
        cmocka_unit_test(pieces_have_keys_of_their_own),
        cmocka_unit_test(what_is_garbled_is_refused),
    };
    return cmocka_run_group_tests(tests, open_alone, close_alone);
}
