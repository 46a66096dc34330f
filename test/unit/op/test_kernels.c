/* test_kernels.c - every predefined operator on every element, at each level of SIMD instructions that this processor
 * has, against a scalar answer computed in another way; and the same bits at all levels.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "reference.h"

#define MAX_N 100
#define ROOM 64 /* before and behind the vectors: nobody writes there */
#define ROOM_BYTE 0xa5
#define VECTOR_BYTES (MAX_N * 32)
#define ALL_BYTES (ROOM + VECTOR_BYTES + 8 + ROOM)

static const MPI_Op handles[] = {
    [TF_OP_MAX] = MPI_MAX,   [TF_OP_MIN] = MPI_MIN,   [TF_OP_SUM] = MPI_SUM,       [TF_OP_PROD] = MPI_PROD,
    [TF_OP_LAND] = MPI_LAND, [TF_OP_LOR] = MPI_LOR,   [TF_OP_LXOR] = MPI_LXOR,     [TF_OP_BAND] = MPI_BAND,
    [TF_OP_BOR] = MPI_BOR,   [TF_OP_BXOR] = MPI_BXOR, [TF_OP_MINLOC] = MPI_MINLOC, [TF_OP_MAXLOC] = MPI_MAXLOC,
};

enum aliasing { DISTINCT, DST_IS_A, DST_IS_B };

struct buffers {
    unsigned char a[ALL_BYTES], b[ALL_BYTES], dst[ALL_BYTES];
};

static void fill(const struct reference_type *type, unsigned char *vector, uint64_t *seed)
{
    for (size_t i = 0; i < MAX_N; i++)
        reference_value(type, seed, vector + i * type->size);
}

/* May differ: which NaN a sum or product of two NaNs is; and MAX and MIN of halves make NaNs quiet. */
static bool any_nan(enum tf_op_index op, const struct reference_type *type)
{
    return op == TF_OP_SUM || op == TF_OP_PROD || type->basic == TF_FLOAT16;
}

static void check_untouched(const unsigned char *bytes, const char *what)
{
    for (size_t i = 0; i < ROOM; i++) {
        if (bytes[i] != ROOM_BYTE)
            fail_msg("%s: byte %zu of the room beside the vector was written", what, i);
    }
}

static void check_case(enum tf_op_index op, const struct reference_type *type, size_t n, size_t shift,
                       enum aliasing aliasing, uint64_t seed)
{
    static struct buffers buf;
    char what[120];
    snprintf(what, sizeof what, "%s on %s, n %zu, shift %zu, aliasing %d", tf_op_find(handles[op])->name, type->name, n,
             shift, (int)aliasing);
    memset(&buf, ROOM_BYTE, sizeof buf);
    unsigned char *a = buf.a + ROOM + shift, *b = buf.b + ROOM + shift, *dst = buf.dst + ROOM + shift;
    fill(type, a, &seed);
    fill(type, b, &seed);
    unsigned char expected[VECTOR_BYTES];
    memset(expected, ROOM_BYTE, sizeof expected);
    for (size_t i = 0; i < n; i++)
        reference_apply(op, type, expected + i * type->size, a + i * type->size, b + i * type->size);
    unsigned char *out = aliasing == DST_IS_A ? a : aliasing == DST_IS_B ? b : dst;

    tf_op_find(handles[op])->kernels[type->basic](out, a, b, n);

    for (size_t i = 0; i < n; i++) {
        if (!reference_same(type, out + i * type->size, expected + i * type->size, any_nan(op, type)))
            fail_msg("%s: element %zu is wrong", what, i);
    }
    /* Distinct vectors were filled with ROOM_BYTE, so this sees the padding of pairs too. */
    if (aliasing == DISTINCT && type->class == PAIR)
        assert_memory_equal(out, expected, n * type->size);
    check_untouched(out - ROOM, what);
    if (aliasing == DISTINCT)
        check_untouched(out + n * type->size, what);
}

static void check_all_cases(enum tf_op_index op, const struct reference_type *type)
{
    static const size_t sizes[] = {0, 1, 2, 3, 8, 17, 100};
    for (size_t i = 0; i < TF_ARRAY_LEN(sizes); i++) {
        for (size_t shift = 0; shift < 4; shift++) {
            for (enum aliasing aliasing = DISTINCT; aliasing <= DST_IS_B; aliasing++)
                check_case(op, type, sizes[i], shift, aliasing, 17 * i + 5 * shift + aliasing + 1);
        }
    }
    for (uint64_t seed = 1000; seed < 1040; seed++)
        check_case(op, type, MAX_N, 0, DST_IS_B, seed);
}

static void every_operator_on_every_element(void **state)
{
    (void)state;
    for (size_t l = 0; l < reference_nlevels; l++) {
        if (!reference_use_level(reference_levels[l])) {
            print_message("level %s is not there\n", reference_levels[l]);
            continue;
        }
        for (enum tf_op_index op = 0; op < TF_OP_NKERNELS; op++) {
            for (size_t t = 0; t < reference_ntypes; t++) {
                enum reference_class class = reference_types[t].class;
                if (reference_allows(op, class) || reference_beyond(op, class))
                    check_all_cases(op, &reference_types[t]);
            }
        }
    }
}

/* Nothing else is defined; `strict`: nothing that the standard does not define. */
static void check_defined(bool strict)
{
    for (enum tf_op_index op = 0; op < TF_OP_NKERNELS; op++) {
        const struct tf_op *it = tf_op_find(handles[op]);
        assert_null(it->kernels[TF_BASIC_NONE]);
        for (size_t t = 0; t < reference_ntypes; t++) {
            const struct reference_type *type = &reference_types[t];
            bool defined = it->kernels[type->basic] != NULL;
            bool beyond = !strict && reference_beyond(op, type->class);
            if (defined != (reference_allows(op, type->class) || beyond))
                fail_msg("%s on %s is %sdefined", it->name, type->name, defined ? "" : "not ");
        }
    }
}

static void defined_where_the_standard_says_or_others_agree(void **state)
{
    (void)state;
    for (size_t l = 0; l < reference_nlevels; l++) {
        tf_op_setup(reference_levels[l]);
        check_defined(false);
        tf_op_restrict();
        check_defined(true);
    }
    tf_op_setup("auto");
    check_defined(false);
    assert_int_equal(reference_ntypes, TF_NBASIC - 3); /* the accumulators of exact sums: test_binned.c */
}

static void logicals_are_written_as_configured(void **state)
{
    (void)state;
    const int32_t a[] = {0, 1, -1, 2, 0}, b[] = {0, 0, 1, 4, INT32_MIN};
    int32_t dst[5];
    tf_op_setup("auto");
    tf_op_logical_true = -1;
    tf_op_find(MPI_LAND)->kernels[TF_LOGICAL4](dst, a, b, 5);
    assert_memory_equal(dst, ((int32_t[]){0, 0, -1, -1, 0}), sizeof dst);
    tf_op_find(MPI_LXOR)->kernels[TF_LOGICAL4](dst, a, b, 5);
    assert_memory_equal(dst, ((int32_t[]){0, -1, 0, 0, -1}), sizeof dst);
    tf_op_find(MPI_LAND)->kernels[TF_INT32](dst, a, b, 5);
    assert_memory_equal(dst, ((int32_t[]){0, 0, 1, 1, 0}), sizeof dst);
    tf_op_logical_true = 1;
    tf_op_find(MPI_LOR)->kernels[TF_LOGICAL4](dst, a, b, 5);
    assert_memory_equal(dst, ((int32_t[]){0, 1, 1, 1, 1}), sizeof dst);
}

static void ties_go_to_the_smaller_index(void **state)
{
    (void)state;
    const struct tf_pair_double_int a[] = {{1, 7}, {1, 3}, {2, 9}, {1, 9}, {0.0, 2}, {__builtin_nan(""), 5}};
    const struct tf_pair_double_int b[] = {{1, 3}, {1, 7}, {1, 1}, {2, 1}, {-0.0, 1}, {__builtin_nan(""), 4}};
    const int min_index[] = {3, 3, 1, 9, 1, 4}, max_index[] = {3, 3, 9, 1, 1, 4};
    struct tf_pair_double_int dst[6];
    tf_op_find(MPI_MINLOC)->kernels[TF_PAIR_DOUBLE_INT](dst, a, b, 6);
    for (int i = 0; i < 6; i++)
        assert_int_equal(dst[i].index, min_index[i]);
    tf_op_find(MPI_MAXLOC)->kernels[TF_PAIR_DOUBLE_INT](dst, a, b, 6);
    for (int i = 0; i < 6; i++)
        assert_int_equal(dst[i].index, max_index[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operator_on_every_element),
        cmocka_unit_test(defined_where_the_standard_says_or_others_agree),
        cmocka_unit_test(logicals_are_written_as_configured),
        cmocka_unit_test(ties_go_to_the_smaller_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
