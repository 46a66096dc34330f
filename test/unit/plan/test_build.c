/* test_build.c - the builder: tags, dependencies, streaming marks; and what a plan looks like when it is printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "algo/algo.h"
#include "plan/dump.h"

static const struct tf_ref input = {TF_INPUT, 0, 1}, output = {TF_OUTPUT, 0, 1};

/* The dependencies of a step, as "0,2~"; ~ marks the streamed. */
static const char *deps_of(const struct tf_plan *plan, uint32_t step)
{
    static char text[256];
    const struct tf_step *s = &plan->steps[step];
    bool wanted[64] = {false}, streamed[64] = {false};
    size_t used = 0;

    for (uint32_t d = s->first_dep; d < s->first_dep + s->ndeps; d++) {
        assert_in_range(plan->deps[d].step, 0, 63);
        wanted[plan->deps[d].step] = true;
        streamed[plan->deps[d].step] = plan->deps[d].streamed;
    }
    text[0] = '\0';
    for (int i = 0; i < 64; i++)
        if (wanted[i])
            used += snprintf(text + used, sizeof text - used, "%s%d%s", used ? "," : "", i, streamed[i] ? "~" : "");
    return text;
}

#define ASSERT_DEPS(plan, step, wanted) assert_string_equal(deps_of(plan, step), wanted)

static void test_conflicts(void **state)
{
    (void)state;
    struct tf_plan *plan = tf_plan_create();
    struct tf_ref temp = tf_blocks(tf_plan_temp(plan, 0, 1), 0, 1);

    tf_plan_copy(plan, input, output);                      /* 0 */
    tf_plan_send(plan, 1, input);                           /* 1: reads only */
    tf_plan_send(plan, 1, output);                          /* 2: reads what 0 wrote */
    tf_plan_recv(plan, 1, output);                          /* 3: overwrites what 2 reads; 0 is implied */
    tf_plan_copy(plan, input, temp);                        /* 4: touches nothing else */
    tf_plan_recv(plan, 2, output);                          /* 5: overwrites what 3 wrote */
    tf_plan_reduce(plan, TF_LEFT, temp, output);            /* 6 */
    tf_plan_recv_reduce(plan, 1, TF_RIGHT, output, output); /* 7 */
    assert_int_equal(tf_plan_finish(plan), MPI_SUCCESS);
    ASSERT_DEPS(plan, 0, "");
    ASSERT_DEPS(plan, 1, "");
    ASSERT_DEPS(plan, 2, "0");
    ASSERT_DEPS(plan, 3, "2");
    ASSERT_DEPS(plan, 4, "");
    ASSERT_DEPS(plan, 5, "3");
    ASSERT_DEPS(plan, 6, "4,5");
    ASSERT_DEPS(plan, 7, "6");
    tf_plan_destroy(plan);
}

static void test_runs_of_blocks(void **state)
{
    (void)state;
    struct tf_plan *plan = tf_plan_create();

    tf_plan_blocks(plan, 4);
    tf_plan_recv(plan, 1, tf_blocks(TF_OUTPUT, 0, 2)); /* 0 */
    tf_plan_recv(plan, 1, tf_blocks(TF_OUTPUT, 2, 2)); /* 1 */
    tf_plan_send(plan, 2, tf_blocks(TF_OUTPUT, 1, 2)); /* 2: a half of each */
    tf_plan_send(plan, 2, tf_blocks(TF_OUTPUT, 3, 1)); /* 3 */
    tf_plan_recv(plan, 3, tf_blocks(TF_OUTPUT, 0, 4)); /* 4: 0 and 1 are implied */
    assert_int_equal(tf_plan_finish(plan), MPI_SUCCESS);
    ASSERT_DEPS(plan, 1, "");
    ASSERT_DEPS(plan, 2, "0,1");
    ASSERT_DEPS(plan, 3, "1");
    ASSERT_DEPS(plan, 4, "2,3");
    tf_plan_destroy(plan);
}

static void test_implied_edges_are_dropped(void **state)
{
    (void)state;
    struct tf_plan *plan = tf_plan_create();
    struct tf_ref temp = tf_blocks(tf_plan_temp(plan, 0, 1), 0, 1);

    tf_plan_recv(plan, 1, temp);                           /* 0 */
    tf_plan_recv_reduce(plan, 2, TF_LEFT, temp, output);   /* 1 after 0 */
    tf_plan_recv_reduce(plan, 3, TF_LEFT, output, output); /* 2 after 1 */
    tf_plan_reduce(plan, TF_LEFT, temp, output);           /* 3 after 2; the edge to 0 is implied */
    assert_int_equal(tf_plan_finish(plan), MPI_SUCCESS);
    ASSERT_DEPS(plan, 3, "2");
    tf_plan_destroy(plan);
}

static void test_streaming(void **state)
{
    (void)state;
    struct tf_plan *plan = tf_plan_create();

    tf_plan_blocks(plan, 2);
    tf_plan_recv(plan, 1, tf_blocks(TF_OUTPUT, 0, 2));                                            /* 0 */
    tf_plan_send(plan, 2, tf_blocks(TF_OUTPUT, 0, 2));                                            /* 1: follows 0 */
    tf_plan_send(plan, 2, tf_blocks(TF_OUTPUT, 0, 1));                                            /* 2: a part */
    tf_plan_recv_reduce(plan, 1, TF_LEFT, tf_blocks(TF_INPUT, 0, 1), tf_blocks(TF_OUTPUT, 0, 1)); /* 3 */
    tf_plan_send(plan, 3, tf_blocks(TF_OUTPUT, 0, 1));                                            /* 4: follows 3 */
    tf_plan_send(plan, 3, tf_blocks(TF_OUTPUT, 0, 2));                         /* 5: 3 wrote a part of it since */
    tf_plan_copy(plan, tf_blocks(TF_INPUT, 0, 1), tf_blocks(TF_OUTPUT, 0, 1)); /* 6 */
    tf_plan_send(plan, 4, tf_blocks(TF_OUTPUT, 0, 1));                         /* 7: what is copied is not received */
    assert_int_equal(tf_plan_finish(plan), MPI_SUCCESS);
    ASSERT_DEPS(plan, 1, "0~");
    ASSERT_DEPS(plan, 2, "0");
    ASSERT_DEPS(plan, 3, "1,2");
    ASSERT_DEPS(plan, 4, "3~");
    ASSERT_DEPS(plan, 5, "3");
    ASSERT_DEPS(plan, 7, "6");
    tf_plan_destroy(plan);
}

static void test_alias(void **state)
{
    (void)state;
    struct tf_plan *plan = tf_plan_create();

    tf_plan_blocks(plan, 4);
    tf_plan_alias(plan);
    int temp = tf_plan_temp(plan, 0, 1);
    tf_plan_send(plan, 1, tf_blocks(TF_INPUT, 3, 1));                                        /* 0 */
    tf_plan_recv_reduce(plan, 1, TF_LEFT, tf_blocks(TF_INPUT, 0, 1), tf_blocks(temp, 0, 1)); /* 1 */
    tf_plan_copy(plan, tf_blocks(temp, 0, 1), output); /* 2: destroys what 0 sends */
    assert_int_equal(tf_plan_finish(plan), MPI_SUCCESS);
    ASSERT_DEPS(plan, 1, "");
    ASSERT_DEPS(plan, 2, "0,1");
    tf_plan_destroy(plan);
}

static void test_signals(void **state)
{
    (void)state;
    struct tf_plan *plan = tf_plan_create();

    tf_plan_send(plan, 1, TF_NO_REF); /* 0 */
    tf_plan_recv(plan, 7, TF_NO_REF); /* 1: receives wait for nothing */
    tf_plan_send(plan, 2, TF_NO_REF); /* 2: waits for what was received, not for what was sent */
    tf_plan_recv(plan, 6, TF_NO_REF); /* 3 */
    tf_plan_send(plan, 4, TF_NO_REF); /* 4 */
    assert_int_equal(tf_plan_finish(plan), MPI_SUCCESS);
    ASSERT_DEPS(plan, 0, "");
    ASSERT_DEPS(plan, 1, "");
    ASSERT_DEPS(plan, 2, "1");
    ASSERT_DEPS(plan, 3, "");
    ASSERT_DEPS(plan, 4, "1,3");
    tf_plan_destroy(plan);
}

/* Signals order data: a send waits for the signals received before it, a signal for all that was received before. */
static void test_signals_and_data(void **state)
{
    (void)state;
    struct tf_plan *plan = tf_plan_create();

    tf_plan_blocks(plan, 4);
    tf_plan_send(plan, 1, tf_blocks(TF_INPUT, 0, 1));  /* 0 */
    tf_plan_recv(plan, 2, tf_blocks(TF_OUTPUT, 2, 1)); /* 1 */
    tf_plan_recv(plan, 3, TF_NO_REF);                  /* 2 */
    tf_plan_send(plan, 4, TF_NO_REF);                  /* 3 */
    tf_plan_recv(plan, 5, tf_blocks(TF_OUTPUT, 3, 1)); /* 4: receives wait for nothing */
    tf_plan_send(plan, 6, tf_blocks(TF_INPUT, 1, 1));  /* 5: not for 1 and 4, which it has nothing to do with */
    tf_plan_send(plan, 6, TF_NO_REF);                  /* 6 */
    assert_int_equal(tf_plan_finish(plan), MPI_SUCCESS);
    ASSERT_DEPS(plan, 0, "");
    ASSERT_DEPS(plan, 3, "1,2");
    ASSERT_DEPS(plan, 4, "");
    ASSERT_DEPS(plan, 5, "2");
    ASSERT_DEPS(plan, 6, "1,2,4");
    tf_plan_destroy(plan);
}

/* The root of a flat barrier waits for everyone with few edges. */
static void test_many_signals(void **state)
{
    (void)state;
    struct tf_plan *plan = tf_plan_create();
    struct tf_shape shape = {.rank = 0, .size = 2000};

    tf_algo_barrier_flat(plan, &shape);
    assert_int_equal(tf_plan_finish(plan), MPI_SUCCESS);
    assert_int_equal(plan->nsteps, 2 * 1999);
    assert_int_equal(plan->steps[1999].ndeps, 1999);
    assert_in_range(plan->ndeps, 1999, 2 * 1999);
    tf_plan_destroy(plan);
}

static void test_tags(void **state)
{
    (void)state;
    struct tf_plan *plan = tf_plan_create();
    static const int wanted[] = {0, 0, 1, 0, 1, 2};

    tf_plan_send(plan, 1, input);
    tf_plan_recv(plan, 1, output);
    tf_plan_send(plan, 1, input);
    tf_plan_send(plan, 2, input);
    tf_plan_recv_reduce(plan, 1, TF_LEFT, input, output);
    tf_plan_send(plan, 1, input);
    assert_int_equal(tf_plan_finish(plan), MPI_SUCCESS);
    for (int i = 0; i < 6; i++)
        assert_int_equal(plan->steps[i].tag, wanted[i]);
    tf_plan_destroy(plan);
}

static void test_empty_plan(void **state)
{
    (void)state;
    struct tf_plan *plan = tf_plan_create();

    assert_int_equal(plan->nblocks, 1);
    assert_int_equal(tf_plan_finish(plan), MPI_SUCCESS);
    assert_int_equal(plan->nsteps, 0);
    tf_plan_destroy(plan);
    tf_plan_destroy(NULL);
}

static void test_too_many_temps(void **state)
{
    (void)state;
    struct tf_plan *plan = tf_plan_create();

    for (int i = 0; i < TF_NBUFFERS - TF_TEMP0; i++)
        assert_int_equal(tf_plan_temp(plan, 0, 1), TF_TEMP0 + i);
    tf_plan_temp(plan, 0, 1);
    tf_plan_copy(plan, input, output);
    assert_int_equal(tf_plan_finish(plan), MPI_ERR_INTERN);
    tf_plan_destroy(plan);
}

/* Two ranks: a send of the input and one receive-reduce, without a copy. */
static void test_two_ranks_copy_nothing(void **state)
{
    (void)state;
    struct tf_plan *plan = tf_plan_create();
    struct tf_shape shape = {.rank = 1, .size = 2};

    tf_algo_allreduce_recursive_doubling(plan, &shape);
    assert_int_equal(tf_plan_finish(plan), MPI_SUCCESS);
    assert_int_equal(plan->nsteps, 2);
    assert_int_equal(plan->ntemps, 0);
    assert_int_equal(plan->ndeps, 0);
    assert_int_equal(plan->steps[0].kind, TF_SEND);
    assert_int_equal(plan->steps[0].src.buffer, TF_INPUT);
    assert_int_equal(plan->steps[1].kind, TF_RECV_REDUCE);
    assert_int_equal(plan->steps[1].side, TF_LEFT);
    assert_int_equal(plan->steps[1].src.buffer, TF_INPUT);
    assert_int_equal(plan->steps[1].dst.buffer, TF_OUTPUT);
    tf_plan_destroy(plan);
}

/* Plans of a thousand ranks have a few edges a step. */
static void test_large_plans(void **state)
{
    (void)state;
    for (int i = 0; i < tf_algo_count; i++)
        for (int inplace = 0; inplace <= 1; inplace++) {
            int size = tf_algos[i].traits & TF_NEEDS_POWER_OF_TWO ? 1024 : 1030;
            const int32_t next[] = {513, 515};
            const struct tf_neighbors ring = {2, 2, next, next, true};
            struct tf_shape shape = {.rank = 514, .size = size, .commutes = true, .neighbors = &ring};
            struct tf_plan *plan = tf_plan_create();
            tf_algos[i].generate(plan, &shape);
            assert_int_equal(tf_plan_finish(plan), MPI_SUCCESS);
            assert_true(plan->ndeps <= 3 * plan->nsteps);
            tf_plan_destroy(plan);
        }
}

static void test_registry(void **state)
{
    (void)state;
    const struct tf_algo *ring = tf_algo_find(TF_ALLREDUCE, "ring");
    const struct tf_algo *doubling = tf_algo_find(TF_ALLGATHER, "recursive_doubling");

    assert_non_null(ring);
    assert_int_equal(ring->coll, TF_ALLREDUCE);
    assert_null(tf_algo_find(TF_ALLREDUCE, "rin"));
    assert_null(tf_algo_find(TF_BARRIER, "ring"));
    assert_true(tf_algo_fits(ring, 5, true, true));
    assert_false(tf_algo_fits(ring, 5, false, true));
    assert_false(tf_algo_fits(ring, 5, true, false));
    assert_true(tf_algo_fits(doubling, 8, false, false));
    assert_false(tf_algo_fits(doubling, 6, true, true));
    for (int i = 0; i < tf_algo_count; i++)
        assert_ptr_equal(tf_algo_find(tf_algos[i].coll, tf_algos[i].name), &tf_algos[i]);
}

static void test_dump(void **state)
{
    (void)state;
    struct tf_plan *plan = tf_plan_create();
    char *text = NULL;
    size_t length;

    tf_plan_blocks(plan, 4);
    int temp = tf_plan_temp(plan, 2, 2);
    tf_plan_recv_reduce(plan, 3, TF_LEFT, tf_blocks(TF_INPUT, 2, 2), tf_blocks(temp, 0, 2));
    tf_plan_send(plan, 1, tf_blocks(temp, 0, 2));
    tf_plan_reduce(plan, TF_RIGHT, tf_blocks(temp, 1, 1), output);
    tf_plan_send(plan, 1, TF_NO_REF);
    assert_int_equal(tf_plan_finish(plan), MPI_SUCCESS);
    FILE *stream = open_memstream(&text, &length);
    tf_plan_dump(plan, stream);
    fclose(stream);
    assert_string_equal(text, "4 blocks, 4 steps\n"
                              "TEMP0: 2 blocks from block 2\n"
                              "   0  recv_reduce from rank 3 (message 0): TEMP0[0-1] = incoming op INPUT[2-3]\n"
                              "   1  send TEMP0[0-1] to rank 1 (message 0)   after 0~\n"
                              "   2  reduce_local OUTPUT[0] = OUTPUT[0] op TEMP0[1]   after 0\n"
                              "   3  send signal to rank 1 (message 1)   after 0\n");
    free(text);
    tf_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conflicts),
        cmocka_unit_test(test_runs_of_blocks),
        cmocka_unit_test(test_implied_edges_are_dropped),
        cmocka_unit_test(test_streaming),
        cmocka_unit_test(test_alias),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_signals_and_data),
        cmocka_unit_test(test_many_signals),
        cmocka_unit_test(test_tags),
        cmocka_unit_test(test_empty_plan),
        cmocka_unit_test(test_too_many_temps),
        cmocka_unit_test(test_two_ranks_copy_nothing),
        cmocka_unit_test(test_large_plans),
        cmocka_unit_test(test_registry),
        cmocka_unit_test(test_dump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
