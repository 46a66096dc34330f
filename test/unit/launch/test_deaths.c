/* test_deaths.c - the file of those who have ended: of any length, read in order and again from the beginning. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "launch/deaths.h"
#include "launch/launch.h"

enum { MANY = 10 * TF_DEATHS_WINDOW + 7 };

static int file;
static tf_deaths_count *count;

static void *map(size_t bytes, int64_t offset)
{
    assert_int_equal(ftruncate(file, offset + (int64_t)bytes), 0);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, offset);
    assert_ptr_not_equal(memory, MAP_FAILED);
    return memory;
}

static void write_death(uint32_t i)
{
    size_t bytes = TF_DEATHS_WINDOW * sizeof(struct tf_death);
    struct tf_death *window = map(bytes, tf_deaths_offset(i));
    struct tf_death *death = &window[i % TF_DEATHS_WINDOW];
    snprintf(death->job, sizeof death->job, "job-%u", i / 3);
    snprintf(death->how, sizeof death->how, "was number %u", i);
    death->rank = (int32_t)(i % 3);
    munmap(window, bytes);
    atomic_store(count, i + 1);
}

static void expect(uint32_t i)
{
    char words[80];
    const struct tf_death *death = tf_launch_death(i);
    assert_non_null(death);
    snprintf(words, sizeof words, "job-%u", i / 3);
    assert_string_equal(death->job, words);
    snprintf(words, sizeof words, "was number %u", i);
    assert_string_equal(death->how, words);
    assert_int_equal(death->rank, i % 3);
}

static int open_file(void **state)
{
    char name[40];
    (void)state;
    file = memfd_create("deaths", 0);
    count = map(TF_DEATHS_PAGE, 0);
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    return setenv(TF_DEATHS_VARIABLE, name, 1);
}

static void entries_have_no_bound(void **state)
{
    (void)state;
    assert_false(tf_launch_tells_deaths());
    assert_null(tf_launch_death(0));
    tf_launch_deaths_open();
    assert_true(tf_launch_tells_deaths());
    assert_null(getenv(TF_DEATHS_VARIABLE));
    for (uint32_t i = 0; i < MANY; i++) {
        assert_null(tf_launch_death(i));
        write_death(i);
        expect(i);
    }
    for (uint32_t i = 0; i < MANY; i++)
        expect(i);
    assert_null(tf_launch_death(MANY));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(entries_have_no_bound, open_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
