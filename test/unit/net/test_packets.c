/* test_packets.c - frames in packets: in order, out of order, of strangers, damaged. */
#include "net/remote/remote.h"

static struct tf_peer *test_peer(int rank);
#define tf_net_peer test_peer
#include "net/remote/packets.c"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "empty_ring.h"

/* Rank 1 sends to rank 0; both are this process, one after the other: the token out of one is the token in of the other
 * only where they agree on the ranks. */
enum { CAPACITY = 16384, ROOM = 3 * CAPACITY, PACKETS = 64 };

static struct tf_peer sender, receiver; /* rank 0 as rank 1 sees it; rank 1 as rank 0 sees it */
static struct tf_packets *sending, *receiving;
static struct tf_packet packets[PACKETS];
static unsigned char bytes[PACKETS][ROOM] __attribute__((aligned(64)));
static int released;

static struct tf_cell *fill(struct tf_peer *peer)
{
    (void)peer;
    return NULL;
}
static const struct tf_net remote = {.fill = fill}, near = {.fill = NULL};
static struct tf_peer self = {.net = &near}, newcomer = {.rank = 2, .net = &remote};

/* Of rank 0. */
static struct tf_peer *test_peer(int rank)
{
    return rank == 1 ? &receiver : rank == 2 ? &newcomer : &self;
}

static void set_up_link(void *link)
{
    tf_packets_set_up(link);
}

static void release(struct tf_packet *packet)
{
    (void)packet;
    released++;
}

static int set_up(void **state)
{
    (void)state;
    tf_job.size = 3;
    sender = (struct tf_peer){.rank = 0, .tx = {.ring = empty_ring(CAPACITY), .capacity = CAPACITY}};
    receiver = (struct tf_peer){.rank = 1, .rx = {.ring = empty_ring(CAPACITY), .capacity = CAPACITY}};
    sender.net = receiver.net = &remote;
    tf_remote_links_open(sizeof(struct tf_packets), set_up_link);
    tf_job.rank = 1;
    sending = tf_packets_of(&sender);
    tf_job.rank = 0;
    receiving = tf_packets_of(&receiver);
    released = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tf_packets_close();
    tf_remote_links_close();
    free(sender.tx.ring);
    free(receiver.rx.ring);
    return 0;
}

static uint32_t length_of(int k)
{
    return (uint32_t)(k * 997) % (CAPACITY / 4 + 1);
}

static bool put(int k)
{
    unsigned char *room = tf_ring_reserve(&sender.tx, length_of(k));
    if (!room)
        return false;
    memset(room, k, length_of(k));
    tf_ring_commit(&sender.tx, &(struct tf_header){.kind = 5, .length = length_of(k), .tag = k});
    return true;
}

static bool make(int i)
{
    tf_job.rank = 1;
    packets[i] = (struct tf_packet){.bytes = bytes[i], .release = release};
    packets[i].length = tf_packets_make(sending, bytes[i], ROOM);
    tf_job.rank = 0;
    return packets[i].length > 0;
}

static int take_all(int k)
{
    struct tf_cell *cell;
    while ((cell = tf_packets_take(receiving))) {
        const unsigned char *data = tf_ring_payload(&receiver.rx, cell);
        assert_int_equal(cell->header.tag, k);
        assert_int_equal(cell->header.length, length_of(k));
        for (uint32_t i = 0; i < cell->header.length; i++)
            assert_int_equal(data[i], (unsigned char)k);
        tf_ring_release(&receiver.rx, cell);
        k++;
    }
    return k;
}

static void what_overtakes_waits(void **state)
{
    static const int order[] = {2, 0, 1, 3, 7, 6, 5, 4};
    int k = 0, taken = 0;
    (void)state;
    for (int i = 0; i < 8; i++) {
        for (int n = i % 3 + 1; n > 0 && put(k); n--)
            k++;
        assert_true(make(i));
    }
    assert_false(make(8));
    for (int i = 0; i < 8; i++) {
        assert_true(tf_packets_put(&packets[order[i]]));
        taken = take_all(taken);
    }
    assert_int_equal(taken, k);
    assert_int_equal(released, 8);
}

/* More short messages in a packet than there are cells. */
static void a_packet_may_have_more_messages_than_cells(void **state)
{
    enum { MESSAGES = 3 * TF_RING_CELLS };
    unsigned char *at = bytes[PACKETS - 1];
    struct tf_cell *cell;
    int taken = 0;
    (void)state;
    struct tf_packet packet = {.bytes = at, .release = release};
    tf_job.rank = 1;
    for (int k = 0; k < MESSAGES; k++) {
        assert_non_null(tf_ring_reserve(&sender.tx, 0));
        tf_ring_commit(&sender.tx, &(struct tf_header){.kind = 5, .tag = k});
        if (!packet.length)
            packet.length = tf_packets_make(sending, at, ROOM);
        else
            packet.length += tf_frames_copy(&sending->frames, &sender, at + packet.length, ROOM - packet.length);
    }
    memcpy(at + 16, &packet.length, sizeof packet.length);
    tf_job.rank = 0;
    assert_true(tf_packets_put(&packet));
    for (; (cell = tf_packets_take(receiving)); taken++) {
        assert_int_equal(cell->header.tag, taken);
        tf_ring_release(&receiver.rx, cell);
    }
    assert_int_equal(taken, MESSAGES);
    assert_int_equal(released, 1);
}

static void strangers_change_nothing_and_are_counted(void **state)
{
    (void)state;
    assert_true(put(5));
    assert_true(make(0));
    unsigned before = tf_packets_strangers();
    static const int places[] = {0, 7, 8, 16}; /* token, token, sender, length */
    for (size_t i = 0; i < TF_ARRAY_LEN(places); i++) {
        bytes[0][places[i]] ^= 0x40;
        assert_false(tf_packets_put(&packets[0]));
        bytes[0][places[i]] ^= 0x40;
    }
    packets[0].length = TF_PACKET_HEAD - 1;
    assert_false(tf_packets_put(&packets[0]));
    memcpy(&packets[0].length, bytes[0] + 16, sizeof packets[0].length);
    assert_int_equal(tf_packets_strangers() - before, 5);
    assert_null(tf_packets_take(receiving));
    assert_true(tf_packets_put(&packets[0]));
    packets[1] = packets[0];
    assert_false(tf_packets_put(&packets[1])); /* the same once more */
    assert_int_equal(take_all(5), 6);
    assert_false(tf_packets_put(&packets[1]));
}

static void a_link_is_made_for_whom_the_token_is_of(void **state)
{
    (void)state;
    uint64_t token = token_of(2, 0);
    assert_null(tf_packets_from(2, token ^ 1));
    assert_null(tf_packets_from(2, token_of(0, 2)));
    assert_null(tf_packets_from(0, token_of(0, 0)));
    assert_null(tf_packets_from(3, token));
    assert_null(newcomer.link);
    assert_non_null(tf_packets_from(2, token));
    assert_ptr_equal(tf_packets_from(2, token), newcomer.link);
    assert_null(tf_packets_from(2, token ^ 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_overtakes_waits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_packet_may_have_more_messages_than_cells, set_up, tear_down),
        cmocka_unit_test_setup_teardown(strangers_change_nothing_and_are_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_link_is_made_for_whom_the_token_is_of, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
