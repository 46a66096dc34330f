/* test_predefined.c - every predefined datatype: its size and extent against the compiler's types, its name, what it is
 * to operators; pairs with C's padding; the queries that find one.
 */
#include "types.h"

#include <complex.h>
#include <wchar.h>

#include "object/name.h"
#include "type/basic.h"
#include "type/contents.h"

#define ROW(name, ctype, element)                                                                                      \
    {                                                                                                                  \
        name, #name, sizeof(ctype), sizeof(ctype), element                                                             \
    }
#define PAIR(name, value, index, element)                                                                              \
    {                                                                                                                  \
        name, #name, sizeof(value) + sizeof(index), sizeof(struct {                                                    \
            value v;                                                                                                   \
            index i;                                                                                                   \
        }),                                                                                                            \
            element                                                                                                    \
    }

static const struct {
    MPI_Datatype handle;
    const char *name;
    MPI_Count size, extent;
    enum tf_basic element;
} rows[] = {
    ROW(MPI_AINT, void *, TF_MULTI),
    ROW(MPI_COUNT, int64_t, TF_MULTI),
    ROW(MPI_OFFSET, int64_t, TF_MULTI),
    ROW(MPI_PACKED, char, TF_BASIC_NONE),
    ROW(MPI_SHORT, short, TF_INT16),
    ROW(MPI_INT, int, TF_INT32),
    ROW(MPI_LONG, long, TF_INT64),
    ROW(MPI_LONG_LONG_INT, long long, TF_INT64),
    ROW(MPI_UNSIGNED_SHORT, short, TF_UINT16),
    ROW(MPI_UNSIGNED, int, TF_UINT32),
    ROW(MPI_UNSIGNED_LONG, long, TF_UINT64),
    ROW(MPI_UNSIGNED_LONG_LONG, long long, TF_UINT64),
    ROW(MPI_FLOAT, float, TF_FLOAT),
    ROW(MPI_C_COMPLEX, float complex, TF_COMPLEX_FLOAT),
    ROW(MPI_CXX_FLOAT_COMPLEX, float complex, TF_COMPLEX_FLOAT),
    ROW(MPI_DOUBLE, double, TF_DOUBLE),
    ROW(MPI_C_DOUBLE_COMPLEX, double complex, TF_COMPLEX_DOUBLE),
    ROW(MPI_CXX_DOUBLE_COMPLEX, double complex, TF_COMPLEX_DOUBLE),
    ROW(MPI_LOGICAL, int32_t, TF_LOGICAL4),
    ROW(MPI_INTEGER, int32_t, TF_FORTRAN_INT32),
    ROW(MPI_REAL, float, TF_FLOAT),
    ROW(MPI_COMPLEX, float complex, TF_COMPLEX_FLOAT),
    ROW(MPI_DOUBLE_PRECISION, double, TF_DOUBLE),
    ROW(MPI_DOUBLE_COMPLEX, double complex, TF_COMPLEX_DOUBLE),
    ROW(MPI_CHARACTER, char, TF_FORTRAN_CHAR),
    ROW(MPI_LONG_DOUBLE, long double, TF_LONG_DOUBLE),
    ROW(MPI_C_LONG_DOUBLE_COMPLEX, long double complex, TF_COMPLEX_LONG_DOUBLE),
    ROW(MPI_CXX_LONG_DOUBLE_COMPLEX, long double complex, TF_COMPLEX_LONG_DOUBLE),
    ROW(MPI_C_BOOL, _Bool, TF_BOOL),
    ROW(MPI_CXX_BOOL, _Bool, TF_BOOL),
    ROW(MPI_WCHAR, wchar_t, TF_BASIC_NONE),
    ROW(MPI_INT8_T, char, TF_INT8),
    ROW(MPI_UINT8_T, char, TF_UINT8),
    ROW(MPI_CHAR, char, TF_CHAR),
    ROW(MPI_SIGNED_CHAR, char, TF_INT8),
    ROW(MPI_UNSIGNED_CHAR, char, TF_UINT8),
    ROW(MPI_BYTE, char, TF_BYTE),
    ROW(MPI_INT16_T, int16_t, TF_INT16),
    ROW(MPI_UINT16_T, int16_t, TF_UINT16),
    ROW(MPI_INT32_T, int32_t, TF_INT32),
    ROW(MPI_UINT32_T, int32_t, TF_UINT32),
    ROW(MPI_INT64_T, int64_t, TF_INT64),
    ROW(MPI_UINT64_T, int64_t, TF_UINT64),
    ROW(MPI_LOGICAL1, char[1], TF_LOGICAL1),
    ROW(MPI_LOGICAL2, char[2], TF_LOGICAL2),
    ROW(MPI_LOGICAL4, char[4], TF_LOGICAL4),
    ROW(MPI_LOGICAL8, char[8], TF_LOGICAL8),
    ROW(MPI_LOGICAL16, char[16], TF_LOGICAL16),
    ROW(MPI_INTEGER1, char[1], TF_FORTRAN_INT8),
    ROW(MPI_INTEGER2, char[2], TF_FORTRAN_INT16),
    ROW(MPI_INTEGER4, char[4], TF_FORTRAN_INT32),
    ROW(MPI_INTEGER8, char[8], TF_FORTRAN_INT64),
    ROW(MPI_INTEGER16, char[16], TF_INT128),
    ROW(MPI_REAL2, char[2], TF_FLOAT16),
    ROW(MPI_REAL4, char[4], TF_FLOAT),
    ROW(MPI_REAL8, char[8], TF_DOUBLE),
    ROW(MPI_REAL16, char[16], TF_FLOAT128),
    ROW(MPI_COMPLEX4, char[4], TF_COMPLEX_FLOAT16),
    ROW(MPI_COMPLEX8, char[8], TF_COMPLEX_FLOAT),
    ROW(MPI_COMPLEX16, char[16], TF_COMPLEX_DOUBLE),
    ROW(MPI_COMPLEX32, char[32], TF_COMPLEX_FLOAT128),
    PAIR(MPI_FLOAT_INT, float, int, TF_PAIR_FLOAT_INT),
    PAIR(MPI_DOUBLE_INT, double, int, TF_PAIR_DOUBLE_INT),
    PAIR(MPI_LONG_INT, long, int, TF_PAIR_LONG_INT),
    PAIR(MPI_2INT, int, int, TF_PAIR_INT_INT),
    PAIR(MPI_SHORT_INT, short, int, TF_PAIR_SHORT_INT),
    PAIR(MPI_LONG_DOUBLE_INT, long double, int, TF_PAIR_LONG_DOUBLE_INT),
    PAIR(MPI_2REAL, float, float, TF_PAIR_FLOAT_FLOAT),
    PAIR(MPI_2DOUBLE_PRECISION, double, double, TF_PAIR_DOUBLE_DOUBLE),
    PAIR(MPI_2INTEGER, int32_t, int32_t, TF_PAIR_INT_INT),
};

static void test_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < TF_ARRAY_LEN(rows); i++) {
        struct tf_type *type = find(rows[i].handle);
        char name[MPI_MAX_OBJECT_NAME];
        int len;
        tf_name_get(type->contents->name, name, &len);
        assert_string_equal(name, rows[i].name);
        assert_int_equal(len, strlen(name));
        assert_ptr_equal(handle_of(type), rows[i].handle);
        assert_int_equal(type->size, rows[i].size);
        assert_int_equal(type->lb, 0);
        assert_int_equal(type->extent, rows[i].extent);
        assert_int_equal(type->basic, rows[i].element);
        assert_int_equal(type->dense, rows[i].size == rows[i].extent);
        assert_true(type->committed);
        assert_true((type->signature != 0) == (rows[i].handle != MPI_PACKED));
    }
}

/* The rows above are all there are, but for MPI-1's markers of bounds (test_construct.c). */
static void test_nothing_else(void **state)
{
    (void)state;
    size_t found = 0;
    for (uintptr_t handle = 0; handle < 4096; handle++)
        found += tf_type_find((MPI_Datatype)handle) != NULL;
    assert_int_equal(found, TF_ARRAY_LEN(rows) + 2);
    assert_true(tf_type_is_marker(find(MPI_LB)) && tf_type_is_marker(find(MPI_UB)));
    assert_null(tf_type_find(MPI_DATATYPE_NULL));
}

/* A pair is what the struct of its parts is: same bounds, same runs, same signature. */
static void check_pair(MPI_Datatype pair, MPI_Datatype value, MPI_Datatype index, MPI_Count at)
{
    MPI_Datatype types[] = {value, index}, found;
    struct tf_type *named = find(pair);
    struct tf_type *built = commit(structure(2, INTS(1, 1), LARGE(0, at), types));
    check_bounds(built, named->lb, named->extent, named->true_lb, named->true_extent, named->size);
    assert_true(built->signature == named->signature);
    const struct tf_node *a = built->nest.element, *b = named->nest.element;
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->runs, b->runs);
    if (a->kind != TF_NODE_LEAF) {
        assert_memory_equal(a->offsets, b->offsets, a->n * sizeof *a->offsets);
        assert_memory_equal(a->before, b->before, (a->n + 1) * sizeof *a->before);
    }
    assert_int_equal(built->nest.elements.kind, named->nest.elements.kind);
    assert_int_equal(built->nest.elements.stride, named->nest.elements.stride);
    assert_int_equal(built->nest.elements.n, named->nest.elements.n);
    tf_type_get_value_index(find(value), find(index), &found);
    assert_ptr_equal(found, pair);
    release(built);
}

static void test_pairs(void **state)
{
    (void)state;
    check_pair(MPI_FLOAT_INT, MPI_FLOAT, MPI_INT, offsetof(struct tf_pair_float_int, index));
    check_pair(MPI_DOUBLE_INT, MPI_DOUBLE, MPI_INT, offsetof(struct tf_pair_double_int, index));
    check_pair(MPI_LONG_INT, MPI_LONG, MPI_INT, offsetof(struct tf_pair_long_int, index));
    check_pair(MPI_2INT, MPI_INT, MPI_INT, offsetof(struct tf_pair_int_int, index));
    check_pair(MPI_SHORT_INT, MPI_SHORT, MPI_INT, offsetof(struct tf_pair_short_int, index));
    check_pair(MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, MPI_INT, offsetof(struct tf_pair_long_double_int, index));
    check_pair(MPI_2REAL, MPI_REAL, MPI_REAL, offsetof(struct tf_pair_float_float, index));
    check_pair(MPI_2DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION,
               offsetof(struct tf_pair_double_double, index));
    check_pair(MPI_2INTEGER, MPI_INTEGER, MPI_INTEGER, offsetof(struct tf_pair_int_int, index));

    MPI_Datatype none = MPI_INT;
    tf_type_get_value_index(find(MPI_INT), find(MPI_DOUBLE), &none);
    assert_ptr_equal(none, MPI_DATATYPE_NULL);
}

/* The bytes between the short and the int, and those behind the int of DOUBLE_INT, belong to the user. */
static void test_pair_padding(void **state)
{
    (void)state;
    struct tf_pair_short_int pairs[3], copy[3];
    char packed[18];
    memset(copy, 0x77, sizeof copy);
    for (int i = 0; i < 3; i++) {
        memset(&pairs[i], 0x11, sizeof pairs[i]);
        pairs[i].value = (short)(100 + i);
        pairs[i].index = 1000 + i;
    }
    tf_type_pack(find(MPI_SHORT_INT), pairs, 3, 0, packed, sizeof packed);
    tf_type_unpack(find(MPI_SHORT_INT), copy, 3, 0, packed, sizeof packed);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(copy[i].value, 100 + i);
        assert_int_equal(copy[i].index, 1000 + i);
        assert_int_equal(((char *)&copy[i])[2], 0x77);
        assert_int_equal(((char *)&copy[i])[3], 0x77);
    }
}

static void test_signatures(void **state)
{
    (void)state;
    assert_true(find(MPI_INT)->signature == find(MPI_INTEGER)->signature);
    assert_true(find(MPI_INT)->signature == find(MPI_INT32_T)->signature);
    assert_true(find(MPI_INT)->signature != find(MPI_UNSIGNED)->signature);
    assert_true(find(MPI_INT)->signature != find(MPI_FLOAT)->signature);
    assert_true(find(MPI_CHAR)->signature == find(MPI_CHARACTER)->signature);
    assert_true(find(MPI_CHAR)->signature != find(MPI_WCHAR)->signature);
    assert_true(find(MPI_BYTE)->signature != find(MPI_CHAR)->signature);
    assert_true(tf_type_signature(find(MPI_INT), 2) == find(MPI_2INT)->signature);
    assert_true(tf_type_signature(find(MPI_INT), 1000000) == tf_type_signature(find(MPI_2INT), 500000));
    /* MPI_PACKED matches everything, and so does what holds it. */
    MPI_Datatype types[] = {MPI_INT, MPI_PACKED, MPI_INT};
    struct tf_type *type = structure(3, INTS(1, 1, 1), LARGE(0, 4, 8), types);
    assert_true(type->signature == 0);
    assert_true(tf_type_signature(type, 7) == 0);
    release(type);
}

static void check_match(int typeclass, int size, MPI_Datatype wanted)
{
    MPI_Datatype found = MPI_DATATYPE_NULL;
    assert_int_equal(tf_type_match_size(typeclass, size, &found), MPI_SUCCESS);
    assert_ptr_equal(found, wanted);
}

static void test_match_size(void **state)
{
    (void)state;
    MPI_Datatype found = MPI_INT;
    check_match(MPI_TYPECLASS_INTEGER, 1, MPI_INTEGER1);
    check_match(MPI_TYPECLASS_INTEGER, 16, MPI_INTEGER16);
    check_match(MPI_TYPECLASS_REAL, 2, MPI_REAL2);
    check_match(MPI_TYPECLASS_REAL, 8, MPI_REAL8);
    check_match(MPI_TYPECLASS_COMPLEX, 8, MPI_COMPLEX8);
    check_match(MPI_TYPECLASS_COMPLEX, 32, MPI_COMPLEX32);
    CHECK_ERROR(MPI_ERR_ARG, "no Fortran real type of 3 bytes", tf_type_match_size(MPI_TYPECLASS_REAL, 3, &found));
    CHECK_ERROR(MPI_ERR_ARG, "typeclass is 7", tf_type_match_size(7, 4, &found));
    assert_ptr_equal(found, MPI_INT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_nothing_else),
        cmocka_unit_test_teardown(test_pairs, pool_is_empty),
        cmocka_unit_test(test_pair_padding),
        cmocka_unit_test_teardown(test_signatures, pool_is_empty),
        cmocka_unit_test(test_match_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
