/* test_protocol.c - the eager and rendezvous protocols, cell by cell: what goes out for a send, what answers a receive,
 * single copy, truncation, typed data, echoes, and order where a ring is full.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <unistd.h>

#include "base/settings.h"
#include "fake_net.h"
#include "msg/habit.h"
#include "msg/wire.h"
#include "type/construct.h"

enum { CHUNK = FAKE_CAPACITY / 4, LONG = 5 * CHUNK + 100, WIDE = 64 * 1024 };

static unsigned char payload[WIDE], data[WIDE], buffer[LONG + 8];
_Static_assert((int)LONG < (int)WIDE, "data is for all of them");

static int setup(void **state)
{
    for (int i = 0; i < WIDE; i++)
        data[i] = (unsigned char)(i * 31 + (i >> 7));
    memset(buffer, 0, sizeof buffer);
    tf_settings.single_copy = SIZE_MAX;
    return fake_job_open(state);
}

static int setup_wide(void **state)
{
    fake_capacity = 4 * WIDE;
    return setup(state);
}

static void finish(MPI_Request *request, int wanted, MPI_Status *status)
{
    struct tf_object *comm = NULL;
    int flag = 0;
    assert_int_equal(tf_test(request, &flag, status, &comm), wanted);
    assert_true(flag);
    assert_ptr_equal(*request, MPI_REQUEST_NULL);
    if (wanted)
        assert_ptr_equal(comm, tf_comm_world);
}

static struct tf_header expect(int rank, int kind, size_t length)
{
    struct tf_header h;
    assert_true(fake_next(rank, &h, payload));
    assert_int_equal(h.kind, kind);
    assert_int_equal(h.length, length);
    return h;
}

/* ---- sending ---- */

static void eager_send(void **state)
{
    MPI_Request request;
    (void)state;
    tf_isend(data, CHUNK, fake_byte(), 2, 7, tf_comm_world, TF_STANDARD, &request);
    struct tf_header h = expect(2, TF_MSG_EAGER, CHUNK);
    assert_int_equal(h.tag, 7);
    assert_int_equal(h.source, 0);
    assert_true(h.context == tf_comm_world->context);
    assert_memory_equal(payload, data, CHUNK);
    finish(&request, MPI_SUCCESS, MPI_STATUS_IGNORE);
    assert_int_equal(tf_send(NULL, 0, fake_byte(), 3, 1, tf_comm_world, TF_STANDARD), MPI_SUCCESS);
    expect(3, TF_MSG_EAGER, 0);
}

static void synchronous_send_waits_for_its_receive(void **state)
{
    MPI_Request request;
    (void)state;
    tf_isend(data, 5, fake_byte(), 1, 0, tf_comm_world, TF_SYNCHRONOUS, &request);
    struct tf_header h = expect(1, TF_MSG_EAGER, 5);
    assert_true(h.flags & TF_FLAG_SYNC);
    assert_false(fake_done(&request));
    fake_send(1, (struct tf_header){.kind = TF_MSG_ACK, .id = h.id}, NULL, 0);
    finish(&request, MPI_SUCCESS, MPI_STATUS_IGNORE);
}

/* Gathers the DATA that comes until `total` bytes are there. */
static void take_stream(int rank, uint32_t id, size_t total)
{
    size_t got = 0;
    while (got < total) {
        struct tf_header h;
        while (!fake_next(rank, &h, payload))
            tf_msg_progress();
        assert_int_equal(h.kind, TF_MSG_DATA);
        assert_int_equal(h.id, id);
        assert_true(h.length > 0 && got + h.length <= total);
        assert_memory_equal(payload, data + got, h.length);
        got += h.length;
    }
}

static void long_send_waits_to_be_cleared(void **state)
{
    struct tf_rts rts;
    MPI_Request requests[2];
    struct tf_header h[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        tf_isend(data, LONG - i, fake_byte(), 1, i, tf_comm_world, TF_STANDARD, &requests[i]);
        h[i] = expect(1, TF_MSG_RTS, sizeof rts);
        memcpy(&rts, payload, sizeof rts);
        assert_int_equal(rts.total, LONG - i);
        assert_int_equal(rts.address, 0);
    }
    assert_true(h[0].id != h[1].id);
    /* The later one is wanted first. */
    for (int i = 1; i >= 0; i--) {
        assert_false(fake_done(&requests[i]));
        fake_send(1, (struct tf_header){.kind = TF_MSG_CTS, .id = h[i].id, .receiver = 1000u + (uint32_t)i}, NULL, 0);
        take_stream(1, 1000u + (uint32_t)i, (size_t)(LONG - i));
        finish(&requests[i], MPI_SUCCESS, MPI_STATUS_IGNORE);
    }
}

static void long_send_may_be_read(void **state)
{
    struct tf_rts rts;
    MPI_Request request;
    MPI_Datatype handle;
    (void)state;
    tf_settings.single_copy = 100;
    tf_isend(data + 1, 100, fake_byte(), 1, 0, tf_comm_world, TF_STANDARD, &request);
    struct tf_header h = expect(1, TF_MSG_RTS, sizeof rts);
    memcpy(&rts, payload, sizeof rts);
    assert_true(rts.address == (uintptr_t)(data + 1));
    fake_send(1, (struct tf_header){.kind = TF_MSG_ACK, .id = h.id}, NULL, 0);
    finish(&request, MPI_SUCCESS, MPI_STATUS_IGNORE);
    /* Not where there are gaps in it. */
    assert_int_equal(tf_type_vector(100, 1, 2, fake_byte(), &handle, false), MPI_SUCCESS);
    tf_type_commit(tf_type_find(handle));
    tf_isend(data, 1, tf_type_find(handle), 1, 0, tf_comm_world, TF_STANDARD, &request);
    expect(1, TF_MSG_EAGER, 100);
    for (int i = 0; i < 100; i++)
        assert_int_equal(payload[i], data[2 * i]);
    finish(&request, MPI_SUCCESS, MPI_STATUS_IGNORE);
    tf_type_free(tf_type_find(handle));
}

static void order_is_kept_where_the_ring_is_full(void **state)
{
    MPI_Request requests[6];
    const size_t lengths[] = {3, LONG, 0, CHUNK, 8, 1};
    (void)state;
    fake_clog(1);
    for (int i = 0; i < 5; i++)
        tf_isend(data, (MPI_Count)lengths[i], fake_byte(), 1, i, tf_comm_world, TF_STANDARD, &requests[i]);
    tf_msg_progress();
    for (int i = 0; i < 5; i++)
        assert_false(fake_done(&requests[i]));
    assert_false(tf_out_idle());
    /* Another peer is not held up. */
    assert_int_equal(tf_send(data, 8, fake_byte(), 2, 0, tf_comm_world, TF_STANDARD), MPI_SUCCESS);
    /* Nor does a later message go before those that wait when there is room again. */
    fake_drain(1);
    tf_isend(data, (MPI_Count)lengths[5], fake_byte(), 1, 5, tf_comm_world, TF_STANDARD, &requests[5]);
    tf_msg_progress();
    assert_true(tf_out_idle());
    for (int i = 0; i < 6; i++) {
        struct tf_header h = expect(1, i == 1 ? TF_MSG_RTS : TF_MSG_EAGER, i == 1 ? sizeof(struct tf_rts) : lengths[i]);
        assert_int_equal(h.tag, i);
        if (i == 1)
            fake_send(1, (struct tf_header){.kind = TF_MSG_CTS, .id = h.id, .receiver = 5}, NULL, 0);
        else
            finish(&requests[i], MPI_SUCCESS, MPI_STATUS_IGNORE);
        if (i == 1)
            assert_memory_equal(&(size_t){LONG}, payload, sizeof(size_t));
    }
    take_stream(1, 5, LONG);
    finish(&requests[1], MPI_SUCCESS, MPI_STATUS_IGNORE);
}

/* ---- receiving ---- */

/* Answers the CTS with `total` bytes of data. */
static void stream(int rank, uint32_t to, size_t total, size_t piece)
{
    for (size_t at = 0; at < total; at += piece) {
        size_t length = total - at < piece ? total - at : piece;
        fake_send(rank, (struct tf_header){.kind = TF_MSG_DATA, .id = to}, data + at, length);
        tf_msg_progress();
    }
}

static void long_receive(MPI_Count room, int wanted, bool unexpected)
{
    MPI_Request request;
    MPI_Status status;
    int flag;
    if (!unexpected)
        tf_irecv(buffer, room, fake_byte(), 1, 4, tf_comm_world, &request);
    fake_rts(1, tf_comm_world, 4, 333, (struct tf_rts){LONG, 0, {0}});
    tf_msg_progress();
    if (unexpected) {
        tf_iprobe(1, 4, tf_comm_world, &flag, &status);
        assert_true(flag);
        assert_int_equal(tf_status_bytes(&status), LONG);
        assert_false(fake_next(1, &(struct tf_header){0}, NULL)); /* a probe clears nothing */
        tf_irecv(buffer, room, fake_byte(), 1, 4, tf_comm_world, &request);
    }
    struct tf_header h = expect(1, TF_MSG_CTS, 0);
    assert_int_equal(h.id, 333);
    stream(1, (uint32_t)h.receiver, LONG - 1, 999);
    assert_false(fake_done(&request));
    fake_send(1, (struct tf_header){.kind = TF_MSG_DATA, .id = (uint32_t)h.receiver}, data + LONG - 1, 1);
    finish(&request, wanted, &status);
    MPI_Count kept = room < LONG ? room : LONG;
    assert_int_equal(tf_status_bytes(&status), kept);
    assert_memory_equal(buffer, data, (size_t)kept);
    for (size_t i = (size_t)kept; i < sizeof buffer; i++)
        assert_int_equal(buffer[i], 0);
}

static void long_receive_in_chunks(void **state)
{
    (void)state;
    long_receive(LONG, MPI_SUCCESS, false);
}

static void long_receive_unexpected(void **state)
{
    (void)state;
    long_receive(LONG + 8, MPI_SUCCESS, true);
}

static void long_receive_truncated(void **state)
{
    (void)state;
    long_receive(1500, MPI_ERR_TRUNCATE, false);
    assert_non_null(strstr(tf_error_text(MPI_ERR_TRUNCATE), "1500"));
    memset(buffer, 0, sizeof buffer);
    long_receive(0, MPI_ERR_TRUNCATE, true);
}

static void short_receive_truncated(void **state)
{
    MPI_Status status;
    (void)state;
    for (int unexpected = 0; unexpected < 2; unexpected++) {
        MPI_Request request;
        memset(buffer, 0, sizeof buffer);
        if (!unexpected)
            tf_irecv(buffer, 6, fake_byte(), MPI_ANY_SOURCE, 4, tf_comm_world, &request);
        fake_eager(2, tf_comm_world, 4, data, 10);
        tf_msg_progress();
        if (unexpected)
            tf_irecv(buffer, 6, fake_byte(), MPI_ANY_SOURCE, 4, tf_comm_world, &request);
        finish(&request, MPI_ERR_TRUNCATE, &status);
        assert_int_equal(status.MPI_SOURCE, 2);
        assert_memory_equal(buffer, data, 6);
        assert_int_equal(buffer[6], 0);
    }
}

static void receive_reads_where_it_may(void **state)
{
    MPI_Request request;
    (void)state;
    for (int readable = 0; readable < 2; readable++) {
        memset(buffer, 0, sizeof buffer);
        fake_reading = readable ? TF_NET_DONE : TF_NET_REFUSED;
        tf_irecv(buffer, LONG, fake_byte(), 1, 4, tf_comm_world, &request);
        fake_rts(1, tf_comm_world, 4, 21, (struct tf_rts){LONG, (uintptr_t)data, {0}});
        tf_msg_progress();
        struct tf_header h = expect(1, readable ? TF_MSG_ACK : TF_MSG_CTS, 0);
        assert_int_equal(h.id, 21);
        if (!readable)
            stream(1, (uint32_t)h.receiver, LONG, CHUNK);
        finish(&request, MPI_SUCCESS, MPI_STATUS_IGNORE);
        assert_memory_equal(buffer, data, LONG);
    }
    assert_true(fake_reads > 0);
    /* Only as much as there is room for. */
    memset(buffer, 0, sizeof buffer);
    tf_irecv(buffer, 10, fake_byte(), 1, 4, tf_comm_world, &request);
    fake_rts(1, tf_comm_world, 4, 21, (struct tf_rts){LONG, (uintptr_t)data, {0}});
    finish(&request, MPI_ERR_TRUNCATE, MPI_STATUS_IGNORE);
    expect(1, TF_MSG_ACK, 0);
    assert_memory_equal(buffer, data, 10);
    assert_int_equal(buffer[10], 0);
}

/* A receive into a type with gaps is never read into place; chunks may end in the middle of an element. */
static void receive_into_gaps(void **state)
{
    enum { N = 3000 };
    static int32_t pairs[2 * N];
    MPI_Datatype handle;
    MPI_Request request;
    (void)state;
    fake_reading = TF_NET_DONE;
    memset(pairs, 0, sizeof pairs);
    assert_int_equal(tf_type_vector(N, 1, 2, tf_type_find(MPI_INT32_T), &handle, false), MPI_SUCCESS);
    tf_type_commit(tf_type_find(handle));
    tf_irecv(pairs, 1, tf_type_find(handle), 1, 4, tf_comm_world, &request);
    tf_type_free(tf_type_find(handle)); /* the request keeps it */
    fake_rts(1, tf_comm_world, 4, 8, (struct tf_rts){4 * N, (uintptr_t)data, {0}});
    tf_msg_progress();
    struct tf_header h = expect(1, TF_MSG_CTS, 0);
    stream(1, (uint32_t)h.receiver, 4 * N, 1001);
    finish(&request, MPI_SUCCESS, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; i++) {
        assert_memory_equal(&pairs[2 * i], data + 4 * i, 4);
        assert_int_equal(pairs[2 * i + 1], 0);
    }
}

static void synchronous_message_is_acknowledged(void **state)
{
    MPI_Request request;
    (void)state;
    fake_send(1,
              (struct tf_header){.kind = TF_MSG_EAGER,
                                 .flags = TF_FLAG_SYNC,
                                 .tag = 4,
                                 .id = 77,
                                 .source = 1,
                                 .context = tf_comm_world->context},
              data, 3);
    tf_msg_progress();
    assert_false(fake_next(1, &(struct tf_header){0}, NULL));
    fake_clog(1);
    tf_irecv(buffer, 3, fake_byte(), 1, 4, tf_comm_world, &request);
    assert_false(fake_done(&request)); /* the acknowledgement is not out yet */
    fake_drain(1);
    finish(&request, MPI_SUCCESS, MPI_STATUS_IGNORE);
    assert_int_equal(expect(1, TF_MSG_ACK, 0).id, 77);
}

/* ---- echo: the result comes back in the memory of the message ---- */

struct echoing {
    struct tf_send send;
    int done, declined;
    size_t back;
};

static void echo_done(struct tf_send *send)
{
    TF_CONTAINER(send, struct echoing, send)->done++;
}

static void echo_declined(struct tf_send *send)
{
    TF_CONTAINER(send, struct echoing, send)->declined++;
}

static void echo_returned(struct tf_send *send, const void *from, size_t at, size_t length)
{
    struct echoing *e = TF_CONTAINER(send, struct echoing, send);
    assert_int_equal(at, e->back);
    memcpy(buffer + at, from, length);
    e->back += length;
}

static struct echoing echo_to(int rank)
{
    return (struct echoing){.send = {.peer = tf_net_peer(rank),
                                     .header = {.kind = TF_MSG_COLL, .sequence = 3, .tag = 1},
                                     .buf = (const char *)data,
                                     .total = LONG,
                                     .available = LONG,
                                     .unit = 8,
                                     .done = echo_done,
                                     .echo = true,
                                     .declined = echo_declined,
                                     .returned = echo_returned}};
}

static void echo_comes_back_in_order(void **state)
{
    struct echoing e = echo_to(1);
    size_t got = 0;
    (void)state;
    tf_send_start_coll(&e.send);
    assert_true(tf_msg_peer(tf_net_peer(1))->echoing);
    struct tf_header h = expect(1, TF_MSG_COLL_RTS, sizeof(struct tf_rts));
    assert_true(h.flags & TF_FLAG_ECHO);
    fake_send(1, (struct tf_header){.kind = TF_MSG_CTS, .flags = TF_FLAG_ECHO, .id = h.id, .receiver = 6}, NULL, 0);
    tf_msg_progress();
    while (got < LONG) {
        unsigned char *there = fake_peek(1, &h);
        assert_non_null(there);
        assert_true(h.flags & TF_RING_HOLD);
        assert_true(h.length % 8 == 0 || got + h.length == LONG);
        for (uint32_t i = 0; i < h.length; i++)
            there[i] ^= 0x5a;
        got += h.length;
        fake_next(1, &h, NULL);
        assert_int_equal(e.done, 0);
        tf_msg_progress();
    }
    assert_int_equal(e.done, 1);
    assert_int_equal(e.declined, 0);
    assert_int_equal(e.back, LONG);
    for (int i = 0; i < LONG; i++)
        assert_int_equal(buffer[i], data[i] ^ 0x5a);
    assert_false(tf_msg_peer(tf_net_peer(1))->echoing);
}

static void echo_declined_is_an_ordinary_send(void **state)
{
    struct echoing e = echo_to(1);
    (void)state;
    tf_send_start_coll(&e.send);
    struct tf_header h = expect(1, TF_MSG_COLL_RTS, sizeof(struct tf_rts));
    fake_send(1, (struct tf_header){.kind = TF_MSG_CTS, .id = h.id, .receiver = 6}, NULL, 0);
    tf_msg_progress();
    assert_int_equal(e.declined, 1);
    assert_false(tf_msg_peer(tf_net_peer(1))->echoing);
    take_stream(1, 6, LONG);
    tf_msg_progress();
    assert_int_equal(e.done, 1);
    assert_int_equal(e.back, 0);
}

/* What is not there yet is sent when it is. */
static void a_send_grows(void **state)
{
    struct echoing e = echo_to(1);
    (void)state;
    e.send.echo = false;
    e.send.available = 0;
    tf_settings.single_copy = 0;
    tf_send_start_coll(&e.send);
    struct tf_header h = expect(1, TF_MSG_COLL_RTS, sizeof(struct tf_rts));
    tf_send_more(&e.send, 16);
    fake_send(1, (struct tf_header){.kind = TF_MSG_CTS, .id = h.id, .receiver = 6}, NULL, 0);
    tf_msg_progress();
    expect(1, TF_MSG_DATA, 16);
    assert_false(tf_msg_progress());
    tf_send_more(&e.send, 24);
    expect(1, TF_MSG_DATA, 8);
    assert_memory_equal(payload, data + 16, 8);
    tf_send_more(&e.send, LONG);
    for (size_t got = 24; got < LONG; got += h.length) {
        tf_msg_progress();
        assert_true(fake_next(1, &h, payload));
        assert_memory_equal(payload, data + got, h.length);
    }
    tf_msg_progress();
    assert_int_equal(e.done, 1);
}

/* Of two: once for whatever the receiver has said since then, but for its answers, and while reads are not slow. */
static void what_is_awaited_is_read(void **state)
{
    enum { BYTES = 2 * TF_SEND_RUNNING };
    struct tf_peer *peer = tf_comm_world->peers[1];
    (void)state;
    tf_settings.single_copy = 32768;
    tf_net_company = TF_NET_TWO;
    assert_false(tf_send_is_awaited(peer, BYTES));
    for (int i = 0; i < 2; i++) {
        fake_eager(1, tf_comm_world, 7, data, 8);
        tf_recv(buffer, 8, fake_byte(), 1, 7, tf_comm_world, MPI_STATUS_IGNORE);
        assert_true(tf_send_is_awaited(peer, BYTES));
        assert_false(tf_send_is_awaited(peer, BYTES));
    }
    fake_eager(1, tf_comm_world, 7, data, 8);
    tf_recv(buffer, 8, fake_byte(), 1, 7, tf_comm_world, MPI_STATUS_IGNORE);
    assert_false(tf_send_is_awaited(peer, TF_SEND_RUNNING - 1));

    for (int i = 0; i < 4; i++)
        tf_habit_hear(BYTES, TF_FLAG_SLOW);
    fake_eager(1, tf_comm_world, 7, data, 8);
    tf_recv(buffer, 8, fake_byte(), 1, 7, tf_comm_world, MPI_STATUS_IGNORE);
    assert_false(tf_send_is_awaited(peer, BYTES));
}

/* Where processors are shared: of less than 64 KiB, once for whatever the receiver has said.  Here no read has been
 * slow yet. */
static void an_answer_is_not_announced_in_a_crowd(void **state)
{
    enum { BYTES = WIDE - 16 };
    static const enum tf_message_kind kinds[] = {TF_MSG_RTS, TF_MSG_EAGER, TF_MSG_RTS};
    MPI_Request requests[3];
    (void)state;
    tf_settings.single_copy = 32768;
    tf_net_company = TF_NET_SHARING;
    for (int i = 0; i < 3; i++) {
        if (i == 1) {
            fake_eager(2, tf_comm_world, 7, data, 8);
            tf_recv(buffer, 8, fake_byte(), 2, 7, tf_comm_world, MPI_STATUS_IGNORE);
        }
        tf_isend(data, BYTES, fake_byte(), 2, 7, tf_comm_world, TF_STANDARD, &requests[i]);
        struct tf_header h = expect(2, kinds[i], i == 1 ? BYTES : sizeof(struct tf_rts));
        if (i != 1)
            fake_send(2, (struct tf_header){.kind = TF_MSG_ACK, .id = h.id}, NULL, 0);
        finish(&requests[i], MPI_SUCCESS, MPI_STATUS_IGNORE);
    }
}

static int yields;
int sched_yield(void)
{
    yields++;
    return 0;
}

/* Who only tests gives the processor to others after some tests in vain, where there are more ranks than processors. */
static void who_only_tests_yields(void **state)
{
    enum { TESTS = 100 };
    MPI_Request request;
    (void)state;
    tf_irecv(buffer, 8, fake_byte(), 1, 7, tf_comm_world, &request);
    for (int crowded = 0; crowded < 2; crowded++) {
        tf_pause_crowded = crowded;
        yields = 0;
        for (int i = 0; i < TESTS; i++)
            assert_false(fake_done(&request));
        assert_in_range(yields, crowded ? TESTS / 2 : 0, crowded ? TESTS - 1 : 0);
    }
    tf_pause_crowded = false;
    fake_eager(1, tf_comm_world, 7, data, 8);
    assert_true(fake_done(&request));
}

/* ---- to oneself ---- */

static void to_oneself(void **state)
{
    MPI_Request requests[2];
    const size_t lengths[] = {0, 1, CHUNK, CHUNK + 1, LONG};
    (void)state;
    for (int first = 0; first < 2; first++)
        for (int i = 0; i < 5; i++) {
            MPI_Count n = (MPI_Count)lengths[i];
            memset(buffer, 0, sizeof buffer);
            for (int k = 0; k < 2; k++)
                if (k == first)
                    tf_irecv(buffer, n, fake_byte(), 0, 4, tf_comm_world, &requests[1]);
                else
                    tf_isend(data, n, fake_byte(), 0, 4, tf_comm_world, TF_SYNCHRONOUS, &requests[0]);
            struct tf_object *comm = NULL;
            assert_int_equal(tf_waitall(2, requests, MPI_STATUSES_IGNORE, &comm), MPI_SUCCESS);
            assert_memory_equal(buffer, data, lengths[i]);
        }
    memcpy(buffer, data, LONG);
    assert_int_equal(
        tf_sendrecv_replace(buffer, LONG, fake_byte(), 0, 1, MPI_ANY_SOURCE, 1, tf_comm_world, MPI_STATUS_IGNORE),
        MPI_SUCCESS);
    assert_memory_equal(buffer, data, LONG);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fake_job_close)
    const struct CMUnitTest tests[] = {
        TEST(eager_send),
        TEST(synchronous_send_waits_for_its_receive),
        TEST(long_send_waits_to_be_cleared),
        TEST(long_send_may_be_read),
        TEST(order_is_kept_where_the_ring_is_full),
        TEST(long_receive_in_chunks),
        TEST(long_receive_unexpected),
        TEST(long_receive_truncated),
        TEST(short_receive_truncated),
        TEST(receive_reads_where_it_may),
        TEST(receive_into_gaps),
        TEST(synchronous_message_is_acknowledged),
        TEST(echo_comes_back_in_order),
        TEST(echo_declined_is_an_ordinary_send),
        TEST(a_send_grows),
        cmocka_unit_test_setup_teardown(an_answer_is_not_announced_in_a_crowd, setup_wide, fake_job_close),
        TEST(what_is_awaited_is_read),
        TEST(who_only_tests_yields),
        TEST(to_oneself),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
