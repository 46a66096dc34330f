/* test_errors.c - error classes, codes and strings, and the message of a fatal error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/settings.h"
#include "fake.h"
#include "object/errhandler.h"
#include "object/error_class.h"

static void classes_of_the_standard(void **state)
{
    char text[MPI_MAX_ERROR_STRING];
    int length, errclass;
    (void)state;
    for (int code = 0; code <= MPI_ERR_ABI; code++) {
        assert_int_equal(tf_error_class(code, &errclass), MPI_SUCCESS);
        assert_int_equal(errclass, code);
        assert_int_equal(tf_error_string(code, text, &length), MPI_SUCCESS);
        assert_int_equal(length, strlen(text));
        assert_true(length > 15 && memcmp(text, code ? "MPI_ERR_" : "MPI_SUCC", 8) == 0);
    }
    assert_string_equal(tf_error_name(MPI_ERR_ABI), "MPI_ERR_ABI");
    assert_string_equal(tf_error_name(MPI_ERR_ROOT), "MPI_ERR_ROOT");
    assert_string_equal(tf_error_name(MPI_T_ERR_PVAR_NO_ATOMIC), "MPI_T_ERR_PVAR_NO_ATOMIC");
    assert_int_equal(tf_error_class(MPI_ERR_ABI + 1, &errclass), MPI_ERR_ARG);
    assert_int_equal(tf_error_class(-1, &errclass), MPI_ERR_ARG);
    assert_int_equal(tf_error_class(MPI_ERR_LASTCODE + 1, &errclass), MPI_ERR_ARG);
}

static void the_particular_case(void **state)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    (void)state;
    tf_error(MPI_ERR_ROOT, "root is %d; it must be between 0 and %d", 7, 3);
    tf_error_string(MPI_ERR_ROOT, text, &length);
    assert_string_equal(text, "MPI_ERR_ROOT: invalid root: root is 7; it must be between 0 and 3");
    tf_error_string(MPI_ERR_TAG, text, &length);
    assert_string_equal(text, "MPI_ERR_TAG: invalid tag");
    tf_error(MPI_ERR_TAG, "%0600d", 0);
    tf_error_string(MPI_ERR_TAG, text, &length);
    assert_true(length < MPI_MAX_ERROR_STRING && length == (int)strlen(text));
}

static void added_ones(void **state)
{
    int errclass, code, code2, found, length;
    char text[MPI_MAX_ERROR_STRING];
    (void)state;
    assert_int_equal(tf_error_last_used_code(), MPI_ERR_LASTCODE);
    assert_int_equal(tf_add_error_class(&errclass), MPI_SUCCESS);
    assert_int_equal(errclass, MPI_ERR_LASTCODE + 1);
    assert_int_equal(tf_add_error_code(errclass, &code), MPI_SUCCESS);
    assert_int_equal(tf_add_error_code(MPI_ERR_TAG, &code2), MPI_SUCCESS);
    assert_int_equal(tf_error_last_used_code(), code2);
    tf_error_class(code, &found);
    assert_int_equal(found, errclass);
    tf_error_class(code2, &found);
    assert_int_equal(found, MPI_ERR_TAG);
    tf_error_class(errclass, &found);
    assert_int_equal(found, errclass);
    assert_int_equal(tf_error_string(code, text, &length), MPI_SUCCESS);
    assert_string_equal(text, "");
    assert_int_equal(tf_add_error_string(code, "the solver diverged"), MPI_SUCCESS);
    tf_error_string(code, text, &length);
    assert_string_equal(text, "the solver diverged");
    assert_int_equal(length, 19);
    assert_int_equal(tf_remove_error_string(code), MPI_SUCCESS);
    assert_int_equal(tf_remove_error_string(code), MPI_ERR_ARG);

    assert_int_equal(tf_add_error_code(code, &found), MPI_ERR_ARG);
    assert_int_equal(tf_add_error_string(MPI_ERR_TAG, "mine"), MPI_ERR_ARG);
    assert_int_equal(tf_remove_error_class(MPI_ERR_TAG), MPI_ERR_ARG);
    assert_int_equal(tf_remove_error_class(errclass), MPI_ERR_ARG);
    assert_int_equal(tf_remove_error_code(errclass), MPI_ERR_ARG);
    assert_int_equal(tf_remove_error_code(code), MPI_SUCCESS);
    assert_int_equal(tf_remove_error_class(errclass), MPI_SUCCESS);
    assert_int_equal(tf_error_class(errclass, &found), MPI_ERR_ARG);
    assert_int_equal(tf_remove_error_code(code2), MPI_SUCCESS);
}

static void removed_ones(void **state)
{
    int errclass, again, codes[2], found, last = tf_error_last_used_code();
    (void)state;
    assert_int_equal(tf_add_error_class(&errclass), MPI_SUCCESS);
    for (int i = 0; i < 2; i++)
        assert_int_equal(tf_add_error_code(errclass, &codes[i]), MPI_SUCCESS);
    assert_int_equal(tf_remove_error_class(errclass), MPI_ERR_ARG);
    assert_non_null(strstr(tf_error_text(MPI_ERR_ARG), "of which there still are 2 error codes"));
    assert_int_equal(tf_remove_error_code(codes[0]), MPI_SUCCESS);
    assert_int_equal(tf_remove_error_code(codes[0]), MPI_ERR_ARG);
    assert_int_equal(tf_remove_error_class(errclass), MPI_ERR_ARG);
    assert_int_equal(tf_remove_error_code(codes[1]), MPI_SUCCESS);
    assert_int_equal(tf_remove_error_class(errclass), MPI_SUCCESS);
    assert_int_equal(tf_remove_error_class(errclass), MPI_ERR_ARG);
    assert_int_equal(tf_add_error_code(errclass, &found), MPI_ERR_ARG);

    assert_int_equal(tf_add_error_class(&again), MPI_SUCCESS);
    assert_int_equal(again, errclass);
    assert_int_equal(tf_add_error_code(MPI_ERR_TAG, &codes[0]), MPI_SUCCESS);
    assert_int_equal(tf_remove_error_class(again), MPI_SUCCESS);
    assert_int_equal(tf_error_class(codes[0], &found), MPI_SUCCESS);
    assert_int_equal(found, MPI_ERR_TAG);
    assert_int_equal(tf_remove_error_code(codes[0]), MPI_SUCCESS);
    assert_true(tf_error_last_used_code() <= last + 3);
}

/* Adding and removing takes no longer, and numbers do not run out, however often it is done. */
static void many_rounds(void **state)
{
    int errclass, code, last = 0;
    (void)state;
    for (int round = 0; round < 300000; round++) {
        assert_int_equal(tf_add_error_class(&errclass), MPI_SUCCESS);
        assert_int_equal(tf_add_error_code(errclass, &code), MPI_SUCCESS);
        assert_int_equal(tf_remove_error_code(code), MPI_SUCCESS);
        assert_int_equal(tf_remove_error_class(errclass), MPI_SUCCESS);
        last = round == 0 ? tf_error_last_used_code() : last;
    }
    assert_int_equal(tf_error_last_used_code(), last);
}

/* As others have it, unless strict. */
static void codes_of_success(void **state)
{
    int code, found;
    (void)state;
    assert_int_equal(tf_add_error_code(MPI_SUCCESS, &code), MPI_SUCCESS);
    assert_int_equal(tf_error_class(code, &found), MPI_SUCCESS);
    assert_int_equal(found, MPI_SUCCESS);
    assert_int_equal(tf_remove_error_code(code), MPI_SUCCESS);
    tf_settings.check = TF_CHECK_STRICT;
    assert_int_equal(tf_add_error_code(MPI_SUCCESS, &code), MPI_ERR_ARG);
    tf_settings.check = TF_CHECK_ON;
}

/* What a child says and how it ends when it raises an error. */
static int raised(struct tf_comm *comm, int errclass, char *said, size_t room)
{
    int fds[2], status;
    assert_int_equal(pipe(fds), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(fds[1], STDERR_FILENO);
        tf_error_raise(tf_comm_site(comm), "MPI_Reduce", errclass);
        _exit(0);
    }
    close(fds[1]);
    ssize_t n = read(fds[0], said, room - 1);
    said[n > 0 ? n : 0] = '\0';
    close(fds[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void fatal_errors(void **state)
{
    char said[1000];
    (void)state;
    tf_error(MPI_ERR_ROOT, "root is 7; it must be between 0 and 3");
    assert_int_equal(raised(NULL, MPI_ERR_ROOT, said, sizeof said), MPI_ERR_ROOT);
    assert_string_equal(said, "treefold: MPI_Reduce: root is 7; it must be between 0 and 3 [MPI_ERR_ROOT]\n");

    fake_rank(2, 4);
    tf_error(MPI_ERR_ROOT, "root is 7; it must be between 0 and 3");
    assert_int_equal(raised(tf_comm_world, MPI_ERR_ROOT, said, sizeof said), MPI_ERR_ROOT);
    assert_string_equal(said, "treefold: rank 2: MPI_Reduce: root is 7; it must be between 0 and 3 "
                              "(communicator MPI_COMM_WORLD) [MPI_ERR_ROOT]\n");
    tf_errhandler_attach(&tf_comm_world->errhandler, TF_KIND_COMM, tf_errhandler_find(MPI_ERRORS_ABORT));
    assert_int_equal(raised(tf_comm_world, 4242, said, sizeof said), 1);
    assert_non_null(strstr(said, "error code 4242 (communicator MPI_COMM_WORLD) [no error code of MPI]"));
    fake_leave();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_of_the_standard),
        cmocka_unit_test(the_particular_case),
        cmocka_unit_test(added_ones),
        cmocka_unit_test(removed_ones),
        cmocka_unit_test(many_rounds),
        cmocka_unit_test(codes_of_success),
        cmocka_unit_test(fatal_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
