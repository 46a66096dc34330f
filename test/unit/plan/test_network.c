/* test_network.c - routes: that the links of all ways between nodes fit together into switches which have the ports
 * that they should have, that ways are as short as they can be, and how many share a link. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/network.h"

/* Where links end: end 2k + 1 of link k and end 2j of the next one on a way are one switch, and so are a node's switch
 * and both ends of what begins or ends there. */
struct graph {
    const struct tf_network *network;
    int32_t nodes;
    int64_t links;
    int64_t *parent; /* [2 * links + nodes] */
};

static int64_t find(struct graph *g, int64_t a)
{
    while (g->parent[a] != a)
        a = g->parent[a] = g->parent[g->parent[a]];
    return a;
}

static void join(struct graph *g, int64_t a, int64_t b)
{
    g->parent[find(g, a)] = find(g, b);
}

static struct graph join_all_ways(const struct tf_network *network, int32_t nodes)
{
    struct graph g = {network, nodes, tf_network_links(network, nodes), NULL};

    assert_int_equal(tf_network_check(network, nodes), MPI_SUCCESS);
    g.parent = malloc((size_t)(2 * g.links + nodes) * sizeof *g.parent);
    for (int64_t i = 0; i < 2 * g.links + nodes; i++)
        g.parent[i] = i;
    for (int32_t from = 0; from < nodes; from++)
        for (int32_t to = 0; to < nodes; to++) {
            int64_t at = 2 * g.links + from, link;
            for (int32_t k = 0; (link = tf_network_link(network, nodes, from, to, k)) >= 0; k++) {
                assert_true(link < g.links);
                join(&g, at, 2 * link);
                at = 2 * link + 1;
            }
            join(&g, at, 2 * g.links + to);
        }
    return g;
}

/* All switches that nodes hang at or links meet in; no more links leave one, nodes included, than it has ports. */
static int64_t count_switches(struct graph *g, int32_t ports)
{
    int64_t ends = 2 * g->links + g->nodes, switches = 0;
    int32_t *out = calloc((size_t)ends, sizeof *out), *in = calloc((size_t)ends, sizeof *in);

    for (int64_t link = 0; link < g->links; link++) {
        if (find(g, 2 * link) == 2 * link && find(g, 2 * link + 1) == 2 * link + 1)
            continue; /* no way uses it */
        out[find(g, 2 * link)]++;
        in[find(g, 2 * link + 1)]++;
    }
    for (int32_t node = 0; node < g->nodes; node++) {
        out[find(g, 2 * g->links + node)]++;
        in[find(g, 2 * g->links + node)]++;
    }
    for (int64_t i = 0; i < ends; i++) {
        assert_true(out[i] <= ports && in[i] <= ports);
        switches += out[i] > 0 || in[i] > 0;
    }
    free(out);
    free(in);
    return switches;
}

static void check_switches(const struct tf_network *network, int32_t ports, int64_t switches)
{
    int32_t nodes = (int32_t)tf_network_room(network);
    struct graph g = join_all_ways(network, nodes);

    assert_int_equal(count_switches(&g, ports), switches);
    free(g.parent);
}

static void test_fat_tree(void **state)
{
    (void)state;
    const struct tf_network two = {.topology = TF_FAT_TREE, .levels = 2, .ports = 8, .taper = 1};
    const struct tf_network three = {.topology = TF_FAT_TREE, .levels = 3, .ports = 4, .taper = 1};
    const struct tf_network tapered = {.topology = TF_FAT_TREE, .levels = 2, .ports = 6, .taper = 2};
    const struct tf_network one = {.topology = TF_FAT_TREE, .levels = 1, .ports = 6, .taper = 1};

    assert_int_equal(tf_network_room(&two), 32);
    check_switches(&two, 8, 8 + 4);
    assert_int_equal(tf_network_room(&three), 16);
    check_switches(&three, 4, 8 + 8 + 4);
    assert_int_equal(tf_network_room(&tapered), 24); /* 4 ports of 6 to nodes, 6 switches below 2 */
    check_switches(&tapered, 6, 6 + 2);
    check_switches(&one, 6, 1);
    assert_int_equal(tf_network_hops(&three, 16, 0, 1), 0);
    assert_int_equal(tf_network_hops(&three, 16, 0, 3), 2);
    assert_int_equal(tf_network_hops(&three, 16, 0, 4), 4);
    assert_int_equal(
        tf_network_room(&(struct tf_network){.topology = TF_FAT_TREE, .levels = 3, .ports = 40, .taper = 1}), 16000);
}

static void test_dragonfly(void **state)
{
    (void)state;
    const struct tf_network full = {.topology = TF_DRAGONFLY, .groups = 9, .routers = 4, .hosts = 2, .global = 2};
    const struct tf_network several = {.topology = TF_DRAGONFLY, .groups = 4, .routers = 3, .hosts = 2, .global = 2};

    check_switches(&full, 2 + 3 + 2, 9 * 4);
    check_switches(&several, 2 + 2 + 2, 4 * 3);
    for (int32_t to = 0; to < 72; to++)
        assert_in_range(tf_network_hops(&full, 72, 0, to), to < 2 ? 0 : 1, to < 8 ? 1 : 3);
}

/* The distance in each ring is the shorter way round. */
static void test_torus(void **state)
{
    (void)state;
    const struct tf_network torus = {.topology = TF_TORUS, .ndims = 3, .dims = {4, 3, 2}};

    check_switches(&torus, 1 + 2 * 3, 24);
    for (int32_t from = 0; from < 24; from++)
        for (int32_t to = 0; to < 24; to++) {
            int32_t x = abs(from % 4 - to % 4), y = abs(from / 4 % 3 - to / 4 % 3), z = from / 12 != to / 12;
            assert_int_equal(tf_network_hops(&torus, 24, from, to), (x > 2 ? 4 - x : x) + (y > 1 ? 1 : y) + z);
        }
}

/* The most that any link carries if each node sends `shift` further on, by going through all ways. */
static int32_t most_on_a_link(const struct tf_network *n, int32_t nodes, int32_t shift)
{
    int32_t *load = calloc((size_t)tf_network_links(n, nodes) + 1, sizeof *load), most = 1;

    for (int32_t from = 0; from < nodes; from++) {
        int64_t link;
        for (int32_t k = 0; (link = tf_network_link(n, nodes, from, (from + shift) % nodes, k)) >= 0; k++)
            most = ++load[link] > most ? load[link] : most;
    }
    free(load);
    return most;
}

/* What is said of shifts is right within a factor of two, at the node in the middle. */
static void test_sharing(void **state)
{
    (void)state;
    static const struct tf_network networks[] = {
        {.topology = TF_FAT_TREE, .levels = 3, .ports = 8, .taper = 1},
        {.topology = TF_FAT_TREE, .levels = 3, .ports = 8, .taper = 3},
        {.topology = TF_DRAGONFLY, .groups = 9, .routers = 4, .hosts = 2, .global = 2},
        {.topology = TF_TORUS, .ndims = 2, .dims = {8, 8}},
    };

    for (size_t i = 0; i < TF_ARRAY_LEN(networks); i++) {
        const struct tf_network *n = &networks[i];
        int32_t nodes = (int32_t)tf_network_room(n);
        for (int32_t shift = 1; shift < nodes / 2; shift *= 2) {
            double said = tf_network_sharing(n, nodes, nodes / 2, (nodes / 2 + shift) % nodes);
            double most = most_on_a_link(n, nodes, shift);
            assert_true(said <= 2 * most && most <= 2 * said);
        }
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct tf_network wrong[] = {
        {.topology = TF_FAT_TREE},  {.topology = TF_FAT_TREE, .levels = 2, .ports = 40, .taper = 1}, /* room for 800 */
        {.topology = TF_DRAGONFLY}, {.topology = TF_DRAGONFLY, .groups = 100, .routers = 4, .hosts = 4, .global = 4},
        {.topology = TF_TORUS},     {.topology = TF_TORUS, .ndims = 1, .dims = {900}},
    };

    for (size_t i = 0; i < TF_ARRAY_LEN(wrong); i++) {
        assert_int_equal(tf_network_check(&wrong[i], 1000), MPI_ERR_ARG);
        assert_non_null(tf_error_text(MPI_ERR_ARG));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fat_tree), cmocka_unit_test(test_dragonfly), cmocka_unit_test(test_torus),
        cmocka_unit_test(test_sharing),  cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
