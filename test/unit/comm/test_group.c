/* test_group.c - groups against the obvious, quadratic answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "comm/group.h"

enum { WORLD = 5000 };

static uint32_t seed = 12345;

static int random_below(int n)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 8) % (uint32_t)n);
}

static int *pick(int *n, int limit)
{
    static int order[WORLD];
    for (int i = 0; i < limit; i++)
        order[i] = i;
    *n = random_below(limit + 1);
    for (int i = 0; i < *n; i++) {
        int j = i + random_below(limit - i), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    int *ranks = malloc(((size_t)*n + 1) * sizeof *ranks);
    memcpy(ranks, order, (size_t)*n * sizeof *ranks);
    return ranks;
}

static struct tf_group *random_group(int limit)
{
    int n;
    int *world = pick(&n, limit);
    struct tf_group *group = tf_group_create_object(n, world);
    assert_non_null(group);
    return group;
}

static bool naive_in(const struct tf_group *group, int world_rank)
{
    for (int r = 0; r < group->size; r++) {
        if (group->processes[r] == world_rank)
            return true;
    }
    return false;
}

static void is(MPI_Group handle, const int *world, int n)
{
    struct tf_group *group = tf_group_find(handle);
    int rank = MPI_UNDEFINED;
    assert_non_null(group);
    assert_int_equal(group->size, n);
    if (n > 0)
        assert_memory_equal(group->processes, world, (size_t)n * sizeof *world);
    else
        assert_ptr_equal(handle, MPI_GROUP_EMPTY);
    for (int r = 0; r < n; r++) {
        if (world[r] == tf_job.rank)
            rank = r;
    }
    assert_int_equal(group->rank, rank);
    assert_int_equal(tf_group_free(group), MPI_SUCCESS);
    if (n > 0)
        assert_null(tf_group_find(handle));
}

static void check_sets(int limit)
{
    struct tf_group *a = random_group(limit), *b = random_group(limit);
    int *expected = malloc((size_t)(a->size + b->size + 1) * sizeof *expected);
    MPI_Group result;
    int n = 0;
    for (int r = 0; r < a->size; r++)
        expected[n++] = a->processes[r];
    for (int r = 0; r < b->size; r++) {
        if (!naive_in(a, b->processes[r]))
            expected[n++] = b->processes[r];
    }
    assert_int_equal(tf_group_union(a, b, &result), MPI_SUCCESS);
    is(result, expected, n);
    for (int in = 0; in < 2; in++) {
        n = 0;
        for (int r = 0; r < a->size; r++) {
            if (naive_in(b, a->processes[r]) == in)
                expected[n++] = a->processes[r];
        }
        assert_int_equal((in ? tf_group_intersection : tf_group_difference)(a, b, &result), MPI_SUCCESS);
        is(result, expected, n);
    }
    free(expected);
    tf_group_release(a);
    tf_group_release(b);
}

static void sets(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++)
        check_sets(1 + i % 20);
    check_sets(WORLD);
    assert_int_equal(tf_group_pool.live, 0);
}

static void translate(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        struct tf_group *a = random_group(1 + i % 30), *b = random_group(1 + i % 30);
        int ranks1[40], ranks2[40];
        for (int r = 0; r < a->size; r++)
            ranks1[r] = a->size - 1 - r;
        ranks1[a->size] = MPI_PROC_NULL;
        assert_int_equal(tf_group_translate_ranks(a, a->size + 1, ranks1, b, ranks2), MPI_SUCCESS);
        for (int r = 0; r < a->size; r++) {
            int w = a->processes[ranks1[r]];
            if (naive_in(b, w))
                assert_int_equal(b->processes[ranks2[r]], w);
            else
                assert_int_equal(ranks2[r], MPI_UNDEFINED);
        }
        assert_int_equal(ranks2[a->size], MPI_PROC_NULL);
        ranks1[0] = a->size;
        assert_int_equal(tf_group_translate_ranks(a, 1, ranks1, b, ranks2), MPI_ERR_RANK);
        tf_group_release(a);
        tf_group_release(b);
    }
}

static int compared(const struct tf_group *a, const struct tf_group *b)
{
    int result = -1;
    assert_int_equal(tf_group_compare(a, b, &result), MPI_SUCCESS);
    return result;
}

static struct tf_group *group_of(int n, const int *ranks)
{
    int *world = malloc(((size_t)n + 1) * sizeof *world);
    memcpy(world, ranks, (size_t)n * sizeof *world);
    return tf_group_create_object(n, world);
}

static void compare(void **state)
{
    struct tf_group *a = group_of(3, (int[]){4, 2, 9}), *same = group_of(3, (int[]){4, 2, 9});
    struct tf_group *similar = group_of(3, (int[]){9, 4, 2}), *other = group_of(3, (int[]){9, 4, 3});
    (void)state;
    assert_int_equal(compared(a, a), MPI_IDENT);
    assert_int_equal(compared(a, same), MPI_IDENT);
    assert_int_equal(compared(a, similar), MPI_SIMILAR);
    assert_int_equal(compared(a, other), MPI_UNEQUAL);
    assert_int_equal(compared(a, &tf_group_empty), MPI_UNEQUAL);
    assert_int_equal(compared(&tf_group_empty, &tf_group_empty), MPI_IDENT);
    tf_group_release(a);
    tf_group_release(same);
    tf_group_release(similar);
    tf_group_release(other);
}

static void incl_and_excl(void **state)
{
    struct tf_group *g = group_of(6, (int[]){10, 11, 12, 13, 14, 15});
    MPI_Group result = MPI_GROUP_NULL;
    (void)state;
    assert_int_equal(tf_group_incl(g, 3, (int[]){5, 0, 3}, &result), MPI_SUCCESS);
    is(result, (int[]){15, 10, 13}, 3);
    assert_int_equal(tf_group_excl(g, 3, (int[]){5, 0, 3}, &result), MPI_SUCCESS);
    is(result, (int[]){11, 12, 14}, 3);
    assert_int_equal(tf_group_incl(g, 0, NULL, &result), MPI_SUCCESS);
    is(result, NULL, 0);
    assert_int_equal(tf_group_excl(g, 0, NULL, &result), MPI_SUCCESS);
    is(result, (int[]){10, 11, 12, 13, 14, 15}, 6);
    assert_int_equal(tf_group_range_incl(g, 2, (int[][3]){{4, 0, -2}, {1, 5, 3}}, &result), MPI_ERR_RANK);
    assert_int_equal(tf_group_range_incl(g, 2, (int[][3]){{4, 1, -2}, {1, 5, 4}}, &result), MPI_SUCCESS);
    is(result, (int[]){14, 12, 11, 15}, 4);
    assert_int_equal(tf_group_range_excl(g, 1, (int[][3]){{0, 4, 2}}, &result), MPI_SUCCESS);
    is(result, (int[]){11, 13, 15}, 3);
    assert_int_equal(tf_group_range_excl(g, 0, NULL, &result), MPI_SUCCESS);
    is(result, (int[]){10, 11, 12, 13, 14, 15}, 6);
    tf_group_release(g);
}

static void errors_in_words(void **state)
{
    struct tf_group *g = group_of(4, (int[]){0, 1, 2, 3});
    MPI_Group result = MPI_GROUP_NULL;
    (void)state;
    assert_int_equal(tf_group_incl(g, 2, (int[]){1, 4}, &result), MPI_ERR_RANK);
    assert_string_equal(tf_error_text(MPI_ERR_RANK), "ranks[1] is 4; the ranks of the group are 0 to 3");
    assert_int_equal(tf_group_excl(g, 2, (int[]){1, 1}, &result), MPI_ERR_RANK);
    assert_string_equal(tf_error_text(MPI_ERR_RANK),
                        "ranks[1] gives rank 1, which is named before; each may occur once");
    assert_int_equal(tf_group_range_incl(g, 1, (int[][3]){{0, 3, 0}}, &result), MPI_ERR_ARG);
    assert_int_equal(tf_group_range_incl(g, 1, (int[][3]){{0, 3, -1}}, &result), MPI_ERR_ARG);
    assert_int_equal(tf_group_range_incl(g, 1, (int[][3]){{2, 2147483647, 2147483647}}, &result), MPI_SUCCESS);
    is(result, (int[]){2}, 1);
    assert_int_equal(tf_group_range_excl(g, 1, (int[][3]){{2, 8, 2}}, &result), MPI_ERR_RANK);
    assert_int_equal(tf_group_incl(g, -1, NULL, &result), MPI_ERR_ARG);
    tf_group_release(g);
    assert_int_equal(tf_group_pool.live, 0);
}

static void handles_are_counted(void **state)
{
    struct tf_group *g = group_of(1, (int[]){7}); /* as a communicator holds it */
    (void)state;
    MPI_Group one = tf_group_share(g), two = tf_group_share(g);
    assert_ptr_equal(one, two);
    assert_int_equal(tf_group_free(tf_group_find(one)), MPI_SUCCESS);
    assert_ptr_equal(tf_group_find(two), g);
    assert_int_equal(tf_group_free(tf_group_find(two)), MPI_SUCCESS);
    assert_null(tf_group_find(two));
    assert_int_equal(g->processes[0], 7);
    MPI_Group three = tf_group_share(g);
    assert_ptr_equal(tf_group_find(three), g);
    tf_group_release(g);
    assert_ptr_equal(tf_group_find(three), g);
    assert_int_equal(tf_group_free(tf_group_find(three)), MPI_SUCCESS);
    assert_int_equal(tf_group_pool.live, 0);
    assert_int_equal(tf_group_free(&tf_group_empty), MPI_SUCCESS);
    assert_ptr_equal(tf_group_find(MPI_GROUP_EMPTY), &tf_group_empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets),          cmocka_unit_test(translate),       cmocka_unit_test(compare),
        cmocka_unit_test(incl_and_excl), cmocka_unit_test(errors_in_words), cmocka_unit_test(handles_are_counted),
    };
    tf_job.size = WORLD;
    tf_job.rank = 3;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
