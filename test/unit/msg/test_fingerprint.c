/* test_fingerprint.c - what the ranks of a collective must agree on, in a word; and the words when they do not. */
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

static void differs(uint32_t mine, size_t expected, uint32_t theirs, size_t came, int wanted, const char *words)
{
    int class = tf_fingerprint_check(tf_comm_world, mine, expected, tf_net_peer(2), theirs, came);
    assert_int_equal(class, wanted);
    if (!strstr(tf_error_text(class), words))
        fail_msg("\"%s\" is not in \"%s\"", words, tf_error_text(class));
    assert_non_null(strstr(tf_error_text(class), "2"));
}

static void the_words_name_both(void **state)
{
    uint32_t sum = tf_fingerprint_make(TF_ALLREDUCE, MPI_SUM, 8, 1, 0);
    (void)state;
    assert_int_equal(tf_fingerprint_check(tf_comm_world, sum, 8, tf_net_peer(2), sum, 8), MPI_SUCCESS);
    differs(sum, 8, tf_fingerprint_make(TF_ALLREDUCE, MPI_MAX, 8, 1, 0), 8, MPI_ERR_OP,
            "rank 0 calls allreduce with MPI_SUM, rank 2 calls allreduce with MPI_MAX");
    differs(sum, 8, tf_fingerprint_make(TF_BARRIER, MPI_OP_NULL, 0, 0, 0), 0, MPI_ERR_OTHER, "rank 2 calls barrier");
    differs(sum, 8, tf_fingerprint_make(TF_ALLREDUCE, (MPI_Op)ops[10], 8, 1, 0), 8, MPI_ERR_OP,
            "a user-defined operator");
    differs(sum, 8, tf_fingerprint_make(TF_ALLREDUCE, MPI_SUM, 16, 1, 0), 16, MPI_ERR_TRUNCATE,
            "expects 8 bytes from rank 2, which sends 16");
    differs(sum, 8, tf_fingerprint_make(TF_ALLREDUCE, MPI_SUM, 8, 2, 0), 8, MPI_ERR_OTHER, "datatypes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collective_and_operator_can_be_told),
        cmocka_unit_test(user_defined_operators_are_one),
        cmocka_unit_test(near_arguments_differ),
        cmocka_unit_test_setup_teardown(the_words_name_both, fake_job_open, fake_job_close),
    };
    alarm(20);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
