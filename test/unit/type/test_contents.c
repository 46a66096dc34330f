/* test_contents.c - envelope and contents of every constructor in both forms, names, duplicates and their attributes.
 */
#include "types.h"

#include "object/attr.h"
#include "object/name.h"
#include "type/contents.h"

enum { ROOM = 16 };

struct contents {
    MPI_Count ni, na, nl, nd;
    int combiner;
    int integers[ROOM];
    MPI_Aint addresses[ROOM];
    MPI_Count large[ROOM];
    MPI_Datatype types[ROOM];
};

static struct contents contents_of(struct tf_type *type)
{
    struct contents c;
    assert_int_equal(tf_type_get_envelope(type, &c.ni, &c.na, &c.nl, &c.nd, &c.combiner), MPI_SUCCESS);
    assert_int_equal(tf_type_get_contents(type, c.ni, c.na, c.nl, c.nd, c.integers, c.addresses, c.large, c.types),
                     MPI_SUCCESS);
    return c;
}

static void check_numbers(MPI_Count n, const MPI_Count *wanted, MPI_Count got_n, const void *got, size_t width)
{
    assert_int_equal(got_n, n);
    for (MPI_Count i = 0; i < n; i++)
        assert_int_equal(width == 4 ? ((const int *)got)[i] : ((const MPI_Count *)got)[i], wanted[i]);
}

#define NUMBERS(...)                                                                                                   \
    (sizeof((MPI_Count[]){__VA_ARGS__}) / sizeof(MPI_Count)), (const MPI_Count[])                                      \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

/* A type of the plain form: integers and addresses; frees it, and the handles that came out. */
static void check_plain(struct tf_type *type, int combiner, MPI_Count ni, const MPI_Count *integers, MPI_Count na,
                        const MPI_Count *addresses)
{
    struct contents c = contents_of(type);
    MPI_Count n[3];
    assert_int_equal(c.combiner, combiner);
    assert_int_equal(c.nl, 0);
    check_numbers(ni, integers, c.ni, c.integers, 4);
    check_numbers(na, addresses, c.na, c.addresses, 8);
    assert_int_equal(tf_type_get_envelope(type, &n[0], &n[1], NULL, &n[2], &combiner), MPI_SUCCESS);
    for (MPI_Count i = 0; i < c.nd; i++)
        release(find(c.types[i]));
    release(type);
}

static void check_large(struct tf_type *type, int combiner, MPI_Count ni, const MPI_Count *integers, MPI_Count nl,
                        const MPI_Count *large)
{
    struct contents c = contents_of(type);
    MPI_Count n[3];
    assert_int_equal(c.combiner, combiner);
    assert_int_equal(c.na, 0);
    check_numbers(ni, integers, c.ni, c.integers, 4);
    check_numbers(nl, large, c.nl, c.large, 8);
    CHECK_ERROR(MPI_ERR_TYPE, "MPI_Type_get_envelope_c",
                tf_type_get_envelope(type, &n[0], &n[1], NULL, &n[2], &combiner));
    CHECK_ERROR(
        MPI_ERR_TYPE, "MPI_Type_get_contents_c",
        tf_type_get_contents(type, ROOM, ROOM, TF_NO_LARGE_COUNTS, ROOM, c.integers, c.addresses, NULL, c.types));
    for (MPI_Count i = 0; i < c.nd; i++)
        release(find(c.types[i]));
    release(type);
}

#define NONE 0, NULL

static void test_forms(void **state)
{
    (void)state;
    struct tf_type *old = vector(2, 1, 2, find(MPI_INT));
    MPI_Datatype types[] = {handle_of(old), handle_of(old)};

    check_plain(contiguous(7, old), MPI_COMBINER_CONTIGUOUS, NUMBERS(7), NONE);
    check_plain(vector(2, 3, -4, old), MPI_COMBINER_VECTOR, NUMBERS(2, 3, -4), NONE);
    check_plain(hvector(2, 3, 40, old), MPI_COMBINER_HVECTOR, NUMBERS(2, 3), NUMBERS(40));
    check_plain(MAKE(tf_type_indexed, 2, INTS(1, 2), INTS(3, 4), old, &made_, false), MPI_COMBINER_INDEXED,
                NUMBERS(2, 1, 2, 3, 4), NONE);
    check_plain(MAKE(tf_type_create_hindexed, 2, INTS(1, 2), LARGE(3, 4), old, &made_, false), MPI_COMBINER_HINDEXED,
                NUMBERS(2, 1, 2), NUMBERS(3, 4));
    check_plain(MAKE(tf_type_create_indexed_block, 2, 5, INTS(3, 4), old, &made_, false), MPI_COMBINER_INDEXED_BLOCK,
                NUMBERS(2, 5, 3, 4), NONE);
    check_plain(MAKE(tf_type_create_hindexed_block, 2, 5, LARGE(3, 4), old, &made_, false), MPI_COMBINER_HINDEXED_BLOCK,
                NUMBERS(2, 5), NUMBERS(3, 4));
    check_plain(structure(2, INTS(1, 2), LARGE(3, 400), types), MPI_COMBINER_STRUCT, NUMBERS(2, 1, 2), NUMBERS(3, 400));
    check_plain(MAKE(tf_type_create_subarray, 2, INTS(4, 5), INTS(2, 3), INTS(1, 0), MPI_ORDER_C, old, &made_, false),
                MPI_COMBINER_SUBARRAY, NUMBERS(2, 4, 5, 2, 3, 1, 0, MPI_ORDER_C), NONE);
    check_plain(MAKE(tf_type_create_darray, 3, 1, 1, INTS(9), (int[]){MPI_DISTRIBUTE_BLOCK}, (int[]){4}, (int[]){3},
                     MPI_ORDER_C, old, &made_, false),
                MPI_COMBINER_DARRAY, NUMBERS(3, 1, 1, 9, MPI_DISTRIBUTE_BLOCK, 4, 3, MPI_ORDER_C), NONE);
    check_plain(resized(old, -4, 50), MPI_COMBINER_RESIZED, NONE, NUMBERS(-4, 50));
    check_plain(MAKE(tf_type_dup, old, &made_), MPI_COMBINER_DUP, NONE, NONE);
    release(old);
}

static void test_large_forms(void **state)
{
    (void)state;
    struct tf_type *old = vector(2, 1, 2, find(MPI_INT));
    MPI_Datatype types[] = {handle_of(old), handle_of(old)};

    check_large(MAKE(tf_type_contiguous, 7, old, &made_, true), MPI_COMBINER_CONTIGUOUS, NONE, NUMBERS(7));
    check_large(MAKE(tf_type_vector, 2, 3, -4, old, &made_, true), MPI_COMBINER_VECTOR, NONE, NUMBERS(2, 3, -4));
    check_large(MAKE(tf_type_create_hvector, 2, 3, 40, old, &made_, true), MPI_COMBINER_HVECTOR, NONE,
                NUMBERS(2, 3, 40));
    check_large(MAKE(tf_type_indexed, 2, LARGE(1, 2), LARGE(3, 4), old, &made_, true), MPI_COMBINER_INDEXED, NONE,
                NUMBERS(2, 1, 2, 3, 4));
    check_large(MAKE(tf_type_create_hindexed_block, 2, 5, LARGE(3, 4), old, &made_, true), MPI_COMBINER_HINDEXED_BLOCK,
                NONE, NUMBERS(2, 5, 3, 4));
    check_large(MAKE(tf_type_create_struct, 2, LARGE(1, 2), LARGE(3, 400), types, &made_, true), MPI_COMBINER_STRUCT,
                NONE, NUMBERS(2, 1, 2, 3, 400));
    check_large(MAKE(tf_type_create_subarray, 1, LARGE(5), LARGE(3), LARGE(1), MPI_ORDER_C, old, &made_, true),
                MPI_COMBINER_SUBARRAY, NUMBERS(1, MPI_ORDER_C), NUMBERS(5, 3, 1));
    check_large(MAKE(tf_type_create_darray, 3, 1, 1, LARGE(9), (int[]){MPI_DISTRIBUTE_BLOCK}, (int[]){4}, (int[]){3},
                     MPI_ORDER_C, old, &made_, true),
                MPI_COMBINER_DARRAY, NUMBERS(3, 1, 1, MPI_DISTRIBUTE_BLOCK, 4, 3, MPI_ORDER_C), NUMBERS(9));
    check_large(MAKE(tf_type_create_resized, old, -4, 50, &made_, true), MPI_COMBINER_RESIZED, NONE, NUMBERS(-4, 50));
    release(old);
}

/* Handles that come out are new references; predefined types come out as themselves and have no contents. */
static void test_references(void **state)
{
    (void)state;
    struct tf_type *inner = contiguous(2, find(MPI_INT)), *outer = contiguous(3, inner);
    MPI_Datatype handle = handle_of(inner);
    release(inner);
    struct contents c = contents_of(outer);
    release(outer);
    assert_ptr_equal(c.types[0], handle);
    assert_int_equal(find(handle)->size, 8);
    struct contents d = contents_of(find(handle));
    assert_ptr_equal(d.types[0], MPI_INT);
    release(find(handle));

    assert_int_equal(tf_type_get_envelope(find(MPI_2INT), &c.ni, &c.na, &c.nl, &c.nd, &c.combiner), MPI_SUCCESS);
    assert_int_equal(c.combiner, MPI_COMBINER_NAMED);
    assert_int_equal(c.ni + c.na + c.nl + c.nd, 0);
    CHECK_ERROR(MPI_ERR_TYPE, "MPI_2INT, which is predefined",
                tf_type_get_contents(find(MPI_2INT), 0, 0, 0, 0, NULL, NULL, NULL, NULL));

    struct tf_type *type = hvector(2, 3, 40, find(MPI_INT));
    CHECK_ERROR(MPI_ERR_ARG, "max_integers is 1; the datatype's contents need 2",
                tf_type_get_contents(type, 1, 1, 0, 1, d.integers, d.addresses, d.large, d.types));
    CHECK_ERROR(MPI_ERR_ARG, "max_datatypes is 0",
                tf_type_get_contents(type, 2, 1, 0, 0, d.integers, d.addresses, d.large, d.types));
    release(type);
}

static void test_names(void **state)
{
    (void)state;
    char name[MPI_MAX_OBJECT_NAME], longer[2 * MPI_MAX_OBJECT_NAME];
    int len = -1;
    struct tf_type *type = contiguous(2, find(MPI_INT));
    tf_name_get(type->contents->name, name, &len);
    assert_string_equal(name, "");
    assert_int_equal(len, 0);
    assert_string_equal(tf_type_describe(type), "a derived datatype (contiguous)");
    assert_string_equal(tf_type_describe(find(MPI_DOUBLE)), "MPI_DOUBLE");
    tf_name_set(type->contents->name, "cell");
    assert_string_equal(tf_type_describe(type), "cell");
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = 0;
    tf_name_set(type->contents->name, longer);
    tf_name_get(type->contents->name, name, &len);
    assert_int_equal(len, MPI_MAX_OBJECT_NAME - 1);
    assert_memory_equal(name, longer, len);
    release(type);
}

static int deleted;

static int copy_fn(MPI_Datatype old, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)old, (void)keyval, (void)extra;
    *(void **)out = (char *)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_fn(MPI_Datatype type, int keyval, void *value, void *extra)
{
    (void)type, (void)keyval, (void)value, (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

static int refuse_fn(MPI_Datatype type, int keyval, void *value, void *extra)
{
    (void)type, (void)keyval, (void)value, (void)extra;
    return MPI_ERR_OTHER;
}

static void test_dup(void **state)
{
    (void)state;
    int keyval, flag;
    char target[8];
    void *value;
    struct tf_type *old = vector(3, 1, 2, find(MPI_INT)), *fresh = MAKE(tf_type_dup, old, &made_);
    assert_false(fresh->committed);
    release(fresh);
    commit(old);
    tf_type_create_keyval(copy_fn, delete_fn, &keyval, NULL);
    assert_int_equal(tf_attrs_set(&old->attrs, TF_KIND_TYPE, old->obj.handle, keyval, target), MPI_SUCCESS);
    struct tf_type *copy = MAKE(tf_type_dup, old, &made_);
    assert_true(copy->committed);
    assert_int_equal(copy->extent, old->extent);
    assert_true(copy->signature == old->signature);
    assert_int_equal(tf_type_get_attr(copy, keyval, &value, &flag), MPI_SUCCESS);
    assert_true(flag);
    assert_ptr_equal(value, target + 1);

    /* A child's attributes go when its user frees it, not when its last parent goes. */
    release(old);
    assert_int_equal(deleted, 1);
    release(copy);
    assert_int_equal(deleted, 2);
    tf_type_free_keyval(&keyval);
}

/* A delete callback that fails keeps the type. */
static void test_refused_free(void **state)
{
    (void)state;
    int keyval;
    struct tf_type *type = contiguous(2, find(MPI_INT));
    tf_type_create_keyval(MPI_TYPE_NULL_COPY_FN, refuse_fn, &keyval, NULL);
    tf_attrs_set(&type->attrs, TF_KIND_TYPE, type->obj.handle, keyval, NULL);
    assert_int_equal(tf_type_free(type), MPI_ERR_OTHER);
    assert_int_equal(tf_type_pool.live, 1);
    tf_attrs_discard(&type->attrs);
    release(type);
    tf_type_free_keyval(&keyval);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_forms, pool_is_empty),
        cmocka_unit_test_teardown(test_large_forms, pool_is_empty),
        cmocka_unit_test_teardown(test_references, pool_is_empty),
        cmocka_unit_test_teardown(test_names, pool_is_empty),
        cmocka_unit_test_teardown(test_dup, pool_is_empty),
        cmocka_unit_test_teardown(test_refused_free, pool_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
