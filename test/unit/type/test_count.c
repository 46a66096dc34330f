/* test_count.c - MPI_Pack and its kin, counts and elements in a status, the span of a buffer.
 */
#include "types.h"

static void test_pack(void **state)
{
    (void)state;
    int matrix[4][4], copy[4][4] = {{0}};
    char buffer[40];
    MPI_Count position = 3, size;
    struct tf_type *column = commit(vector(4, 1, 4, find(MPI_INT))), *real = find(MPI_DOUBLE);
    double x = 1.5, y = 0;
    for (int i = 0; i < 16; i++)
        matrix[i / 4][i % 4] = i;

    assert_int_equal(tf_pack_size(2, column, NULL, &size), MPI_SUCCESS);
    assert_int_equal(size, 32);
    assert_int_equal(tf_pack(&matrix[0][1], 1, column, buffer, sizeof buffer, &position, NULL), MPI_SUCCESS);
    assert_int_equal(position, 19);
    assert_int_equal(tf_pack(&x, 1, real, buffer, sizeof buffer, &position, NULL), MPI_SUCCESS);
    assert_int_equal(position, 27);
    CHECK_ERROR(MPI_ERR_TRUNCATE, "outsize is 40; 16 bytes from position 27 on do not fit",
                tf_pack(&matrix[0][1], 1, column, buffer, sizeof buffer, &position, NULL));
    assert_int_equal(position, 27);

    position = 3;
    assert_int_equal(tf_unpack(buffer, 27, &position, &copy[0][2], 1, column, NULL), MPI_SUCCESS);
    assert_int_equal(tf_unpack(buffer, 27, &position, &y, 1, real, NULL), MPI_SUCCESS);
    assert_int_equal(position, 27);
    assert_true(y == x);
    for (int i = 0; i < 16; i++)
        assert_int_equal(copy[i / 4][i % 4], i % 4 == 2 ? i - 1 : 0);
    CHECK_ERROR(MPI_ERR_TRUNCATE, "insize is 27", tf_unpack(buffer, 27, &position, &y, 1, real, NULL));
    position = 50;
    CHECK_ERROR(MPI_ERR_ARG, "position is 50; it must be between 0 and insize, which is 27",
                tf_unpack(buffer, 27, &position, &y, 1, real, NULL));
    position = 0;
    CHECK_ERROR(MPI_ERR_COUNT, "outcount is -1", tf_unpack(buffer, 27, &position, &y, -1, real, NULL));
    CHECK_ERROR(MPI_ERR_COUNT, "do not fit 64 bits", tf_pack_size(INT64_MAX, real, NULL, &size));
    release(column);
}

static MPI_Count count_of(MPI_Count bytes, struct tf_type *type)
{
    MPI_Status status;
    MPI_Count count;
    tf_status_set_bytes(&status, bytes);
    assert_int_equal(tf_get_count(&status, type, &count), MPI_SUCCESS);
    return count;
}

static MPI_Count elements_of(MPI_Count bytes, struct tf_type *type)
{
    MPI_Status status;
    MPI_Count count;
    tf_status_set_bytes(&status, bytes);
    assert_int_equal(tf_get_elements(&status, type, &count), MPI_SUCCESS);
    return count;
}

/* Pairs of REALs, as in the example of MPI-5.0 section 5.1.11. */
static void test_status(void **state)
{
    (void)state;
    struct tf_type *pair = contiguous(2, find(MPI_REAL)), *empty = contiguous(0, find(MPI_REAL));
    assert_int_equal(count_of(8, pair), 1);
    assert_int_equal(elements_of(8, pair), 2);
    assert_int_equal(count_of(12, pair), MPI_UNDEFINED);
    assert_int_equal(elements_of(12, pair), 3);
    assert_int_equal(elements_of(13, pair), MPI_UNDEFINED);
    assert_int_equal(count_of(0, pair), 0);
    assert_int_equal(count_of(0, empty), 0);
    assert_int_equal(count_of(4, empty), MPI_UNDEFINED);
    assert_int_equal(elements_of(0, empty), 0);
    assert_int_equal(elements_of(24, find(MPI_DOUBLE_INT)), 4);
    assert_int_equal(elements_of(20, find(MPI_DOUBLE_INT)), 3);
    assert_int_equal(count_of(24000000000000, pair), 3000000000000);

    MPI_Status status;
    assert_int_equal(tf_status_set_elements(&status, find(MPI_DOUBLE_INT), 3), MPI_SUCCESS);
    assert_int_equal(tf_status_bytes(&status), 20);
    CHECK_ERROR(MPI_ERR_COUNT, "count is -2", tf_status_set_elements(&status, pair, -2));
    CHECK_ERROR(MPI_ERR_COUNT, "has no elements", tf_status_set_elements(&status, empty, 1));
    CHECK_ERROR(MPI_ERR_COUNT, "do not fit 64 bits", tf_status_set_elements(&status, pair, INT64_MAX));
    release(pair);
    release(empty);
}

static void check_span(struct tf_type *type, MPI_Count count, size_t span, ptrdiff_t shift)
{
    size_t got_span;
    ptrdiff_t got_shift;
    tf_type_span(type, count, &got_span, &got_shift);
    assert_int_equal(got_span, span);
    assert_int_equal(got_shift, shift);
}

static void test_span(void **state)
{
    (void)state;
    struct tf_type *padded = resized(find(MPI_INT), -4, 16), *narrow = vector(3, 1, 2, find(MPI_INT)),
                   *backwards = resized(find(MPI_INT), 0, -4), *interleaved = resized(narrow, 0, 4);
    check_span(find(MPI_INT), 0, 0, 0);
    check_span(find(MPI_INT), 5, 20, 0);
    check_span(find(MPI_DOUBLE_INT), 2, 32, 0);
    check_span(padded, 2, 32, -4);
    check_span(interleaved, 2, 24, 0);
    check_span(backwards, 3, 16, -12);
    check_span(find(MPI_DOUBLE), INT64_MAX / 2, SIZE_MAX, 0);
    release(padded);
    release(narrow);
    release(backwards);
    release(interleaved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_pack, pool_is_empty),
        cmocka_unit_test_teardown(test_status, pool_is_empty),
        cmocka_unit_test_teardown(test_span, pool_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
