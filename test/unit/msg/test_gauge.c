/* test_gauge.c - what the receiver of messages that are read says of it: that it does not know what copies would take,
 * that the read was slow, or nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_net.h"
#include "msg/gauge.h"
#include "msg/wire.h"

enum { BYTES = 128 * 1024 };
static unsigned char from[BYTES], to[BYTES];
static const int64_t AGES = 5 * TF_MILLISECOND; /* what no copy of so little takes, even among others */
static int64_t takes;

static enum tf_net_outcome read_slowly(struct tf_peer *peer, struct tf_net_access *read)
{
    (void)peer;
    for (int64_t begin = tf_time(); tf_time() - begin < takes;)
        ;
    memcpy(read->here, from, read->bytes);
    return TF_NET_DONE;
}

static const struct tf_net slow_net = {.read = read_slowly};
static struct tf_msg_peer reader = {.base.net = &slow_net};

static uint8_t verdict_of(int64_t time)
{
    struct tf_net_access read = {.here = to, .bytes = BYTES};
    takes = time;
    assert_int_equal(tf_gauge_read(&reader.base, &read, BYTES), TF_NET_DONE);
    return tf_gauge_verdict;
}

static void copy_some(void)
{
    for (int i = 0; i < 100; i++)
        tf_gauge_copy(to, from, BYTES);
}

static void slow_reads_are_told(void **state)
{
    (void)state;
    tf_net_company = TF_NET_SHARING;
    int first = 0;
    while (verdict_of(0) != TF_FLAG_TRY) /* nothing has been copied yet */
        assert_true(++first < 100);
    copy_some();
    memset(from, 7, sizeof from);
    assert_int_equal(verdict_of(AGES), TF_FLAG_SLOW);
    assert_memory_equal(to, from, sizeof to);

    int later = 0; /* what copies take is asked for again when that is long ago, and goes on counting meanwhile */
    while (verdict_of(0) != TF_FLAG_TRY)
        assert_true(++later < 5000);
    assert_true(later > 100);
    assert_int_equal(verdict_of(AGES), TF_FLAG_SLOW);
}

/* A read that takes so long, of half of a message. */
static uint8_t verdict_of_half(int64_t time)
{
    takes = time;
    assert_int_equal(tf_gauge_read(&reader.base, &(struct tf_net_access){.here = to, .bytes = BYTES}, BYTES / 2),
                     TF_NET_DONE);
    return tf_gauge_verdict;
}

/* So many messages of the reader to the sender. */
static void say(unsigned messages)
{
    reader.base.tx.sent += messages;
}

/* Of two who take turns one copies into a ring and the other one out of it, of short messages too: a read that takes
 * longer than 1.5 copies out of the ring is not slow where a copy into it takes longer still.  They take turns if the
 * reader has said something other than that it has read. */
static void of_turns_copies_into_the_ring_count(void **state)
{
    (void)state;
    tf_net_company = TF_NET_TWO;
    copy_some();
    assert_int_equal(verdict_of(AGES), TF_FLAG_SLOW);
    memset(from, 8, sizeof from);
    tf_gauge_store(to, from, BYTES);
    assert_memory_equal(to, from, sizeof to);
    say(2);
    assert_int_equal(verdict_of_half(AGES), TF_FLAG_SLOW);
    int tries = 0; /* if others compute where the test runs, a read may be interrupted for longer */
    do {
        for (int i = 0; i < 1000; i++)
            tf_gauge_store(to, from, 1); /* each takes tens of nanoseconds: BYTES would take several milliseconds */
        say(2);
    } while (verdict_of_half(TF_MILLISECOND) != 0 && ++tries < 100);
    assert_true(tries < 100);
    say(1);
    assert_int_equal(verdict_of_half(TF_MILLISECOND), TF_FLAG_SLOW);
    assert_int_equal(verdict_of_half(TF_MILLISECOND), TF_FLAG_SLOW);
}

/* Only of those that would be copied. */
static void of_many_that_share_and_of_long_ones_nothing_is_known(void **state)
{
    struct tf_msg_peer peer = {.eager = BYTES};
    (void)state;
    tf_nodes.size = TF_FEW + 1;
    tf_net_company = TF_NET_MANY;
    size_t longest = tf_gauge_most(&peer.base, true);
    assert_true(longest > BYTES);
    assert_int_equal(tf_gauge_most(&peer.base, false), BYTES);
    tf_net_company = TF_NET_SHARING;
    assert_int_equal(tf_gauge_most(&peer.base, true), 0);
    assert_int_equal(tf_gauge_most(&peer.base, false), BYTES); /* in rings of shared memory at most 64 KiB */
    tf_nodes.size = TF_FEW;
    assert_int_equal(tf_gauge_most(&peer.base, false), BYTES);
    assert_in_range(tf_gauge_most(&peer.base, true), BYTES, longest - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_reads_are_told),
        cmocka_unit_test(of_turns_copies_into_the_ring_count),
        cmocka_unit_test(of_many_that_share_and_of_long_ones_nothing_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
