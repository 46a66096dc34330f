/* test_dims.c - balanced grids: known ones, all small ones against every way to factor the number, errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topo/topo.h"

static void expect(int nnodes, int ndims, const int *wanted)
{
    int dims[40] = {0};
    assert_int_equal(tf_dims_create(nnodes, ndims, dims), MPI_SUCCESS);
    assert_memory_equal(dims, wanted, (size_t)ndims * sizeof *dims);
}

static void known_ones(void **state)
{
    (void)state;
    expect(72, 2, (int[]){9, 8});
    expect(72, 3, (int[]){6, 4, 3});
    expect(6, 2, (int[]){3, 2});
    expect(7, 2, (int[]){7, 1});
    expect(7, 3, (int[]){7, 1, 1});
    expect(1, 3, (int[]){1, 1, 1});
    expect(5, 1, (int[]){5});
    expect(1024, 3, (int[]){16, 8, 8});
    expect(1 << 30, 2, (int[]){1 << 15, 1 << 15});
    expect(2147483647, 2, (int[]){2147483647, 1}); /* a prime */
    expect(735134400, 2, (int[]){27200, 27027});   /* 1344 divisors */
}

/* The least difference of the largest and the smallest of `left` factors, none above `most`, whose product is n. */
static int least_spread(int n, int left, int first, int most)
{
    int least = INT32_MAX;
    if (left == 1)
        return n <= most ? first - n : INT32_MAX;
    for (int f = 1; f <= n && f <= most; f++) {
        if (n % f == 0) {
            int spread = least_spread(n / f, left - 1, first ? first : f, f);
            least = spread < least ? spread : least;
        }
    }
    return least;
}

static void small_ones(void **state)
{
    (void)state;
    for (int n = 1; n <= 150; n++) {
        for (int ndims = 2; ndims <= 4; ndims++) {
            int dims[4] = {0}, product = 1;
            assert_int_equal(tf_dims_create(n, ndims, dims), MPI_SUCCESS);
            for (int d = 0; d < ndims; d++) {
                product *= dims[d];
                assert_true(d == 0 || dims[d] <= dims[d - 1]);
            }
            assert_int_equal(product, n);
            assert_int_equal(dims[0] - dims[ndims - 1], least_spread(n, ndims, 0, n));
        }
    }
}

static void many_dimensions(void **state)
{
    int dims[40] = {0}, product = 1;
    (void)state;
    assert_int_equal(tf_dims_create(720720, 12, dims), MPI_SUCCESS);
    for (int d = 0; d < 12; d++)
        product *= dims[d];
    assert_int_equal(product, 720720);
    memset(dims, 0, sizeof dims);
    assert_int_equal(tf_dims_create(1 << 30, 40, dims), MPI_SUCCESS);
    assert_int_equal(dims[0], 2);
    assert_int_equal(dims[29], 2);
    assert_int_equal(dims[30], 1);
}

static void some_are_given(void **state)
{
    int dims[3] = {0, 3, 0}, full[2] = {2, 3};
    (void)state;
    assert_int_equal(tf_dims_create(24, 3, dims), MPI_SUCCESS);
    assert_int_equal(dims[0], 4);
    assert_int_equal(dims[1], 3);
    assert_int_equal(dims[2], 2);
    assert_int_equal(tf_dims_create(6, 2, full), MPI_SUCCESS);
    assert_int_equal(full[0], 2);
    assert_int_equal(tf_dims_create(1, 0, NULL), MPI_SUCCESS);
}

static void errors(void **state)
{
    int dims[2] = {5, 0}, negative[1] = {-1}, full[2] = {2, 3};
    (void)state;
    assert_int_equal(tf_dims_create(12, 2, dims), MPI_ERR_DIMS);
    assert_int_equal(dims[1], 0);
    assert_int_equal(tf_dims_create(12, 1, negative), MPI_ERR_DIMS);
    assert_int_equal(tf_dims_create(12, 2, full), MPI_ERR_DIMS);
    assert_int_equal(tf_dims_create(12, -1, full), MPI_ERR_DIMS);
    assert_int_equal(tf_dims_create(2, 0, NULL), MPI_ERR_DIMS);
    assert_int_equal(tf_dims_create(0, 1, (int[]){0}), MPI_ERR_ARG);
    assert_int_equal(tf_dims_create(-6, 1, (int[]){0}), MPI_ERR_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_ones),     cmocka_unit_test(small_ones), cmocka_unit_test(many_dimensions),
        cmocka_unit_test(some_are_given), cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
