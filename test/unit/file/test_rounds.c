/* test_rounds.c - rounds cut what all ranks access, each byte in one of them; and when there are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "file/rounds.h"

enum { RANKS = 5 };

static uint64_t seed = 3;

static MPI_Count pick(MPI_Count low, MPI_Count high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (MPI_Count)((seed >> 33) % (uint64_t)(high - low + 1));
}

static const int aggregators[] = {1, 3};
static const struct tf_file_hints plain = {.cb_buffer_size = 16 << 20};

static struct tf_rounds decide(const struct tf_facts *facts, int size, bool write, const struct tf_file_hints *hints)
{
    struct tf_rounds rounds = {.facts = facts, .size = size, .aggregators = aggregators, .naggregators = 2};
    tf_rounds_decide(&rounds, write, hints);
    return rounds;
}

/* What a rank has of a range that all share, in pieces of that length. */
static struct tf_facts part(MPI_Offset begin, MPI_Offset end, MPI_Count bytes, MPI_Count piece)
{
    return (struct tf_facts){.begin = begin, .end = end, .bytes = bytes, .pieces = bytes / piece + 1, .ordered = true};
}

static void check_cut(const struct tf_rounds *rounds, const struct tf_facts *facts)
{
    MPI_Offset at = rounds->low;
    bool has[RANKS] = {false};
    for (MPI_Count k = 0; k < rounds->n; k++) {
        MPI_Offset begin = tf_rounds_begin(rounds, k), end = tf_rounds_end(rounds, k);
        assert_int_equal(begin, at);
        assert_true(end > begin && end - begin <= rounds->chunk);
        assert_int_equal(tf_rounds_aggregator(rounds, k), aggregators[k % 2]);
        for (int r = 0; r < RANKS; r++) {
            bool here = facts[r].bytes > 0 && facts[r].begin < end && facts[r].end > begin;
            assert_int_equal(tf_rounds_has(rounds, r, k), here);
            has[r] |= here;
        }
        at = end;
    }
    assert_int_equal(at, rounds->high);
    for (int r = 0; r < RANKS; r++)
        assert_int_equal(has[r], facts[r].bytes > 0);
}

static void test_cut(void **state)
{
    (void)state;
    for (int i = 0; i < 500; i++) {
        struct tf_facts facts[RANKS];
        struct tf_file_hints hints = {.cb_buffer_size = pick(1, 9 << 20), .cb_write = TF_HINT_ENABLE};
        MPI_Count bytes = 0;
        for (int r = 0; r < RANKS; r++) {
            MPI_Offset begin = pick(0, 1 << 20), end = begin + pick(1, 1 << pick(1, 22));
            facts[r] = part(begin, end, pick(0, 3) ? pick(1, end - begin) : 0, 100);
            bytes += facts[r].bytes;
        }
        struct tf_rounds rounds = decide(facts, RANKS, true, &hints);
        assert_int_equal(rounds.exchange, bytes > 0);
        if (bytes > 0 && rounds.n < 10000)
            check_cut(&rounds, facts);
    }
}

static void test_when(void **state)
{
    (void)state;
    struct tf_facts facts[2] = {part(0, 8 << 20, 4 << 20, 4096), part(4096, 8 << 20, 4 << 20, 4096)};
    assert_true(decide(facts, 2, true, &plain).exchange);
    assert_false(decide(facts, 1, true, &plain).exchange);
    struct tf_file_hints hints = plain;
    hints.cb_write = TF_HINT_DISABLE;
    assert_false(decide(facts, 2, true, &hints).exchange);
    assert_int_equal(decide(facts, 2, true, &plain).error, MPI_SUCCESS);
    /* A rank that fails keeps all from beginning, and one without data is none that fails. */
    facts[1].error = MPI_ERR_NO_SPACE;
    assert_false(decide(facts, 2, true, &plain).exchange);
    assert_int_equal(decide(facts, 2, true, &plain).error, MPI_ERR_NO_SPACE);
    facts[1] = (struct tf_facts){.ordered = true};
    assert_int_equal(decide(facts, 2, true, &plain).error, MPI_SUCCESS);
    assert_false(decide(facts, 2, true, &plain).exchange);
    facts[0] = (struct tf_facts){.ordered = true};
    assert_false(decide(facts, 2, true, &plain).exchange);
}

/* On one node pieces may be longer, and rounds are shorter. */
static void test_near(void **state)
{
    (void)state;
    struct tf_facts facts[RANKS] = {part(0, 64 << 20, 32 << 20, 64 << 10), part(65536, 64 << 20, 32 << 20, 64 << 10)};
    struct tf_rounds rounds = {.facts = facts, .size = 2, .aggregators = aggregators, .naggregators = 2};
    tf_rounds_decide(&rounds, true, &plain);
    assert_false(rounds.exchange);
    rounds.near = true;
    tf_rounds_decide(&rounds, false, &plain);
    assert_false(rounds.exchange);
    tf_rounds_decide(&rounds, true, &plain);
    assert_true(rounds.exchange);
    check_cut(&rounds, facts);
    MPI_Offset chunk = rounds.chunk;
    struct tf_file_hints hints = {.cb_buffer_size = 1 << 20};
    tf_rounds_decide(&rounds, true, &hints);
    assert_true(rounds.exchange && rounds.chunk <= 1 << 19);
    facts[0] = part(0, 64 << 20, 32 << 20, 200 << 10), facts[1] = part(200 << 10, 64 << 20, 32 << 20, 200 << 10);
    tf_rounds_decide(&rounds, true, &plain);
    assert_true(rounds.exchange);
    facts[0] = part(0, 64 << 20, 32 << 20, 4096), facts[1] = part(4096, 64 << 20, 32 << 20, 4096);
    tf_rounds_decide(&rounds, false, &plain);
    assert_true(rounds.exchange && !rounds.spread);
    rounds.near = false;
    tf_rounds_decide(&rounds, true, &plain);
    assert_true(rounds.exchange && rounds.chunk > chunk);
}

/* Where ranks share processors and stay where they are, waiting for each other pays less often. */
static void test_crowded(void **state)
{
    (void)state;
    struct tf_facts facts[RANKS] = {part(0, 64 << 20, 32 << 20, 200 << 10),
                                    part(200 << 10, 64 << 20, 32 << 20, 200 << 10)};
    struct tf_rounds rounds = {
        .facts = facts, .size = 2, .near = true, .crowded = true, .aggregators = aggregators, .naggregators = 2};
    tf_rounds_decide(&rounds, true, &plain);
    assert_false(rounds.exchange || rounds.spread);
    facts[0] = part(0, 64 << 20, 32 << 20, 4096), facts[1] = part(4096, 64 << 20, 32 << 20, 4096);
    tf_rounds_decide(&rounds, false, &plain);
    assert_false(rounds.exchange || rounds.spread);
    tf_rounds_decide(&rounds, true, &plain);
    assert_true(rounds.exchange && !rounds.spread && rounds.naggregators == 2);
}

/* Of those that can be moved one writes, however short the pieces are, unless the hints want more or there is too
 * little for it to be worth moving. */
static void test_spread(void **state)
{
    (void)state;
    struct tf_facts facts[RANKS] = {part(0, 64 << 20, 32 << 20, 4096), part(4096, 64 << 20, 32 << 20, 4096)};
    struct tf_rounds rounds = {.facts = facts,
                               .size = 2,
                               .near = true,
                               .crowded = true,
                               .movable = true,
                               .aggregators = aggregators,
                               .naggregators = 2};
    struct tf_file_hints two = {.cb_buffer_size = 16 << 20, .cb_nodes = 2};
    tf_rounds_decide(&rounds, false, &plain);
    assert_true(rounds.exchange && rounds.spread && rounds.naggregators == 2);
    tf_rounds_decide(&rounds, true, &two);
    assert_true(rounds.exchange && rounds.spread && rounds.naggregators == 2);
    tf_rounds_decide(&rounds, true, &plain);
    assert_true(rounds.exchange && rounds.spread && rounds.naggregators == 1);
    facts[0] = part(0, 64 << 20, 32 << 20, 16), facts[1] = part(16, 64 << 20, 32 << 20, 16);
    rounds.naggregators = 2;
    tf_rounds_decide(&rounds, true, &plain);
    assert_true(rounds.exchange && rounds.spread && rounds.naggregators == 1);
    rounds.naggregators = 2;
    facts[0] = part(0, 64 << 20, 32 << 20, 1 << 20), facts[1] = part(1 << 20, 64 << 20, 32 << 20, 1 << 20);
    tf_rounds_decide(&rounds, true, &plain);
    assert_false(rounds.exchange || rounds.spread);
    tf_rounds_decide(&rounds, false, &plain);
    assert_true(!rounds.exchange && rounds.spread);
    facts[0] = part(0, 1 << 20, 1 << 19, 4096), facts[1] = part(4096, 1 << 20, 1 << 19, 4096);
    rounds.naggregators = 2;
    tf_rounds_decide(&rounds, true, &plain);
    assert_true(rounds.exchange && !rounds.spread && rounds.naggregators == 2);
    facts[0] = part(0, 64 << 20, 32 << 20, 4096), facts[1] = part(4096, 64 << 20, 32 << 20, 4096);
    rounds.crowded = false;
    tf_rounds_decide(&rounds, true, &plain);
    assert_true(rounds.exchange && !rounds.spread && rounds.naggregators == 2);
}

/* No round crosses the end of a stripe, and the stripes of a device are always the same aggregator's. */
static void test_striped(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) {
        MPI_Offset stripe = pick(1, 80) * 65536, low = pick(0, 1 << 24), high = low + pick(1, 1 << 25);
        struct tf_facts facts[2] = {part(low, high, (high - low) / 2 + 1, 100),
                                    part(low, high, (high - low) / 2 + 1, 100)};
        struct tf_rounds rounds = {.facts = facts,
                                   .size = 2,
                                   .near = pick(0, 1),
                                   .stripe = stripe,
                                   .aggregators = aggregators,
                                   .naggregators = (int)pick(1, 2)};
        struct tf_file_hints hints = {.cb_buffer_size = pick(2000, 16 << 20), .cb_write = TF_HINT_ENABLE};
        tf_rounds_decide(&rounds, true, &hints);
        assert_true(rounds.exchange && rounds.chunk > 0 && rounds.chunk <= 8 << 20);
        assert_true(stripe % rounds.chunk == 0 || rounds.chunk % stripe == 0);
        MPI_Offset at = low, turn = stripe > rounds.chunk ? stripe : rounds.chunk;
        for (MPI_Count k = 0; k < rounds.n; k++) {
            MPI_Offset begin = tf_rounds_begin(&rounds, k), end = tf_rounds_end(&rounds, k);
            assert_int_equal(begin, at);
            assert_true(end > begin && begin / turn == (end - 1) / turn);
            assert_int_equal(tf_rounds_aggregator(&rounds, k), aggregators[begin / turn % rounds.naggregators]);
            at = end;
        }
        assert_int_equal(at, high);
    }
}

/* As many as there are, or fewer of which each has devices of its own, or each device some of its own. */
static void test_fit(void **state)
{
    (void)state;
    static const struct {
        int n, devices, sharers, want;
    } cases[] = {{8, 0, 0, 8}, {8, 4, 0, 4}, {8, 4, 1, 4}, {8, 4, 2, 8},  {7, 4, 2, 4},
                 {3, 4, 1, 2}, {2, 3, 1, 2}, {5, 3, 2, 3}, {1, 9, 1, 1},  {6, 9, 1, 6},
                 {5, 9, 1, 3}, {2, 1, 0, 1}, {9, 1, 4, 4}, {4, 97, 1, 4}, {97, 97, 3, 97}};
    for (size_t i = 0; i < TF_ARRAY_LEN(cases); i++)
        assert_int_equal(tf_rounds_fit(cases[i].n, cases[i].devices, cases[i].sharers), cases[i].want);
}

static void test_alone(void **state)
{
    (void)state;
    /* Long pieces; ranges one after the other; bytes that are shown twice; atomic mode; little in a large range. */
    struct tf_facts facts[2] = {part(0, 8 << 20, 4 << 20, 1 << 20), part(4096, 8 << 20, 4 << 20, 1 << 20)};
    assert_false(decide(facts, 2, true, &plain).exchange);
    facts[0] = part(0, 4 << 20, 4 << 20, 4096), facts[1] = part(4 << 20, 8 << 20, 4 << 20, 4096);
    assert_false(decide(facts, 2, true, &plain).exchange);
    facts[0] = part(0, 8 << 20, 4 << 20, 512), facts[1] = part(4096, 8 << 20, 4 << 20, 512);
    assert_true(decide(facts, 2, false, &plain).exchange);
    facts[1].ordered = false;
    assert_false(decide(facts, 2, false, &plain).exchange);
    struct tf_file_hints hints = plain;
    hints.cb_read = TF_HINT_ENABLE;
    assert_false(decide(facts, 2, false, &hints).exchange);
    facts[1].ordered = facts[1].atomic = true;
    assert_false(decide(facts, 2, false, &hints).exchange);
    facts[0] = part(0, (MPI_Offset)1 << 40, 4 << 20, 1024), facts[1] = facts[0];
    assert_false(decide(facts, 2, false, &plain).exchange);
    assert_true(decide(facts, 2, false, &hints).exchange);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut),     cmocka_unit_test(test_when),   cmocka_unit_test(test_near),
        cmocka_unit_test(test_crowded), cmocka_unit_test(test_spread), cmocka_unit_test(test_striped),
        cmocka_unit_test(test_fit),     cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
