/* test_blocks.c - blocks against a model that knows of each unit of the range who has it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "heap/blocks.h"

enum { UNITS = 4096, HELD = 200, ROUNDS = 100000 };

/* Of small alignments only. */
#define ORIGIN ((uintptr_t)0x123456780000 + 3 * 256)

static uint8_t model[UNITS], memory[UNITS]; /* whose (0: free); whether it may have memory */
static struct {
    size_t offset, bytes;
} held[HELD];

static uint32_t next_random(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 20);
}

/* Neighbors, order, no two free ones side by side, sums. */
static void check_tags(const struct tf_blocks *blocks, size_t bytes)
{
    size_t at = 0, taken = 0, dirty = 0;
    const struct tf_tag *before = NULL;
    for (const struct tf_tag *tag = blocks->lowest; tag; before = tag, tag = tag->upper) {
        assert_int_equal(tag->offset, at);
        assert_ptr_equal(tag->lower, before);
        assert_false(before && before->free && tag->free);
        assert_true(tag->bytes > 0);
        taken += !tag->free;
        dirty += tag->free ? tag->clean - tag->dirty : 0;
        at += tag->bytes;
    }
    assert_int_equal(at, bytes);
    assert_int_equal(taken, blocks->taken);
    assert_int_equal(dirty, blocks->dirty);
}

/* What has memory and is free lies in what its tag says. */
static void check_memory(const struct tf_blocks *blocks)
{
    for (const struct tf_tag *tag = blocks->lowest; tag; tag = tag->upper)
        for (size_t at = tag->offset; tag->free && at < tag->offset + tag->bytes; at += TF_BLOCKS_UNIT)
            assert_true(!memory[at / TF_BLOCKS_UNIT] || (at >= tag->dirty && at < tag->clean));
}

/* Of what was taken, what may have memory already lies in what its tag says. */
static void check_taken(const struct tf_blocks *blocks, size_t offset, size_t units)
{
    const struct tf_tag *tag = tf_blocks_find(blocks, offset);
    assert_int_equal(tag->offset, offset);
    assert_int_equal(tag->bytes, units * 64);
    for (size_t at = offset; at < offset + units * 64; at += 64)
        assert_true(!memory[at / 64] || (at >= tag->dirty && at < tag->clean));
}

static void take(struct tf_blocks *blocks, int i)
{
    size_t bytes = next_random() % (next_random() % 8 == 0 ? 20000 : 700), alignment = (size_t)1 << next_random() % 13;
    size_t at = tf_blocks_take(blocks, bytes, alignment), units = bytes ? (bytes + 63) / 64 : 1;
    if (at == TF_BLOCKS_NOWHERE)
        return;
    assert_int_equal((ORIGIN + at) % alignment, 0);
    assert_int_equal(at % 64, 0);
    check_taken(blocks, at, units);
    for (size_t u = at / 64; u < at / 64 + units; u++) {
        assert_true(u < UNITS);
        assert_int_equal(model[u], 0);
        model[u] = (uint8_t)(i + 1);
        memory[u] = 1;
    }
    held[i].offset = at;
    held[i].bytes = units * 64;
}

static void give(struct tf_blocks *blocks, int i)
{
    assert_true(tf_blocks_give(blocks, held[i].offset));
    assert_false(tf_blocks_give(blocks, held[i].offset));
    assert_null(tf_blocks_find(blocks, held[i].offset));
    assert_false(tf_blocks_resize(blocks, held[i].offset, 64));
    for (size_t u = held[i].offset / 64; u < (held[i].offset + held[i].bytes) / 64; u++) {
        assert_int_equal(model[u], (uint8_t)(i + 1));
        model[u] = 0;
    }
    held[i].bytes = 0;
}

/* Where it cannot grow it stays as it is. */
static void resize(struct tf_blocks *blocks, int i)
{
    size_t bytes = next_random() % 3000, units = bytes ? (bytes + 63) / 64 : 1, first = held[i].offset / 64;
    size_t had = held[i].bytes / 64, room = had;
    while (first + room < UNITS && model[first + room] == 0)
        room++;
    assert_int_equal(tf_blocks_resize(blocks, held[i].offset, bytes), units <= room);
    assert_int_equal(tf_blocks_find(blocks, held[i].offset)->bytes / 64, units <= room ? units : had);
    if (units > room)
        return;
    for (size_t u = first; u < first + had; u++)
        model[u] = 0;
    for (size_t u = first; u < first + units; u++) {
        model[u] = (uint8_t)(i + 1);
        memory[u] = 1;
    }
    held[i].bytes = units * 64;
}

static bool keeps;
static bool clean_memory(size_t offset, size_t bytes)
{
    if (keeps)
        return false;
    for (size_t u = offset / 64; u < (offset + bytes) / 64; u++) {
        assert_int_equal(model[u], 0);
        memory[u] = 0;
    }
    return true;
}

static void random_against_a_model(void **state)
{
    struct tf_blocks blocks;
    (void)state;
    assert_true(tf_blocks_open(&blocks, ORIGIN, UNITS * 64));
    for (int round = 0; round < ROUNDS; round++) {
        int i = (int)(next_random() % HELD);
        if (held[i].bytes > 0)
            (next_random() % 4 ? give : resize)(&blocks, i);
        else
            take(&blocks, i);
        if (round % 64 == 0)
            check_tags(&blocks, UNITS * 64);
        if (round % 512 == 0)
            check_memory(&blocks);
        if (round % 2000 == 0) {
            size_t dirty = blocks.dirty;
            keeps = true;
            tf_blocks_clean(&blocks, clean_memory);
            assert_int_equal(blocks.dirty, dirty);
            keeps = false;
            tf_blocks_clean(&blocks, clean_memory);
            assert_int_equal(blocks.dirty, 0);
        }
    }
    for (int i = 0; i < HELD; i++)
        if (held[i].bytes > 0)
            give(&blocks, i);
    check_tags(&blocks, UNITS * 64);
    check_memory(&blocks);
    assert_int_equal(blocks.taken, 0);
    assert_int_equal(blocks.taken_bytes, 0);
    assert_null(blocks.lowest->upper);
    tf_blocks_close(&blocks);
}

static void whole_range_and_no_more(void **state)
{
    struct tf_blocks blocks;
    size_t all = (size_t)1 << 40;
    (void)state;
    assert_true(tf_blocks_open(&blocks, ORIGIN, all));
    assert_true(tf_blocks_take(&blocks, all + 1, 1) == TF_BLOCKS_NOWHERE);
    assert_true(tf_blocks_take(&blocks, SIZE_MAX, 1) == TF_BLOCKS_NOWHERE);
    for (int i = 41; i < 64; i++) {
        assert_true(tf_blocks_take(&blocks, (size_t)1 << i, 1) == TF_BLOCKS_NOWHERE);
        assert_true(tf_blocks_take(&blocks, 1, (size_t)1 << i) == TF_BLOCKS_NOWHERE || i < 47);
    }
    tf_blocks_close(&blocks);
    assert_true(tf_blocks_open(&blocks, ORIGIN, all));
    assert_int_equal(tf_blocks_take(&blocks, all, 256), 0);
    assert_true(tf_blocks_take(&blocks, 0, 1) == TF_BLOCKS_NOWHERE);
    assert_int_equal(blocks.top, all);
    assert_false(tf_blocks_give(&blocks, 64));
    assert_true(tf_blocks_give(&blocks, 0));
    assert_int_equal(tf_blocks_take(&blocks, 0, 1), 0);
    assert_true(tf_blocks_give(&blocks, 0));
    tf_blocks_close(&blocks);
}

/* Every size finds a hole that is exactly as large, whatever its bin. */
static void exact_holes_are_found(void **state)
{
    struct tf_blocks blocks;
    (void)state;
    for (size_t bytes = 64; bytes < 300000; bytes += 64 * 37) {
        assert_true(tf_blocks_open(&blocks, ORIGIN, bytes));
        assert_int_equal(tf_blocks_take(&blocks, bytes, 1), 0);
        assert_true(tf_blocks_give(&blocks, 0));
        assert_int_equal(tf_blocks_take(&blocks, bytes, 64), 0);
        tf_blocks_close(&blocks);
    }
}

/* A block that is aligned is found again, whoever lies behind it. */
static void aligned_holes_are_found(void **state)
{
    struct tf_blocks blocks;
    (void)state;
    assert_true(tf_blocks_open(&blocks, ORIGIN, (size_t)1 << 34));
    for (size_t alignment = 64; alignment <= (size_t)1 << 24; alignment *= 2) {
        size_t at = tf_blocks_take(&blocks, 1000000, alignment);
        tf_blocks_take(&blocks, 1, 1);
        assert_true(tf_blocks_give(&blocks, at));
        assert_int_equal(tf_blocks_take(&blocks, 1000000, alignment), at);
    }
    tf_blocks_close(&blocks);
}

/* The same block again and again is the same memory. */
static void reused_first(void **state)
{
    struct tf_blocks blocks;
    (void)state;
    assert_true(tf_blocks_open(&blocks, ORIGIN, (size_t)1 << 34));
    for (int i = 0; i < 1000; i++) {
        size_t at = tf_blocks_take(&blocks, (size_t)1 << 20, 1);
        assert_int_equal(at, 0);
        assert_true(tf_blocks_give(&blocks, at));
        assert_int_equal(blocks.dirty, (size_t)1 << 20);
    }
    assert_int_equal(blocks.top, (size_t)1 << 20);
    tf_blocks_close(&blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_against_a_model), cmocka_unit_test(whole_range_and_no_more),
        cmocka_unit_test(exact_holes_are_found),  cmocka_unit_test(aligned_holes_are_found),
        cmocka_unit_test(reused_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
