/* test_price.c - the pricing against times worked out by hand; its order of events; and the dependencies it finds by
 * runs of blocks against those that the builder finds by blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "algo/algo.h"
#include "plan/contract.h"
#include "plan/depend.h"
#include "plan/draw.h"
#include "plan/price.h"
#include "plan/queue.h"

/* Powers of two, so that sums are exact: L 16, o 2, g 4, G 1, r 2, c 1/2, chunks of 64 bytes. */
static const struct tf_price_model model = {16, 2, 4, 1, 2, 0.5, 64, NULL, 16, 2, 4, 1, NULL, 1, 0, 0, 0, 0};

static struct tf_plan *generate(const struct tf_algo *algo, struct tf_shape shape)
{
    struct tf_plan *plan = tf_plan_create();

    algo->generate(plan, &shape);
    assert_int_equal(plan->error, MPI_SUCCESS);
    return plan;
}

static struct tf_price_result price_plans(enum tf_coll coll, MPI_Count bytes, struct tf_plan **plans, int size)
{
    struct tf_price_data data = {coll, bytes, 1};
    struct tf_price *price = tf_price_create(&model, &data, size, false);
    struct tf_price_result result;

    for (int rank = 0; rank < size; rank++) {
        assert_int_equal(tf_price_add(price, plans[rank]), MPI_SUCCESS);
        tf_plan_destroy(plans[rank]);
    }
    assert_int_equal(tf_price_run(price, &result), MPI_SUCCESS);
    tf_price_destroy(price);
    return result;
}

static struct tf_price_result price_algo(enum tf_coll coll, const char *name, int size, MPI_Count bytes)
{
    struct tf_plan **plans = calloc(size, sizeof *plans);

    for (int rank = 0; rank < size; rank++)
        plans[rank] = generate(tf_algo_find(coll, name), (struct tf_shape){.rank = rank, .size = size, .commutes = 1});
    struct tf_price_result result = price_plans(coll, bytes, plans, size);
    free(plans);
    return result;
}

static const struct tf_ref input = {TF_INPUT, 0, 1}, output = {TF_OUTPUT, 0, 1};

static void test_one_message(void **state)
{
    (void)state;
    struct tf_plan *plans[2] = {tf_plan_create(), tf_plan_create()};

    tf_plan_send(plans[0], 1, output);
    tf_plan_recv(plans[1], 0, output);
    struct tf_price_result r = price_plans(TF_BCAST, 33, plans, 2);
    assert_true(r.last == 2 + 16 + 32 + 2); /* o + L + (m-1)G + o */
    assert_true(r.first == 2 + 32);
    assert_int_equal(r.last_rank, 1);
    assert_int_equal(r.rounds, 1);
    assert_int_equal(r.sent.total, 33);
    assert_int_equal(r.received.rank, 1);
}

/* Within a domain a message has a latency and a bandwidth of its own. */
static void test_domains(void **state)
{
    (void)state;
    static const int32_t apart[] = {0, 1}, together[] = {1, 1};
    for (int near = 0; near <= 1; near++) {
        struct tf_price_model levels = model;
        struct tf_price_data data = {TF_BCAST, 11, 1};
        struct tf_price_result result;
        levels.domain = near ? together : apart;
        levels.local_latency = 4;
        levels.local_gap_per_byte = 0.5;
        struct tf_price *price = tf_price_create(&levels, &data, 2, false);
        for (int rank = 0; rank < 2; rank++) {
            struct tf_plan *plan =
                generate(tf_algo_find(TF_BCAST, "linear"), (struct tf_shape){.rank = rank, .size = 2});
            assert_int_equal(tf_price_add(price, plan), MPI_SUCCESS);
            tf_plan_destroy(plan);
        }
        assert_int_equal(tf_price_run(price, &result), MPI_SUCCESS);
        assert_true(result.last == (near ? 2 + 4 + 5 + 2 : 2 + 16 + 10 + 2));
        tf_price_destroy(price);
    }
}

/* The groups of a reduce_scatter cut the same vector, here of 12 bytes, into 2 and 3 blocks. */
static void test_between_groups(void **state)
{
    (void)state;
    struct tf_price_data data = {TF_INTER + TF_REDUCE_SCATTER, 12, 1};
    struct tf_contract call = {.coll = data.coll, .size = 5, .first = 2, .commutes = true};
    struct tf_price *price = tf_price_create(&model, &data, 5, false);
    struct tf_price_result result;
    for (int rank = 0; rank < 5; rank++) {
        struct tf_plan *plan = generate(tf_algo_find(data.coll, "tree"), tf_contract_shape(&call, rank, 0));
        assert_int_equal(tf_price_add(price, plan), MPI_SUCCESS);
        tf_plan_destroy(plan);
    }
    assert_int_equal(tf_price_run(price, &result), MPI_SUCCESS);
    assert_int_equal(result.sent.total, 12 * (1 + 2 + 2) + 6 + 2 * 4); /* up to the leaders, across, handed out */
    tf_price_destroy(price);
}

static void test_gap(void **state)
{
    (void)state;
    struct tf_plan *plans[3] = {tf_plan_create(), tf_plan_create(), tf_plan_create()};

    tf_plan_send(plans[0], 1, output);
    tf_plan_send(plans[0], 2, output);
    tf_plan_recv(plans[1], 0, output);
    tf_plan_recv(plans[2], 0, output);
    struct tf_price_result r = price_plans(TF_BCAST, 33, plans, 3);
    assert_true(r.last == 2 + 32 + 4 + 16 + 32 + 2); /* the second follows the first, g after it */
}

/* Two senders and one receiver, whose port takes one message after the other. */
static void test_port_in(void **state)
{
    (void)state;
    struct tf_price_result r = price_algo(TF_GATHER, "linear", 3, 33);

    assert_true(r.last == 2 + 16 + 32 + 4 + 32 + 2);
    assert_int_equal(r.rounds, 1);
    assert_int_equal(r.received.max, 66);
    assert_int_equal(r.received.rank, 0);
}

static void test_combine(void **state)
{
    (void)state;
    struct tf_price_result r = price_algo(TF_ALLREDUCE, "recursive_doubling", 8, 33);

    assert_true(r.last == 3 * (2 + 16 + 32 + 2 + 66));
    assert_true(r.first == r.last && r.mean == r.last);
    assert_int_equal(r.rounds, 3);
    assert_int_equal(r.combined.max, 99);
    assert_int_equal(r.messages.total, 24);
    assert_int_equal(r.scratch.total, 8 * 33);
}

static void test_signals(void **state)
{
    (void)state;
    struct tf_price_result r = price_algo(TF_BARRIER, "dissemination", 5, 0);

    assert_true(r.last == 3 * (2 + 16 + 2));
    assert_int_equal(r.rounds, 3);
    assert_int_equal(r.sent.total, 0);
}

/* What is independent in the plan runs at once, whatever the order in which it was emitted. */
static void test_out_of_order(void **state)
{
    (void)state;
    struct tf_plan *plans[2] = {tf_plan_create(), tf_plan_create()};

    tf_plan_recv(plans[0], 1, output);
    tf_plan_send(plans[0], 1, input);
    tf_plan_send(plans[1], 0, input);
    tf_plan_recv(plans[1], 0, output);
    struct tf_price_result r = price_plans(TF_ALLREDUCE, 1, plans, 2);
    assert_true(r.last == 2 + 16 + 2);
    assert_int_equal(r.rounds, 1);
}

/* A chain of three: the second message begins when the first chunk of the other is there. */
static void test_streaming(void **state)
{
    (void)state;
    for (int unstreamed = 0; unstreamed <= 1; unstreamed++) {
        struct tf_plan *plans[3] = {tf_plan_create(), tf_plan_create(), tf_plan_create()};
        double bytes = unstreamed ? 64 : 256, hop = 2 + 16 + (bytes - 1) + 2; /* a message of one chunk is not cut */
        tf_plan_send(plans[0], 1, output);
        tf_plan_recv(plans[1], 0, output);
        tf_plan_send(plans[1], 2, output);
        tf_plan_recv(plans[2], 1, output);
        struct tf_price_result r = price_plans(TF_BCAST, (MPI_Count)bytes, plans, 3);
        assert_int_equal(r.rounds, 2);
        assert_true(r.last == (unstreamed ? 2 * hop : 2 + 16 + 63 + 2 + hop));
    }
}

/* Long combinations overlap with the arrival; what is left after the last byte is a chunk's work. */
static void test_combine_in_chunks(void **state)
{
    (void)state;
    struct tf_plan *plans[2] = {tf_plan_create(), tf_plan_create()};

    tf_plan_send(plans[0], 1, input);
    tf_plan_recv_reduce(plans[1], 0, TF_LEFT, input, output);
    struct tf_price_result r = price_plans(TF_REDUCE, 256, plans, 2);
    assert_true(r.last == 2 + 16 + 63 + 2 + 2 * 256); /* from the first chunk on, as 2r exceeds G */
}

/* Blocks that are empty move nothing; a vector of 3 elements in 8 blocks. */
static void test_empty_blocks(void **state)
{
    (void)state;
    struct tf_price_result r = price_algo(TF_ALLREDUCE, "ring", 8, 3), none = price_algo(TF_ALLREDUCE, "ring", 8, 0);

    assert_int_equal(r.sent.total, 2 * 7 * 3);
    assert_int_equal(r.messages.total, 2 * 7 * 3);
    assert_true(r.last > 0);
    assert_true(none.last == 0);
    assert_int_equal(none.messages.total, 0);
}

static void test_mismatches(void **state)
{
    (void)state;
    struct tf_price_data data = {TF_ALLREDUCE, 1, 1};
    struct tf_price_result r;
    struct tf_plan *send = tf_plan_create(), *receive = tf_plan_create(), *nothing = tf_plan_create();

    tf_plan_send(send, 1, input);
    tf_plan_recv(receive, 1, output);
    struct tf_price *price = tf_price_create(&model, &data, 2, false);
    assert_int_equal(tf_price_add(price, send), MPI_SUCCESS);
    assert_int_equal(tf_price_add(price, nothing), MPI_SUCCESS);
    assert_int_equal(tf_price_run(price, &r), MPI_ERR_INTERN);
    assert_string_equal(tf_error_text(MPI_ERR_INTERN), "rank 0 sends message 0 to rank 1, which has no receive for it");
    tf_price_destroy(price);
    price = tf_price_create(&model, &data, 2, false);
    assert_int_equal(tf_price_add(price, receive), MPI_SUCCESS);
    assert_int_equal(tf_price_add(price, nothing), MPI_SUCCESS);
    assert_int_equal(tf_price_run(price, &r), MPI_ERR_INTERN);
    assert_string_equal(tf_error_text(MPI_ERR_INTERN), "rank 0 waits for ever at its step 0 (peer 1)");
    tf_price_destroy(price);
    tf_plan_destroy(send);
    tf_plan_destroy(receive);
    tf_plan_destroy(nothing);
}

/* The least that any plan can take, and the volume: all algorithms, awkward sizes. */
static void test_all_algorithms(void **state)
{
    (void)state;
    for (int i = 0; i < tf_algo_count; i++)
        for (int size = 1; size <= 17; size++) {
            if (tf_coll_is_inter(tf_algos[i].coll) || tf_coll_is_neighbor(tf_algos[i].coll) ||
                !tf_algo_fits(&tf_algos[i], size, true, true))
                continue;
            struct tf_price_result r = price_algo(tf_algos[i].coll, tf_algos[i].name, size, 1000);
            assert_int_equal(r.sent.total, r.received.total);
            assert_true(r.last >= r.rounds * (2 + 16 + 2.0));
            assert_true(r.mean <= r.last * (1 + 1e-9) && r.first <= r.mean * (1 + 1e-9));
            assert_true(size == 1 || r.rounds > 0);
        }
}

static void test_queue(void **state)
{
    (void)state;
    struct tf_queue queue = {0};
    double now = 0, time;
    uint32_t id, random = 1, taken = 0, put = 0, latest = 0;
    int32_t rank;

    while (put < 20000) {
        for (int i = 0; i < 3; i++) {
            random = random * 1664525 + 1013904223;
            assert_true(tf_queue_put(&queue, now + (random >> 24) * 0.125, put++, 7));
        }
        for (int i = 0; i < 2; i++, taken++) {
            assert_int_equal(tf_queue_take(&queue, &time, &id, &rank), 1);
            assert_true(time >= now);
            assert_true(time > now || id > latest || taken == 0);
            assert_int_equal(rank, 7);
            now = time;
            latest = id;
        }
    }
    for (; taken < put; taken++) {
        assert_int_equal(tf_queue_take(&queue, &time, &id, &rank), 1);
        assert_true(time > now || (time == now && id > latest));
        now = time;
        latest = id;
    }
    assert_int_equal(tf_queue_take(&queue, &time, &id, &rank), 0);
    tf_queue_free(&queue);
}

/* before[i * n + j]: step j comes before step i, by the edges and what follows from them. */
static void close_under_paths(bool *before, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++)
            if (before[i * n + j])
                for (uint32_t k = 0; k < j; k++)
                    before[i * n + k] |= before[j * n + k];
}

static void assert_same_order(struct tf_depend *depend, struct tf_plan *plan)
{
    uint32_t n = plan->nsteps, streamed = 0, streamed_here = 0;
    bool *builder = calloc(2 * (size_t)n * n + 1, 1), *here = builder + (size_t)n * n;

    assert_int_equal(tf_depend_find(depend, plan), MPI_SUCCESS);
    assert_int_equal(tf_plan_finish(plan), MPI_SUCCESS);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t d = plan->steps[i].first_dep; d < plan->steps[i].first_dep + plan->steps[i].ndeps; d++) {
            builder[i * n + plan->deps[d].step] = true;
            streamed += plan->deps[d].streamed;
        }
    for (uint32_t e = 0; e < depend->nedges; e++) {
        here[depend->edges[e].step * n + depend->edges[e].on] = true;
        streamed_here += depend->edges[e].streamed;
    }
    close_under_paths(builder, n);
    close_under_paths(here, n);
    assert_memory_equal(builder, here, (size_t)n * n);
    assert_int_equal(streamed, streamed_here);
    free(builder);
}

static void test_dependencies(void **state)
{
    (void)state;
    struct tf_depend depend = {0};

    for (int i = 0; i < tf_algo_count; i++)
        for (int size = 1; size <= 13; size++)
            for (int rank = 0; rank < size; rank++)
                for (int inplace = 0; inplace <= 1; inplace++) {
                    struct tf_contract call = {
                        tf_algos[i].coll, size, size / 2, inplace, true, true, 0, NULL, NULL, NULL};
                    bool here = tf_contract_inplace(&call, rank);
                    if (tf_coll_is_inter(tf_algos[i].coll) || tf_coll_is_neighbor(tf_algos[i].coll) ||
                        !tf_algo_fits(&tf_algos[i], size, true, true))
                        continue;
                    struct tf_plan *plan =
                        generate(&tf_algos[i],
                                 (struct tf_shape){
                                     .rank = rank, .size = size, .root = size / 2, .inplace = here, .commutes = true});
                    assert_same_order(&depend, plan);
                    tf_plan_destroy(plan);
                }
    tf_depend_free(&depend);
}

static void test_drawing(void **state)
{
    (void)state;
    struct tf_price_data data = {TF_ALLREDUCE, 100, 8};
    static const int32_t domain[] = {0, 0, 1, 1};
    struct tf_price_model levels = model;
    levels.domain = domain;
    struct tf_price *price = tf_price_create(&levels, &data, 4, true);
    struct tf_price_result result;
    char *text = NULL;
    size_t length = 0, bars = 0, bands = 0;
    uint32_t nspans;

    for (int rank = 0; rank < 4; rank++) {
        struct tf_plan *plan = generate(tf_algo_find(TF_ALLREDUCE, "recursive_doubling"),
                                        (struct tf_shape){.rank = rank, .size = 4, .commutes = true});
        assert_int_equal(tf_price_add(price, plan), MPI_SUCCESS);
        tf_plan_destroy(plan);
    }
    assert_int_equal(tf_price_run(price, &result), MPI_SUCCESS);
    assert_int_equal(tf_price_spans(price, 3, &nspans)[0].bytes, 800);
    assert_int_equal(nspans, 4);
    FILE *stream = open_memstream(&text, &length);
    tf_plan_draw(price, &result, "a < b & c", "below", stream);
    fclose(stream);
    for (const char *at = text; (at = strstr(at, "<title>rank ")) != NULL; at++)
        bars++;
    for (const char *at = text; (at = strstr(at, "<title>800 bytes from rank ")) != NULL; at++)
        bands++;
    assert_int_equal(bars, 8 + 2 * 8); /* sends; receives and combinations */
    assert_int_equal(bands, 8);
    assert_non_null(strstr(text, "<title>domain 1: ranks 2 to 3</title>"));
    assert_non_null(strstr(text, "<title>a &lt; b &amp; c</title>"));
    assert_memory_equal(text + length - 7, "</svg>\n", 7);
    free(text);
    tf_price_destroy(price);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_message),    cmocka_unit_test(test_gap),
        cmocka_unit_test(test_domains),        cmocka_unit_test(test_between_groups),
        cmocka_unit_test(test_port_in),        cmocka_unit_test(test_combine),
        cmocka_unit_test(test_signals),        cmocka_unit_test(test_out_of_order),
        cmocka_unit_test(test_streaming),      cmocka_unit_test(test_combine_in_chunks),
        cmocka_unit_test(test_empty_blocks),   cmocka_unit_test(test_mismatches),
        cmocka_unit_test(test_all_algorithms), cmocka_unit_test(test_queue),
        cmocka_unit_test(test_dependencies),   cmocka_unit_test(test_drawing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
