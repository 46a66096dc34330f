/* test_stretch.c - lists of pieces against the bytes that they stand for: maps with a mark for each byte of a file.
 */
#include "../type/types.h"

#include "file/stretch.h"

enum { SPAN = 400, RANKS = 4 };

static uint64_t seed = 7;

static MPI_Count pick(MPI_Count low, MPI_Count high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (MPI_Count)((seed >> 33) % (uint64_t)(high - low + 1));
}

/* Random pieces in ascending order, marked. */
static void make(struct tf_stretches *list, char *marks)
{
    MPI_Offset at = pick(0, 60);
    while (pick(0, 5) > 0) {
        struct tf_stretch s = {.offset = at, .length = pick(1, 9), .count = pick(1, 6)};
        s.stride = s.length + pick(0, 7);
        at += s.count * s.stride + pick(0, 20);
        if (at > SPAN)
            break;
        assert_int_equal(tf_stretch_append(list, &s, 1), MPI_SUCCESS);
        for (MPI_Count k = 0; k < s.count; k++)
            memset(marks + s.offset + k * s.stride, 1, (size_t)s.length);
    }
}

static MPI_Count count(const char *marks, MPI_Offset end)
{
    MPI_Count n = 0;
    for (MPI_Offset i = 0; i < end && i < SPAN; i++)
        n += marks[i];
    return n;
}

/* All bytes, in parts of any length, to where they were marked and back. */
static void check_copies(const struct tf_stretches *list, const char *marks)
{
    char data[SPAN], range[SPAN] = {0}, back[SPAN] = {0};
    struct tf_stretch_walk out = {.list = list}, in = {.list = list};
    size_t bytes = (size_t)list->bytes;
    for (size_t i = 0; i < bytes; i++)
        data[i] = (char)(i % 100 + 1);
    for (size_t at = 0, n; at < bytes; at += n) {
        n = (size_t)pick(1, 11);
        n = n < bytes - at ? n : bytes - at;
        tf_stretch_scatter(&out, range, 0, data + at, n);
        tf_stretch_gather(&in, range, 0, back + at, n);
    }
    assert_memory_equal(data, back, bytes);
    for (size_t i = 0, n = 0; i < SPAN; i++)
        assert_int_equal(range[i], marks[i] ? data[n++] : 0);
}

/* Marks what is not marked and lies between marks that are nearer to each other. */
static void fill_gaps(char *marks, MPI_Count gap)
{
    int end = SPAN; /* of the last mark */
    for (int i = 0; i < SPAN; i++) {
        if (marks[i] && i > end && i - end < gap)
            memset(marks + end, 1, (size_t)(i - end));
        end = marks[i] ? i + 1 : end;
    }
}

static void check_cover(struct tf_stretches *lists, char marks[RANKS][SPAN], MPI_Count gap)
{
    struct tf_stretch_walk walks[RANKS];
    char all[SPAN] = {0}, covered[SPAN] = {0};
    MPI_Offset begin, end, before = -1;
    int last = 0;
    for (int r = 0; r < RANKS; r++) {
        walks[r] = (struct tf_stretch_walk){.list = &lists[r]};
        for (int i = 0; i < SPAN; i++)
            all[i] |= marks[r][i];
    }
    fill_gaps(all, gap);
    while (tf_stretch_cover(walks, RANKS, gap, &last, &begin, &end)) {
        assert_true((before < 0 || begin - before >= gap) && end > begin);
        memset(covered + begin, 1, (size_t)(end - begin));
        before = end;
    }
    assert_memory_equal(all, covered, SPAN);
}

static void test_random(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++) {
        struct tf_stretches lists[RANKS] = {0};
        char marks[RANKS][SPAN] = {0};
        for (int r = 0; r < RANKS; r++) {
            make(&lists[r], marks[r]);
            assert_int_equal(lists[r].bytes, count(marks[r], SPAN));
            for (MPI_Offset end = 0; end <= SPAN; end += 13)
                assert_int_equal(tf_stretch_before(&lists[r], end), count(marks[r], end));
            check_copies(&lists[r], marks[r]);
        }
        for (MPI_Count gap = 1; gap <= 9; gap += 2)
            check_cover(lists, marks, gap);
        for (int r = 0; r < RANKS; r++)
            tf_stretch_free(&lists[r]);
    }
}

/* A part of a view, piece by piece. */
static void check_list(const struct tf_type *tile, MPI_Count from, MPI_Count bytes)
{
    struct tf_stretches list = {0};
    struct tf_walk cursor, copy;
    MPI_Offset at = 0, expected = 0;
    MPI_Count left = 0, length;
    tf_walk_open(&cursor, 50, tile);
    tf_walk_seek(&cursor, from);
    copy = cursor;
    assert_int_equal(tf_stretch_list(&list, &cursor, bytes), MPI_SUCCESS);
    assert_int_equal(list.bytes, bytes);
    struct tf_stretch_walk walk = {.list = &list};
    for (MPI_Count n = 0; n < bytes; n += length, at += length, left -= length, expected += length) {
        length = tf_stretch_look(&walk, &at);
        left = left ? left : tf_walk_next(&copy, bytes - n, &expected);
        assert_int_equal(at, expected);
        assert_true(length > 0);
        length = length < left ? length : left;
        tf_stretch_pass(&walk, length);
    }
    assert_int_equal(tf_stretch_look(&walk, &at), 0);
    assert_int_equal(tf_walk_offset(&copy, from + bytes), tf_walk_offset(&cursor, from + bytes));
    assert_int_equal(tf_walk_next(&cursor, 1, &at), tf_walk_next(&copy, 1, &expected));
    assert_int_equal(at, expected);
    tf_stretch_free(&list);
}

/* Vectors of vectors, with gaps between them and without. */
static void test_lists(void **state)
{
    (void)state;
    for (int i = 0; i < 3000; i++) {
        MPI_Count n = pick(1, 6), length = pick(1, 3), stride = 4 * length + 4 * pick(0, 2), rows = pick(1, 4);
        struct tf_type *row = hvector(n, length, stride, find(MPI_INT));
        MPI_Count extent = (n - 1) * stride + 4 * length + 4 * pick(0, 3);
        struct tf_type *whole = hvector(rows, 1, extent, row);
        struct tf_type *tile = commit(resized(whole, 0, rows * extent + 4 * pick(0, 2)));
        MPI_Count all = 3 * 4 * n * length * rows, from = pick(0, all / 2);
        check_list(tile, from, pick(1, all - from));
        release(tile);
        release(whole);
        release(row);
    }
}

/* However many blocks a vector has, it is one stretch, and two more where it is cut. */
static void test_vector(void **state)
{
    (void)state;
    struct tf_type *blocks = hvector(100000, 1, 24, find(MPI_DOUBLE)), *type = commit(resized(blocks, 0, 2400000));
    struct tf_stretches list = {0};
    struct tf_walk cursor;
    tf_walk_open(&cursor, 100, type);
    assert_int_equal(tf_stretch_list(&list, &cursor, 2 * 800000), MPI_SUCCESS);
    assert_int_equal(list.n, 1);
    assert_int_equal(list.at[0].offset, 100);
    assert_int_equal(list.at[0].length, 8);
    assert_int_equal(list.at[0].stride, 24);
    assert_int_equal(list.at[0].count, 200000);
    tf_walk_seek(&cursor, 5);
    assert_int_equal(tf_stretch_list(&list, &cursor, 8 * 50), MPI_SUCCESS);
    assert_int_equal(list.n, 3);
    assert_int_equal(list.bytes, 400);
    tf_stretch_free(&list);
    release(type);
    release(blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test_teardown(test_lists, pool_is_empty),
        cmocka_unit_test_teardown(test_vector, pool_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
