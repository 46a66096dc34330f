/* test_ofi.c - the transport on libfabric, of a process with itself: messages of all lengths, those of strangers,
 * reads, and the end.  Skipped where libfabric, or its provider for TCP, is not installed.
 */
#include "net/ofi/ofi.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/settings.h"
#include "launch/launch.h"
#include "launch/nodes.h"
#include "net/peers.h"

enum { PATIENCE = 20, MESSAGES = 3000 };

static struct tf_peer *peer;
static bool usable;

static void must(int err)
{
    if (err)
        fail_msg("%s", tf_error_text(err));
}

static int set_up(void **state)
{
    char words[300];
    (void)state;
    tf_settings.net = "ofi";
    tf_settings.ofi_provider = "tcp";
    usable = tf_ofi_describe(words, sizeof words);
    if (!usable) {
        print_message("%s\n", words);
        return 0;
    }
    must(tf_launch_open());
    must(tf_launch_nodes_open(0));
    must(tf_net_ofi.open());
    must(tf_peers_add(1, NULL));
    peer = tf_net_peer(0);
    peer->net = &tf_net_ofi;
    must(tf_net_ofi.connect(peer));
    tf_pause_setup();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    if (!usable)
        return 0;
    tf_job.left = true;
    tf_net_ofi.close();
    tf_peers_close();
    tf_launch_nodes_close();
    return tf_launch_close();
}

static struct tf_cell *wait_for_cell(void)
{
    int64_t limit = tf_time() + PATIENCE * TF_SECOND;
    struct tf_cell *cell = NULL;
    while (!(cell = tf_net_peek(peer)) && tf_time() < limit)
        ;
    assert_non_null(cell);
    return cell;
}

static uint32_t length_of(int k)
{
    return (uint32_t)(k * 7919) % (k % 50 ? 300 : tf_net_chunk(peer) + 1);
}

static void take(int k)
{
    struct tf_cell *cell = wait_for_cell();
    const unsigned char *data = tf_ring_payload(&peer->rx, cell);
    assert_int_equal(cell->header.tag, k);
    assert_int_equal(cell->header.length, length_of(k));
    for (uint32_t i = 0; i < cell->header.length; i++)
        if (data[i] != (unsigned char)(k + (int)i))
            fail_msg("message %d: byte %u is %d", k, i, data[i]);
    tf_net_release(peer, cell);
}

static bool put(int k)
{
    unsigned char *room = tf_net_reserve(peer, length_of(k));
    if (!room)
        return false;
    for (uint32_t i = 0; i < length_of(k); i++)
        room[i] = (unsigned char)(k + (int)i);
    tf_net_commit(peer, &(struct tf_header){.kind = 5, .length = length_of(k), .tag = k});
    return true;
}

/* As many at once as there is room for, so that slots, and places in the provider's queues, run out. */
static void messages_come_whole_and_in_order(void **state)
{
    int sent = 0, taken = 0;
    (void)state;
    if (!usable)
        skip();
    while (taken < MESSAGES) {
        while (sent < MESSAGES && put(sent))
            sent++;
        for (int n = taken % 70 + 1; n > 0 && taken < sent; n--)
            take(taken++);
        if (sent == 0) /* its ring is shut until there is a way to the peer */
            tf_net_ofi.progress();
    }
    assert_null(tf_net_peek(peer));
}

/* A message that belongs to no job is refused, and those after it are right although nothing is aligned any more. */
static void strangers_change_nothing(void **state)
{
    unsigned char garbage[100];
    (void)state;
    if (!usable)
        skip();
    unsigned before = tf_packets_strangers();
    memset(garbage, 0x5a, sizeof garbage);
    for (uint32_t length = 1; length <= sizeof garbage; length += 11) {
        while (!tf_ofi_send(tf_remote_link(peer), garbage, length))
            tf_ofi_poll();
        assert_true(put((int)length));
        take((int)length);
    }
    assert_int_equal(tf_packets_strangers() - before, 10);
}

enum { BYTES = 300 * 1000, PART = 100 * 1000 };

struct moving {
    struct tf_net_access access;
    int ended;
    bool good;
};

static void has_ended(struct tf_net_access *access, bool good)
{
    struct moving *moving = TF_CONTAINER(access, struct moving, access);
    moving->ended++;
    moving->good = good;
}

/* In parts that are under way together. */
static void move(enum tf_net_outcome (*start)(struct tf_peer *peer, struct tf_net_access *access), unsigned char *there,
                 const unsigned char *key, size_t length, unsigned char *here)
{
    struct moving moving[BYTES / PART] = {0};
    int64_t limit = tf_time() + PATIENCE * TF_SECOND;
    for (int i = 0; i < BYTES / PART; i++) {
        struct tf_net_access *access = &moving[i].access;
        *access = (struct tf_net_access){.address = (uintptr_t)(there + i * PART),
                                         .key = key,
                                         .key_length = length,
                                         .here = here + i * PART,
                                         .bytes = PART,
                                         .done = has_ended};
        enum tf_net_outcome how;
        while ((how = start(peer, access)) == TF_NET_BUSY && tf_time() < limit)
            tf_net_ofi.progress();
        assert_int_equal(how, TF_NET_STARTED);
    }
    for (int i = 0; i < BYTES / PART; i++) {
        while (!moving[i].ended && tf_time() < limit)
            tf_net_ofi.progress();
        assert_int_equal(moving[i].ended, 1);
        assert_true(moving[i].good);
    }
    assert_memory_equal(here, there, BYTES);
}

static void fill(unsigned char *at, int seed)
{
    for (int i = 0; i < BYTES; i++)
        at[i] = (unsigned char)(i * 31 >> seed);
}

static void memory_is_read(void **state)
{
    static unsigned char there[BYTES], here[BYTES];
    unsigned char key[TF_NET_KEY];
    void *hold;
    (void)state;
    if (!usable)
        skip();
    fill(there, 3);
    size_t length = tf_net_ofi.expose(peer, there, sizeof there, key, &hold);
    assert_in_range(length, 1, TF_NET_KEY);
    move(tf_net_ofi.read, there, key, length, here);
    tf_net_ofi.conceal(peer, hold);
}

static void a_region_is_read_and_written(void **state)
{
    static unsigned char there[BYTES], here[BYTES];
    unsigned char key[TF_NET_KEY];
    void *hold;
    (void)state;
    if (!usable)
        skip();
    assert_false(tf_net_ofi.regions()); /* messages are as good over sockets */
    tf_settings.network_windows = TF_WINDOWS_ON;
    assert_true(tf_net_ofi.regions());
    tf_settings.network_windows = TF_WINDOWS_AUTO;
    size_t length = tf_net_ofi.open_region(there, sizeof there, key, &hold);
    assert_in_range(length, 1, TF_NET_KEY);
    for (int turn = 0; turn < 3; turn++) {
        fill(here, turn);
        move(tf_net_ofi.put, there, key, length, here);
        fill(there, turn + 3);
        move(tf_net_ofi.get, there, key, length, here);
    }
    tf_net_ofi.close_region(hold);
}

static void a_provider_that_is_not_there_is_named(void **state)
{
    char words[300];
    (void)state;
    if (!usable)
        skip();
    tf_settings.ofi_provider = "carrier-pigeon";
    assert_false(tf_ofi_describe(words, sizeof words));
    assert_non_null(strstr(words, "carrier-pigeon"));
    assert_int_equal(tf_ofi_grade(), TF_NET_UNUSABLE);
    tf_settings.ofi_provider = "tcp";
    assert_int_equal(tf_ofi_grade(), TF_NET_SPARE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_come_whole_and_in_order),
        cmocka_unit_test(strangers_change_nothing),
        cmocka_unit_test(memory_is_read),
        cmocka_unit_test(a_region_is_read_and_written),
        cmocka_unit_test(a_provider_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
