/* test_program.c - where a program that is to be spawned is looked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/program.h"

static char folder[] = "/tmp/treefold-program-XXXXXX";

static void make(const char *name, mode_t mode)
{
    char file[100];
    snprintf(file, sizeof file, "%s/%s", folder, name);
    FILE *made = fopen(file, "w");
    assert_non_null(made);
    fclose(made);
    assert_int_equal(chmod(file, mode), 0);
}

static int make_folder(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    make("program", 0700);
    make("text", 0600);
    return setenv("PATH", "/nowhere:/bin", 1);
}

static int remove_folder(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "/bin/rm -r %s", folder);
    return system(command);
}

/* `wanted` is a format for the folder; NULL: there is no such program. */
static void expect(const char *command, const char *key, const char *value, const char *wanted)
{
    const char *hints[][2] = {{"other", "/"}, {key, value}};
    struct tf_launch_app app = {.command = command, .hints = hints, .nhints = key ? 2 : 1};
    int err = MPI_SUCCESS;
    char *found = tf_program_find(&app, &err);
    if (wanted) {
        assert_int_equal(err, MPI_SUCCESS);
        assert_string_equal(found, wanted);
    } else {
        assert_null(found);
        assert_int_equal(err, MPI_ERR_SPAWN);
        assert_non_null(strstr(tf_error_text(err), command));
    }
    free(found);
}

static void expect_no_folder(void)
{
    const char *hints[][2] = {{"wdir", "/nowhere"}};
    struct tf_launch_app app = {.command = "sh", .hints = hints, .nhints = 1};
    int err = MPI_SUCCESS;
    assert_null(tf_program_find(&app, &err));
    assert_int_equal(err, MPI_ERR_SPAWN);
    assert_non_null(strstr(tf_error_text(err), "/nowhere"));
}

static void programs_are_found_as_launchers_do(void **state)
{
    char file[100], path[100], upper[100];
    (void)state;
    snprintf(file, sizeof file, "%s/program", folder);
    snprintf(path, sizeof path, "/nowhere:%s:/bin", folder);
    snprintf(upper, sizeof upper, "%s/./program", folder);
    expect(file, NULL, NULL, file);
    expect("/nowhere/program", NULL, NULL, NULL);
    expect("sh", NULL, NULL, "/bin/sh");
    expect("program", NULL, NULL, NULL);
    expect("program", "path", path, file);
    expect("program", "wdir", folder, file);
    expect("./program", "wdir", folder, upper);
    expect("./program", "path", path, NULL);
    expect("text", "path", path, NULL); /* nobody may run it */
    expect(folder, NULL, NULL, NULL);
    expect("", NULL, NULL, NULL);
    expect_no_folder();
}

static void hints_have_values(void **state)
{
    const char *hints[][2] = {{"wdir", "/tmp"}, {"host", "here"}};
    struct tf_launch_app app = {.command = "sh", .hints = hints, .nhints = 2};
    (void)state;
    assert_string_equal(tf_program_hint(&app, "host"), "here");
    assert_null(tf_program_hint(&app, "path"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(programs_are_found_as_launchers_do, make_folder, remove_folder),
        cmocka_unit_test(hints_have_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
