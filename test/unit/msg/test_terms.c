/* test_terms.c - the words for ranks that disagree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "algo/algo.h"
#include "fake_net.h"
#include "msg/fingerprint.h"

static const uintptr_t user_op = ((uintptr_t)TF_KIND_OP << 27) + 5;

static void differs(uint32_t mine, size_t expected, uint32_t theirs, size_t came, int wanted, const char *words)
{
    struct tf_terms ours = tf_fingerprint_terms(mine), other = tf_fingerprint_terms(theirs);
    int class = tf_terms_disagree(tf_comm_world, &ours, expected, 2, &other, came);
    assert_int_equal(class, wanted);
    if (!strstr(tf_error_text(class), words))
        fail_msg("\"%s\" is not in \"%s\"", words, tf_error_text(class));
    assert_non_null(strstr(tf_error_text(class), "2"));
}

static void the_words_name_both(void **state)
{
    uint32_t sum = tf_fingerprint_make(TF_ALLREDUCE, MPI_SUM, 8, 1, 0);
    (void)state;
    differs(sum, 8, tf_fingerprint_make(TF_ALLREDUCE, MPI_MAX, 8, 1, 0), 8, MPI_ERR_OP,
            "rank 0 calls MPI_Allreduce with MPI_SUM, rank 2 calls MPI_Allreduce with MPI_MAX");
    differs(sum, 8, tf_fingerprint_make(TF_BARRIER, MPI_OP_NULL, 0, 0, 0), 0, MPI_ERR_OTHER,
            "rank 2 calls MPI_Barrier");
    differs(sum, 8, tf_fingerprint_make(TF_ALLREDUCE, (MPI_Op)user_op, 8, 1, 0), 8, MPI_ERR_OP,
            "a user-defined operator");
    differs(sum, 8, tf_fingerprint_make(TF_ALLREDUCE, MPI_SUM, 16, 1, 0), 16, MPI_ERR_TRUNCATE,
            "expects 8 bytes from rank 2, which sends 16");
    differs(sum, 8, tf_fingerprint_make(TF_ALLREDUCE, MPI_SUM, 8, 2, 0), 8, MPI_ERR_OTHER,
            "their counts, datatypes or roots differ");
}

/* Rank 0 has called `mine`, rank 2 `theirs`. */
static void says(struct tf_terms mine, struct tf_terms theirs, const char *words)
{
    int class = tf_terms_disagree(tf_comm_world, &mine, 0, 2, &theirs, 0);
    if (!strstr(tf_error_text(class), words))
        fail_msg("\"%s\" is not in \"%s\"", words, tf_error_text(class));
}

static struct tf_terms call(int root, uint64_t count, MPI_Datatype type, uint64_t size, uint64_t signature)
{
    return (struct tf_terms){.bytes = count * size,
                             .signature = signature,
                             .count = count,
                             .fingerprint = tf_fingerprint_make(TF_REDUCE, MPI_SUM, count * size, signature, root),
                             .root = root,
                             .type = (unsigned)(uintptr_t)type,
                             .op = tf_fingerprint_op_code(MPI_SUM),
                             .coll = TF_REDUCE,
                             .form = TF_FORM_BLOCKING};
}

static void what_differs_is_named(void **state)
{
    struct tf_terms a = call(1, 10, MPI_INT, 4, 5), b = a;
    (void)state;
    says(a, call(2, 10, MPI_INT, 4, 5),
         "ranks 0 and 2 both call MPI_Reduce with MPI_SUM, but the roots differ: 1 on rank 0, 2 on rank 2");
    says(a, call(1, 12, MPI_INT, 4, 6), "but the counts differ: 10 x MPI_INT on rank 0, 12 x MPI_INT on rank 2");
    says(a, call(1, 10, MPI_FLOAT, 4, 6), "the datatypes differ: 10 x MPI_INT on rank 0, 10 x MPI_FLOAT on rank 2");
    says(a, call(0, 5, MPI_DOUBLE, 8, 6),
         "the roots differ: 1 on rank 0, 0 on rank 2; the counts and datatypes differ: "
         "10 x MPI_INT on rank 0, 5 x MPI_DOUBLE on rank 2");
    says(a, call(1, 3, 0, 20, 6), "10 x MPI_INT on rank 0, 3 x a derived datatype on rank 2 (60 bytes)");
    /* Equal data may be described by other types. */
    says(a, call(2, 1, 0, 40, 5), "but the roots differ: 1 on rank 0, 2 on rank 2");
    assert_null(strstr(tf_error_text(MPI_ERR_OTHER), "datatype"));
    b.form = TF_FORM_NONBLOCKING;
    b.fingerprint++;
    b.algorithm = (uint32_t)(tf_algo_find(TF_REDUCE, "chain") - tf_algos) << 16 | 3;
    a.algorithm = (uint32_t)(tf_algo_find(TF_REDUCE, "binomial") - tf_algos) << 16;
    says(a, b,
         "rank 0 calls MPI_Reduce with MPI_SUM and rank 2 MPI_Ireduce with MPI_SUM, but the algorithms differ: "
         "binomial on rank 0, chain:3 on rank 2 (TREEFOLD_RULES");
    a.count = b.count = 0;
    b.bytes = 44;
    says(a, b, "but the counts have different sums");
    says(a, a, "but a message of rank 2 is of another call: do several threads call MPI without MPI_THREAD_MULTIPLE?");
}

static void every_call_has_its_name(void **state)
{
    static const struct {
        unsigned coll, form, caller;
        const char *name;
    } calls[] = {{TF_BCAST, TF_FORM_UNKNOWN, 0, "MPI_Bcast"},
                 {TF_REDUCE_SCATTER_BLOCK, TF_FORM_NONBLOCKING, 0, "MPI_Ireduce_scatter_block"},
                 {TF_ALLTOALLW, TF_FORM_PERSISTENT, 0, "MPI_Alltoallw_init"},
                 {TF_BCAST, TF_FORM_UNKNOWN, TF_CALLER_COMM_DUP, "MPI_Comm_dup"},
                 {TF_BCAST, TF_FORM_NONBLOCKING, TF_CALLER_COMM_DUP, "MPI_Comm_idup"},
                 {TF_BCAST, TF_FORM_NONBLOCKING, TF_CALLER_COMM_DUP_WITH_INFO, "MPI_Comm_idup_with_info"},
                 {TF_ALLGATHER, TF_FORM_BLOCKING, TF_CALLER_INTERCOMM_MERGE, "MPI_Intercomm_merge"},
                 {TF_BARRIER, TF_FORM_BLOCKING, TF_CALLER_FINALIZE, "MPI_Finalize"}};
    (void)state;
    for (size_t i = 0; i < TF_ARRAY_LEN(calls); i++) {
        struct tf_terms terms = {.coll = calls[i].coll, .form = calls[i].form, .caller = calls[i].caller};
        char words[100];
        tf_terms_name(&terms, words, sizeof words);
        assert_string_equal(words, calls[i].name);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_job_open, fake_job_close)
    const struct CMUnitTest tests[] = {
        TEST(the_words_name_both),
        TEST(what_differs_is_named),
        TEST(every_call_has_its_name),
    };
    alarm(20);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
