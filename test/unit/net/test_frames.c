/* test_frames.c - cells as a row of bytes, of which any part may go at a time, and back: short ones that are copied
 * into a row, long ones from where they lie in the ring, and those that never were in it. */
#include "net/remote/remote.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "empty_ring.h"

enum { CAPACITY = 64 * 1024, MESSAGES = 5000, PARTS = 8 };

static struct tf_peer sender, receiver;
static struct tf_frames out, in;
static char row[TF_FRAME_ROW];
static unsigned char wire[2 * CAPACITY + MESSAGES] __attribute__((aligned(64))); /* what has gone, and is not read */
static size_t on_wire;
static uint32_t seed;

static uint32_t random_below(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

static int set_up(void **state)
{
    (void)state;
    sender = (struct tf_peer){.tx = {.ring = empty_ring(CAPACITY), .capacity = CAPACITY}};
    receiver = (struct tf_peer){.rx = {.ring = empty_ring(CAPACITY), .capacity = CAPACITY}};
    out = in = (struct tf_frames){0};
    on_wire = 0;
    seed = 1;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(sender.tx.ring);
    free(receiver.rx.ring);
    return 0;
}

/* Mostly short, some around the borders of what is copied and what a cell holds. */
static uint32_t length_of(int k)
{
    static const uint32_t borders[] = {0, 1, 31, 32, 33, 95, 96, 97, 959, 960, 961, 992, 993, 1024, 5000, CAPACITY / 4};
    return k % 5 == 0 ? borders[(uint32_t)k / 5 % (sizeof borders / sizeof borders[0])] : (uint32_t)(k * 37) % 700;
}

static unsigned char byte_of(int k, size_t i)
{
    return (unsigned char)((size_t)k * 31 + i * 7);
}

static struct tf_header header_of(int k)
{
    return (struct tf_header){.kind = 5, .length = length_of(k), .tag = k};
}

static bool put(int k)
{
    struct tf_header header = header_of(k);
    unsigned char *room = tf_ring_reserve(&sender.tx, header.length);
    if (!room)
        return false;
    for (uint32_t i = 0; i < header.length; i++)
        room[i] = byte_of(k, i);
    tf_ring_commit(&sender.tx, &header);
    return true;
}

static size_t move(const struct iovec *part, int n, size_t most)
{
    size_t moved = 0;
    for (int i = 0; i < n && moved < most; i++) {
        size_t some = part[i].iov_len < most - moved ? part[i].iov_len : most - moved;
        memcpy(wire + on_wire, part[i].iov_base, some);
        on_wire += some;
        moved += some;
    }
    return moved;
}

/* One call of the system that takes any part of what it is offered. */
static void flush_some(void)
{
    struct iovec part[PARTS];
    size_t most = sizeof wire - on_wire, wanted = random_below(3) ? random_below(3000) : sizeof wire;
    int n = tf_frames_gather(&out, &sender, part, PARTS, row);
    assert_in_range(n, 1, PARTS);
    tf_frames_sent(&out, &sender, move(part, n, wanted < most ? wanted : most));
}

/* What has come whole is taken, from number k on; the next number. */
static int take(int k)
{
    uint32_t used = tf_frames_parse(&in, &receiver, wire, (uint32_t)on_wire);
    struct tf_cell *cell;
    for (; (cell = tf_ring_peek(&receiver.rx)); k++) {
        bool here = cell->header.length <= TF_CELL_INLINE;
        const unsigned char *data = here ? cell->payload : receiver.rx.ring->data + cell->offset;
        assert_int_equal(cell->header.tag, k);
        assert_int_equal(cell->header.length, length_of(k));
        for (uint32_t i = 0; i < cell->header.length; i++)
            assert_int_equal(data[i], byte_of(k, i));
        tf_ring_release(&receiver.rx, cell);
    }
    memmove(wire, wire + used, on_wire - used);
    on_wire -= used;
    return k;
}

static void any_part_goes_at_a_time(void **state)
{
    int k = 0, taken = 0;
    (void)state;
    while (taken < MESSAGES) {
        for (uint32_t n = random_below(40); n > 0 && k < MESSAGES && put(k); n--)
            k++;
        if (tf_frames_unsent(&out, &sender))
            flush_some();
        taken = take(taken);
    }
    assert_false(tf_frames_unsent(&out, &sender));
    assert_int_equal(on_wire, 0);
}

/* A message that lies elsewhere goes behind what is in the ring, by the same call; the rest of it is copied. */
static void what_lies_elsewhere_goes_behind(void **state)
{
    static unsigned char data[CAPACITY / 4];
    int k = 0, taken = 0;
    (void)state;
    while (taken < MESSAGES / 5) {
        for (uint32_t n = random_below(3); n > 0 && put(k); n--)
            k++;
        struct iovec part[PARTS + TF_FRAME_PARTS];
        size_t before = 0;
        int n = tf_frames_unsent(&out, &sender) ? tf_frames_gather(&out, &sender, part, PARTS, row) : 0;
        for (int i = 0; i < n; i++)
            before += part[i].iov_len;
        struct tf_header header = header_of(k);
        header.number = sender.tx.sent + 1;
        for (uint32_t i = 0; i < header.length; i++)
            data[i] = byte_of(k, i);
        tf_frames_outline(&header, data, part + n);
        size_t gone = move(part, n + TF_FRAME_PARTS, random_below(3) ? random_below(3000) : sizeof wire - on_wire);
        size_t first = gone < before ? gone : before;
        tf_frames_sent(&out, &sender, first);
        if (gone > first) {
            tf_frames_begun(&out, &sender, &header, data, gone - first);
            k++;
        }
        memset(data, 0xee, sizeof data);
        taken = take(taken);
        while (tf_frames_unsent(&out, &sender)) {
            flush_some();
            taken = take(taken);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(any_part_goes_at_a_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_lies_elsewhere_goes_behind, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
