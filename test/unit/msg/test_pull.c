/* test_pull.c - long messages that are read out of the sender's memory by reads that end later, in any order, badly, or
 * never begin; what the sender exposes, and until when.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "base/settings.h"
#include "fake_net.h"
#include "type/construct.h"

enum { CHUNK = FAKE_CAPACITY / 4, LONG = 2500 * 1000 /* more pieces than may be under way */ };

static unsigned char payload[CHUNK], data[LONG], buffer[LONG + 8];

static int setup(void **state)
{
    for (int i = 0; i < LONG; i++)
        data[i] = (unsigned char)(i * 31 + i / 257);
    memset(buffer, 0, sizeof buffer);
    tf_settings.single_copy = 0;
    int err = fake_job_open(state);
    fake_be_remote();
    fake_reading = TF_NET_STARTED;
    return err;
}

static void finish(MPI_Request *request, int wanted, MPI_Status *status)
{
    struct tf_object *comm = NULL;
    int flag = 0;
    assert_int_equal(tf_test(request, &flag, status, &comm), wanted);
    assert_true(flag);
}

static struct tf_header expect(int rank, int kind, size_t length)
{
    struct tf_header h;
    assert_true(fake_next(rank, &h, payload));
    assert_int_equal(h.kind, kind);
    assert_int_equal(h.length, length);
    return h;
}

static void expect_nothing(int rank)
{
    struct tf_header h;
    tf_msg_progress();
    assert_false(fake_next(rank, &h, payload));
}

/* Rank 1 announces its data, and a receive with that much room meets them. */
static MPI_Request receive(MPI_Count room)
{
    MPI_Request request;
    tf_irecv(buffer, room, fake_byte(), 1, 4, tf_comm_world, &request);
    fake_rts(1, tf_comm_world, 4, 21, (struct tf_rts){LONG, (uintptr_t)data, {0}});
    tf_msg_progress();
    return request;
}

static void end_all_reads(void)
{
    for (uint32_t seed = 12345; fake_pending() > 0; seed = seed * 1664525 + 1013904223)
        fake_end_read((int)(seed >> 16) % fake_pending(), true);
}

static void stream_it(uint32_t to, size_t total)
{
    for (size_t at = 0; at < total; at += CHUNK) {
        fake_send(1, (struct tf_header){.kind = TF_MSG_DATA, .id = to}, data + at,
                  total - at < CHUNK ? total - at : CHUNK);
        tf_msg_progress();
    }
}

static void expect_cleared_and_stream(MPI_Request *request)
{
    struct tf_header h = expect(1, TF_MSG_CTS, 0);
    assert_int_equal(h.id, 21);
    stream_it((uint32_t)h.receiver, LONG);
    finish(request, MPI_SUCCESS, MPI_STATUS_IGNORE);
    assert_memory_equal(buffer, data, LONG);
}

/* ---- receiving ---- */

static void pieces_come_in_any_order(void **state)
{
    MPI_Status status;
    (void)state;
    MPI_Request request = receive(LONG + 8);
    int window = fake_pending();
    assert_true(window > 1 && window < 19);
    while (fake_pending() > 1) /* the first piece last, and nothing goes beyond the window */
        fake_end_read(fake_pending() - 1, true);
    assert_int_equal(fake_reads, window);
    expect_nothing(1);
    assert_true(tf_msg_under_way());
    end_all_reads();
    finish(&request, MPI_SUCCESS, &status);
    assert_int_equal(tf_status_bytes(&status), LONG);
    assert_int_equal(expect(1, TF_MSG_ACK, 0).id, 21);
    assert_memory_equal(buffer, data, LONG);
    assert_int_equal(buffer[LONG], 0);
}

/* A message that came before its receive keeps its key. */
static void an_unexpected_message_is_read(void **state)
{
    MPI_Request request;
    (void)state;
    fake_rts(1, tf_comm_world, 4, 21, (struct tf_rts){LONG, (uintptr_t)data, {0}});
    tf_msg_progress();
    assert_int_equal(fake_pending(), 0);
    tf_irecv(buffer, LONG, fake_byte(), 1, 4, tf_comm_world, &request);
    end_all_reads();
    expect(1, TF_MSG_ACK, 0);
    finish(&request, MPI_SUCCESS, MPI_STATUS_IGNORE);
    assert_memory_equal(buffer, data, LONG);
}

static void reads_may_end_at_once(void **state)
{
    (void)state;
    fake_reading = TF_NET_DONE;
    MPI_Request request = receive(LONG);
    expect(1, TF_MSG_ACK, 0);
    finish(&request, MPI_SUCCESS, MPI_STATUS_IGNORE);
    assert_memory_equal(buffer, data, LONG);
}

/* Through the library's own memory, in order, whatever the order of reads; elements are cut by pieces. */
static void gaps_are_filled_in_order(void **state)
{
    enum { N = LONG / 24 };
    static unsigned char spread[N * 32];
    MPI_Datatype handle;
    MPI_Request request;
    (void)state;
    memset(spread, 0, sizeof spread);
    assert_int_equal(tf_type_vector(N, 24, 32, fake_byte(), &handle, false), MPI_SUCCESS);
    tf_type_commit(tf_type_find(handle));
    tf_irecv(spread, 1, tf_type_find(handle), 1, 4, tf_comm_world, &request);
    tf_type_free(tf_type_find(handle));
    fake_rts(1, tf_comm_world, 4, 8, (struct tf_rts){24 * N, (uintptr_t)data, {0}});
    tf_msg_progress();
    end_all_reads();
    finish(&request, MPI_SUCCESS, MPI_STATUS_IGNORE);
    expect(1, TF_MSG_ACK, 0);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 32; k++)
            assert_int_equal(spread[32 * i + k], k < 24 ? data[24 * i + k] : 0);
}

/* More messages than there is memory for pieces: each gets its turn. */
static void many_messages_share_the_pieces(void **state)
{
    enum { N = 20, PAIRS = LONG / 4 };
    static int16_t spread[N][2 * PAIRS];
    MPI_Datatype handle;
    MPI_Request requests[N];
    (void)state;
    assert_int_equal(tf_type_vector(PAIRS, 2, 4, fake_byte(), &handle, false), MPI_SUCCESS);
    tf_type_commit(tf_type_find(handle));
    for (int i = 0; i < N; i++) {
        tf_irecv(spread[i], 1, tf_type_find(handle), 1, i, tf_comm_world, &requests[i]);
        fake_rts(1, tf_comm_world, i, 8, (struct tf_rts){2 * PAIRS, (uintptr_t)data + (uintptr_t)i, {0}});
    }
    tf_type_free(tf_type_find(handle));
    tf_msg_progress();
    assert_true(fake_pending() < 100);
    fake_be_driven(true);
    struct tf_object *comm = NULL;
    assert_int_equal(tf_waitall(N, requests, MPI_STATUSES_IGNORE, &comm), MPI_SUCCESS);
    for (int i = 0; i < N; i++) {
        expect(1, TF_MSG_ACK, 0);
        for (int k = 0; k < PAIRS; k++)
            assert_memory_equal(&spread[i][2 * k], data + i + 2 * k, 2);
    }
}

static void a_truncated_message_is_read_as_far_as_it_fits(void **state)
{
    (void)state;
    MPI_Request request = receive(1500);
    assert_int_equal(fake_pending(), 1);
    end_all_reads();
    finish(&request, MPI_ERR_TRUNCATE, MPI_STATUS_IGNORE);
    expect(1, TF_MSG_ACK, 0);
    assert_memory_equal(buffer, data, 1500);
    assert_int_equal(buffer[1500], 0);
    request = receive(0);
    assert_int_equal(fake_pending(), 0);
    finish(&request, MPI_ERR_TRUNCATE, MPI_STATUS_IGNORE);
    expect(1, TF_MSG_ACK, 0);
}

static void a_busy_transport_is_asked_again(void **state)
{
    (void)state;
    fake_reading = TF_NET_BUSY;
    MPI_Request request = receive(LONG);
    assert_false(fake_done(&request));
    assert_true(tf_msg_under_way());
    fake_reading = TF_NET_STARTED;
    assert_false(fake_done(&request));
    assert_true(fake_pending() > 1);
    /* Busy in the middle. */
    fake_reading = TF_NET_BUSY;
    while (fake_pending() > 0)
        fake_end_read(0, true);
    expect_nothing(1);
    assert_false(fake_done(&request));
    fake_reading = TF_NET_STARTED;
    tf_msg_progress();
    end_all_reads();
    finish(&request, MPI_SUCCESS, MPI_STATUS_IGNORE);
    expect(1, TF_MSG_ACK, 0);
    assert_memory_equal(buffer, data, LONG);
}

static void what_cannot_be_read_is_sent(void **state)
{
    (void)state;
    fake_reading = TF_NET_REFUSED;
    MPI_Request request = receive(LONG);
    expect_cleared_and_stream(&request);
    /* That turns out later. */
    memset(buffer, 0, LONG);
    fake_reading = TF_NET_BUSY;
    request = receive(LONG);
    tf_msg_progress();
    fake_reading = TF_NET_REFUSED;
    tf_msg_progress();
    expect_cleared_and_stream(&request);
}

/* As long as nothing of it was used; but what was asked for may still be written. */
static void what_fails_at_first_is_sent(void **state)
{
    (void)state;
    MPI_Request request = receive(LONG);
    fake_end_read(3, true);
    fake_end_read(0, false);
    while (fake_pending() > 0) {
        expect_nothing(1);
        fake_end_read(0, true);
    }
    expect_cleared_and_stream(&request);
}

static void failure_in_the_middle(bool refused)
{
    struct tf_object *comm = NULL;
    MPI_Request request = receive(LONG);
    fake_end_read(0, true);
    if (refused) {
        fake_reading = TF_NET_REFUSED;
        fake_end_read(0, true);
    } else {
        fake_end_read(1, false);
    }
    while (fake_pending() > 0) {
        assert_false(fake_done(&request));
        fake_end_read(0, true);
    }
    assert_int_equal(tf_wait(&request, MPI_STATUS_IGNORE, &comm), MPI_ERR_OTHER);
    assert_ptr_equal(comm, tf_comm_world);
    assert_non_null(strstr(tf_error_text(MPI_ERR_OTHER), "2500000 bytes from rank 1"));
    assert_non_null(strstr(tf_error_text(MPI_ERR_OTHER), refused ? "only 262144" : "only 131072"));
    expect(1, TF_MSG_ACK, 0);
}

static void a_failure_in_the_middle_is_an_error(void **state)
{
    (void)state;
    failure_in_the_middle(false);
    failure_in_the_middle(true);
}

/* It was received, so it cannot be cancelled any more; and it goes on when nobody waits for it. */
static void cancelled_and_abandoned_receives_go_on(void **state)
{
    struct tf_object *comm = NULL;
    MPI_Status status;
    (void)state;
    MPI_Request request = receive(LONG);
    assert_int_equal(tf_cancel(&request, &comm), MPI_SUCCESS);
    assert_false(fake_done(&request));
    end_all_reads();
    finish(&request, MPI_SUCCESS, &status);
    assert_int_equal(status.MPI_internal[2], 0);
    expect(1, TF_MSG_ACK, 0);
    request = receive(LONG);
    uint32_t live = tf_request_pool.live;
    memset(buffer, 0, LONG);
    assert_int_equal(tf_request_free(&request, &comm), MPI_SUCCESS);
    assert_int_equal(tf_request_pool.live, live);
    /* MPI_Finalize waits for it. */
    fake_be_driven(true);
    tf_pull_settle();
    assert_int_equal(tf_request_pool.live, live - 1);
    assert_memory_equal(buffer, data, LONG);
    expect(1, TF_MSG_ACK, 0);
}

static void the_communicator_may_be_freed_meanwhile(void **state)
{
    MPI_Request request;
    (void)state;
    struct tf_comm *comm = tf_comm_create_object(tf_comm_world->group, (uint64_t)9 << 32, tf_comm_world, 0);
    tf_irecv(buffer, LONG, fake_byte(), 1, 4, comm, &request);
    fake_rts(1, comm, 4, 21, (struct tf_rts){LONG, (uintptr_t)data, {0}});
    tf_msg_progress();
    tf_comm_release(comm);
    end_all_reads();
    finish(&request, MPI_SUCCESS, MPI_STATUS_IGNORE);
    assert_memory_equal(buffer, data, LONG);
    expect(1, TF_MSG_ACK, 0);
}

/* Only what it does not take itself: the ring to rank 1 is full. */
static void the_answer_waits_for_room(void **state)
{
    (void)state;
    MPI_Request request = receive(LONG);
    fake_clog(1);
    end_all_reads();
    assert_false(fake_done(&request));
    fake_drain(1);
    finish(&request, MPI_SUCCESS, MPI_STATUS_IGNORE);
    expect(1, TF_MSG_ACK, 0);
}

/* ---- sending ---- */

/* Announced to rank 1; the id by which it is answered. */
static uint32_t announced(bool offered)
{
    struct tf_rts rts;
    struct tf_header h = expect(1, TF_MSG_RTS, sizeof rts + (offered ? 40 : 0));
    memcpy(&rts, payload, sizeof rts);
    assert_int_equal(rts.total, LONG);
    assert_true(rts.address == (offered ? (uintptr_t)data : 0));
    for (int i = 0; i < 40 && offered; i++)
        assert_int_equal(payload[sizeof rts + (size_t)i], 'a' + 1);
    assert_int_equal(fake_exposed, offered);
    return h.id;
}

static void take_stream(uint32_t id)
{
    fake_send(1, (struct tf_header){.kind = TF_MSG_CTS, .id = id, .receiver = 7}, NULL, 0);
    tf_msg_progress();
    assert_int_equal(fake_exposed, 0);
    for (size_t got = 0; got < LONG;) {
        struct tf_header h;
        while (!fake_next(1, &h, payload))
            tf_msg_progress();
        assert_int_equal(h.kind, TF_MSG_DATA);
        assert_memory_equal(payload, data + got, h.length);
        got += h.length;
    }
    tf_msg_progress();
}

static MPI_Request send_it(MPI_Count bytes)
{
    MPI_Request request;
    tf_isend(data, bytes, fake_byte(), 1, 0, tf_comm_world, TF_STANDARD, &request);
    return request;
}

static void a_message_is_exposed_until_it_is_answered(void **state)
{
    (void)state;
    MPI_Request request = send_it(LONG);
    uint32_t id = announced(true);
    assert_false(fake_done(&request));
    assert_int_equal(fake_exposed, 1);
    fake_send(1, (struct tf_header){.kind = TF_MSG_ACK, .id = id}, NULL, 0);
    finish(&request, MPI_SUCCESS, MPI_STATUS_IGNORE);
    assert_int_equal(fake_exposed, 0);
    /* The receiver cannot read. */
    request = send_it(LONG);
    take_stream(announced(true));
    finish(&request, MPI_SUCCESS, MPI_STATUS_IGNORE);
}

static void what_is_not_exposed_is_sent(void **state)
{
    (void)state;
    fake_hides = true;
    MPI_Request request = send_it(LONG);
    take_stream(announced(false));
    finish(&request, MPI_SUCCESS, MPI_STATUS_IGNORE);
    fake_hides = false;
    tf_settings.single_copy = LONG + 1;
    request = send_it(LONG);
    take_stream(announced(false));
    finish(&request, MPI_SUCCESS, MPI_STATUS_IGNORE);
    /* A short one is not announced. */
    tf_settings.single_copy = 0;
    request = send_it(CHUNK);
    expect(1, TF_MSG_EAGER, CHUNK);
    finish(&request, MPI_SUCCESS, MPI_STATUS_IGNORE);
}

static void nothing_is_exposed_before_it_is_announced(void **state)
{
    struct tf_object *comm = NULL;
    (void)state;
    fake_clog(1);
    MPI_Request request = send_it(LONG);
    assert_int_equal(fake_exposed, 0);
    assert_int_equal(tf_cancel(&request, &comm), MPI_SUCCESS);
    finish(&request, MPI_SUCCESS, MPI_STATUS_IGNORE);
    request = send_it(LONG);
    fake_drain(1);
    tf_msg_progress();
    uint32_t id = announced(true);
    fake_send(1, (struct tf_header){.kind = TF_MSG_ACK, .id = id}, NULL, 0);
    finish(&request, MPI_SUCCESS, MPI_STATUS_IGNORE);
}

static void a_cancelled_message_is_concealed(void **state)
{
    struct tf_object *comm = NULL;
    MPI_Status status;
    (void)state;
    MPI_Request request = send_it(LONG);
    uint32_t id = announced(true);
    assert_int_equal(tf_cancel(&request, &comm), MPI_SUCCESS);
    struct tf_header h = expect(1, TF_MSG_CANCEL, 0);
    assert_false(fake_done(&request));
    assert_int_equal(fake_exposed, 1);
    fake_send(1, (struct tf_header){.kind = TF_MSG_CANCELLED, .flags = TF_FLAG_TAKEN, .sender = id, .id = h.asker},
              NULL, 0);
    finish(&request, MPI_SUCCESS, &status);
    assert_int_equal(status.MPI_internal[2], 1);
    assert_int_equal(fake_exposed, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fake_job_close)
    const struct CMUnitTest tests[] = {
        TEST(pieces_come_in_any_order),
        TEST(an_unexpected_message_is_read),
        TEST(reads_may_end_at_once),
        TEST(gaps_are_filled_in_order),
        TEST(many_messages_share_the_pieces),
        TEST(a_truncated_message_is_read_as_far_as_it_fits),
        TEST(a_busy_transport_is_asked_again),
        TEST(what_cannot_be_read_is_sent),
        TEST(what_fails_at_first_is_sent),
        TEST(a_failure_in_the_middle_is_an_error),
        TEST(cancelled_and_abandoned_receives_go_on),
        TEST(the_communicator_may_be_freed_meanwhile),
        TEST(the_answer_waits_for_room),
        TEST(a_message_is_exposed_until_it_is_answered),
        TEST(what_is_not_exposed_is_sent),
        TEST(nothing_is_exposed_before_it_is_announced),
        TEST(a_cancelled_message_is_concealed),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
