/* test_settings.c - values from the environment, good and bad. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/settings.h"

#include <cmocka.h>

static int clear(void **state)
{
    (void)state;
    tf_settings_load(false); /* names the variables */
    for (int i = 0; i < tf_setting_count; i++)
        unsetenv(tf_setting_table[i].variable);
    return 0;
}

static const struct tf_setting *setting(const char *name)
{
    for (int i = 0; i < tf_setting_count; i++)
        if (!strcmp(tf_setting_table[i].name, name))
            return &tf_setting_table[i];
    fail_msg("there is no setting %s", name);
    return NULL;
}

static void defaults_hold_without_environment(void **state)
{
    (void)state;
    assert_int_equal(tf_settings_load(true), 0);
    assert_int_equal(tf_settings.check, TF_CHECK_ON);
    assert_int_equal(tf_settings.verbose, 0);
    assert_string_equal(tf_settings.simd, "auto");
    assert_string_equal(tf_settings.shm_backing, "memfd");
    for (int i = 0; i < tf_setting_count; i++)
        assert_false(tf_setting_table[i].from_environment);
}

static void what_is_given_stays(void **state)
{
    struct tf_setting *spin = &tf_setting_table[setting("spin") - tf_setting_table];
    (void)state;
    setenv("TREEFOLD_SPIN", "5", 1);
    assert_false(tf_settings_give(spin, "-1"));
    assert_int_equal(tf_settings_load(true), 0);
    assert_int_equal(tf_settings.spin, 5);
    assert_true(tf_settings_give(spin, "7"));
    assert_int_equal(tf_settings.spin, 7);
    assert_false(tf_settings_give(spin, "none"));
    assert_int_equal(tf_settings_load(true), 0);
    assert_int_equal(tf_settings.spin, 7);
    assert_false(spin->from_environment);
    spin->given = false;
    unsetenv("TREEFOLD_SPIN");
}

static void words_are_counted_and_found(void **state)
{
    char text[20];
    (void)state;
    assert_int_equal(tf_settings_words(""), 0);
    assert_int_equal(tf_settings_words("one"), 1);
    assert_int_equal(tf_settings_words("one|two|three"), 3);
    assert_int_equal(tf_settings_word_of("one|two|three", "TWO"), 1);
    assert_int_equal(tf_settings_word_of("one|two|three", "tw"), -1);
    tf_settings_show_word("one|two|three", 2, text, sizeof text);
    assert_string_equal(text, "three");
}

static void sizes_take_units(void **state)
{
    static const struct {
        const char *text;
        size_t bytes;
    } good[] = {{"0", 0}, {"1000", 1000}, {"64K", 65536}, {"2m", 2097152}, {"3G", (size_t)3 << 30}};
    static const char *const bad[] = {"", "K", "-1", "1KB", "12 K", "1T", "99999999999999999999", "99999999999999999G"};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        setenv("TREEFOLD_EAGER_LIMIT", good[i].text, 1);
        assert_int_equal(tf_settings_load(true), 0);
        assert_int_equal(tf_settings.eager_limit, good[i].bytes);
        assert_true(setting("eager_limit")->from_environment);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        setenv("TREEFOLD_EAGER_LIMIT", bad[i], 1);
        assert_int_equal(tf_settings_load(false), 1);
        assert_int_equal(tf_settings.eager_limit, 0);
        assert_false(setting("eager_limit")->from_environment);
    }
}

static void numbers_stay_in_range(void **state)
{
    static const char *const bad[] = {"4", "-1", "x", "1x", "", "1.5"};
    (void)state;
    setenv("TREEFOLD_VERBOSE", "3", 1);
    assert_int_equal(tf_settings_load(true), 0);
    assert_int_equal(tf_settings.verbose, 3);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        setenv("TREEFOLD_VERBOSE", bad[i], 1);
        assert_int_equal(tf_settings_load(false), 1);
        assert_int_equal(tf_settings.verbose, 0);
    }
}

static void words_are_those_of_the_table(void **state)
{
    (void)state;
    setenv("TREEFOLD_SIMD", "AVX2", 1);
    setenv("TREEFOLD_CHECK", "Off", 1);
    assert_int_equal(tf_settings_load(true), 0);
    assert_string_equal(tf_settings.simd, "avx2");
    assert_int_equal(tf_settings.check, TF_CHECK_OFF);
    assert_false(tf_strict());
    setenv("TREEFOLD_CHECK", "strict", 1);
    assert_int_equal(tf_settings_load(true), 0);
    assert_true(tf_strict());
    setenv("TREEFOLD_SIMD", "avx", 1);
    setenv("TREEFOLD_CHECK", "maybe", 1);
    assert_int_equal(tf_settings_load(false), 2);
    assert_string_equal(tf_settings.simd, "auto");
    assert_int_equal(tf_settings.check, TF_CHECK_ON);
}

/* What tf_settings_load(true) prints. */
static void load_and_read(char *words, size_t capacity)
{
    int ends[2], saved = dup(STDERR_FILENO);
    assert_int_equal(pipe(ends), 0);
    fflush(stderr);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    tf_settings_load(true);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    ssize_t n = read(ends[0], words, capacity - 1);
    words[n > 0 ? n : 0] = '\0';
    close(ends[0]);
}

static void words_may_be_said_by_a_folder_above(void **state)
{
    (void)state;
    tf_settings_allow(&tf_settings.net, "auto|pigeon");
    setenv("TREEFOLD_NET", "Pigeon", 1);
    assert_int_equal(tf_settings_load(true), 0);
    assert_string_equal(tf_settings.net, "pigeon");
    setenv("TREEFOLD_NET", "auto|pigeon", 1);
    assert_int_equal(tf_settings_load(false), 1);
    assert_string_equal(tf_settings.net, "auto");
    assert_string_equal(setting("net")->allowed, "auto|pigeon");
    tf_settings_allow(&tf_settings.net, "");
}

static void complaint_names_variable_value_and_what_is_allowed(void **state)
{
    char words[500];
    (void)state;
    setenv("TREEFOLD_SHM_BACKING", "paper", 1);
    load_and_read(words, sizeof words);
    assert_non_null(strstr(words, "TREEFOLD_SHM_BACKING"));
    assert_non_null(strstr(words, "\"paper\""));
    assert_non_null(strstr(words, "memfd|file"));
}

static void values_are_shown_as_they_are_written(void **state)
{
    char text[64];
    (void)state;
    for (int i = 0; i < tf_setting_count; i++) {
        const struct tf_setting *s = &tf_setting_table[i];
        tf_settings_show(s, s->initial, text, sizeof text);
        setenv(s->variable, text, 1);
    }
    assert_int_equal(tf_settings_load(true), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(defaults_hold_without_environment, clear),
        cmocka_unit_test_setup(what_is_given_stays, clear),
        cmocka_unit_test_setup(words_are_counted_and_found, clear),
        cmocka_unit_test_setup(sizes_take_units, clear),
        cmocka_unit_test_setup(numbers_stay_in_range, clear),
        cmocka_unit_test_setup(words_are_those_of_the_table, clear),
        cmocka_unit_test_setup(words_may_be_said_by_a_folder_above, clear),
        cmocka_unit_test_setup(complaint_names_variable_value_and_what_is_allowed, clear),
        cmocka_unit_test_setup(values_are_shown_as_they_are_written, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
