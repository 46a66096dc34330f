/* test_heap.c - the heap of one process: what it gives, gives back to the system, and is after fork() and under limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heap/heap.h"

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

static const size_t MIB = (size_t)1 << 20;

static size_t memory_of_file(void)
{
    struct stat facts;
    assert_int_equal(fstat(tf_heap.file, &facts), 0);
    return (size_t)facts.st_blocks * 512;
}

static void assert_nothing_taken(void)
{
    size_t blocks, bytes, kept;
    tf_heap_count(&blocks, &bytes, &kept);
    assert_int_equal(blocks, 0);
    assert_int_equal(bytes, 0);
    assert_true(kept <= 16 * MIB);
    assert_true(memory_of_file() <= 18 * MIB);
}

static void gives_what_is_asked(void **state)
{
    (void)state;
    for (size_t alignment = 1; alignment <= 4 * MIB; alignment *= 4)
        for (size_t bytes = 0; bytes < 3 * MIB; bytes = 3 * bytes + 1) {
            char *at = tf_heap_alloc(bytes, alignment, "a test");
            assert_non_null(at);
            assert_int_equal((uintptr_t)at % alignment, 0);
            assert_int_equal((uintptr_t)at % 64, 0);
            assert_true(tf_heap_find(at, bytes) != TF_HEAP_NOWHERE);
            memset(at, 0x5a, bytes);
            assert_int_equal(tf_heap_free(at), MPI_SUCCESS);
        }
    assert_nothing_taken();
}

static void says_what_lies_in_it(void **state)
{
    char outside;
    char *at = tf_heap_alloc(1000, 1, "a test");
    (void)state;
    assert_int_equal(tf_heap_find(at, 1000), at - tf_heap.base);
    assert_int_equal(tf_heap_find(at + 999, 1), at + 999 - tf_heap.base);
    assert_int_equal(tf_heap_find(tf_heap.base, tf_heap.bytes), 0);
    assert_true(tf_heap_find(tf_heap.base, tf_heap.bytes + 1) == TF_HEAP_NOWHERE);
    assert_true(tf_heap_find(tf_heap.base + 1, tf_heap.bytes) == TF_HEAP_NOWHERE);
    assert_true(tf_heap_find(tf_heap.base - 1, 2) == TF_HEAP_NOWHERE);
    assert_true(tf_heap_find(&outside, 1) == TF_HEAP_NOWHERE);
    assert_true(tf_heap_find(NULL, 0) == TF_HEAP_NOWHERE);
    assert_int_equal(tf_heap_free(at + 64), MPI_ERR_BASE);
    assert_int_equal(tf_heap_free(at), MPI_SUCCESS);
    assert_int_equal(tf_heap_free(at), MPI_ERR_BASE);
    assert_non_null(tf_error_text(MPI_ERR_BASE));
    assert_int_equal(tf_heap_free(NULL), MPI_SUCCESS);
    assert_int_equal(tf_heap_free(malloc(1)), MPI_SUCCESS);
}

/* Twenty times 64 MiB, one after the other, in different places as the small blocks stay. */
static void memory_goes_back(void **state)
{
    void *small[20];
    (void)state;
    for (int i = 0; i < 20; i++) {
        char *large = tf_heap_alloc(64 * MIB + (size_t)i * MIB, 1, "a test");
        assert_true(tf_heap_find(large, 64 * MIB) != TF_HEAP_NOWHERE);
        for (size_t at = 0; at < 64 * MIB; at += 4096)
            large[at] = (char)i;
        small[i] = tf_heap_alloc(100, 1, "a test");
        assert_int_equal(tf_heap_free(large), MPI_SUCCESS);
        assert_true(memory_of_file() <= 20 * MIB);
    }
    for (int i = 0; i < 20; i++)
        assert_int_equal(tf_heap_free(small[i]), MPI_SUCCESS);
    assert_nothing_taken();
}

static void a_million_leave_nothing(void **state)
{
    enum { HELD = 1000 };
    static char *held[HELD];
    uint32_t random = 1;
    (void)state;
    for (int i = 0; i < 1000000; i++) {
        random = random * 1664525u + 1013904223u;
        char **at = &held[(random >> 8) % HELD];
        assert_int_equal(tf_heap_free(*at), MPI_SUCCESS);
        *at = tf_heap_alloc(random >> 20, (size_t)1 << (random >> 29), "a test");
        **at = 1;
    }
    for (int i = 0; i < HELD; i++)
        assert_int_equal(tf_heap_free(held[i]), MPI_SUCCESS);
    assert_nothing_taken();
}

static void *use(void *seed)
{
    enum { HELD = 50 };
    struct {
        unsigned char *at;
        size_t bytes;
    } held[HELD] = {{0}};
    uint32_t random = (uint32_t)(uintptr_t)seed;
    unsigned char mark = (unsigned char)(uintptr_t)seed;
    for (int i = 0; i < 20000 + HELD; i++) {
        random = random * 1664525u + 1013904223u;
        int k = i < 20000 ? (int)(random >> 8) % HELD : i - 20000;
        if (held[k].at && (held[k].at[0] != mark || held[k].at[held[k].bytes - 1] != mark))
            return "another thread's";
        if (tf_heap_free(held[k].at))
            return "not freed";
        held[k].at = NULL;
        if (i >= 20000)
            continue;
        held[k].bytes = 1 + (random >> 18);
        held[k].at = tf_heap_alloc(held[k].bytes, 1, "a test");
        held[k].at[0] = held[k].at[held[k].bytes - 1] = mark;
    }
    return NULL;
}

static void threads(void **state)
{
    pthread_t others[4];
    (void)state;
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&others[i], NULL, use, (void *)(i + 1)), 0);
    for (int i = 0; i < 4; i++) {
        void *wrong;
        assert_int_equal(pthread_join(others[i], &wrong), 0);
        assert_null(wrong);
    }
    assert_nothing_taken();
}

/* The exit status of a child that does so. */
static int child(int (*what)(volatile char *at), volatile char *at)
{
    int status;
    pid_t pid = fork();
    if (pid == 0)
        _exit(what(at));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int write_and_free(volatile char *at)
{
    if (at[0] != 'p' || at[8 * MIB - 1] != 'q')
        return 1;
    memset((char *)at, 'c', 8 * MIB);
    if (at[0] != 'c' || tf_heap_free((void *)at))
        return 2;
    char *more = tf_heap_alloc(32 * MIB, 1, "a test"); /* private */
    if (!more || tf_heap_find(more, 1) != TF_HEAP_NOWHERE)
        return 3;
    memset(more, 'm', 32 * MIB);
    return tf_heap_free(more);
}

static void a_child_has_a_copy(void **state)
{
    (void)state;
    char *at = tf_heap_alloc(8 * MIB, 1, "a test"), *huge = tf_heap_alloc(40 * MIB, 1, "a test");
    memset(at, 'p', 8 * MIB);
    at[8 * MIB - 1] = 'q';
    assert_int_equal(child(write_and_free, at), 0);
    for (size_t i = 0; i < 8 * MIB - 1; i++)
        assert_int_equal(at[i], 'p');
    assert_int_equal(tf_heap_free(at), MPI_SUCCESS);
    assert_int_equal(tf_heap_free(huge), MPI_SUCCESS);
    assert_nothing_taken();
}

/* In children, since a process has one heap. */
static int count_warnings(int (*limit)(void), bool shared)
{
    char text[1000] = "";
    int fds[2], status;
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fds[1], STDERR_FILENO);
        if (limit())
            _exit(9);
        for (int i = 0; i < 3; i++) {
            char *at = tf_heap_alloc(MIB, 4096, "a test");
            if (!at || (uintptr_t)at % 4096 || (tf_heap_find(at, MIB) != TF_HEAP_NOWHERE) != shared)
                _exit(1);
            memset(at, 1, MIB);
            if (tf_heap_free(at))
                _exit(2);
        }
        _exit(0);
    }
    close(fds[1]);
    ssize_t n = read(fds[0], text, sizeof text - 1);
    close(fds[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    int lines = 0;
    for (ssize_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    return lines;
}

static int lower(int which, rlim_t to)
{
    struct rlimit limit = {to, to};
    return setrlimit(which, &limit);
}

static int few_addresses(void)
{
    return lower(RLIMIT_AS, 100 * MIB);
}
static int some_addresses(void)
{
    return lower(RLIMIT_AS, 1000 * MIB);
}
static int small_files(void)
{
    return lower(RLIMIT_FSIZE, 4096);
}
static int medium_files(void)
{
    return lower(RLIMIT_FSIZE, 64 * MIB);
}
static int no_files(void)
{
    return lower(RLIMIT_NOFILE, 3);
}
static int nothing(void)
{
    return 0;
}

static void limits(void **state)
{
    (void)state;
    assert_int_equal(count_warnings(nothing, true), 0);
    assert_int_equal(count_warnings(small_files, false), 1);
    assert_int_equal(count_warnings(medium_files, true), 0);
    assert_int_equal(count_warnings(no_files, false), 1);
    if (SANITIZED) /* which takes more by itself */
        return;
    assert_int_equal(count_warnings(few_addresses, false), 1);
    assert_int_equal(count_warnings(some_addresses, true), 0);
}

static void too_much_is_an_error(void **state)
{
    (void)state;
    assert_null(tf_heap_alloc(SIZE_MAX / 2, 1, "a test"));
    assert_non_null(tf_error_text(MPI_ERR_NO_MEM));
    assert_null(tf_heap_alloc(SIZE_MAX, 1, "a test"));
}

static int told;
static void listener(void)
{
    told++;
}

static void listeners(void **state)
{
    (void)state;
    tf_heap_listen(listener);
    assert_int_equal(told, 1);
    tf_heap_listen(NULL);
}

/* A program that locks its memory is not filled with all of the heap. */
static int lock_memory(volatile char *at)
{
    (void)at;
    if (mlockall(MCL_CURRENT | MCL_FUTURE))
        return 0; /* not allowed to */
    char *block = tf_heap_alloc(MIB, 1, "a test");
    if (!block)
        return 1;
    bool shared = tf_heap_find(block, MIB) != TF_HEAP_NOWHERE;
    return shared && memory_of_file() > 64 * MIB;
}

static void locked_memory(void **state)
{
    (void)state;
    assert_int_equal(child(lock_memory, NULL), 0);
}

/* What is not in use is neither written into a core nor looked through by who searches for leaks. */
static int map_little(volatile char *at)
{
    unsigned long from, to, size = 0, kib = 0;
    char rights[8], line[256];
    bool heap = false;
    (void)at;
    FILE *smaps = fopen("/proc/self/smaps", "r");
    char *block = smaps ? tf_heap_alloc(MIB, 1, "a test") : NULL;
    if (!block)
        return 1;
    while (fgets(line, sizeof line, smaps)) {
        if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) == 3) {
            heap = strstr(line, "treefold-heap") != NULL;
            size = to - from;
        }
        if (heap && strncmp(line, "VmFlags:", 8) == 0 && (rights[0] == 'r' || !strstr(line, " dd")))
            kib += size >> 10;
    }
    fclose(smaps);
    return tf_heap_find(block, MIB) != TF_HEAP_NOWHERE && (kib == 0 || kib > 64 << 10);
}

static void little_is_mapped(void **state)
{
    (void)state;
    assert_int_equal(child(map_little, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits), /* first, as children of a process with a heap have none */
        cmocka_unit_test(little_is_mapped),
        cmocka_unit_test(locked_memory),
        cmocka_unit_test(gives_what_is_asked),
        cmocka_unit_test(says_what_lies_in_it),
        cmocka_unit_test(memory_goes_back),
        cmocka_unit_test(a_million_leave_nothing),
        cmocka_unit_test(threads),
        cmocka_unit_test(a_child_has_a_copy),
        cmocka_unit_test(too_much_is_an_error),
        cmocka_unit_test(listeners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
