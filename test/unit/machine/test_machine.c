/* test_machine.c - objects of a machine that hwloc is told of: 2 packages of 2 NUMA nodes, a cache each, of 2 cores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/machine.h"

static struct tf_processors run(int first, int last)
{
    struct tf_processors set = {0};
    for (int i = first; i <= last; i++)
        set.bits[i / 64] |= (uint64_t)1 << i % 64;
    return set;
}

static int object(enum tf_machine_level level, int first, int last)
{
    struct tf_processors set = run(first, last);
    return tf_machine_object(level, &set);
}

static void sets_belong_to_objects(void **state)
{
    (void)state;
    if (strncmp(tf_machine_source(), "none", 4) == 0)
        skip();
    for (int cpu = 0; cpu < 8; cpu++) {
        assert_int_equal(object(TF_PACKAGE, cpu, cpu), cpu / 4);
        assert_int_equal(object(TF_NUMA, cpu, cpu), cpu / 2);
        assert_int_equal(object(TF_L3, cpu, cpu), cpu / 2);
        assert_int_equal(object(TF_CORE, cpu, cpu), cpu);
    }
    assert_int_equal(object(TF_PACKAGE, 4, 7), 1);
    assert_int_equal(object(TF_NUMA, 2, 3), 1);
}

static void sets_across_objects_belong_to_none(void **state)
{
    (void)state;
    assert_int_equal(object(TF_PACKAGE, 0, 7), -1);
    assert_int_equal(object(TF_NUMA, 1, 2), -1);
    assert_int_equal(object(TF_CORE, 0, 1), -1);
    assert_int_equal(object(TF_PACKAGE, 8, 8), -1);       /* there is no such processor */
    assert_int_equal(object(TF_PACKAGE, 1023, 1023), -1); /* nor this */
    assert_int_equal(object(TF_PACKAGE, 1, 0), -1);       /* the empty set */
}

static void levels_have_names(void **state)
{
    (void)state;
    assert_string_equal(tf_machine_name(TF_PACKAGE), "Package");
    assert_string_equal(tf_machine_name(TF_CORE), "Core");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_belong_to_objects),
        cmocka_unit_test(sets_across_objects_belong_to_none),
        cmocka_unit_test(levels_have_names),
    };
    setenv("HWLOC_SYNTHETIC", "pack:2 numa:2 l3:1 core:2 pu:1", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
