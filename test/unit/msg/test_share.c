/* test_share.c - long messages of which both sides copy a part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/settings.h"
#include "fake_net.h"
#include "msg/share.h"

enum { LONG = 4 * 1000 * 1000, ID = 21 };

static _Alignas(16) unsigned char payload[FAKE_CAPACITY], data[LONG], buffer[LONG];

static int setup(void **state)
{
    for (int i = 0; i < LONG; i++)
        data[i] = (unsigned char)(i * 31 + i / 257);
    memset(buffer, 0, sizeof buffer);
    tf_settings.single_copy = 0;
    int err = fake_job_open(state);
    fake_be_writable();
    fake_writes_good = true;
    return err;
}

static struct tf_header expect(enum tf_message_kind kind, size_t length)
{
    struct tf_header h;
    assert_true(fake_next(1, &h, payload));
    assert_int_equal(h.kind, kind);
    assert_int_equal(h.length, length);
    return h;
}

static void expect_nothing(void)
{
    struct tf_header h;
    tf_msg_progress();
    assert_false(fake_next(1, &h, payload));
}

/* ---- we receive: the sender is the test ---- */

static _Atomic uint64_t *claims(void)
{
    return tf_net_peer(1)->rx.ring->claims;
}

/* The sender takes one from the back, as the word says it may. */
static uint32_t claim_last(void)
{
    uint64_t word = claims()[0]--;
    return (uint32_t)(word & 0xffffff) - 1;
}

static MPI_Request receive(void)
{
    MPI_Request request;
    tf_irecv(buffer, LONG, fake_byte(), 1, 4, tf_comm_world, &request);
    fake_rts(1, tf_comm_world, 4, ID, (struct tf_rts){LONG, (uintptr_t)data, {0}});
    return request;
}

static void a_sender_who_does_something_else_is_not_waited_for(void **state)
{
    (void)state;
    MPI_Request request = receive();
    tf_msg_progress();
    assert_true(fake_done(&request));
    assert_memory_equal(buffer, data, LONG);
    assert_int_equal(expect(TF_MSG_SHARE, sizeof(struct tf_share_offer)).id, ID);
    assert_int_equal(expect(TF_MSG_ACK, 0).id, ID);
    expect_nothing();
}

/* The transport has no room, so that the sender claims before anything is read. */
static struct tf_share_offer offer_before_reading(MPI_Request *request)
{
    struct tf_share_offer offer;
    fake_reading = TF_NET_BUSY;
    *request = receive();
    tf_msg_progress();
    expect(TF_MSG_SHARE, sizeof offer);
    memcpy(&offer, payload, sizeof offer);
    assert_int_equal(offer.address, (uintptr_t)buffer);
    assert_int_equal(offer.total, LONG);
    return offer;
}

static void write_claimed(const struct tf_share_offer *offer, uint32_t number)
{
    size_t at = number * offer->piece, left = LONG - at;
    memcpy(buffer + at, data + at, left < offer->piece ? left : offer->piece);
    claims()[1]++;
}

static void what_the_sender_claims_is_left_to_it(void **state)
{
    MPI_Request request;
    (void)state;
    struct tf_share_offer offer = offer_before_reading(&request);
    uint32_t last = claim_last(), before = claim_last();
    assert_int_equal(last, (LONG - 1) / offer.piece);
    assert_int_equal(before, last - 1);
    fake_reading = TF_NET_DONE;
    tf_msg_progress();
    expect_nothing(); /* the sender is not through */
    write_claimed(&offer, last);
    expect_nothing();
    write_claimed(&offer, before);
    tf_msg_progress();
    assert_true(fake_done(&request));
    assert_memory_equal(buffer, data, LONG);
    assert_int_equal(fake_reads, before);
    expect(TF_MSG_ACK, 0);
}

static void what_the_sender_cannot_write_is_read(void **state)
{
    MPI_Request request;
    (void)state;
    struct tf_share_offer offer = offer_before_reading(&request);
    uint32_t last = claim_last(), before = claim_last();
    fake_reading = TF_NET_DONE;
    write_claimed(&offer, last);
    expect_nothing();
    claims()[1] += (uint64_t)1 << 24; /* the second one failed */
    tf_msg_progress();
    assert_true(fake_done(&request));
    assert_memory_equal(buffer, data, LONG);
    assert_int_equal(fake_reads, before + 1);
    expect(TF_MSG_ACK, 0);
}

/* Another one is read by us alone, and the next one after them is shared again. */
static void one_at_a_time_is_shared(void **state)
{
    static unsigned char other[LONG];
    MPI_Request first, second;
    (void)state;
    struct tf_share_offer offer = offer_before_reading(&first);
    uint32_t last = claim_last();
    fake_reading = TF_NET_DONE;
    tf_irecv(other, LONG, fake_byte(), 1, 5, tf_comm_world, &second);
    fake_rts(1, tf_comm_world, 5, ID + 1, (struct tf_rts){LONG, (uintptr_t)data, {0}});
    tf_msg_progress();
    assert_true(fake_done(&second));
    assert_memory_equal(other, data, LONG);
    assert_int_equal(expect(TF_MSG_ACK, 0).id, ID + 1);
    write_claimed(&offer, last);
    tf_msg_progress();
    assert_true(fake_done(&first));
    assert_int_equal(expect(TF_MSG_ACK, 0).id, ID);
    first = receive();
    tf_msg_progress();
    expect(TF_MSG_SHARE, sizeof offer);
    expect(TF_MSG_ACK, 0);
    assert_true(fake_done(&first));
}

/* Announced before anybody has looked whether the first is over. */
static void each_of_a_row_is_shared(void **state)
{
    static unsigned char other[LONG];
    MPI_Request first, second;
    (void)state;
    struct tf_share_offer offer = offer_before_reading(&first);
    uint32_t last = claim_last();
    write_claimed(&offer, last);
    tf_pause_spin = 1;
    fake_reading = TF_NET_DONE;
    tf_irecv(other, LONG, fake_byte(), 1, 5, tf_comm_world, &second);
    fake_rts(1, tf_comm_world, 5, ID + 1, (struct tf_rts){LONG, (uintptr_t)data, {0}});
    tf_msg_progress();
    assert_true(fake_done(&first));
    assert_memory_equal(buffer, data, LONG);
    assert_int_equal(expect(TF_MSG_ACK, 0).id, ID);
    assert_int_equal(expect(TF_MSG_SHARE, sizeof offer).id, ID + 1);
    assert_true(fake_done(&second));
    assert_memory_equal(other, data, LONG);
    assert_int_equal(expect(TF_MSG_ACK, 0).id, ID + 1);
}

static void short_ones_are_not_shared(void **state)
{
    MPI_Request request;
    (void)state;
    tf_irecv(buffer, LONG, fake_byte(), 1, 4, tf_comm_world, &request);
    fake_rts(1, tf_comm_world, 4, ID, (struct tf_rts){(uint64_t)tf_settings.both_copy - 1, (uintptr_t)data, {0}});
    tf_msg_progress();
    assert_true(fake_done(&request));
    expect(TF_MSG_ACK, 0);
    expect_nothing();
}

/* Who offers something itself has the other one read it. */
static void an_exchange_is_not_shared(void **state)
{
    MPI_Request sent, request;
    (void)state;
    tf_isend(data, LONG, fake_byte(), 1, 3, tf_comm_world, TF_STANDARD, &sent);
    struct tf_header rts = expect(TF_MSG_RTS, sizeof(struct tf_rts));
    request = receive();
    tf_msg_progress();
    assert_true(fake_done(&request));
    expect(TF_MSG_ACK, 0);
    fake_send(1, (struct tf_header){.kind = TF_MSG_ACK, .id = rts.id}, NULL, 0);
    tf_msg_progress();
    assert_true(fake_done(&sent));
}

/* ---- we send: the receiver is the test ---- */

static _Atomic uint64_t *our_claims(void)
{
    return tf_net_peer(1)->tx.ring->claims;
}

enum { PIECE = 400 * 1000, PIECES = LONG / PIECE, TURN = 7 };

static struct tf_header announce(MPI_Request *request)
{
    tf_isend(data, LONG, fake_byte(), 1, 3, tf_comm_world, TF_STANDARD, request);
    our_claims()[0] = (uint64_t)TURN << 48 | PIECES;
    our_claims()[1] = (uint64_t)TURN << 48;
    return expect(TF_MSG_RTS, sizeof(struct tf_rts));
}

static void share(const struct tf_header *rts, uint32_t turn)
{
    struct tf_share_offer offer = {(uintptr_t)buffer, LONG, PIECE, turn};
    fake_send(1, (struct tf_header){.kind = TF_MSG_SHARE, .id = rts->id}, &offer, sizeof offer);
    tf_msg_progress();
}

static void end(const struct tf_header *rts, MPI_Request *request)
{
    fake_send(1, (struct tf_header){.kind = TF_MSG_ACK, .id = rts->id}, NULL, 0);
    tf_msg_progress();
    assert_true(fake_done(request));
}

static void read_one(void)
{
    uint64_t word = our_claims()[0];
    if ((word >> 24 & 0xffffff) < (word & 0xffffff))
        our_claims()[0] += (uint64_t)1 << 24;
}

static void pieces_are_written_until_both_meet(void **state)
{
    MPI_Request request;
    (void)state;
    fake_before_write = read_one;
    struct tf_header rts = announce(&request);
    share(&rts, TURN);
    assert_int_equal(fake_writes, PIECES / 2);
    assert_int_equal(our_claims()[1], (uint64_t)TURN << 48 | PIECES / 2);
    assert_memory_equal(buffer + LONG / 2, data + LONG / 2, LONG / 2);
    for (int i = 0; i < LONG / 2; i++)
        assert_int_equal(buffer[i], 0);
    end(&rts, &request);
}

static void who_comes_late_writes_nothing(void **state)
{
    MPI_Request request;
    (void)state;
    struct tf_header rts = announce(&request);
    share(&rts, TURN - 1);
    assert_int_equal(fake_writes, 0);
    our_claims()[0] = (uint64_t)TURN << 48 | (uint64_t)PIECES << 24 | PIECES;
    share(&rts, TURN);
    assert_int_equal(fake_writes, 0);
    end(&rts, &request);
}

/* The last one: from then on this process does not try again. */
static void a_write_that_fails_is_told(void **state)
{
    MPI_Request request;
    (void)state;
    fake_writes_good = false;
    struct tf_header rts = announce(&request);
    share(&rts, TURN);
    assert_int_equal(fake_writes, 1);
    assert_int_equal(our_claims()[1], (uint64_t)TURN << 48 | (uint64_t)1 << 24);
    assert_int_equal(our_claims()[0] & 0xffffff, PIECES - 1);
    end(&rts, &request);
}

/* Where there are more than two with a processor each: a few read, others are sent to, and long ones are all read. */
static void only_a_few_read_at_once(void **state)
{
    enum { SHORT = 128 * 1024, LAST = FAKE_RANKS - 1 };
    MPI_Request requests[FAKE_RANKS + 1];
    struct tf_header h[FAKE_RANKS + 1], any;
    (void)state;
    tf_settings.single_copy = 32768;
    tf_net_company = TF_NET_MANY;
    for (int i = 1; i <= FAKE_RANKS; i++) {
        int rank = i < LAST ? i : LAST, length = i <= LAST ? SHORT : 2 * SHORT;
        tf_isend(data, length, fake_byte(), rank, 4, tf_comm_world, TF_STANDARD, &requests[i]);
        assert_true(fake_next(rank, &h[i], payload));
        assert_int_equal(h[i].kind, TF_MSG_RTS);
        assert_int_equal(((struct tf_rts *)payload)->address != 0, i != LAST);
        if (i != LAST)
            continue;
        fake_send(LAST, (struct tf_header){.kind = TF_MSG_CTS, .id = h[i].id, .receiver = 7}, NULL, 0);
        for (size_t got = 0; got < SHORT; got += any.length) {
            tf_msg_progress();
            assert_true(fake_next(LAST, &any, payload));
            assert_int_equal(any.kind, TF_MSG_DATA);
        }
        assert_true(fake_done(&requests[i]));
    }
    for (int i = 1; i <= FAKE_RANKS; i++) {
        if (i == LAST)
            continue;
        fake_send(i < LAST ? i : LAST, (struct tf_header){.kind = TF_MSG_ACK, .id = h[i].id}, NULL, 0);
        tf_msg_progress();
        assert_true(fake_done(&requests[i]));
    }
    tf_net_company = TF_NET_TWO;
}

static int ended;

static void count_end(struct tf_send *send)
{
    (void)send;
    ended++;
}

/* Of two: what its receiver has found slow to read some times in a row is sent for a while, before one is read again.
 */
static void what_is_slow_is_sent(void **state)
{
    static const uint8_t answers[] = {TF_FLAG_SLOW, 0, TF_FLAG_SLOW, TF_FLAG_SLOW, TF_FLAG_SLOW, TF_FLAG_SLOW};
    enum { MESSAGE = 128 * 1024, READ = TF_ARRAY_LEN(answers), SENT = 30 };
    struct tf_send send = {.peer = tf_net_peer(1),
                           .header = {.kind = TF_MSG_COLL, .context = tf_comm_world->context},
                           .buf = (const char *)data,
                           .total = MESSAGE,
                           .available = MESSAGE,
                           .unit = 1,
                           .done = count_end};
    (void)state;
    tf_settings.single_copy = 32768;
    ended = 0;
    for (int i = 0, again = 0; !again; i++) {
        struct tf_header h;
        tf_send_start_coll(&send);
        assert_true(fake_next(1, &h, payload));
        assert_int_equal(h.kind, TF_MSG_COLL_RTS);
        bool read = ((struct tf_rts *)payload)->address != 0;
        again = read && i >= READ + SENT;
        assert_int_equal(read, i < READ || again);
        fake_send(
            1,
            (struct tf_header){
                .kind = read ? TF_MSG_ACK : TF_MSG_CTS, .flags = i < READ ? answers[i] : 0, .id = h.id, .receiver = 7},
            NULL, 0);
        for (tf_msg_progress(); ended <= i; tf_msg_progress())
            while (fake_next(1, &h, payload))
                assert_int_equal(h.kind, TF_MSG_DATA);
        while (fake_next(1, &h, payload))
            ;
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fake_job_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_sender_who_does_something_else_is_not_waited_for),
        TEST(what_the_sender_claims_is_left_to_it),
        TEST(what_the_sender_cannot_write_is_read),
        TEST(one_at_a_time_is_shared),
        TEST(each_of_a_row_is_shared),
        TEST(short_ones_are_not_shared),
        TEST(an_exchange_is_not_shared),
        TEST(pieces_are_written_until_both_meet),
        TEST(who_comes_late_writes_nothing),
        TEST(a_write_that_fails_is_told),
        TEST(only_a_few_read_at_once),
        TEST(what_is_slow_is_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
