/* test_cursor.c - random views against lists of the offsets of their bytes, made beside the datatypes and not of them.
 */
#include "../type/types.h"

#include "file/cursor.h"

enum { MOST = 4000, VIEWS = 3000 };

/* A filetype and where its bytes lie. */
struct sample {
    struct tf_type *type;
    MPI_Count extent;
    int n;
    MPI_Offset *at;
};

static uint64_t seed;

static MPI_Count pick(MPI_Count low, MPI_Count high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (MPI_Count)((seed >> 33) % (uint64_t)(high - low + 1));
}

static struct sample begin(struct tf_type *type, int most)
{
    return (struct sample){.type = type, .at = malloc((size_t)most * sizeof(MPI_Offset))};
}

static void add(struct sample *to, const struct sample *child, MPI_Offset shift)
{
    for (int i = 0; i < child->n; i++)
        to->at[to->n++] = shift + child->at[i];
    assert_true(to->n <= MOST);
}

static struct sample make_basic(void)
{
    static const MPI_Datatype handles[] = {MPI_BYTE, MPI_SHORT, MPI_INT, MPI_DOUBLE};
    struct tf_type *type = find(handles[pick(0, 3)]);
    struct sample s = begin(type, 8);
    s.extent = type->size;
    for (; s.n < type->size; s.n++)
        s.at[s.n] = s.n;
    return s;
}

static void forget(struct sample *s)
{
    if (s->type->obj.handle >= 4096)
        release(s->type);
    free(s->at);
}

/* Blocks of `length` children, n of them, `stride` bytes from one to the next. */
static struct sample make_vector(const struct sample *child)
{
    MPI_Count n = pick(0, 4), length = pick(0, 3), stride = child->extent * length + pick(0, 2) * pick(0, 20);
    struct sample s = begin(hvector(n, length, stride, child->type), MOST);
    for (MPI_Count i = 0; i < n; i++)
        for (MPI_Count j = 0; j < length; j++)
            add(&s, child, i * stride + j * child->extent);
    return s;
}

static struct sample make_indexed(const struct sample *child)
{
    MPI_Count lengths[5], displacements[5], at = pick(0, 9);
    struct sample s = begin(NULL, MOST);
    for (int i = 0; i < 5; i++) {
        lengths[i] = pick(0, 2);
        displacements[i] = at;
        for (MPI_Count j = 0; j < lengths[i]; j++)
            add(&s, child, at + j * child->extent);
        at += lengths[i] * child->extent + pick(0, 1) * pick(0, 13);
    }
    s.type = MAKE(tf_type_create_hindexed, 5, (struct tf_counts){lengths, true},
                  (struct tf_counts){displacements, true}, child->type, &made_, true);
    return s;
}

static struct sample make_subarray(const struct sample *child)
{
    int sizes[3], sub[3], starts[3];
    for (int i = 0; i < 3; i++) {
        sizes[i] = (int)pick(1, 4);
        sub[i] = (int)pick(1, sizes[i]);
        starts[i] = (int)pick(0, sizes[i] - sub[i]);
    }
    struct sample s =
        begin(MAKE(tf_type_create_subarray, 3, (struct tf_counts){sizes, false}, (struct tf_counts){sub, false},
                   (struct tf_counts){starts, false}, MPI_ORDER_C, child->type, &made_, false),
              MOST);
    for (int x = 0; x < sub[0]; x++)
        for (int y = 0; y < sub[1]; y++)
            for (int z = 0; z < sub[2]; z++)
                add(&s, child,
                    child->extent * (((starts[0] + x) * sizes[1] + starts[1] + y) * sizes[2] + starts[2] + z));
    return s;
}

/* Bounds so that tiles do not meet: behind the last byte, sometimes with a hole. */
static void bound(struct sample *s, bool holes)
{
    MPI_Offset end = s->n ? s->at[s->n - 1] + 1 : 0;
    struct tf_type *inner = s->type;
    s->extent = end + (holes ? pick(0, 1) * pick(0, 30) : 0);
    s->type = resized(inner, 0, s->extent);
    if (inner->obj.handle >= 4096)
        release(inner);
}

static struct sample make(int depth)
{
    if (depth == 0)
        return make_basic();
    struct sample child = make(depth - 1), s;
    switch (child.n > 30 ? 3 : pick(0, 2)) {
    case 0:
        s = make_vector(&child);
        break;
    case 1:
        s = make_indexed(&child);
        break;
    case 2:
        s = make_subarray(&child);
        break;
    default:
        return child;
    }
    forget(&child);
    bound(&s, true);
    return s;
}

static MPI_Offset want(const struct sample *s, MPI_Offset disp, MPI_Count number)
{
    return disp + number / s->n * s->extent + s->at[number % s->n];
}

/* From any byte on, in pieces of any length: each byte is where it should be, and pieces end at gaps alone. */
static void check_walk(const struct sample *s, MPI_Offset disp)
{
    struct tf_walk cursor;
    MPI_Count number = pick(0, 3 * s->n), end = number + pick(1, 3 * s->n);
    tf_walk_open(&cursor, disp, s->type);
    if (number > 0 || pick(0, 1))
        tf_walk_seek(&cursor, number);
    while (number < end) {
        MPI_Count most = pick(0, 2) ? end - number : pick(1, 5);
        most = most < end - number ? most : end - number;
        MPI_Offset offset = -1;
        MPI_Count length = tf_walk_next(&cursor, most, &offset);
        assert_true(length > 0 && length <= most);
        for (MPI_Count i = 0; i < length; i++)
            assert_int_equal(offset + i, want(s, disp, number + i));
        number += length;
        if (length < most)
            assert_int_not_equal(want(s, disp, number), offset + length);
    }
}

/* From offset to number and back, for every offset of some tiles and what lies before and behind. */
static void check_inverse(const struct sample *s, MPI_Offset disp)
{
    struct tf_walk cursor;
    tf_walk_open(&cursor, disp, s->type);
    assert_int_equal(tf_walk_ordered(s->type), INT64_MAX);
    assert_true(tf_walk_never_returns(s->type));
    MPI_Count number = 0;
    for (MPI_Offset offset = disp - 3; offset < disp + 3 * s->extent + 3; offset++) {
        while (want(s, disp, number) < offset)
            number++;
        assert_int_equal(tf_walk_before(&cursor, offset), number);
        assert_int_equal(tf_walk_offset(&cursor, number), want(s, disp, number));
    }
}

static void test_random(void **state)
{
    (void)state;
    seed = 20261122;
    for (int i = 0; i < VIEWS; i++) {
        struct sample s = make((int)pick(0, 3));
        MPI_Offset disp = pick(0, 1) * pick(0, 1000);
        commit(s.type);
        if (s.n > 0) {
            for (int j = 0; j < 5; j++)
                check_walk(&s, disp);
            check_inverse(&s, disp);
        }
        forget(&s);
    }
}

static void test_nothing(void **state)
{
    (void)state;
    struct tf_type *type = commit(contiguous(0, find(MPI_INT)));
    struct tf_walk cursor;
    MPI_Offset offset = 77;
    tf_walk_open(&cursor, 40, type);
    tf_walk_seek(&cursor, 0);
    assert_int_equal(tf_walk_next(&cursor, 100, &offset), 0);
    assert_int_equal(tf_walk_before(&cursor, 1000), 0);
    assert_int_equal(tf_walk_offset(&cursor, 0), 40);
    assert_int_equal(tf_walk_ordered(type), INT64_MAX);
    tf_walk_open(&cursor, 40, find(MPI_INT));
    assert_int_equal(tf_walk_next(&cursor, 0, &offset), 0);
    assert_int_equal(offset, 77);
    release(type);
}

/* Terabytes: nothing is listed, and nothing is 32 bits wide. */
static void test_large(void **state)
{
    (void)state;
    const MPI_Count tera = (MPI_Count)1 << 40;
    struct tf_type *wide = hvector(1 << 20, 1, 1 << 20, find(MPI_DOUBLE)), *type = commit(resized(wide, 0, tera));
    struct tf_walk cursor;
    MPI_Offset offset;
    MPI_Count number = (MPI_Count)1000000 * (8 << 20) + (8 * 77777 + 3);
    tf_walk_open(&cursor, 5, type);
    tf_walk_seek(&cursor, number);
    assert_int_equal(tf_walk_next(&cursor, 1000, &offset), 5);
    assert_int_equal(offset, 5 + 1000000 * tera + ((MPI_Count)77777 << 20) + 3);
    assert_int_equal(tf_walk_next(&cursor, 1000, &offset), 8);
    assert_int_equal(offset, 5 + 1000000 * tera + ((MPI_Count)77778 << 20));
    assert_int_equal(tf_walk_before(&cursor, offset), number + 5);
    release(type);
    release(wide);
    /* All of them in one piece. */
    tf_walk_open(&cursor, 1, find(MPI_INT));
    assert_int_equal(tf_walk_next(&cursor, 5 * tera + 1, &offset), 5 * tera + 1);
    assert_int_equal(offset, 1);
    assert_int_equal(tf_walk_next(&cursor, 2, &offset), 2);
    assert_int_equal(offset, 5 * tera + 2);
}

/* Bytes that are shown twice, or tiles that begin before the end of the one before: a walk is right, no more is. */
static void test_disorder(void **state)
{
    (void)state;
    struct tf_type *twice =
        commit(MAKE(tf_type_create_hindexed, 2, INTS(6, 6), LARGE(0, 4), find(MPI_BYTE), &made_, 0));
    assert_int_equal(tf_walk_ordered(twice), 0);
    assert_true(tf_walk_never_returns(twice));
    struct tf_type *within = /* four runs of 4 inside */
        commit(MAKE(tf_type_create_hindexed, 2, INTS(12, 4), LARGE(0, 4), find(MPI_BYTE), &made_, 0));
    assert_true(tf_walk_never_returns(within));
    struct tf_type *back =
        commit(MAKE(tf_type_create_hindexed, 2, INTS(4, 12), LARGE(4, 0), find(MPI_BYTE), &made_, 0));
    assert_false(tf_walk_never_returns(back));
    struct tf_type *up = hvector(3, 1, -8, find(MPI_INT)), *raised = commit(resized(up, 0, 4));
    assert_false(tf_walk_never_returns(raised));
    release(within);
    release(back);
    release(up);
    release(raised);
    struct tf_type *column = hvector(3, 1, 12, find(MPI_INT)), *columns = commit(resized(column, 0, 4));
    assert_int_equal(tf_walk_ordered(columns), columns->size);
    struct tf_walk cursor;
    MPI_Offset offset;
    tf_walk_open(&cursor, 100, columns);
    const MPI_Offset at[] = {100, 112, 124, 104, 116, 128};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(tf_walk_next(&cursor, 1000, &offset), 4);
        assert_int_equal(offset, at[i]);
    }
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tf_walk_before(&cursor, at[i] + 1), 4 * i + 1);
        assert_int_equal(tf_walk_before(&cursor, at[i] + 4), 4 * i + 4);
    }
    struct tf_type *heap = commit(resized(column, 0, 0));
    tf_walk_open(&cursor, 100, heap);
    assert_int_equal(tf_walk_before(&cursor, 1000), 12);
    release(heap);
    release(columns);
    release(column);
    release(twice);
}

/* Four rows of two planes, whose pieces are 8 of 24 bytes; rows and planes of two lengths; and no hole at all. */
static void test_holes(void **state)
{
    (void)state;
    struct tf_type *row = hvector(4, 1, 24, find(MPI_DOUBLE)), *rows = commit(hvector(2, 1, 1000, row));
    assert_int_equal(tf_walk_first_hole(rows), 16);
    assert_int_equal(tf_walk_hole(rows), (1000 + 3 * 24 + 8 - 64) / 8);
    assert_true(tf_walk_is_regular(rows));
    struct tf_type *pair = hvector(2, 1, 64, find(MPI_INT));
    struct tf_type *both =
        commit(structure(2, INTS(1, 1), LARGE(0, 100), (MPI_Datatype[]){handle_of(pair), handle_of(row)}));
    assert_int_equal(tf_walk_first_hole(both), 60);
    assert_false(tf_walk_is_regular(both));
    struct tf_type *dense = commit(contiguous(3, find(MPI_DOUBLE)));
    assert_int_equal(tf_walk_first_hole(dense), 0);
    assert_int_equal(tf_walk_hole(dense), 0);
    assert_true(tf_walk_is_regular(dense));
    release(dense);
    release(both);
    release(pair);
    release(rows);
    release(row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_random, pool_is_empty), cmocka_unit_test_teardown(test_nothing, pool_is_empty),
        cmocka_unit_test_teardown(test_large, pool_is_empty),  cmocka_unit_test_teardown(test_disorder, pool_is_empty),
        cmocka_unit_test_teardown(test_holes, pool_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
