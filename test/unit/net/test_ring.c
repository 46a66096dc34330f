/* test_ring.c - the ring between two processes: one thread playing both sides against a model, then two threads. */
#define _GNU_SOURCE /* mincore */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "empty_ring.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "net/ring.h"

static struct tf_ring_tx tx;
static struct tf_ring_rx rx;

static bool takes_lines = true;

/* A ring whose cells have been used `before` times. */
static void ring_open(uint32_t capacity, uint32_t before)
{
    struct tf_ring *ring = empty_ring(capacity);
    for (uint32_t i = 0; i < TF_RING_CELLS && before; i++)
        ring->cells[(before - i - 1) % TF_RING_CELLS].header.number = before - i;
    atomic_store(&ring->consumed, before);
    tx = (struct tf_ring_tx){.ring = ring, .sent = before, .seen = before, .capacity = capacity};
    rx = (struct tf_ring_rx){
        .ring = ring, .taken = before, .told = before, .capacity = capacity, .takes_lines = takes_lines};
}

static void ring_close(void)
{
    free(tx.ring);
}

static uint32_t rng = 12345;
static uint32_t draw(uint32_t below)
{
    rng = rng * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(rng >> 8) * below >> 24);
}

/* Message k is `length` bytes that tell k, or a flag for the echo. */
static unsigned char byte_of(uint32_t k, uint32_t i)
{
    return (unsigned char)(k * 7 + i * 13 + (i >> 8));
}

static bool put_flagged(uint32_t k, uint32_t length, uint8_t flags)
{
    unsigned char *room = tf_ring_reserve(&tx, length);
    if (!room)
        return false;
    for (uint32_t i = 0; i < length; i++)
        room[i] = byte_of(k, i);
    struct tf_header header = {.kind = 3,
                               .flags = flags,
                               .length = length,
                               .tag = (int32_t)k,
                               .context = ~(uint64_t)k,
                               .source = k + 1,
                               .id = k + 2};
    tf_ring_commit(&tx, &header);
    return true;
}

static bool put(uint32_t k, uint32_t length)
{
    return put_flagged(k, length, 0);
}

/* Takes the next message, which must be k of that length; true if the sender was told. */
static bool get(uint32_t k, uint32_t length)
{
    struct tf_cell *cell = tf_ring_peek(&rx);
    assert_non_null(cell);
    assert_int_equal(cell->header.kind, 3);
    assert_int_equal(cell->header.length, length);
    assert_int_equal(cell->header.tag, k);
    assert_true(cell->header.context == ~(uint64_t)k);
    assert_int_equal(cell->header.source, k + 1);
    assert_int_equal(cell->header.id, k + 2);
    const unsigned char *data = tf_ring_payload(&rx, cell);
    uint32_t right = 0;
    while (right < length && data[right] == byte_of(k, right))
        right++;
    assert_int_equal(right, length);
    return tf_ring_release(&rx, cell);
}

static void all_cells_can_be_under_way(void **state)
{
    (void)state;
    ring_open(4096, 0);
    assert_null(tf_ring_peek(&rx));
    for (uint32_t k = 0; k < TF_RING_CELLS; k++)
        assert_true(put(k, k % (TF_CELL_INLINE + 1)));
    assert_false(put(TF_RING_CELLS, 8));
    /* Half of them are consumed before the sender hears of it, and then it hears at once. */
    for (uint32_t k = 0; k < TF_RING_CELLS / 2 - 1; k++)
        assert_false(get(k, k % (TF_CELL_INLINE + 1)));
    assert_false(put(TF_RING_CELLS, 8));
    assert_true(get(TF_RING_CELLS / 2 - 1, (TF_RING_CELLS / 2 - 1) % (TF_CELL_INLINE + 1)));
    for (uint32_t k = TF_RING_CELLS; k < TF_RING_CELLS + TF_RING_CELLS / 2; k++)
        assert_true(put(k, TF_CELL_INLINE));
    assert_false(put(0, 0));
    ring_close();
}

static void payloads_do_not_overlap_or_wrap(void **state)
{
    (void)state;
    ring_open(2048, 0);
    assert_int_equal(tf_ring_chunk(&tx), 512);
    for (uint32_t k = 0; k < 4; k++)
        assert_true(put(k, 512));
    assert_false(put(4, 512));
    assert_false(put(4, TF_CELL_INLINE + 1));
    assert_true(put(4, TF_CELL_INLINE)); /* short ones need no room there */
    for (uint32_t k = 0; k < 4; k++)
        assert_true(get(k, 512));
    get(4, TF_CELL_INLINE);
    /* One byte over a line takes the next line, so the fourth would cross the end and begins at 0 instead. */
    for (uint32_t k = 5; k < 8; k++)
        assert_true(put(k, 449));
    assert_true(put(8, 512));
    assert_true(tx.start % 2048 == 1536);
    for (uint32_t k = 5; k < 8; k++)
        assert_true(get(k, 449));
    assert_true(put(9, 129));
    assert_true(put(10, 500));
    assert_true(get(8, 512));
    get(9, 129);
    get(10, 500);
    ring_close();
}

/* Whatever came before, when the receiver has taken all there is room for the longest payload. */
static void a_chunk_always_fits_in_the_end(void **state)
{
    (void)state;
    for (uint32_t capacity = 2048; capacity <= 256 * 1024; capacity *= 2) {
        ring_open(capacity, 0);
        uint32_t chunk = tf_ring_chunk(&tx);
        for (uint32_t k = 0; k < 4000; k += 2) {
            uint32_t kinds[] = {TF_CELL_INLINE + 1, 1 + draw(100),     1 + draw(chunk),
                                capacity / 16,      capacity / 16 + 1, chunk};
            uint32_t length = kinds[draw(6)];
            assert_true(put(k, length));
            get(k, length);
            if (draw(2)) {
                k++;
                assert_true(put(k, chunk));
                get(k, chunk);
            }
        }
        ring_close();
    }
}

/* The same while the circle is not as large as it can get, wherever in it what is unread was. */
static void a_chunk_makes_the_circle_grow(void **state)
{
    (void)state;
    for (uint32_t capacity = 32 * 1024; capacity <= 256 * 1024; capacity *= 2)
        for (uint32_t turn = 0; turn < 200; turn++) {
            uint32_t sent = 0, taken = 0, longest = TF_CELL_INLINE + 1 + draw(capacity / 8);
            ring_open(capacity, 0);
            for (uint32_t k = draw(400); k > 0; k--) {
                if (draw(2))
                    sent += put(sent, 1 + sent * 7919 % longest);
                for (uint32_t n = draw(20); n > 0 && taken < sent; n--, taken++)
                    get(taken, 1 + taken * 7919 % longest);
            }
            for (; taken < sent; taken++)
                get(taken, 1 + taken * 7919 % longest);
            uint32_t length = 1 + draw(tf_ring_chunk(&tx));
            assert_true(put(sent, length));
            get(sent, length);
            tf_ring_tell(&rx);
            tf_ring_refresh(&tx);
            assert_true(tx.freed == tx.position);
            ring_close();
        }
}

/* Pages that are not needed are not touched. */
static void short_payloads_stay_in_a_small_circle(void **state)
{
    (void)state;
    ring_open(256 * 1024, 0);
    for (uint32_t k = 0; k < 5000; k++) {
        uint32_t length = TF_CELL_INLINE + 1 + draw(2000);
        assert_true(put(k, length));
        assert_true(tf_ring_peek(&rx)->offset + length <= 32 * 1024); /* twice what may be untold */
        get(k, length);
    }
    ring_close();
}

/* So many of the pages are there, in which the bytes lie. */
static size_t resident(const void *at, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), before = (uintptr_t)at % page, n = 0;
    unsigned char there[4096];
    assert_int_equal(mincore((char *)(uintptr_t)at - before, before + bytes, there), 0);
    for (size_t i = 0; i * page < before + bytes; i++)
        n += there[i] & 1;
    return n;
}

/* But those that will be needed are mapped before, some at a time. */
static void pages_are_mapped_some_at_a_time(void **state)
{
    enum { CAPACITY = 64 * 1024, BYTES = sizeof(struct tf_ring) + CAPACITY, CELLS = TF_RING_CELLS };
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), all = (sizeof(struct tf_ring) + page - 1) / page;
    struct tf_ring *ring = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(ring != MAP_FAILED);
    struct tf_ring *back = (struct tf_ring *)((char *)ring + BYTES);
    bool maps = tf_pages_map(ring, 1);
    tx = (struct tf_ring_tx){.ring = ring, .capacity = CAPACITY};
    rx = (struct tf_ring_rx){.ring = ring, .capacity = CAPACITY};
    tf_ring_begin(&rx, back);
    uint32_t k = 0;
    for (; k < TF_RING_FIRST; k++) {
        assert_true(put(k, 8) && tf_ring_taken(&rx) == k);
        size_t used = sizeof *ring - (CELLS - k - 1) * sizeof(struct tf_cell);
        assert_int_equal(resident(ring, BYTES), (used + page - 1) / page);
        assert_int_equal(resident(back, sizeof *back), 0);
        assert_true(get(k, 8) == (k + 1 == TF_RING_FIRST));
    }
    assert_true(!maps || (resident(ring, sizeof *ring) == all && resident(back, sizeof *back) == all));
    for (; k < TF_RING_FIRST + CELLS; k++)
        assert_true(put(k, 8));
    assert_false(put(k, 8));
    for (uint32_t i = TF_RING_FIRST; i < k; i++)
        assert_true(get(i, 8) == ((i + 1 - TF_RING_FIRST) % (CELLS / 2) == 0));
    for (uint32_t mapped = 0; k < 4 * CELLS; k++) {
        assert_true(put(k, 500));
        assert_true(!maps || resident(ring->data, tx.reach) * page >= tx.reach);
        get(k, 500);
        assert_true(rx.mapped >= mapped && rx.mapped <= tx.reach);
        mapped = rx.mapped;
    }
    munmap(ring, 2 * BYTES);
}

/* Both sides know what has gone through. */
static void check_counts(uint32_t before, uint32_t sent, uint64_t bytes_sent, uint32_t taken, uint64_t bytes_taken)
{
    assert_true(tf_ring_sent(&tx) == (uint64_t)before + sent);
    assert_true(tf_ring_taken(&rx) == (uint64_t)before + taken);
    assert_true(tf_ring_bytes_sent(&tx) == bytes_sent);
    assert_true(rx.bytes + rx.untold == bytes_taken);
}

static uint32_t counted(uint32_t length)
{
    return length > TF_CELL_INLINE ? length : 0;
}

/* One thread, both sides, in random order, beside a queue of what is under way. */
static void play(uint32_t capacity, uint32_t before, uint32_t rounds, bool with_holds)
{
    enum { MOST = TF_RING_CELLS };
    static uint32_t lengths[4 * MOST];
    static bool holds[4 * MOST];
    uint32_t sent = 0, taken = 0, collected = 0, refused = 0;
    uint64_t bytes_sent = 0, bytes_taken = 0;
    ring_open(capacity, before);
    if (before == 0)
        tf_ring_begin(&rx, tx.ring);
    for (uint32_t i = 0; i < rounds; i++) {
        uint32_t burst = 1 + draw(80);
        if (draw(2)) {
            while (burst--) {
                uint32_t longest = tf_ring_chunk(&tx) >> (7 - 7 * i / rounds); /* so that the circle grows slowly */
                uint32_t length = draw(3) ? draw(TF_CELL_INLINE + 8) : draw(longest + 1);
                bool hold = with_holds && draw(8) == 0;
                if (!put_flagged(sent, length, hold ? TF_RING_HOLD : 0)) {
                    refused++;
                    break;
                }
                bytes_sent += counted(length);
                lengths[sent % (4 * MOST)] = length;
                holds[sent++ % (4 * MOST)] = hold;
                assert_in_range(sent - taken, 1, MOST);
            }
        } else {
            while (burst-- && taken < sent) {
                bool hold = holds[taken % (4 * MOST)];
                struct tf_cell *cell = tf_ring_peek(&rx);
                bool told = get(taken, lengths[taken % (4 * MOST)]);
                bytes_taken += counted(lengths[taken % (4 * MOST)]);
                if (hold) {
                    assert_true(told);
                    memset(tf_ring_payload(&rx, cell), (int)(taken & 0xff), cell->header.length);
                }
                taken++;
            }
            if (taken == sent)
                assert_null(tf_ring_peek(&rx));
        }
        check_counts(before, sent, bytes_sent, taken, bytes_taken);
        /* What the receiver wrote comes back, oldest first, and nothing is reused before. */
        while (draw(3)) {
            uint32_t length;
            while (collected < taken && !holds[collected % (4 * MOST)])
                collected++;
            const unsigned char *back = tf_ring_returned(&tx, &length);
            assert_int_equal(back != NULL, collected < taken);
            if (!back)
                break;
            assert_int_equal(length, lengths[collected % (4 * MOST)]);
            for (uint32_t b = 0; b < length; b++)
                assert_int_equal(back[b], collected & 0xff);
            tf_ring_collected(&tx);
            collected++;
        }
    }
    assert_true(refused > 0);
    ring_close();
}

static void random_play(void **state)
{
    (void)state;
    for (uint32_t capacity = 2048; capacity <= 256 * 1024; capacity *= 2)
        play(capacity, 0, 2000, false);
}

static void random_play_with_echo(void **state)
{
    (void)state;
    for (uint32_t capacity = 2048; capacity <= 256 * 1024; capacity *= 2)
        play(capacity, 0, 2000, true);
}

/* The numbers of cells have 32 bits: after 2^32 messages they begin again. */
static void numbers_wrap(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 20; seed++) {
        rng = seed;
        play(4096, UINT32_MAX - 200 - seed, 100, true);
    }
}

static void cell_number_zero_can_be_held(void **state)
{
    uint32_t length;
    (void)state;
    ring_open(4096, UINT32_MAX);
    assert_true(put_flagged(1, 8, TF_RING_HOLD));
    assert_true(put(2, 8));
    assert_null(tf_ring_returned(&tx, &length));
    assert_true(get(1, 8));
    assert_non_null(tf_ring_returned(&tx, &length));
    assert_int_equal(length, 8);
    get(2, 8);
    tf_ring_collected(&tx);
    assert_null(tf_ring_returned(&tx, &length));
    ring_close();
}

static void held_cells_stay(void **state)
{
    uint32_t length;
    (void)state;
    ring_open(2048, 0);
    for (uint32_t k = 0; k < 4; k++)
        assert_true(put_flagged(k, 512, TF_RING_HOLD));
    for (uint32_t k = 0; k < 4; k++)
        assert_true(get(k, 512));
    assert_false(put(4, 512));
    for (uint32_t k = 0; k < 4; k++) {
        assert_non_null(tf_ring_returned(&tx, &length));
        tf_ring_collected(&tx);
        assert_true(put(4 + k, 512));
    }
    assert_null(tf_ring_returned(&tx, &length));
    ring_close();
}

static void a_shut_ring_gives_no_room(void **state)
{
    (void)state;
    ring_open(4096, 0);
    assert_false(tf_ring_is_shut(&tx));
    tf_ring_shut(&tx);
    assert_false(put(0, 8));
    assert_false(put(0, 300));
    assert_true(tf_ring_is_shut(&tx) && tf_ring_sent(&tx) == 0);
    tf_ring_open(&tx);
    uint32_t sent = 0;
    while (put(sent, 8))
        sent++;
    assert_int_equal(sent, TF_RING_CELLS);
    assert_true(!tf_ring_is_shut(&tx) && tf_ring_sent(&tx) == sent);
    for (uint32_t k = 0; k < sent; k++)
        get(k, 8);
    assert_true(put(sent, 300));
    get(sent, 300);
    ring_close();
}

/* The receiver writes to each line of what it has read and of nothing else: not of what the sender wants back, nor of
 * what is still to be read, nor to a cell. */
static void lines_are_taken(void **state)
{
    enum { LENGTH = 3 * TF_CACHE_LINE + 8 };
    const unsigned char *data;
    uint32_t length;
    (void)state;
    for (int on = 0; on <= 1; on++) {
        takes_lines = on;
        ring_open(4096, 0);
        data = tx.ring->data;
        put(1, LENGTH);
        put(2, LENGTH);
        put_flagged(3, LENGTH, TF_RING_HOLD);
        get(1, LENGTH);
        for (uint32_t i = 0; i < LENGTH; i++)
            assert_int_equal(data[i], on && i % TF_CACHE_LINE == 0 ? 0 : byte_of(1, i));
        get(2, LENGTH);
        get(3, LENGTH);
        const unsigned char *back = tf_ring_returned(&tx, &length);
        assert_non_null(back);
        for (uint32_t i = 0; i < LENGTH; i++)
            assert_int_equal(back[i], byte_of(3, i));
        ring_close();
    }
}

/* ---- two threads ---- */

enum { MESSAGES = 50000 };

static uint32_t length_of(uint32_t k, uint32_t chunk)
{
    return k % 5 == 4 ? k * 2654435761u % (chunk + 1) : k % 41;
}

static void *receive_all(void *wrong)
{
    uint32_t chunk = tf_ring_chunk(&tx);
    for (uint32_t k = 0; k < MESSAGES; k++) {
        struct tf_cell *cell;
        while (!(cell = tf_ring_peek(&rx)))
            sched_yield();
        uint32_t length = length_of(k, chunk);
        unsigned char *data = tf_ring_payload(&rx, cell);
        bool right = cell->header.tag == (int32_t)k && cell->header.length == length;
        for (uint32_t i = 0; i < length && right; i += 1 + length / 8)
            right = data[i] == byte_of(k, i);
        *(int *)wrong += !right;
        if (cell->header.flags & TF_RING_HOLD)
            for (uint32_t i = 0; i < length; i++)
                data[i] ^= 0xff;
        tf_ring_release(&rx, cell);
    }
    return NULL;
}

/* Collects what has come back; the number of messages that came back wrong. */
static int collect(uint32_t *next)
{
    int wrong = 0;
    uint32_t length, chunk = tf_ring_chunk(&tx);
    const unsigned char *back;
    while ((back = tf_ring_returned(&tx, &length))) {
        bool right = length == length_of(*next, chunk);
        for (uint32_t i = 0; i < length && right; i++)
            right = back[i] == (byte_of(*next, i) ^ 0xff);
        wrong += !right;
        tf_ring_collected(&tx);
        *next += 17;
    }
    return wrong;
}

static void two_threads(void **state)
{
    pthread_t receiver;
    int wrong_there = 0, wrong_back = 0;
    uint32_t next = 0;
    (void)state;
    ring_open(4096, UINT32_MAX - MESSAGES / 2);
    assert_int_equal(pthread_create(&receiver, NULL, receive_all, &wrong_there), 0);
    for (uint32_t k = 0; k < MESSAGES; k++) {
        while (!put_flagged(k, length_of(k, 1024), k % 17 == 0 ? TF_RING_HOLD : 0)) {
            wrong_back += collect(&next);
            sched_yield();
        }
        wrong_back += collect(&next);
    }
    pthread_join(receiver, NULL);
    wrong_back += collect(&next);
    assert_int_equal(wrong_there, 0);
    assert_int_equal(wrong_back, 0);
    assert_int_equal(next, (MESSAGES + 16) / 17 * 17);
    ring_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_cells_can_be_under_way),
        cmocka_unit_test(payloads_do_not_overlap_or_wrap),
        cmocka_unit_test(a_chunk_always_fits_in_the_end),
        cmocka_unit_test(a_chunk_makes_the_circle_grow),
        cmocka_unit_test(short_payloads_stay_in_a_small_circle),
        cmocka_unit_test(pages_are_mapped_some_at_a_time),
        cmocka_unit_test(random_play),
        cmocka_unit_test(random_play_with_echo),
        cmocka_unit_test(held_cells_stay),
        cmocka_unit_test(cell_number_zero_can_be_held),
        cmocka_unit_test(numbers_wrap),
        cmocka_unit_test(a_shut_ring_gives_no_room),
        cmocka_unit_test(lines_are_taken),
        cmocka_unit_test(two_threads),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
