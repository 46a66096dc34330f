/* test_represent.c - datatypes as they lie where elements have other sizes: each constructor, against where its
 * elements are.
 */
#include "types.h"

#include "type/represent.h"

/* Every element is three times as long; there is no MPI_CHAR. */
static int triple(void *context, struct tf_type *basic, MPI_Count *bytes)
{
    assert_ptr_equal(context, &triple);
    *bytes = 3 * basic->size;
    return basic == find(MPI_CHAR) ? MPI_ERR_TYPE : MPI_SUCCESS;
}

static void becomes(MPI_Datatype handle, MPI_Count size, MPI_Count true_lb, MPI_Count true_extent, MPI_Count extent)
{
    struct tf_type *made = NULL, *type = find(handle);
    assert_int_equal(tf_type_represent(type, triple, (void *)&triple, &made), MPI_SUCCESS);
    assert_true(made->committed);
    assert_int_equal(made->size, size);
    assert_int_equal(made->true_lb, true_lb);
    assert_int_equal(made->true_extent, true_extent);
    assert_int_equal(made->extent, extent);
    tf_type_release(made);
}

#define COUNTS(...) ((struct tf_counts){(const MPI_Count[]){__VA_ARGS__}, true})
#define MADE(call) assert_int_equal(call, MPI_SUCCESS)

static void test_constructors(void **state)
{
    struct tf_type *of_int = find(MPI_INT);
    MPI_Datatype t, parts[2] = {MPI_INT, MPI_DOUBLE};
    (void)state;
    becomes(MPI_INT, 12, 0, 12, 12);
    MADE(tf_type_contiguous(5, of_int, &t, true));
    becomes(t, 60, 0, 60, 60);
    tf_type_free(find(t));
    MADE(tf_type_vector(3, 2, 4, of_int, &t, true));
    becomes(t, 72, 0, 120, 120);
    tf_type_free(find(t));
    MADE(tf_type_create_hvector(3, 1, 100, of_int, &t, true)); /* bytes stay what they are */
    becomes(t, 36, 0, 212, 212);
    tf_type_free(find(t));
    MADE(tf_type_indexed(2, COUNTS(1, 2), COUNTS(5, 1), of_int, &t, true));
    becomes(t, 36, 12, 60, 60);
    tf_type_free(find(t));
    MADE(tf_type_create_subarray(2, COUNTS(4, 6), COUNTS(2, 3), COUNTS(1, 2), MPI_ORDER_C, of_int, &t, true));
    becomes(t, 72, 12 * 8, 12 * 9, 12 * 24);
    tf_type_free(find(t));
    int block[] = {MPI_DISTRIBUTE_BLOCK}, none[] = {MPI_DISTRIBUTE_DFLT_DARG}, two[] = {2};
    MADE(tf_type_create_darray(2, 1, 1, COUNTS(6), block, none, two, MPI_ORDER_C, of_int, &t, true));
    becomes(t, 36, 36, 36, 72);
    tf_type_free(find(t));
    MADE(tf_type_create_struct(2, COUNTS(1, 1), COUNTS(0, 50), parts, &t, true));
    becomes(t, 36, 0, 74, 74);
    tf_type_free(find(t));
    MADE(tf_type_create_resized(of_int, 0, 40, &t, true));
    becomes(t, 12, 0, 12, 40);
    tf_type_free(find(t));
    MADE(tf_type_dup(of_int, &t));
    becomes(t, 12, 0, 12, 12);
    tf_type_free(find(t));
    MADE(tf_type_create_f90_integer(9, &t));
    becomes(t, 12, 0, 12, 12);
}

static void test_error(void **state)
{
    MPI_Datatype t, parts[2] = {MPI_INT, MPI_CHAR};
    struct tf_type *made = NULL;
    uint32_t live = tf_type_pool.live;
    (void)state;
    MADE(tf_type_create_struct(2, COUNTS(1, 1), COUNTS(0, 50), parts, &t, true));
    assert_int_equal(tf_type_represent(find(t), triple, (void *)&triple, &made), MPI_ERR_TYPE);
    assert_null(made);
    tf_type_free(find(t));
    assert_int_equal(tf_type_pool.live, live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_constructors), cmocka_unit_test(test_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
