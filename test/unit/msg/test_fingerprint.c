/* test_fingerprint.c - what the ranks of a collective must agree on, in 32 bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "fake_net.h"
#include "msg/fingerprint.h"
#include "op/op.h"

static const uintptr_t ops[] = {(uintptr_t)MPI_OP_NULL,
                                (uintptr_t)MPI_SUM,
                                (uintptr_t)MPI_MIN,
                                (uintptr_t)MPI_MAX,
                                (uintptr_t)MPI_PROD,
                                (uintptr_t)MPI_BAND,
                                (uintptr_t)MPI_LXOR,
                                (uintptr_t)MPI_MAXLOC,
                                (uintptr_t)MPI_REPLACE,
                                (uintptr_t)MPI_NO_OP,
                                ((uintptr_t)TF_KIND_OP << 27) + 5};

static void collective_and_operator_can_be_told(void **state)
{
    (void)state;
    for (int c = 0; c < TF_NCOLL; c++)
        for (size_t i = 0; i < TF_ARRAY_LEN(ops); i++)
            for (int d = 0; d < TF_NCOLL; d++)
                for (size_t j = 0; j < TF_ARRAY_LEN(ops); j++) {
                    uint32_t a = tf_fingerprint_make((enum tf_coll)c, (MPI_Op)ops[i], 8, 1, 0);
                    uint32_t b = tf_fingerprint_make((enum tf_coll)d, (MPI_Op)ops[j], 8, 1, 0);
                    assert_int_equal(a == b, c == d && i == j);
                }
}

/* Handles of user-defined operators differ between ranks. */
static void user_defined_operators_are_one(void **state)
{
    (void)state;
    for (uintptr_t k = 0; k < 100; k++)
        assert_int_equal(tf_fingerprint_make(TF_SCAN, (MPI_Op)(((uintptr_t)TF_KIND_OP << 27) + k), 8, 1, 0),
                         tf_fingerprint_make(TF_SCAN, (MPI_Op)((uintptr_t)TF_KIND_OP << 27), 8, 1, 0));
}

/* Near values of one argument never collide: that is what programs get wrong. */
static void near_arguments_differ(void **state)
{
    static uint32_t seen[4096];
    (void)state;
    for (int which = 0; which < 3; which++) {
        int same = 0;
        for (uint32_t i = 0; i < 600; i++) {
            uint64_t size = which == 0 ? i : 800, signature = which == 1 ? i * 0x1234567u : 9;
            seen[i] = tf_fingerprint_make(TF_REDUCE, MPI_SUM, size, signature, which == 2 ? (int)i : 0);
            for (uint32_t j = 0; j < i; j++)
                same += seen[i] == seen[j];
        }
        assert_in_range(same, 0, 2); /* 180,000 pairs, 21 bits: chance would give 0.09 */
    }
}

/* Who the caller is can be told, and makes another call of it; duplications of all kinds are one. */
static void callers_can_be_told(void **state)
{
    uint32_t own = tf_fingerprint_make(TF_BCAST, MPI_OP_NULL, 8, 0, 0);
    (void)state;
    for (int c = 0; c <= TF_CALLER_FINALIZE; c++)
        for (int d = 0; d <= TF_CALLER_FINALIZE; d++) {
            uint32_t a = own | tf_fingerprint_of_caller(c), b = own | tf_fingerprint_of_caller(d);
            bool dups = c + d == TF_CALLER_COMM_DUP + TF_CALLER_COMM_DUP_WITH_INFO && abs(c - d) <= 1;
            assert_int_equal(tf_fingerprint_same_call(a, b), c == d || dups);
            assert_int_equal(tf_fingerprint_terms(a).op, 0);
            assert_int_equal(tf_fingerprint_terms(a).caller,
                             c == TF_CALLER_COMM_DUP_WITH_INFO ? TF_CALLER_COMM_DUP : c);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collective_and_operator_can_be_told),
        cmocka_unit_test(user_defined_operators_are_one),
        cmocka_unit_test(near_arguments_differ),
        cmocka_unit_test(callers_can_be_told),
    };
    alarm(20);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
