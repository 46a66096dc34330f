/* test_tcp.c - the pieces of the TCP transport that need no job: the keyed hash, and what is made of the bytes of a
 * connection, whole, in pieces and damaged.
 */
/* First, since it says which functions of the system it needs. */
#include "net/tcp/link.c"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "../comm/fake_others.h"
#include "empty_ring.h"

#include <stdlib.h>
#include <sys/wait.h>

/* ---- what link.c needs of the others ---- */

bool tf_tcp_wait_for(int fd, uint32_t events, void *object, bool known)
{
    (void)fd, (void)events, (void)object;
    return known;
}

void tf_tcp_close(int fd)
{
    close(fd);
}

const char *tf_tcp_host(struct tf_tcp_link *link)
{
    (void)link;
    return "elsewhere";
}

const char *tf_net_name(const struct tf_peer *peer)
{
    (void)peer;
    return "rank 1";
}

void tf_net_peer_failed(struct tf_peer *peer, const char *format, ...)
{
    va_list args;
    (void)peer;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    _exit(1);
}

/* ---- the hash ---- */

/* Appendix A of the paper: key 00 01 .. 0f, message 00 01 .. 0e. */
static void hash_is_that_of_the_paper(void **state)
{
    unsigned char bytes[16];
    (void)state;
    for (int i = 0; i < 16; i++)
        bytes[i] = (unsigned char)i;
    assert_true(tf_key_hash(bytes, bytes, 15) == 0xa129ca6149be45e5);
    assert_true(tf_key_hash(bytes, bytes, 8) != tf_key_hash(bytes, bytes, 7));
}

/* ---- a connection of this process with itself ---- */

enum { CAPACITY = 16384, CHUNK = CAPACITY / 4 };

static struct tf_peer here, there;
static struct tf_tcp_link out, in;

static int open_pair(void **state)
{
    int ends[2];
    (void)state;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends))
        return -1;
    here = there = (struct tf_peer){.rank = 1};
    here.tx = (struct tf_ring_tx){.ring = empty_ring(CAPACITY), .capacity = CAPACITY};
    there.rx = (struct tf_ring_rx){.ring = empty_ring(CAPACITY), .capacity = CAPACITY};
    out = (struct tf_tcp_link){.base.peer = &here, .state = TF_TCP_UP, .fd = ends[0]};
    in = (struct tf_tcp_link){.base.peer = &there, .state = TF_TCP_UP, .fd = ends[1]};
    return 0;
}

static int close_pair(void **state)
{
    (void)state;
    if (out.fd >= 0)
        close(out.fd);
    if (in.fd >= 0)
        close(in.fd);
    free(here.tx.ring);
    free(there.rx.ring);
    return 0;
}

static uint32_t rng;
static uint32_t draw(uint32_t below)
{
    rng = rng * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(rng >> 8) * below >> 24);
}

static uint32_t length_of(uint32_t k)
{
    return k % 3 == 0 ? k * 2654435761u % (CHUNK + 1) : k % 40;
}

static bool put(uint32_t k)
{
    uint32_t length = length_of(k);
    unsigned char *room = tf_ring_reserve(&here.tx, length);
    if (!room)
        return false;
    for (uint32_t i = 0; i < length; i++)
        room[i] = (unsigned char)(k * 7 + i);
    tf_ring_commit(&here.tx, &(struct tf_header){.kind = 5, .length = length, .tag = (int)k, .context = ~(uint64_t)k});
    return true;
}

static void check(uint32_t k, struct tf_cell *cell)
{
    const unsigned char *data = tf_ring_payload(&there.rx, cell);
    assert_int_equal(cell->header.tag, k);
    assert_true(cell->header.context == ~(uint64_t)k);
    assert_int_equal(cell->header.length, length_of(k));
    assert_int_equal((uintptr_t)data % TF_FRAME_ALIGN, 0);
    for (uint32_t i = 0; i < cell->header.length; i++)
        assert_int_equal(data[i], (unsigned char)(k * 7 + i));
    tf_ring_release(&there.rx, cell);
}

static struct tf_cell *next(void)
{
    struct tf_cell *cell = tf_ring_peek(&there.rx);
    return cell ? cell : tf_tcp_take(&in);
}

/* Bursts on both sides at random; the socket between them is full now and then, and cuts messages anywhere. */
static void messages_arrive_whole_and_in_order(void **state)
{
    enum { MESSAGES = 20000 };
    uint32_t sent = 0, taken = 0;
    int small = 1, idle = 0;
    (void)state;
    setsockopt(out.fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    rng = 1;
    while (taken < MESSAGES && idle < 100) {
        uint32_t before = sent + taken;
        struct tf_cell *cell;
        for (uint32_t n = draw(200); n > 0 && sent < MESSAGES && put(sent); n--)
            sent++;
        tf_tcp_flush(&out);
        for (uint32_t n = draw(200); n > 0 && (cell = next()); n--)
            check(taken++, cell);
        idle = sent + taken == before ? idle + 1 : 0;
    }
    assert_int_equal(taken, MESSAGES);
    assert_null(next());
    assert_false(tf_tcp_unsent(&out));
}

/* Long messages from where they lie between short ones from the ring; what was taken may be written over at once. */
static void messages_go_from_where_they_lie(void **state)
{
    enum { TOTAL = 400000, LENGTH = 1001, SHORT = 6, LONG = 7 };
    static unsigned char data[TOTAL];
    uint32_t sent = 0, taken = 0, shorts_sent = 0, shorts_taken = 0, copied = 0;
    int small = 1;
    (void)state;
    setsockopt(out.fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    for (uint32_t i = 0; i < TOTAL; i++)
        data[i] = (unsigned char)(i * 31 >> 3);
    rng = 3;
    while (taken < TOTAL) {
        struct tf_cell *cell;
        uint32_t bytes = draw(20000);
        bytes = bytes < TOTAL - sent ? bytes : TOTAL - sent;
        if (draw(3) == 0 && tf_ring_reserve(&here.tx, 0))
            tf_ring_commit(&here.tx, &(struct tf_header){.kind = SHORT, .tag = (int)shorts_sent++});
        tf_tcp_flush(&out);
        size_t gone = tf_tcp_send(&out, &(struct tf_header){.kind = LONG}, (char *)data + sent, bytes, LENGTH);
        memset(data + sent, 0, gone);
        copied += gone > 0 && tf_tcp_unsent(&out);
        sent += (uint32_t)gone;
        for (uint32_t n = draw(20); n > 0 && (cell = next()); n--) {
            const unsigned char *came = tf_ring_payload(&there.rx, cell);
            if (cell->header.kind == SHORT)
                assert_int_equal(cell->header.tag, shorts_taken++);
            else
                assert_true(cell->header.length > 0 && cell->header.length <= LENGTH);
            for (uint32_t i = 0; i < cell->header.length; i++, taken++)
                assert_int_equal(came[i], (unsigned char)(taken * 31 >> 3));
            tf_ring_release(&there.rx, cell);
        }
    }
    assert_int_equal(sent, TOTAL);
    assert_true(copied > 0);
}

/* The same bytes, one at a time. */
static void messages_may_come_byte_by_byte(void **state)
{
    int ends[2];
    unsigned char byte;
    uint32_t taken = 0;
    struct tf_cell *cell;
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    int source = in.fd;
    in.fd = ends[1];
    for (uint32_t k = 0; k < 12; k++) {
        assert_true(put(k));
        tf_tcp_flush(&out);
        while (recv(source, &byte, 1, 0) == 1) {
            assert_int_equal(send(ends[0], &byte, 1, 0), 1);
            if ((cell = next()))
                check(taken++, cell);
        }
    }
    assert_int_equal(taken, 12);
    close(source);
    close(ends[0]);
}

/* What was read stays to be had when the socket has nothing more. */
static void more_may_come_at_once_than_there_are_cells(void **state)
{
    enum { MESSAGES = 2 * TF_RING_CELLS + 9 };
    struct tf_cell *cell;
    int taken = 0;
    (void)state;
    for (int k = 0; k < MESSAGES; k++) {
        assert_non_null(tf_ring_reserve(&here.tx, 0));
        tf_ring_commit(&here.tx, &(struct tf_header){.kind = 5, .tag = k});
        tf_tcp_flush(&out);
    }
    cell = tf_tcp_take(&in);
    for (; cell || (cell = tf_ring_peek(&there.rx)) || (cell = tf_tcp_parse(&in)); cell = NULL) {
        assert_int_equal(cell->header.tag, taken++);
        tf_ring_release(&there.rx, cell);
    }
    assert_int_equal(taken, MESSAGES);
}

/* Each in a child, which ends by tf_fatal(). */
static void damage_ends_the_job_with_the_rank_and_the_host(void **state)
{
    const struct tf_header damaged[] = {{.number = 1, .kind = 5, .length = CHUNK + 1},
                                        {.number = 1, .kind = 5, .length = UINT32_MAX},
                                        {.number = 2, .kind = 5},
                                        {.number = 1, .kind = 0},
                                        {.number = 1, .kind = 5, .flags = TF_RING_HOLD}};
    (void)state;
    for (size_t i = 0; i < TF_ARRAY_LEN(damaged); i++) {
        int words[2], status;
        char said[500] = "";
        assert_int_equal(pipe(words), 0);
        pid_t child = fork();
        if (child == 0) {
            dup2(words[1], STDERR_FILENO);
            if (send(out.fd, &damaged[i], sizeof damaged[i], 0) < 0)
                _exit(9);
            next();
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 1);
        assert_true(read(words[0], said, sizeof said - 1) > 0);
        assert_non_null(strstr(said, "rank 1 on host unknown"));
        close(words[0]);
        close(words[1]);
    }
}

static void an_end_is_no_message(void **state)
{
    (void)state;
    assert_true(put(7));
    tf_tcp_flush(&out);
    close(out.fd);
    out.fd = -1;
    check(7, next());
    assert_null(next());
    assert_int_equal(in.state, TF_TCP_ENDED);
    assert_null(next());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_is_that_of_the_paper),
        cmocka_unit_test_setup_teardown(messages_arrive_whole_and_in_order, open_pair, close_pair),
        cmocka_unit_test_setup_teardown(messages_go_from_where_they_lie, open_pair, close_pair),
        cmocka_unit_test_setup_teardown(messages_may_come_byte_by_byte, open_pair, close_pair),
        cmocka_unit_test_setup_teardown(more_may_come_at_once_than_there_are_cells, open_pair, close_pair),
        cmocka_unit_test_setup_teardown(damage_ends_the_job_with_the_rank_and_the_host, open_pair, close_pair),
        cmocka_unit_test_setup_teardown(an_end_is_no_message, open_pair, close_pair),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
