/* test_op.c - operators as objects: predefined and user-defined ones, their handles, errors and life. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "op/kernels.h"
#include "op/user.h"
#include "type/construct.h"

/* What the latest call of a user function was given. */
static struct {
    int calls;
    MPI_Count length, last_length;
    MPI_Datatype datatype;
    void *in, *inout, *context;
} seen;

static void note(void *in, void *inout, MPI_Count length, MPI_Datatype datatype)
{
    if (seen.calls++ == 0) {
        seen.in = in;
        seen.inout = inout;
    }
    seen.length += length;
    seen.last_length = length;
    seen.datatype = datatype;
}

static void subtract_int(void *in, void *inout, int *length, MPI_Datatype *datatype)
{
    note(in, inout, *length, *datatype);
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] = ((int *)in)[i] - ((int *)inout)[i];
}

static void subtract_large(void *in, void *inout, MPI_Count *length, MPI_Datatype *datatype)
{
    note(in, inout, *length, *datatype);
    for (MPI_Count i = 0; i < *length; i++)
        ((int *)inout)[i] = ((int *)in)[i] - ((int *)inout)[i];
}

static void subtract_scaled(void *in, void *inout, MPI_Count length, MPI_Datatype datatype, void *context)
{
    note(in, inout, length, datatype);
    seen.context = context;
    for (MPI_Count i = 0; i < length; i++)
        ((int *)inout)[i] = *(int *)context * (((int *)in)[i] - ((int *)inout)[i]);
}

static void only_note(void *in, void *inout, int *length, MPI_Datatype *datatype)
{
    note(in, inout, *length, *datatype);
    *length = -1;
    *datatype = MPI_DATATYPE_NULL;
}

static void count_up(void *context)
{
    ++*(int *)context;
}

static void reset(void)
{
    memset(&seen, 0, sizeof seen);
}

static void assert_says(int errclass, const char *words)
{
    const char *text = tf_error_text(errclass);
    assert_non_null(text);
    if (!strstr(text, words))
        fail_msg("\"%s\" does not say \"%s\"", text, words);
}

static void check_subtraction(MPI_Op handle, int factor)
{
    const int in[] = {10, 20, 30};
    int inout[] = {1, 2, 3};
    struct tf_op *op = tf_op_find(handle);
    assert_non_null(op);
    reset();
    assert_int_equal(tf_reduce_local(in, inout, 3, tf_type_find(MPI_INT), op), MPI_SUCCESS);
    for (int i = 0; i < 3; i++)
        assert_int_equal(inout[i], factor * 9 * (i + 1));
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.length, 3);
    assert_ptr_equal(seen.datatype, MPI_INT);
    assert_ptr_equal(seen.in, in);
    assert_ptr_equal(seen.inout, inout);
}

static void the_three_conventions(void **state)
{
    (void)state;
    int factor = -2, commute = -1;
    MPI_Op plain, large, x;
    assert_int_equal(tf_op_create(subtract_int, 0, &plain), MPI_SUCCESS);
    assert_int_equal(tf_op_create_c(subtract_large, 7, &large), MPI_SUCCESS);
    assert_int_equal(tf_op_create_x(subtract_scaled, NULL, 0, &factor, &x), MPI_SUCCESS);
    check_subtraction(plain, 1);
    check_subtraction(large, 1);
    check_subtraction(x, factor);
    assert_ptr_equal(seen.context, &factor);
    assert_int_equal(tf_op_commutative(tf_op_find(plain), &commute), MPI_SUCCESS);
    assert_int_equal(commute, 0);
    assert_int_equal(tf_op_commutative(tf_op_find(large), &commute), MPI_SUCCESS);
    assert_int_equal(commute, 1);
    assert_int_equal(tf_op_free(tf_op_find(plain)), MPI_SUCCESS);
    assert_int_equal(tf_op_free(tf_op_find(large)), MPI_SUCCESS);
    assert_int_equal(tf_op_free(tf_op_find(x)), MPI_SUCCESS);
    assert_null(tf_op_find(plain));
    assert_int_equal(tf_op_pool.live, 0);
}

/* The memory is only reserved: the function looks at addresses and lengths. */
static void an_int_length_is_cut(void **state)
{
    (void)state;
    MPI_Count count = 2 * (MPI_Count)INT_MAX + 5;
    char *in = (char *)0x100000000, *inout = (char *)0x200000000;
    MPI_Op handle;
    assert_int_equal(tf_op_create(only_note, 1, &handle), MPI_SUCCESS);
    reset();
    tf_op_apply(tf_op_find(handle), in, inout, count, tf_type_find(MPI_DOUBLE));
    assert_int_equal(seen.calls, 3);
    assert_int_equal(seen.length, count);
    assert_int_equal(seen.last_length, 5);
    assert_ptr_equal(seen.datatype, MPI_DOUBLE);
    reset();
    tf_op_apply(tf_op_find(handle), in, inout, INT_MAX, tf_type_find(MPI_DOUBLE));
    assert_int_equal(seen.calls, 1);
    assert_int_equal(tf_op_free(tf_op_find(handle)), MPI_SUCCESS);
}

static void freed_in_use_lives_on(void **state)
{
    (void)state;
    int destroyed = 0;
    MPI_Op handle;
    assert_int_equal(tf_op_create_x(subtract_scaled, count_up, 0, &destroyed, &handle), MPI_SUCCESS);
    struct tf_op *op = tf_op_find(handle);
    tf_op_retain(op);
    assert_int_equal(tf_op_free(op), MPI_SUCCESS);
    assert_int_equal(destroyed, 0);
    assert_int_equal(tf_op_free(op), MPI_ERR_OP);
    assert_says(MPI_ERR_OP, "already freed");
    tf_op_release(op);
    assert_int_equal(destroyed, 1);
    assert_null(tf_op_find(handle));
    assert_int_equal(tf_op_pool.live, 0);
}

static void there_is_no_limit(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    static MPI_Op handles[MANY];
    for (int i = 0; i < MANY; i++)
        assert_int_equal(tf_op_create(subtract_int, 0, &handles[i]), MPI_SUCCESS);
    check_subtraction(handles[MANY - 1], 1);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(tf_op_free(tf_op_find(handles[i])), MPI_SUCCESS);
    assert_int_equal(tf_op_pool.live, 0);
}

static void bad_arguments(void **state)
{
    (void)state;
    MPI_Op handle = MPI_OP_NULL;
    assert_int_equal(tf_op_create(NULL, 0, &handle), MPI_ERR_ARG);
    assert_int_equal(tf_op_create_c(NULL, 0, &handle), MPI_ERR_ARG);
    assert_int_equal(tf_op_create_x(NULL, NULL, 0, NULL, &handle), MPI_ERR_ARG);
    assert_says(MPI_ERR_ARG, "null pointer");
    assert_ptr_equal(handle, MPI_OP_NULL);
    assert_null(tf_op_find(MPI_OP_NULL));
    assert_int_equal(tf_op_free(tf_op_find(MPI_SUM)), MPI_ERR_OP);
    assert_says(MPI_ERR_OP, "MPI_SUM is predefined");
}

static void check_mismatch(MPI_Op op, MPI_Datatype type, const char *words)
{
    double in[4] = {0}, inout[4] = {0};
    assert_int_equal(tf_reduce_local(in, inout, 1, tf_type_find(type), tf_op_find(op)), MPI_ERR_OP);
    assert_says(MPI_ERR_OP, words);
}

static void mismatches_are_explained(void **state)
{
    (void)state;
    MPI_Datatype two;
    assert_int_equal(tf_type_contiguous(2, tf_type_find(MPI_INT), &two, false), MPI_SUCCESS);
    check_mismatch(MPI_BAND, MPI_DOUBLE, "MPI_BAND is not defined on MPI_DOUBLE; bitwise operators take integers");
    check_mismatch(MPI_LOR, MPI_FLOAT, "logical operators take C integers and logicals");
    check_mismatch(MPI_MAX, MPI_C_DOUBLE_COMPLEX, "integers and reals");
    check_mismatch(MPI_SUM, MPI_DOUBLE_INT, "MPI_SUM is not defined on MPI_DOUBLE_INT");
    check_mismatch(MPI_MINLOC, MPI_INT, "pairs of a value and an index");
    check_mismatch(MPI_MAX, MPI_WCHAR, "MPI_MAX is not defined on MPI_WCHAR");
    check_mismatch(MPI_SUM, MPI_BYTE, "MPI_SUM is not defined on MPI_BYTE");
    check_mismatch(MPI_SUM, two, "MPI_Op_create");
    check_mismatch(MPI_REPLACE, MPI_INT, "MPI_REPLACE is for one-sided communication only");
    check_mismatch(MPI_NO_OP, MPI_INT, "MPI_NO_OP is for one-sided communication only");
    assert_int_equal(tf_type_free(tf_type_find(two)), MPI_SUCCESS);
}

/* The setting check=strict. */
static void beyond_the_standard_can_be_refused(void **state)
{
    (void)state;
    const signed char in[] = {100, -3};
    signed char inout[] = {7, 2};
    assert_int_equal(tf_reduce_local(in, inout, 2, tf_type_find(MPI_CHAR), tf_op_find(MPI_SUM)), MPI_SUCCESS);
    assert_int_equal(inout[0], 107);
    assert_int_equal(inout[1], -1);
    tf_op_restrict();
    check_mismatch(MPI_SUM, MPI_CHAR, "MPI_SUM is not defined on MPI_CHAR, which holds text; MPI_SIGNED_CHAR");
    check_mismatch(MPI_LAND, MPI_AINT, "logical operators take C integers and logicals");
    tf_op_setup("auto");
    assert_int_equal(tf_reduce_local(in, inout, 2, tf_type_find(MPI_CHAR), tf_op_find(MPI_MAX)), MPI_SUCCESS);
    assert_int_equal(inout[0], 107);
}

static void unsigned_is_not_signed(void **state)
{
    (void)state;
    const unsigned in[] = {UINT_MAX, 1};
    unsigned inout[] = {1, UINT_MAX};
    struct tf_type *type = tf_type_find(MPI_UNSIGNED);
    assert_int_equal(tf_reduce_local(in, inout, 2, type, tf_op_find(MPI_MAX)), MPI_SUCCESS);
    assert_int_equal(inout[0], UINT_MAX);
    assert_int_equal(inout[1], UINT_MAX);
    assert_int_equal(tf_reduce_local(((unsigned[]){1, 2}), inout, 2, type, tf_op_find(MPI_MIN)), MPI_SUCCESS);
    assert_int_equal(inout[0], 1);
    assert_int_equal(inout[1], 2);
}

static void predefined_commute_except_in_windows(void **state)
{
    (void)state;
    const MPI_Op all[] = {MPI_MAX,  MPI_MIN, MPI_SUM,  MPI_PROD,   MPI_LAND,   MPI_LOR,     MPI_LXOR,
                          MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP};
    for (size_t i = 0; i < TF_ARRAY_LEN(all); i++) {
        struct tf_op *op = tf_op_find(all[i]);
        assert_non_null(op);
        assert_int_equal(op->obj.handle, (uintptr_t)all[i]);
        assert_int_equal(op->commutative, all[i] != MPI_REPLACE && all[i] != MPI_NO_OP);
    }
}

int main(void)
{
    tf_op_setup("auto");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_three_conventions),
        cmocka_unit_test(an_int_length_is_cut),
        cmocka_unit_test(freed_in_use_lives_on),
        cmocka_unit_test(there_is_no_limit),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(mismatches_are_explained),
        cmocka_unit_test(beyond_the_standard_can_be_refused),
        cmocka_unit_test(unsigned_is_not_signed),
        cmocka_unit_test(predefined_commute_except_in_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
