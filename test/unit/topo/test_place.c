/* test_place.c - who takes which place: always a permutation, never more edges between nodes than in rank order, fewer
 * where that is known to be possible. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topo/place.h"

enum { MOST = 1000 };

static uint32_t seed = 1;

static int random_below(int n)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 8) % (uint32_t)n);
}

static void check_permutation(int n, const int *ranks)
{
    bool seen[MOST] = {false};
    for (int i = 0; i < n; i++) {
        assert_in_range(ranks[i], 0, n - 1);
        assert_false(seen[ranks[i]]);
        seen[ranks[i]] = true;
    }
}

static int64_t cut(const struct tf_grid *grid, const int32_t *labels, const int *ranks)
{
    int32_t label[MOST];
    for (int i = 0; i < tf_grid_size(grid); i++)
        label[i] = labels[ranks ? ranks[i] : i];
    return tf_place_grid_cut(grid, label);
}

/* Places the grid; returns the edges between objects of the outermost level, and what rank order has. */
static int64_t place(const struct tf_grid *grid, int nlevels, const int32_t *labels, int64_t *before)
{
    int ranks[MOST], again[MOST], n = tf_grid_size(grid);
    assert_int_equal(tf_place_grid(grid, nlevels, labels, ranks), MPI_SUCCESS);
    assert_int_equal(tf_place_grid(grid, nlevels, labels, again), MPI_SUCCESS);
    assert_memory_equal(ranks, again, (size_t)n * sizeof *ranks);
    check_permutation(n, ranks);
    *before = cut(grid, labels, NULL);
    int64_t after = cut(grid, labels, ranks);
    assert_true(after <= *before);
    return after;
}

static void nodes_of(int n, int each, int32_t *labels)
{
    for (int r = 0; r < n; r++)
        labels[r] = r / each;
}

static void known_grids(void **state)
{
    int32_t labels[MOST];
    int64_t before;
    (void)state;
    struct tf_grid square = {2, (int[]){4, 4}, (int[]){0, 0}}, torus = {2, (int[]){4, 4}, (int[]){1, 1}};
    nodes_of(16, 4, labels);
    assert_int_equal(place(&square, 1, labels, &before), 8); /* 2 x 2 blocks */
    assert_int_equal(before, 12);
    assert_int_equal(place(&torus, 1, labels, &before), 16);
    assert_int_equal(before, 16); /* rows that are rings: nothing is better */
    struct tf_grid cube = {3, (int[]){8, 8, 8}, (int[]){0, 0, 0}};
    nodes_of(512, 64, labels);
    assert_int_equal(place(&cube, 1, labels, &before), 3 * 64); /* 4 x 4 x 4 blocks */
    assert_int_equal(before, 7 * 64);
    struct tf_grid tall = {2, (int[]){12, 2}, (int[]){0, 0}};
    for (int r = 0; r < 24; r++)
        labels[r] = r % 4;                                 /* round robin */
    assert_int_equal(place(&tall, 1, labels, &before), 6); /* 3 x 2 blocks */
}

/* A torus of extent 2 has two edges between the two, one of extent 1 has none. */
static void short_rings(void **state)
{
    struct tf_grid two = {1, (int[]){2}, (int[]){1}}, one = {2, (int[]){1, 2}, (int[]){1, 0}};
    const int32_t apart[2] = {0, 1};
    (void)state;
    assert_int_equal(tf_place_grid_cut(&two, apart), 2);
    assert_int_equal(tf_place_grid_cut(&one, apart), 1);
}

static void levels_within_nodes(void **state)
{
    struct tf_grid grid = {2, (int[]){4, 8}, (int[]){0, 0}};
    int32_t labels[2 * 32], within[32];
    int ranks[32];
    int64_t before;
    (void)state;
    for (int r = 0; r < 32; r++) { /* 2 nodes of 4 packages of 4 */
        labels[r] = r / 16;
        labels[32 + r] = r / 4;
    }
    assert_int_equal(place(&grid, 2, labels, &before), 4);
    assert_int_equal(tf_place_grid(&grid, 2, labels, ranks), MPI_SUCCESS);
    for (int i = 0; i < 32; i++)
        within[i] = labels[32 + ranks[i]];
    assert_int_equal(tf_place_grid_cut(&grid, within), 4 + 2 * 8); /* 2 x 2 blocks everywhere */
}

static void random_grids(void **state)
{
    (void)state;
    for (int k = 0; k < 400; k++) {
        int dims[4], periods[4], nodes = 1 + random_below(9);
        int32_t labels[3 * MOST];
        struct tf_grid grid = {1 + random_below(4), dims, periods};
        int64_t before;
        for (int d = 0; d < grid.ndims; d++) {
            dims[d] = 1 + random_below(5);
            periods[d] = random_below(2);
        }
        int n = tf_grid_size(&grid), kind = random_below(3);
        for (int r = 0; r < n; r++) {
            labels[r] = kind == 0 ? r * nodes / n : kind == 1 ? r % nodes : random_below(nodes);
            labels[n + r] = labels[r] * 3 + random_below(3);
            labels[2 * n + r] = random_below(n);
        }
        place(&grid, 1 + random_below(3), labels, &before);
    }
}

static void no_dimensions(void **state)
{
    struct tf_grid grid = {0, NULL, NULL}, ones = {40, (int[40]){0}, (int[40]){0}};
    const int32_t label = 0;
    int rank = -1;
    (void)state;
    assert_int_equal(tf_place_grid(&grid, 1, &label, &rank), MPI_SUCCESS);
    assert_int_equal(rank, 0);
    for (int d = 0; d < 40; d++)
        ones.dims[d] = 1;
    assert_int_equal(tf_place_grid(&ones, 1, &label, &rank), MPI_SUCCESS);
    assert_int_equal(rank, 0);
}

/* ---- graphs ---- */

static int64_t place_graph(int n, int64_t narcs, const struct tf_arc *arcs, const int32_t *labels, int64_t *before)
{
    int ranks[MOST], order[MOST];
    for (int r = 0; r < n; r++)
        order[r] = r;
    *before = tf_place_graph_cut(narcs, arcs, labels, order);
    assert_int_equal(tf_place_graph(n, narcs, arcs, labels, ranks), MPI_SUCCESS);
    check_permutation(n, ranks);
    int64_t after = tf_place_graph_cut(narcs, arcs, labels, ranks);
    assert_true(after <= *before);
    if (after == *before)
        assert_memory_equal(ranks, order, (size_t)n * sizeof *ranks);
    return after;
}

static void known_graphs(void **state)
{
    struct tf_arc pairs[6], heavy[4] = {{0, 2, 9}, {1, 3, 9}, {0, 1, 1}, {2, 3, 1}};
    int32_t labels[6];
    int64_t before;
    (void)state;
    for (int i = 0; i < 3; i++) { /* i and i + 3 are neighbours */
        pairs[2 * i] = (struct tf_arc){i, i + 3, 1};
        pairs[2 * i + 1] = (struct tf_arc){i + 3, i, 1};
    }
    nodes_of(6, 2, labels);
    assert_int_equal(place_graph(6, 6, pairs, labels, &before), 0);
    assert_int_equal(before, 6);
    assert_int_equal(place_graph(4, 4, heavy, labels, &before), 2); /* weights count */
    assert_int_equal(before, 18);
    assert_int_equal(place_graph(3, 0, NULL, labels, &before), 0);
}

static void random_graphs(void **state)
{
    (void)state;
    for (int k = 0; k < 400; k++) {
        int n = 1 + random_below(60), nodes = 1 + random_below(n), narcs = random_below(300);
        struct tf_arc arcs[300];
        int32_t labels[60];
        int64_t before;
        for (int i = 0; i < narcs; i++)
            arcs[i] = (struct tf_arc){random_below(n), random_below(n), random_below(5)};
        nodes_of(n, (n + nodes - 1) / nodes, labels);
        place_graph(n, narcs, arcs, labels, &before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_grids),   cmocka_unit_test(short_rings),   cmocka_unit_test(levels_within_nodes),
        cmocka_unit_test(random_grids),  cmocka_unit_test(no_dimensions), cmocka_unit_test(known_graphs),
        cmocka_unit_test(random_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
