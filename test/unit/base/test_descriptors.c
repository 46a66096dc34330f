/* test_descriptors.c - what a child is not to have open, on systems that close it in one call and on older ones. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../filter.h"
#include "base/descriptors.h"

#include <cmocka.h>

enum { FIRST = 40, HIGH = 900, NO_FILTER = 77 };

static bool is_open(int number)
{
    return fcntl(number, F_GETFD) >= 0;
}

static bool has_none_from(int first)
{
    for (int i = first; i <= HIGH + 1; i++)
        if (is_open(i))
            return false;
    return true;
}

enum how { IN_ONE_CALL, ONE_BY_ONE, WITH_ALL_OPEN };

/* In a child, as it closes what the tests need. */
static int close_from(enum how how)
{
    struct rlimit limit = {HIGH + 1, HIGH + 1};
    if (how != IN_ONE_CALL && !filter_calls(436, 436, ENOSYS)) /* close_range(2) */
        return NO_FILTER;
    for (int i = 0; i < 5; i++)
        dup2(1, FIRST - 2 + i);
    dup2(1, HIGH);
    if (how == WITH_ALL_OPEN && setrlimit(RLIMIT_NOFILE, &limit) == 0)
        while (dup(1) >= 0)
            continue;
    tf_descriptors_close_from(FIRST);
    return is_open(1) && is_open(FIRST - 1) && has_none_from(FIRST) ? 0 : 1;
}

static void check(enum how how)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(close_from(how));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_FILTER)
        skip(); /* the system does not filter calls, as in some containers */
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void in_one_call(void **state)
{
    (void)state;
    check(IN_ONE_CALL);
}

static void one_by_one(void **state)
{
    (void)state;
    check(ONE_BY_ONE);
}

static void with_as_many_open_as_may_be(void **state)
{
    (void)state;
    check(WITH_ALL_OPEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_one_call),
        cmocka_unit_test(one_by_one),
        cmocka_unit_test(with_as_many_open_as_may_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
