/* test_depend.c - the dependencies between steps, found by runs of blocks, are those that the blocks have one by one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/depend.h"

enum { BLOCKS = 200, STEPS = 400, PLANS = 300 };

static uint64_t state_of_chance = 88172645463325252;

static int32_t chance(int32_t below)
{
    state_of_chance ^= state_of_chance << 13;
    state_of_chance ^= state_of_chance >> 7;
    state_of_chance ^= state_of_chance << 17;
    return (int32_t)(state_of_chance % (uint64_t)below);
}

/* Of one block: the step that wrote it last, and those that have read it since. */
static struct block {
    int32_t writer, readers[STEPS], n;
} blocks[BLOCKS];
static bool expected[STEPS][STEPS], found[STEPS][STEPS];

static void expect(int32_t step, bool writes, struct tf_ref ref)
{
    for (struct block *b = blocks + ref.first; b < blocks + ref.first + ref.count; b++) {
        if (b->writer >= 0 && (!writes || b->n == 0))
            expected[step][b->writer] = true;
        for (int32_t i = 0; writes && i < b->n; i++)
            expected[step][b->readers[i]] = true;
        if (!writes)
            b->readers[b->n++] = step;
        else
            *b = (struct block){.writer = step};
    }
}

/* As the steps of a ring do, on from where the last one was, ahead or back; or anywhere. */
static struct tf_ref next_ref(int32_t way)
{
    static int32_t at;
    int32_t count = way == 2 ? 1 + chance(BLOCKS) : 1 + chance(3);
    at = way == 2 ? chance(BLOCKS) : (at + (way == 0 ? 1 : BLOCKS - 1)) % BLOCKS;
    return tf_blocks(TF_OUTPUT, at, count < BLOCKS - at ? count : BLOCKS - at);
}

static void test_random(void **state)
{
    (void)state;
    struct tf_depend depend = {0};
    for (int p = 0; p < PLANS; p++) {
        struct tf_plan *plan = tf_plan_create();
        uint32_t edges = 0;
        plan->nblocks = BLOCKS;
        memset(expected, 0, sizeof expected);
        memset(found, 0, sizeof found);
        for (int b = 0; b < BLOCKS; b++)
            blocks[b] = (struct block){.writer = -1};
        for (int32_t step = 0; step < STEPS; step++) {
            struct tf_ref ref = next_ref(p % 4 == 3 ? chance(3) : p % 4);
            bool writes = chance(3) == 0;
            expect(step, writes, ref);
            if (writes)
                tf_plan_recv(plan, 1, ref);
            else
                tf_plan_send(plan, 1, ref);
        }
        assert_int_equal(tf_depend_find(&depend, plan), MPI_SUCCESS);
        for (uint32_t e = 0; e < depend.nedges; e++)
            found[depend.edges[e].step][depend.edges[e].on] = true;
        for (int32_t i = 0; i < STEPS * STEPS; i++)
            edges += expected[i / STEPS][i % STEPS];
        assert_memory_equal(found, expected, sizeof found);
        assert_int_equal(depend.nedges, edges);
        tf_plan_destroy(plan);
    }
    tf_depend_free(&depend);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
