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
#include "coll/choice.h"
#include "msg/fingerprint.h"
#include "op/op.h"

enum { LONG = 3 * FAKE_CAPACITY, CHUNK = FAKE_CAPACITY / 4 };

static char *buffer, *result;
static unsigned char chunk[CHUNK];

static int setup(void **state)
{
    tf_settings.single_copy = SIZE_MAX;
    tf_settings.mismatch_after = 0; /* the others do not say what they have called */
    buffer = calloc(1, LONG);
    result = calloc(1, LONG);
    tf_coll_setup();
    return fake_job_open(state);
}

static int teardown(void **state)
{
    tf_settings.algorithm = "";
    tf_settings.mismatch_after = 1000;
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
                               .fingerprint = tf_fingerprint_make(TF_BARRIER, MPI_OP_NULL, 0, 0, 0)};
    fake_send(rank, header, NULL, 0);
}

/* The request ends with an error that names both calls; then the program lets go of its buffers. */
static void ends_in_disagreement(MPI_Request *request)
{
    struct tf_object *told = NULL;
    assert_int_equal(tf_wait(request, MPI_STATUS_IGNORE, &told), MPI_ERR_OTHER);
    assert_non_null(strstr(tf_error_text(MPI_ERR_OTHER), "MPI_Barrier"));
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

/* A message that we have cleared comes all the same, after the request and its buffer are gone.  Others are declined.
 */
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
    uint32_t linear = (uint32_t)(tf_algo_find(TF_REDUCE, "linear") - tf_algos) << 16; /* without a parameter */
    uint32_t print = tf_choice_fingerprint(&call, LONG, linear);
    assert_int_equal(tf_coll_begin(&call, &request), MPI_SUCCESS);
    for (int r = 1; r < FAKE_RANKS; r++) {
        struct tf_rts rts = {LONG, 0, {print}};
        h = (struct tf_header){.kind = TF_MSG_COLL_RTS, .context = tf_comm_world->context, .id = 40u + (uint32_t)r};
        fake_send(r, h, &rts, sizeof rts);
    }
    tf_msg_progress();
    disagree(2);
    ends_in_disagreement(&request);
    int cleared = 0;
    for (int r = 1; r < FAKE_RANKS; r++)
        while (fake_next(r, &h, NULL)) {
            if (h.kind == TF_MSG_ACK)
                continue;
            assert_int_equal(h.kind, TF_MSG_CTS);
            cleared++;
            for (int at = 0; at < LONG; at += CHUNK) {
                fake_send(r, (struct tf_header){.kind = TF_MSG_DATA, .id = (uint32_t)h.receiver}, chunk, CHUNK);
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
    struct tf_object *told = NULL;
    assert_int_equal(tf_wait(&request, MPI_STATUS_IGNORE, &told), MPI_ERR_OTHER);
    for (int r = 1; r < FAKE_RANKS; r++) {
        assert_true(fake_next(r, &h, chunk));
        assert_int_equal(h.kind, TF_MSG_COLL_RTS);
        fake_send(r, (struct tf_header){.kind = TF_MSG_CTS, .id = h.id, .receiver = 9}, NULL, 0);
        for (size_t got = 0; got < LONG; got += h.length) {
            tf_msg_progress();
            assert_true(fake_next(r, &h, chunk));
            assert_memory_equal(chunk, kept + got, h.length);
        }
    }
    tf_msg_progress();
}

/* ---- data that are read out of the sender's memory ---- */

static struct tf_call broadcast_from(int root)
{
    tf_settings.algorithm = "bcast=linear";
    tf_settings.single_copy = 0;
    return (struct tf_call){.coll = TF_BCAST,
                            .comm = tf_comm_world,
                            .root = root,
                            .recvbuf = buffer,
                            .recvcount = LONG,
                            .recvtype = tf_type_find(MPI_BYTE)};
}

/* Rank 2, the root, announces its data. */
static void offer_broadcast(const void *data)
{
    uint64_t algorithm = (uint64_t)(tf_algo_find(TF_BCAST, "linear") - tf_algos) << 48;
    struct tf_rts rts = {LONG, (uintptr_t)data, {tf_fingerprint_make(TF_BCAST, MPI_OP_NULL, LONG, algorithm, 2)}};
    fake_announce(2, (struct tf_header){.kind = TF_MSG_COLL_RTS, .context = tf_comm_world->context, .id = 42}, rts);
}

static void give_up_broadcast(void)
{
    struct tf_header header = {
        .kind = TF_MSG_COLL, .context = tf_comm_world->context, .fingerprint = TF_FINGERPRINT_GIVEN_UP};
    fake_send(2, header, NULL, 0);
}

static void expect_acknowledged(void)
{
    struct tf_header h;
    assert_true(fake_next(2, &h, chunk));
    assert_int_equal(h.kind, TF_MSG_ACK);
    assert_int_equal(h.id, 42);
}

static bool is_done(MPI_Request *request, int wanted, const char *words)
{
    struct tf_object *told = NULL;
    int flag, err = tf_test(request, &flag, MPI_STATUS_IGNORE, &told);
    assert_int_equal(err, flag ? wanted : MPI_SUCCESS);
    if (flag && wanted)
        assert_non_null(strstr(tf_error_text(wanted), words));
    return flag;
}

/* The buffer is the library's until nothing is written to it any more. */
static void a_call_waits_for_what_it_reads(void **state)
{
    static char data[LONG] = "something";
    MPI_Request request;
    (void)state;
    fake_be_remote();
    fake_reading = TF_NET_STARTED;
    struct tf_call call = broadcast_from(2);
    assert_int_equal(tf_coll_begin(&call, &request), MPI_SUCCESS);
    offer_broadcast(data);
    assert_false(is_done(&request, 0, NULL));
    assert_int_equal(fake_pending(), 1);
    disagree(1);
    for (int i = 0; i < 3; i++)
        assert_false(is_done(&request, 0, NULL));
    fake_end_read(0, true);
    assert_true(is_done(&request, MPI_ERR_OTHER, "MPI_Barrier"));
    expect_acknowledged();
    /* Reads that could not begin are not waited for. */
    fake_reading = TF_NET_BUSY;
    call.recvbuf = buffer;
    tf_comm_world->coll_seq = 0;
    tf_comm_world->match->accord.history = (struct tf_history){.ncalls = 0};
    assert_int_equal(tf_coll_begin(&call, &request), MPI_SUCCESS);
    offer_broadcast(data);
    assert_false(is_done(&request, 0, NULL));
    disagree(1);
    ends_in_disagreement(&request);
    tf_msg_progress();
    expect_acknowledged();
}

/* Who was told where the data lie is told that they are no good. */
static void who_gives_up_says_so(void **state)
{
    MPI_Request request;
    struct tf_header h;
    (void)state;
    for (int remote = 0; remote < 2; remote++) {
        if (remote)
            fake_be_remote();
        struct tf_call call = broadcast_from(0);
        assert_int_equal(tf_coll_begin(&call, &request), MPI_SUCCESS);
        uint32_t sequence = tf_comm_world->coll_seq - 1;
        fake_send(1,
                  (struct tf_header){.kind = TF_MSG_COLL,
                                     .context = tf_comm_world->context,
                                     .sequence = sequence,
                                     .tag = 5,
                                     .fingerprint = tf_fingerprint_make(TF_BARRIER, MPI_OP_NULL, 0, 0, 0)},
                  NULL, 0);
        ends_in_disagreement(&request);
        assert_int_equal(fake_exposed, remote ? FAKE_RANKS - 1 : 0);
        for (int r = 1; r < FAKE_RANKS; r++) {
            assert_true(fake_next(r, &h, chunk));
            assert_int_equal(h.kind, TF_MSG_COLL_RTS);
            uint32_t id = h.id, sequence = h.sequence;
            int tag = h.tag;
            assert_true(fake_next(r, &h, chunk));
            assert_int_equal(h.kind, TF_MSG_COLL);
            assert_true(tf_fingerprint_is_given_up(h.fingerprint));
            assert_true(h.sequence == sequence && h.tag == tag);
            fake_send(r, (struct tf_header){.kind = TF_MSG_ACK, .id = id}, NULL, 0);
        }
        tf_msg_progress();
        assert_int_equal(fake_exposed, 0);
    }
}

/* Rank 2 takes its offer back: before we are in the call, before the receive is there, or while it is read. */
static void an_offer_that_was_given_up_is_not_read(void **state)
{
    static char data[LONG] = "something";
    const char *given_up = "given this call up";
    MPI_Request request;
    (void)state;
    fake_be_remote();
    fake_reading = TF_NET_STARTED;
    struct tf_call call = broadcast_from(2);
    offer_broadcast(data);
    give_up_broadcast();
    tf_msg_progress();
    assert_int_equal(tf_coll_begin(&call, &request), MPI_SUCCESS);
    assert_true(is_done(&request, MPI_ERR_OTHER, given_up));
    assert_int_equal(fake_reads, 0);
    expect_acknowledged();
    tf_comm_world->coll_seq = 0;
    tf_comm_world->match->accord.history = (struct tf_history){.ncalls = 0};
    assert_int_equal(tf_coll_begin(&call, &request), MPI_SUCCESS);
    offer_broadcast(data);
    assert_false(is_done(&request, 0, NULL));
    give_up_broadcast();
    assert_false(is_done(&request, 0, NULL));
    fake_end_read(0, true);
    assert_true(is_done(&request, MPI_ERR_OTHER, given_up));
    assert_int_equal(buffer[0], 's'); /* it had been asked for */
    expect_acknowledged();
}

/* ---- what the other rank says of its call ---- */

static void begin_broadcast(MPI_Request *request)
{
    struct tf_call call = broadcast_from(2);
    assert_int_equal(tf_coll_begin(&call, request), MPI_SUCCESS);
    disagree(1);
}

/* Nobody is told, and the call does not end, before the answer is there. */
static void the_answer_is_waited_for(void **state)
{
    MPI_Request request;
    struct tf_header h;
    struct tf_terms theirs = {.fingerprint = tf_fingerprint_make(TF_BARRIER, MPI_OP_NULL, 0, 0, 0),
                              .coll = TF_BARRIER,
                              .caller = TF_CALLER_COMM_DISCONNECT,
                              .form = TF_FORM_BLOCKING};
    (void)state;
    tf_settings.mismatch_after = 1000000;
    begin_broadcast(&request);
    for (int i = 0; i < 5; i++)
        assert_false(is_done(&request, 0, NULL));
    assert_true(fake_next(1, &h, chunk));
    assert_int_equal(h.kind, TF_MSG_QUESTION);
    h.kind = TF_MSG_ANSWER;
    h.sequence++; /* of another call */
    fake_send(1, h, &theirs, sizeof theirs);
    assert_false(is_done(&request, 0, NULL));
    h.sequence--;
    fake_send(2, h, &theirs, sizeof theirs); /* of another rank */
    assert_false(is_done(&request, 0, NULL));
    fake_send(1, h, &theirs, sizeof theirs);
    tf_msg_progress();
    assert_true(is_done(&request, MPI_ERR_OTHER, "rank 0 calls MPI_Ibcast, rank 1 calls MPI_Comm_disconnect"));
}

/* What the fingerprint tells is said by who has forgotten its call, or is not in MPI. */
static void what_is_known_is_said_without_an_answer(void **state)
{
    const char *words = "rank 0 calls MPI_Ibcast, rank 1 calls MPI_Barrier";
    MPI_Request request;
    struct tf_header h;
    struct tf_object *told = NULL;
    (void)state;
    tf_settings.mismatch_after = 1000000;
    begin_broadcast(&request);
    assert_false(is_done(&request, 0, NULL));
    assert_true(fake_next(1, &h, chunk));
    h.kind = TF_MSG_ANSWER;
    fake_send(1, h, NULL, 0);
    tf_msg_progress();
    assert_true(is_done(&request, MPI_ERR_OTHER, words));
    tf_settings.mismatch_after = 20;
    tf_comm_world->coll_seq = 0;
    tf_comm_world->match->accord.history = (struct tf_history){.ncalls = 0};
    begin_broadcast(&request);
    assert_int_equal(tf_wait(&request, MPI_STATUS_IGNORE, &told), MPI_ERR_OTHER);
    assert_non_null(strstr(tf_error_text(MPI_ERR_OTHER), words));
    /* It comes too late. */
    fake_send(1, h, NULL, 0);
    tf_msg_progress();
    assert_true(fake_next(1, &h, chunk));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(posted_receives_are_withdrawn),
        TEST(cleared_messages_still_come),
        TEST(announced_messages_are_still_fetched),
        TEST(a_call_waits_for_what_it_reads),
        TEST(who_gives_up_says_so),
        TEST(an_offer_that_was_given_up_is_not_read),
        TEST(the_answer_is_waited_for),
        TEST(what_is_known_is_said_without_an_answer),
    };
    alarm(20);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
