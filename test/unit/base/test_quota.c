/* test_quota.c - processors' worth of time, as files of control groups say it. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/quota.h"

#include <cmocka.h>

static char top[] = "/tmp/treefold-quota-XXXXXX";

static int make(void **state)
{
    (void)state;
    return mkdtemp(top) ? 0 : 1;
}

static int clear(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", top);
    return system(command);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "mkdir -p %s%s", top, folder);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s%s/%s", top, folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int quota(const char *own)
{
    char path[256];
    write_file("", "own", own);
    snprintf(path, sizeof path, "%s/own", top);
    return tf_quota_of(top, path);
}

static void is_that_of_version_2(void **state)
{
    (void)state;
    assert_int_equal(quota("0::/a/b\n"), INT_MAX);
    write_file("/a/b", "cpu.max", "max 100000\n");
    assert_int_equal(quota("0::/a/b\n"), INT_MAX);
    write_file("/a", "cpu.max", "350000 100000\n");
    assert_int_equal(quota("0::/a/b\n"), 4);
    write_file("/a/b", "cpu.max", "1000 100000\n");
    assert_int_equal(quota("0::/a/b\n"), 1);
    assert_int_equal(quota("0::/\n"), INT_MAX);
    write_file("", "cpu.max", "200000 100000\n"); /* a container's own group */
    assert_int_equal(quota("0::/\n"), 2);
    assert_int_equal(quota("0::/of/the/host\n"), 2);
    assert_int_equal(quota(""), 2);
    write_file("", "cpu.max", "max 100000\n");
}

static void is_that_of_version_1(void **state)
{
    static const char own[] = "9:name=cpu:/z\n3:cpuset:/c\n2:cpuacct,cpu:/c/d\n1:cpuacct:/z\n0::/z\n";
    (void)state;
    assert_int_equal(quota(own), INT_MAX);
    write_file("/cpu/z", "cpu.cfs_quota_us", "100000\n"); /* another one's */
    write_file("/cpu/z", "cpu.cfs_period_us", "100000\n");
    write_file("/cpu/c/d", "cpu.cfs_quota_us", "-1\n");
    write_file("/cpu/c/d", "cpu.cfs_period_us", "100000\n");
    assert_int_equal(quota(own), INT_MAX);
    write_file("/cpu/c/d", "cpu.cfs_quota_us", "250000\n");
    assert_int_equal(quota(own), 3);
    write_file("/cpu", "cpu.cfs_quota_us", "50000\n"); /* a container's own group */
    write_file("/cpu", "cpu.cfs_period_us", "50000\n");
    assert_int_equal(quota("4:cpu,cpuacct:/docker/0123\n"), 1);
    assert_int_equal(quota(own), 1);
}

static void of_this_process_is_some(void **state)
{
    (void)state;
    assert_true(tf_quota() >= 1);
    assert_int_equal(tf_quota_of("/nowhere", "/nowhere/own"), INT_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_that_of_version_2),
        cmocka_unit_test(is_that_of_version_1),
        cmocka_unit_test(of_this_process_is_some),
    };
    return cmocka_run_group_tests(tests, make, clear);
}
