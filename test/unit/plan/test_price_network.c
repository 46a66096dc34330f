/* test_price_network.c - prices in networks: against times worked out by hand, and of one node's ranks that stand for
 * all against those of all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "algo/algo.h"
#include "plan/contract.h"
#include "plan/price.h"

/* Powers of two, so that sums are exact. */
static const struct tf_price_model model = {
    .latency = 16,
    .overhead = 2,
    .gap = 4,
    .gap_per_byte = 1,
    .chunk = 1 << 20,
    .local_latency = 8,
    .local_overhead = 1,
    .local_gap = 2,
    .local_gap_per_byte = 0.5,
    .nics = 1,
    .hop_latency = 32,
    .link_gap_per_byte = 1,
};

enum { MOST = 4096 };

/* Prices a call on ranks of which `each` share a node. */
static int price(const struct tf_network *network, int each, const char *name, enum tf_coll coll, int size,
                 MPI_Count bytes, const struct tf_price_model *base, bool sample, struct tf_price_result *result)
{
    static int32_t domain[MOST];
    struct tf_price_model m = *base;
    struct tf_price_data data = {coll, bytes, 1};
    struct tf_contract call = {.coll = coll, .size = size, .commutes = true, .elementwise = true};

    for (int rank = 0; rank < size; rank++)
        domain[rank] = rank / each;
    m.domain = domain;
    m.network = network;
    m.sample = sample ? each : 0;
    struct tf_price *p = tf_price_create(&m, &data, size, false);
    int first = tf_price_first(p), count = sample ? each : size, error = MPI_SUCCESS;
    for (int rank = first; rank < first + count && !error; rank++) {
        struct tf_shape shape = tf_contract_shape(&call, rank, 0);
        struct tf_plan *plan = tf_plan_create();
        tf_algo_find(coll, name)->generate(plan, &shape);
        error = tf_price_add(p, plan);
        tf_plan_destroy(plan);
    }
    if (!error)
        error = tf_price_run(p, result);
    tf_price_destroy(p);
    return error;
}

static double time_of(const struct tf_network *network, int each, const char *name, enum tf_coll coll, int size,
                      MPI_Count bytes, const struct tf_price_model *base)
{
    struct tf_price_result result;
    assert_int_equal(price(network, each, name, coll, size, bytes, base, false, &result), MPI_SUCCESS);
    return result.last;
}

static const struct tf_network crossbar = {.topology = TF_CROSSBAR};

static void test_one_message(void **state)
{
    (void)state;
    const struct tf_network ring = {.topology = TF_TORUS, .ndims = 1, .dims = {2}};

    /* o, L and a hop, 32 further bytes, o; one more switch in a ring of two; within a node without either */
    assert_true(time_of(&crossbar, 1, "linear", TF_BCAST, 2, 33, &model) == 2 + 16 + 32 + 32 + 2);
    assert_true(time_of(&ring, 1, "linear", TF_BCAST, 2, 33, &model) == 2 + 16 + 32 + 32 + 32 + 2);
    assert_true(time_of(&crossbar, 2, "linear", TF_BCAST, 2, 33, &model) == 1 + 8 + 16 + 1);
}

/* Two ranks of a node gather 33 bytes each at a third on another node: they share the port out and the port in. */
static void test_shared_port(void **state)
{
    (void)state;
    struct tf_price_model two = model;
    struct tf_price_result r;

    two.nics = 2;
    assert_int_equal(price(&crossbar, 2, "linear", TF_GATHER, 4, 33, &two, false, &r), MPI_SUCCESS);
    assert_true(r.nic.busy == 2 * (32 + 4)); /* the root's own port takes both */
    assert_int_equal(price(&crossbar, 2, "linear", TF_BCAST, 4, 33, &model, false, &r), MPI_SUCCESS);
    assert_true(r.nic.busy == 2 * (32 + 4));
    assert_int_equal(r.nic.which, 0);
}

/* On a line of three nodes both neighbours of node 2 send by the link from 1 to 2. */
static void test_shared_link(void **state)
{
    (void)state;
    const struct tf_network ring = {.topology = TF_TORUS, .ndims = 1, .dims = {5}};
    struct tf_price_model slow = model;
    struct tf_price_result r;

    slow.link_gap_per_byte = 2;
    assert_int_equal(price(&ring, 1, "linear", TF_GATHER, 3, 64, &slow, false, &r), MPI_SUCCESS);
    assert_true(r.link.busy == 2 * 64 * 2); /* from 1 to 0 goes what 1 and 2 send */
    char text[128];
    assert_string_equal(tf_network_name(&ring, 3, r.link.which, text, sizeof text),
                        "the link of node 1 back in dimension 0");
}

/* The messages of a node take turns on its bus. */
static void test_bus(void **state)
{
    (void)state;
    struct tf_price_model slow = model;
    struct tf_price_result r;

    slow.bus_per_byte = 0.25;
    assert_int_equal(price(&crossbar, 4, "recursive_doubling", TF_ALLREDUCE, 4, 64, &slow, false, &r), MPI_SUCCESS);
    assert_true(r.bus.busy == 8 * 64 * 0.25);
    assert_true(r.nic.busy == 0 && r.link.busy == 0);
}

/* Without hops and with a node for each rank it is the model without a network. */
static void test_no_network(void **state)
{
    (void)state;
    static const char *const names[] = {"recursive_doubling", "ring", "rabenseifner", "linear"};
    struct tf_price_model flat = model;

    flat.hop_latency = 0;
    for (size_t i = 0; i < TF_ARRAY_LEN(names); i++)
        assert_true(time_of(&crossbar, 1, names[i], TF_ALLREDUCE, 13, 1000, &flat) ==
                    time_of(NULL, 1, names[i], TF_ALLREDUCE, 13, 1000, &flat));
}

/* Tapering cannot make anything faster, and what leaves no switch does not see it. */
static void test_taper(void **state)
{
    (void)state;
    struct tf_network tree = {.topology = TF_FAT_TREE, .levels = 2, .ports = 8, .taper = 1}, tapered = tree;
    tapered.taper = 3;
    for (int size = 4; size <= 16; size *= 2)
        for (MPI_Count bytes = 8; bytes <= 8192; bytes *= 32) {
            double full = time_of(&tree, 1, "pairwise", TF_ALLTOALL, size, bytes, &model);
            double less = time_of(&tapered, 1, "pairwise", TF_ALLTOALL, size, bytes, &model);
            assert_true(size <= 4 ? less == full : less >= full * 0.999);
        }
}

static void compare_sample(const struct tf_network *network, enum tf_coll coll, const char *name, int size,
                           MPI_Count bytes, double bound)
{
    struct tf_price_result all, sample;

    assert_int_equal(price(network, 4, name, coll, size, bytes, &model, false, &all), MPI_SUCCESS);
    assert_int_equal(price(network, 4, name, coll, size, bytes, &model, true, &sample), MPI_SUCCESS);
    if (sample.last > bound * all.last || all.last > bound * sample.last)
        fail_msg("%s/%s on %d ranks, %s, %lld bytes: %g instead of %g", tf_coll_name(coll), name, size,
                 tf_network_topology(network->topology), (long long)bytes, sample.last, all.last);
    assert_int_equal(sample.rounds, all.rounds);
    assert_int_equal(sample.sent.total, all.sent.total);
}

/* How far the price of a sample is from that of all ranks: a tenth where nodes share nothing, a quarter in a fat tree,
 * a factor of 2 in a torus and of 2.5 in a dragonfly, where not all nodes of a group send to the same other group. */
static void test_sample(void **state)
{
    (void)state;
    static const struct {
        enum tf_coll coll;
        const char *name;
        MPI_Count bytes;
    } algos[] = {{TF_ALLREDUCE, "ring", 1 << 15},
                 {TF_ALLREDUCE, "recursive_doubling", 8},
                 {TF_ALLREDUCE, "recursive_doubling", 1 << 15},
                 {TF_ALLREDUCE, "rabenseifner", 1 << 15},
                 {TF_ALLREDUCE, "flat", 8},
                 {TF_ALLREDUCE, "slices", 1 << 15},
                 {TF_ALLTOALL, "pairwise", 8},
                 {TF_ALLTOALL, "pairwise", 1 << 15},
                 {TF_ALLTOALL, "bruck", 8},
                 {TF_ALLGATHER, "ring", 1 << 15},
                 {TF_ALLGATHER, "bruck", 8},
                 {TF_BARRIER, "dissemination", 0},
                 {TF_REDUCE_SCATTER, "pairwise", 1 << 15}};
    static const struct {
        struct tf_network network;
        double bound;
    } networks[] = {
        {{.topology = TF_CROSSBAR}, 1.1},
        {{.topology = TF_FAT_TREE, .levels = 3, .ports = 8, .taper = 1}, 1.25},
        {{.topology = TF_FAT_TREE, .levels = 3, .ports = 8, .taper = 3}, 1.25},
        {{.topology = TF_DRAGONFLY, .groups = 4, .routers = 4, .hosts = 2, .global = 2}, 2.5},
        {{.topology = TF_TORUS, .ndims = 3, .dims = {4, 4, 2}}, 2},
    };

    for (size_t n = 0; n < TF_ARRAY_LEN(networks); n++)
        for (size_t i = 0; i < TF_ARRAY_LEN(algos); i++)
            compare_sample(&networks[n].network, algos[i].coll, algos[i].name, 128, algos[i].bytes, networks[n].bound);
    compare_sample(&networks[0].network, TF_ALLREDUCE, "recursive_doubling", MOST, 64, 1.1);
    compare_sample(&networks[0].network, TF_BARRIER, "dissemination", MOST, 0, 1.1);
    compare_sample(&networks[0].network, TF_ALLREDUCE, "ring", 1024, 1 << 15, 1.1);
}

/* Ranks that do not all do the same are not taken for such. */
static void test_no_sample(void **state)
{
    (void)state;
    struct tf_price_result result;

    assert_int_equal(price(&crossbar, 4, "linear", TF_SCAN, 64, 8, &model, true, &result), MPI_ERR_INTERN);
    assert_int_equal(price(&crossbar, 4, "binomial", TF_GATHER, 64, 8, &model, true, &result), MPI_ERR_INTERN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_message), cmocka_unit_test(test_shared_port), cmocka_unit_test(test_shared_link),
        cmocka_unit_test(test_bus),         cmocka_unit_test(test_no_network),  cmocka_unit_test(test_taper),
        cmocka_unit_test(test_sample),      cmocka_unit_test(test_no_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
