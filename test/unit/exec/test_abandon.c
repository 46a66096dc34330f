/* test_abandon.c - ranks that disagree: the call ends with an error, and what was under way does no harm later. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "../msg/fake_net.h"
#include "algo/algo.h"
#include "base/settings.h"
#include "coll/coll.h"
#include "msg/fingerprint.h"
#include "op/op.h"

enum { LONG = 3 * FAKE_CAPACITY, CHUNK = FAKE_CAPACITY / 4 };

static char *buffer, *result;
static unsigned char chunk[CHUNK];

static int setup(void **state)
{
    tf_settings.single_copy = SIZE_MAX;
    buffer = calloc(1, LONG);
    result = calloc(1, LONG);
    return fake_job_open(state);
}

static int teardown(void **state)
{
    tf_settings.algorithm = "";
    free(buffer);
    free(result);
    return fake_job_close(state);
}

/* Rank `rank` makes another call under the number of our first one. */
static void disagree(int rank)
{
    struct tf_header header = {.kind = TF_MSG_COLL,
                               .context = tf_comm_world->context,
                               .tag = 5,
                               .id = tf_fingerprint_make(TF_BARRIER, MPI_OP_NULL, 0, 0, 0)};
    fake_send(rank, header, NULL, 0);
}

/* The request ends with an error that names both calls; then the program lets go of its buffers. */
static void ends_in_disagreement(MPI_Request *request)
{
    struct tf_comm *told = NULL;
    assert_int_equal(tf_wait(request, MPI_STATUS_IGNORE, &told), MPI_ERR_OTHER);
    assert_non_null(strstr(tf_error_text(MPI_ERR_OTHER), "barrier"));
    assert_ptr_equal(told, tf_comm_world);
    free(buffer);
    free(result);
    buffer = calloc(1, LONG);
    result = calloc(1, LONG);
}

static void posted_receives_are_withdrawn(void **state)
{
    MPI_Request request;
    (void)state;
    tf_settings.algorithm = "bcast=linear";
    struct tf_call call = {.coll = TF_BCAST,
                           .comm = tf_comm_world,
                           .root = 2,
                           .recvbuf = buffer,
                           .recvcount = LONG,
                           .recvtype = tf_type_find(MPI_BYTE)};
    assert_int_equal(tf_coll_begin(&call, &request), MPI_SUCCESS);
    assert_int_equal(tf_match_posted, 1);
    disagree(1);
    ends_in_disagreement(&request);
    assert_int_equal(tf_match_posted, 0);
}

/* A message that we have cleared comes all the same, after the request and its buffer are gone. */
static void cleared_messages_still_come(void **state)
{
    MPI_Request request;
    struct tf_header h;
    (void)state;
    tf_settings.algorithm = "reduce=linear";
    struct tf_call call = {.coll = TF_REDUCE,
                           .comm = tf_comm_world,
                           .sendbuf = buffer,
                           .recvbuf = result,
                           .recvcount = LONG / 8,
                           .recvtype = tf_type_find(MPI_DOUBLE),
                           .op = tf_op_find(MPI_SUM)};
    /* call.c has the algorithm in the upper half. */
    uint64_t signature =
        tf_type_signature(call.recvtype, LONG / 8) ^ (uint64_t)(tf_algo_find(TF_REDUCE, "linear") - tf_algos) << 48;
    uint32_t print = tf_fingerprint_make(TF_REDUCE, MPI_SUM, LONG, signature, 0);
    assert_int_equal(tf_coll_begin(&call, &request), MPI_SUCCESS);
    for (int r = 1; r < FAKE_RANKS; r++) {
        struct tf_rts rts = {LONG, 0, print};
        h = (struct tf_header){.kind = TF_MSG_COLL_RTS, .context = tf_comm_world->context, .id = 40u + (uint32_t)r};
        fake_send(r, h, &rts, sizeof rts);
    }
    tf_msg_progress();
    disagree(2);
    ends_in_disagreement(&request);
    int cleared = 0;
    for (int r = 1; r < FAKE_RANKS; r++)
        while (fake_next(r, &h, NULL)) {
            assert_int_equal(h.kind, TF_MSG_CTS);
            cleared++;
            for (int at = 0; at < LONG; at += CHUNK) {
                fake_send(r, (struct tf_header){.kind = TF_MSG_DATA, .id = (uint32_t)h.context}, chunk, CHUNK);
                tf_msg_progress();
            }
        }
    assert_true(cleared > 0);
}

/* Sends that were announced are still fetched by those who know of no disagreement. */
static void announced_messages_are_still_fetched(void **state)
{
    MPI_Request request;
    struct tf_header h;
    (void)state;
    tf_settings.algorithm = "bcast=linear";
    struct tf_call call = {.coll = TF_BCAST,
                           .comm = tf_comm_world,
                           .recvbuf = buffer,
                           .recvcount = LONG,
                           .recvtype = tf_type_find(MPI_BYTE)};
    assert_int_equal(tf_coll_begin(&call, &request), MPI_SUCCESS);
    disagree(1);
    char *kept = buffer;
    struct tf_comm *told = NULL;
    assert_int_equal(tf_wait(&request, MPI_STATUS_IGNORE, &told), MPI_ERR_OTHER);
    for (int r = 1; r < FAKE_RANKS; r++) {
        assert_true(fake_next(r, &h, chunk));
        assert_int_equal(h.kind, TF_MSG_COLL_RTS);
        fake_send(r, (struct tf_header){.kind = TF_MSG_CTS, .id = h.id, .context = 9}, NULL, 0);
        for (size_t got = 0; got < LONG; got += h.length) {
            tf_msg_progress();
            assert_true(fake_next(r, &h, chunk));
            assert_memory_equal(chunk, kept + got, h.length);
        }
    }
    tf_msg_progress();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(posted_receives_are_withdrawn),
        TEST(cleared_messages_still_come),
        TEST(announced_messages_are_still_fetched),
    };
    alarm(20);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
