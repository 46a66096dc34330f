/* test_beacon.c - hosts that vanish, and others that only seem to: a clock and a network of the test's own. */
#include "net/remote/remote.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "base/settings.h"
#include "launch/nodes.h"

enum { RANKS = 4, PORT = 5000, LIMIT = 60 };

/* What comes of a connection to an address, by its last number. */
enum fate { SILENCE, TAKEN, REFUSED };
static struct host {
    enum fate at_port, at_others;
} hosts[8];

static int64_t now;
static struct sockaddr_in knocked; /* at which address, last */
static int knocks_seen;
static char last_words[400];
static jmp_buf end_of_the_job;
static struct tf_packets links[RANKS];
static struct tf_peer peers[RANKS];

static int64_t test_time(void)
{
    return now;
}

static bool out_of_files;

static int test_socket(int family, int type, int protocol)
{
    if (!out_of_files)
        return socket(family, type, protocol);
    errno = EMFILE;
    return -1;
}

static int test_connect(int fd, const struct sockaddr *address, socklen_t length)
{
    (void)fd, (void)length;
    memcpy(&knocked, address, sizeof knocked);
    knocks_seen++;
    errno = EINPROGRESS;
    return -1;
}

static enum fate fate(void)
{
    const struct host *host = &hosts[ntohl(knocked.sin_addr.s_addr) & 7];
    return ntohs(knocked.sin_port) == PORT ? host->at_port : host->at_others;
}

static int test_poll(struct pollfd *file, nfds_t n, int timeout)
{
    (void)file, (void)n, (void)timeout;
    return fate() != SILENCE;
}

static int test_getsockopt(int fd, int level, int name, void *value, socklen_t *length)
{
    int error = fate() == TAKEN ? 0 : ECONNREFUSED;
    (void)fd, (void)level, (void)name;
    memcpy(value, &error, *length);
    return 0;
}

static __attribute__((noreturn, format(printf, 2, 3))) void test_failed(struct tf_peer *peer, const char *format, ...)
{
    va_list args;
    (void)peer;
    va_start(args, format);
    vsnprintf(last_words, sizeof last_words, format, args);
    va_end(args);
    longjmp(end_of_the_job, 1);
}

static struct tf_peer *test_peer(int rank)
{
    return &peers[rank];
}

/* Rank r has the addresses 2r and 2r + 1. */
static int test_address(int rank, struct tf_address *address)
{
    *address = (struct tf_address){.port = PORT, .n = 2, .host = "elsewhere"};
    for (int i = 0; i < 2; i++) {
        struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(PORT)};
        at.sin_addr.s_addr = htonl(0x0a000000u + 2 * (uint32_t)rank + (uint32_t)i);
        memcpy(&address->at[i], &at, sizeof at);
    }
    return MPI_SUCCESS;
}

static int test_listen(int *fd, char *fact)
{
    (void)fact;
    *fd = -1;
    return MPI_SUCCESS;
}

#define tf_time test_time
#define tf_net_peer_failed test_failed
#define tf_net_peer test_peer
#define tf_address_get test_address
#define tf_address_listen test_listen
#define socket test_socket
#define connect test_connect
#define poll test_poll
#define getsockopt test_getsockopt
#include "net/remote/beacon.c"

/* Ranks 0 and 1 are on one node, we are rank 0; ranks 2 and 3 on another. */
static int set_up(void **state)
{
    static int32_t of[RANKS] = {0, 0, 1, 1};
    (void)state;
    tf_settings.peer_timeout = LIMIT;
    tf_job.rank = 0;
    tf_job.size = RANKS;
    tf_job.leaving = false;
    tf_nodes = (struct tf_nodes){.count = 2, .of = of};
    tf_remote_links = NULL;
    memset(links, 0, sizeof links);
    memset(hosts, 0, sizeof hosts);
    for (int r = RANKS - 1; r >= 2; r--) {
        peers[r].rank = r;
        links[r].base = (struct tf_remote_link){.peer = &peers[r], .next = tf_remote_links};
        tf_remote_links = &links[r].base;
        links[r].used = links[r].heard = true;
    }
    out_of_files = false;
    now = 1000 * TF_SECOND;
    knocks_seen = 0;
    looked = 0;
    return tf_beacon_open();
}

static int tear_down(void **state)
{
    (void)state;
    tf_beacon_close();
    tf_nodes = (struct tf_nodes){.count = 1};
    tf_remote_links = NULL;
    return 0;
}

/* The second at which the job ends, or -1. */
static int ends_after(int seconds)
{
    int64_t begun = now;
    last_words[0] = '\0';
    if (setjmp(end_of_the_job))
        return (int)((now - begun) / TF_SECOND);
    for (int i = 0; i < 10 * seconds; i++) {
        now += TF_SECOND / 10;
        tf_beacon_look();
    }
    return -1;
}

static void set_host(enum fate at_port, enum fate at_others)
{
    for (int i = 4; i < 8; i++)
        hosts[i] = (struct host){at_port, at_others};
}

static void a_host_that_vanished_is_named(void **state)
{
    (void)state;
    int end = ends_after(10 * LIMIT);
    assert_in_range(end, LIMIT - 1, LIMIT + 2);
    assert_non_null(strstr(last_words, "host elsewhere (10.0.0.4) of rank 2 has not answered for 60 seconds"));
    assert_in_range(knocks_seen, 4, 5); /* at both addresses, and aside */
}

/* Its system takes connections, whether the process runs or not. */
static void a_stopped_process_has_not_vanished(void **state)
{
    (void)state;
    set_host(TAKEN, REFUSED);
    assert_int_equal(ends_after(100 * LIMIT), -1);
    assert_in_range(knocks_seen, 150, 200); /* one in half of the time, at one of the two ranks */
}

/* Until there is no place for more, after which it says nothing. */
static void nor_where_too_many_have_knocked(void **state)
{
    (void)state;
    set_host(SILENCE, REFUSED);
    assert_int_equal(ends_after(100 * LIMIT), -1);
    set_host(SILENCE, TAKEN); /* somebody listens there after all */
    assert_int_equal(ends_after(100 * LIMIT), -1);
    set_host(SILENCE, SILENCE);
    assert_in_range(ends_after(100 * LIMIT), 1, LIMIT + 2);
}

static void one_address_that_answers_will_do(void **state)
{
    (void)state;
    hosts[5].at_port = TAKEN;
    assert_int_equal(ends_after(100 * LIMIT), -1);
}

static void a_process_that_has_ended_is_told_when_the_launcher_is_silent(void **state)
{
    (void)state;
    set_host(REFUSED, REFUSED);
    assert_in_range(ends_after(100 * LIMIT), LIMIT / 2, LIMIT);
    assert_non_null(strstr(last_words, "rank 2 on host elsewhere has ended before the end of MPI_Finalize"));
}

static void who_cannot_ask_thinks_no_evil(void **state)
{
    (void)state;
    out_of_files = true;
    set_host(TAKEN, REFUSED);
    assert_int_equal(ends_after(100 * LIMIT), -1);
    out_of_files = false;
    set_host(SILENCE, SILENCE);
    assert_in_range(ends_after(10 * LIMIT), 1, 2 * LIMIT);
}

static void in_finalize_processes_may_end(void **state)
{
    (void)state;
    tf_job.leaving = true;
    set_host(REFUSED, REFUSED);
    assert_int_equal(ends_after(100 * LIMIT), -1);
}

static void who_is_heard_is_left_alone(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        links[2].heard = links[3].heard = true;
        assert_int_equal(ends_after(LIMIT / 3), -1);
    }
    assert_int_equal(knocks_seen, 0);
    assert_null(knocks); /* nor is anything kept of its node */
    /* One of the node's ranks is enough to be asked for, and the other one is the one that is asked. */
    set_host(TAKEN, REFUSED);
    for (int i = 0; i < 6; i++) {
        links[2].heard = true;
        assert_int_equal(ends_after(LIMIT / 3), -1);
    }
    assert_true(knocks_seen > 0);
    assert_int_equal(ntohl(knocked.sin_addr.s_addr) & 7, 6);
}

static void nobody_asks_for_strangers_or_without_a_limit(void **state)
{
    (void)state;
    tf_settings.peer_timeout = 0;
    assert_int_equal(ends_after(10 * LIMIT), -1);
    tf_settings.peer_timeout = LIMIT;
    links[2].used = links[3].used = false;
    assert_int_equal(ends_after(10 * LIMIT), -1);
    assert_int_equal(knocks_seen, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_host_that_vanished_is_named),
        TEST(a_stopped_process_has_not_vanished),
        TEST(nor_where_too_many_have_knocked),
        TEST(one_address_that_answers_will_do),
        TEST(a_process_that_has_ended_is_told_when_the_launcher_is_silent),
        TEST(who_cannot_ask_thinks_no_evil),
        TEST(in_finalize_processes_may_end),
        TEST(who_is_heard_is_left_alone),
        TEST(nobody_asks_for_strangers_or_without_a_limit),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
