/* test_info.c - info objects: order, lengths, errors, MPI_INFO_ENV. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "object/info.h"

static const char *program;

static struct tf_info *new_info(void)
{
    MPI_Info handle;
    assert_int_equal(tf_info_create(&handle), MPI_SUCCESS);
    assert_non_null(tf_info_find(handle));
    return tf_info_find(handle);
}

static void keys_in_order(void **state)
{
    struct tf_info *info = new_info();
    char key[MPI_MAX_INFO_KEY], value[8];
    int n, flag;
    (void)state;
    for (int i = 0; i < 50; i++) {
        key[0] = (char)('A' + i);
        key[1] = '\0';
        value[0] = (char)('0' + i % 10);
        value[1] = '\0';
        assert_int_equal(tf_info_set(info, key, value), MPI_SUCCESS);
    }
    assert_int_equal(tf_info_set(info, "C", "again"), MPI_SUCCESS);
    assert_int_equal(tf_info_delete(info, "B"), MPI_SUCCESS);
    assert_int_equal(tf_info_delete(info, "B"), MPI_ERR_INFO_NOKEY);
    assert_int_equal(tf_info_get_nkeys(info, &n), MPI_SUCCESS);
    assert_int_equal(n, 49);
    assert_int_equal(tf_info_get_nthkey(info, 1, key), MPI_SUCCESS);
    assert_string_equal(key, "C");
    assert_int_equal(tf_info_get_nthkey(info, 49, key), MPI_ERR_ARG);
    assert_int_equal(tf_info_get_nthkey(info, -1, key), MPI_ERR_ARG);
    assert_int_equal(tf_info_get(info, "C", 3, value, &flag), MPI_SUCCESS);
    assert_true(flag);
    assert_string_equal(value, "aga");

    MPI_Info copy;
    assert_int_equal(tf_info_dup(info, &copy), MPI_SUCCESS);
    assert_int_equal(tf_info_free(info), MPI_SUCCESS);
    assert_string_equal(tf_info_value(tf_info_find(copy), "C"), "again");
    assert_null(tf_info_value(tf_info_find(copy), "B"));
    assert_null(tf_info_value(NULL, "B"));
    assert_int_equal(tf_info_free(tf_info_find(copy)), MPI_SUCCESS);
    assert_null(tf_info_find(copy));
}

static void get_string(void **state)
{
    struct tf_info *info = new_info();
    char value[8] = "keep";
    int flag, buflen = 0, length;
    (void)state;
    assert_int_equal(tf_info_set(info, "key", "value"), MPI_SUCCESS);
    assert_int_equal(tf_info_get_string(info, "key", &buflen, value, &flag), MPI_SUCCESS);
    assert_true(flag);
    assert_int_equal(buflen, 6);
    assert_string_equal(value, "keep");
    buflen = 4;
    assert_int_equal(tf_info_get_string(info, "key", &buflen, value, &flag), MPI_SUCCESS);
    assert_int_equal(buflen, 6);
    assert_string_equal(value, "val");
    assert_int_equal(tf_info_get_string(info, "key", &buflen, value, &flag), MPI_SUCCESS);
    assert_string_equal(value, "value");
    assert_int_equal(tf_info_get_string(info, "Key", &buflen, value, &flag), MPI_SUCCESS);
    assert_false(flag);
    assert_int_equal(tf_info_get_valuelen(info, "key", &length, &flag), MPI_SUCCESS);
    assert_int_equal(length, 5);
    buflen = -1;
    assert_int_equal(tf_info_get_string(info, "key", &buflen, value, &flag), MPI_ERR_ARG);
    tf_info_free(info);
}

static void lengths(void **state)
{
    struct tf_info *info = new_info();
    static char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    int flag;
    (void)state;
    memset(key, 'k', MPI_MAX_INFO_KEY - 1);
    memset(value, 'v', MPI_MAX_INFO_VAL - 1);
    assert_int_equal(tf_info_set(info, key, value), MPI_SUCCESS);
    key[MPI_MAX_INFO_KEY - 1] = 'k';
    assert_int_equal(tf_info_set(info, key, "v"), MPI_ERR_INFO_KEY);
    assert_int_equal(tf_info_get_valuelen(info, key, &flag, &flag), MPI_ERR_INFO_KEY);
    assert_int_equal(tf_info_set(info, "", "v"), MPI_ERR_INFO_KEY);
    value[MPI_MAX_INFO_VAL - 1] = 'v';
    assert_int_equal(tf_info_set(info, "k", value), MPI_ERR_INFO_VALUE);
    assert_int_equal(tf_info_set(info, "k", NULL), MPI_ERR_INFO_VALUE);
    assert_int_equal(tf_info_set(info, "k", ""), MPI_SUCCESS);
    assert_string_equal(tf_info_value(info, "k"), "");
    tf_info_free(info);
}

static void environment(void **state)
{
    struct tf_info *env = tf_info_find(MPI_INFO_ENV);
    char value[MPI_MAX_INFO_VAL];
    int flag, n;
    MPI_Info copy;
    (void)state;
    assert_non_null(env);
    assert_int_equal(tf_info_get(env, "command", MPI_MAX_INFO_VAL - 1, value, &flag), MPI_SUCCESS);
    assert_true(flag);
    assert_string_equal(value, program);
    assert_int_equal(tf_info_set(env, "command", "other"), MPI_ERR_INFO);
    assert_int_equal(tf_info_delete(env, "command"), MPI_ERR_INFO);
    assert_int_equal(tf_info_free(env), MPI_ERR_INFO);
    assert_int_equal(tf_info_create_env(0, NULL, &copy), MPI_SUCCESS);
    assert_int_equal(tf_info_get_nkeys(tf_info_find(copy), &n), MPI_SUCCESS);
    assert_true(n >= 3);
    assert_int_equal(tf_info_set(tf_info_find(copy), "command", "other"), MPI_SUCCESS);
    tf_info_free(tf_info_find(copy));
    assert_int_equal(tf_info_pool.live, 0);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_in_order),
        cmocka_unit_test(get_string),
        cmocka_unit_test(lengths),
        cmocka_unit_test(environment),
    };
    assert_true(argc > 0);
    program = argv[0];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
