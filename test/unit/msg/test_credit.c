/* test_credit.c - messages that come before their receives are kept up to a limit, and announced past it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "base/settings.h"
#include "fake_net.h"
#include "msg/transfer.h"

enum { BYTES = 1000, LIMIT = 8 * BYTES };
static unsigned char data[BYTES], buffer[BYTES], payload[FAKE_CAPACITY];

static int setup(void **state)
{
    for (int i = 0; i < BYTES; i++)
        data[i] = (unsigned char)(i * 31);
    tf_settings.unexpected_limit = LIMIT;
    return fake_job_open(state);
}

static void receive(int source, int tag)
{
    memset(buffer, 0, sizeof buffer);
    assert_int_equal(tf_recv(buffer, BYTES, fake_byte(), source, tag, tf_comm_world, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

static bool says(int rank, int kind)
{
    struct tf_header h;
    return fake_next(rank, &h, payload) && h.kind == kind && h.length == 0;
}

static void send_one(int rank, int tag)
{
    fake_eager(rank, tf_comm_world, tag, data, BYTES);
    tf_msg_progress();
}

/* Each sender has a limit of its own; what it is told, it is told once. */
static void a_receiver_has_enough_and_wants_more(void **state)
{
    struct tf_header h;
    (void)state;
    int n = 0;
    for (int round = 0; round < 3; round++) {
        int first = n;
        while (!says(1, TF_MSG_ENOUGH)) {
            assert_true((n - first) * BYTES <= LIMIT);
            send_one(2, n);
            send_one(1, n++);
        }
        assert_true((n - first + 1) * BYTES > LIMIT / 2);
        for (int i = 0; i < 3; i++)
            send_one(1, n + i);
        assert_false(fake_next(1, &h, payload));
        if (round == 0)
            assert_true(says(2, TF_MSG_ENOUGH));
        for (int i = first; i < n + 3; i++) {
            receive(1, i);
            assert_memory_equal(buffer, data, BYTES);
        }
        assert_true(says(1, TF_MSG_MORE));
        assert_false(fake_next(1, &h, payload));
        assert_false(fake_next(2, &h, payload));
        n += 3;
    }
    for (int i = 0; i < n; i++) {
        int flag;
        tf_iprobe(2, i, tf_comm_world, &flag, MPI_STATUS_IGNORE);
        if (flag)
            receive(2, i);
    }
    assert_true(says(2, TF_MSG_MORE));
}

/* Neither announcements nor collectives count, nor what one sends oneself. */
static void others_do_not_count(void **state)
{
    struct tf_header h;
    MPI_Request requests[20];
    (void)state;
    for (uint32_t i = 0; i < 20; i++) {
        fake_send(1,
                  (struct tf_header){.kind = TF_MSG_COLL,
                                     .tag = 0,
                                     .context = tf_comm_world->context,
                                     .sequence = 1000 + i,
                                     .fingerprint = 5},
                  data, BYTES);
        tf_isend(data, BYTES, fake_byte(), 0, 3, tf_comm_world, TF_STANDARD, &requests[i]);
        tf_msg_progress();
    }
    assert_false(fake_next(1, &h, payload));
    for (int i = 0; i < 20; i++) {
        receive(0, 3);
        assert_true(fake_done(&requests[i]));
    }
    tf_match_discard_all(tf_comm_world->match);
}

/* Answers an announcement, takes the data. */
static void take(int rank, int tag, size_t length, MPI_Request *request)
{
    struct tf_header h;
    struct tf_rts rts;
    assert_true(fake_next(rank, &h, payload));
    assert_int_equal(h.kind, TF_MSG_RTS);
    assert_int_equal(h.tag, tag);
    memcpy(&rts, payload, sizeof rts);
    assert_int_equal(rts.total, length);
    assert_false(fake_done(request));
    fake_send(rank, (struct tf_header){.kind = length ? TF_MSG_CTS : TF_MSG_ACK, .id = h.id, .receiver = 9}, NULL, 0);
    tf_msg_progress();
    if (length) {
        assert_true(fake_next(rank, &h, payload));
        assert_int_equal(h.kind, TF_MSG_DATA);
        assert_memory_equal(payload, data, length);
    }
    assert_true(fake_done(request));
}

static void eager(int rank, int tag)
{
    struct tf_header h;
    MPI_Request request;
    tf_isend(data, 9, fake_byte(), rank, tag, tf_comm_world, TF_STANDARD, &request);
    assert_true(fake_next(rank, &h, payload));
    assert_int_equal(h.kind, TF_MSG_EAGER);
    assert_true(fake_done(&request));
}

static void a_sender_announces_until_more_is_wanted(void **state)
{
    const size_t lengths[] = {BYTES, 0, 1};
    (void)state;
    eager(1, 0);
    fake_send(1, (struct tf_header){.kind = TF_MSG_ENOUGH}, NULL, 0);
    tf_msg_progress();
    for (int i = 0; i < 3; i++) {
        MPI_Request request;
        tf_isend(data, (MPI_Count)lengths[i], fake_byte(), 1, i, tf_comm_world, TF_STANDARD, &request);
        take(1, i, lengths[i], &request);
    }
    eager(2, 0);
    fake_send(1, (struct tf_header){.kind = TF_MSG_MORE}, NULL, 0);
    eager(1, 4);
}

/* It looks by itself, though nothing makes it wait: within a turn of the ring. */
static void a_sender_looks_once_in_a_while(void **state)
{
    struct tf_header h = {0};
    MPI_Request request = MPI_REQUEST_NULL;
    int n = 0;
    (void)state;
    eager(1, 0);
    fake_send(1, (struct tf_header){.kind = TF_MSG_ENOUGH}, NULL, 0);
    for (; h.kind != TF_MSG_RTS; n++) {
        assert_true(n <= 2 * TF_RING_CELLS);
        assert_ptr_equal(request, MPI_REQUEST_NULL);
        tf_isend(data, 8, fake_byte(), 1, 0, tf_comm_world, TF_STANDARD, &request);
        assert_true(fake_next(1, &h, payload));
        if (h.kind == TF_MSG_EAGER)
            assert_true(fake_done(&request));
    }
    fake_send(1, (struct tf_header){.kind = TF_MSG_CTS, .id = h.id, .receiver = 9}, NULL, 0);
    assert_true(fake_done(&request));
}

/* What has not left yet is announced too, in its turn; a synchronous one stays what it is. */
static void what_waits_for_room_is_announced(void **state)
{
    MPI_Request requests[3];
    (void)state;
    eager(1, 0);
    fake_clog(1);
    for (int i = 0; i < 3; i++)
        tf_isend(data, BYTES, fake_byte(), 1, i, tf_comm_world, i == 1 ? TF_SYNCHRONOUS : TF_STANDARD, &requests[i]);
    fake_send(1, (struct tf_header){.kind = TF_MSG_ENOUGH}, NULL, 0);
    tf_msg_progress();
    fake_drain(1);
    tf_msg_progress();
    struct tf_header h[3];
    for (int i = 0; i < 3; i++) {
        assert_true(fake_next(1, &h[i], payload));
        assert_int_equal(h[i].kind, TF_MSG_RTS);
        assert_int_equal(h[i].tag, i);
    }
    for (int i = 0; i < 3; i++) {
        struct tf_header part;
        assert_false(fake_done(&requests[i]));
        fake_send(1, (struct tf_header){.kind = TF_MSG_CTS, .id = h[i].id, .receiver = 9}, NULL, 0);
        tf_msg_progress();
        assert_true(fake_next(1, &part, payload));
        assert_int_equal(part.length, BYTES);
        assert_true(fake_done(&requests[i]));
    }
}

/* A receiver that takes all at once leaves room for everything: it is heard meanwhile. */
static int pushed;
static bool push(struct tf_peer *peer, struct tf_out *out)
{
    (void)peer, (void)out;
    pushed++;
    return true;
}

static void who_has_much_to_send_listens(void **state)
{
    static struct tf_out outs[4 * TF_RING_CELLS];
    (void)state;
    pushed = 0;
    for (size_t i = 0; i < TF_ARRAY_LEN(outs); i++) {
        outs[i].push = push;
        tf_out_queue(tf_comm_world->peers[1], &outs[i]);
    }
    for (int last = 0; !tf_out_idle(); last = pushed) {
        assert_true(tf_msg_progress());
        assert_in_range(pushed - last, 1, TF_RING_CELLS);
    }
    assert_int_equal(pushed, TF_ARRAY_LEN(outs));
}

/* An announcement of nothing is answered, and over. */
static void nothing_that_was_announced_is_received(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct tf_header h;
        MPI_Request request;
        if (i == 0)
            tf_irecv(buffer, BYTES, fake_byte(), 1, 0, tf_comm_world, &request);
        fake_rts(1, tf_comm_world, 0, 40 + i, (struct tf_rts){.total = 0});
        tf_msg_progress();
        if (i == 1)
            tf_irecv(buffer, BYTES, fake_byte(), 1, 0, tf_comm_world, &request);
        assert_true(fake_next(1, &h, payload));
        assert_int_equal(h.kind, TF_MSG_ACK);
        assert_int_equal(h.id, 40 + i);
        assert_true(fake_done(&request));
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fake_job_close)
    const struct CMUnitTest tests[] = {
        TEST(a_receiver_has_enough_and_wants_more),    TEST(others_do_not_count),
        TEST(a_sender_announces_until_more_is_wanted), TEST(a_sender_looks_once_in_a_while),
        TEST(what_waits_for_room_is_announced),        TEST(who_has_much_to_send_listens),
        TEST(nothing_that_was_announced_is_received),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
