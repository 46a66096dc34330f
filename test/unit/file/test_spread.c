/* test_spread.c - ranks go to processors in turn, and may use the same ones as before, and those that they get later.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "file/spread.h"

enum { RANKS = 8 };

static void stays_free(void **state)
{
    (void)state;
    cpu_set_t before, after;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    for (int rank = 0; rank < RANKS; rank++) {
        int processor = tf_spread_processor(&before, rank, rank % 2);
        tf_spread(rank, rank % 2);
        assert_true(CPU_ISSET(processor, &before));
        assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
        assert_true(CPU_EQUAL(&before, &after));
    }
}

/* Who is bound, to one processor or to all but one, is so afterwards. */
static void stays_bound(void **state)
{
    (void)state;
    cpu_set_t before, bound, after;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    int n = CPU_COUNT(&before), last = tf_spread_processor(&before, n - 1, false);
    if (n == 1) /* whoever has one processor is bound already: shares_one */
        skip();
    for (int turn = 0; turn < 2; turn++) {
        CPU_ZERO(&bound);
        CPU_SET(last, &bound);
        if (turn == 1)
            CPU_XOR(&bound, &bound, &before);
        assert_int_equal(sched_setaffinity(0, sizeof bound, &bound), 0);
        for (int rank = 0; rank < RANKS; rank++) {
            tf_spread(rank, rank % 2);
            assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
            assert_true(CPU_EQUAL(&bound, &after));
        }
    }
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

static void *spread_both_ways(void *other)
{
    cpu_set_t before, after;
    assert_int_equal(sched_getaffinity(*(pid_t *)other, sizeof before, &before), 0);
    tf_spread(0, false);
    tf_spread(1, false);
    assert_int_equal(sched_getaffinity(*(pid_t *)other, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
    return NULL;
}

/* Other threads keep what they have. */
static void moves_one_thread(void **state)
{
    (void)state;
    cpu_set_t before, one, after;
    pthread_t thread;
    pid_t self = getpid();
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_int_equal(pthread_create(&thread, NULL, spread_both_ways, &self), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    CPU_ZERO(&one);
    CPU_SET(tf_spread_processor(&before, 0, false), &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(pthread_create(&thread, NULL, spread_both_ways, &self), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&one, &after));
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

static void takes_turns(void **state)
{
    (void)state;
    static const int even[RANKS] = {3, 5, 7, 9, 3, 5, 7, 9}, alone[RANKS] = {3, 5, 7, 9, 5, 7, 9, 5};
    cpu_set_t four;
    CPU_ZERO(&four);
    for (int processor = 3; processor < 10; processor += 2)
        CPU_SET(processor, &four);
    for (int rank = 0; rank < RANKS; rank++) {
        assert_int_equal(tf_spread_processor(&four, rank, false), even[rank]);
        assert_int_equal(tf_spread_processor(&four, rank, true), alone[rank]);
    }
}

static void shares_one(void **state)
{
    (void)state;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(6, &one);
    for (int rank = 0; rank < RANKS; rank++)
        assert_int_equal(tf_spread_processor(&one, rank, rank % 2), 6);
}

/* ---- a cpuset that becomes larger, where this process may make one ---- */

static bool put(const char *folder, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY);
    bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return good;
}

static int processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : -1;
}

/* 0: as it has to be; 1: it did not get the processor; 2: it cannot be found out. */
static int widen(const char *folder, int processor, int second)
{
    char one[20], both[40];
    cpu_set_t set;
    snprintf(one, sizeof one, "%d", processor);
    snprintf(both, sizeof both, "%d,%d", processor, second);
    if (!put(folder, "cpuset.mems", "0") || !put(folder, "cpuset.cpus", one) || !put(folder, "tasks", "0") ||
        processors() != 1)
        return 2;
    sched_getaffinity(0, sizeof set, &set);
    tf_spread_allow(&set);
    if (!put(folder, "cpuset.cpus", both))
        return 2;
    return processors() == 2 ? 0 : 1;
}

/* It takes two processors, and the right to make a cpuset of cgroup v1. */
static void gets_more(void **state)
{
    (void)state;
    cpu_set_t set;
    char folder[100];
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    snprintf(folder, sizeof folder, "/sys/fs/cgroup/cpuset/treefold-test-%d", (int)getpid());
    if (CPU_COUNT(&set) < 2 || mkdir(folder, 0700) != 0)
        skip();
    pid_t child = fork();
    if (child == 0)
        _exit(widen(folder, tf_spread_processor(&set, 0, false), tf_spread_processor(&set, 1, false)));
    int status = 0;
    waitpid(child, &status, 0);
    rmdir(folder);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
        skip();
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stays_free),  cmocka_unit_test(stays_bound), cmocka_unit_test(moves_one_thread),
        cmocka_unit_test(takes_turns), cmocka_unit_test(shares_one),  cmocka_unit_test(gets_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
