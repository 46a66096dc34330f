/* test_shm.c - shared memory: how much of it a job takes, where the rings lie in it, and two processes on them. */
/* First, since it says which functions of the system it needs; its sizes and places are static. */
#include "net/shm/shm.c"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

static int reader = -1; /* closed as soon as a file has been opened */

/* Stands before the C library's. */
int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, flags & O_CREAT ? va_arg(more, mode_t) : 0);
    va_end(more);
    if (reader >= 0)
        close(reader);
    reader = -1;
    return fd;
}

static void job_of(int p, size_t shm_size, const char *backing)
{
    tf_job.size = p;
    tf_settings.shm_size = shm_size;
    tf_settings.shm_backing = backing;
    capacity = choose_capacity(p);
    lay_out(p);
}

static void capacity_is_within_the_budget(void **state)
{
    const char *backings[] = {"memfd", "file"};
    const size_t budgets[] = {0, 1 << 20, 10 << 20, (size_t)1 << 30};
    (void)state;
    for (int p = 2; p <= 300; p += p < 16 ? 1 : 19)
        for (int b = 0; b < 2; b++)
            for (int s = 0; s < 4; s++) {
                job_of(p, budgets[s], backings[b]);
                assert_true(capacity >= 2048 && capacity <= 256 * 1024);
                assert_int_equal(capacity & (capacity - 1), 0);
                size_t automatic = b == 0 && (size_t)p << 22 > (size_t)40 << 20 ? (size_t)p << 22 : (size_t)40 << 20;
                size_t budget = budgets[s] ? budgets[s] : automatic;
                size_t rings = (size_t)p * (size_t)p * tf_ring_bytes(capacity);
                assert_true(rings <= budget || capacity == 2048);
                /* not half of what it might be */
                assert_true(capacity == 256 * 1024 || (size_t)p * (size_t)p * tf_ring_bytes(2 * capacity) > budget);
            }
}

static void few_ranks_fit_in_a_container(void **state)
{
    (void)state;
    for (int p = 2; p <= 8; p++) {
        job_of(p, 0, "file");
        assert_true(segment_bytes < (size_t)64 << 20);
        assert_true(capacity >= 64 * 1024);
    }
}

static void nothing_overlaps(void **state)
{
    (void)state;
    for (int p = 2; p <= 130; p = p * 5 / 2) {
        job_of(p, 0, "memfd");
        segment = aligned_alloc(4096, 4096); /* addresses only */
        unsigned char *end = (unsigned char *)line_of(p);
        assert_ptr_equal((char *)line_of(0), segment + sizeof(struct segment_head));
        for (int sender = 0; sender < p; sender++)
            for (int receiver = 0; receiver < p; receiver++) {
                unsigned char *ring = (unsigned char *)ring_of(sender, receiver);
                assert_int_equal((uintptr_t)ring % TF_CACHE_LINE, 0);
                assert_true(ring >= end);
                end = ring + tf_ring_bytes(capacity);
            }
        assert_true(end <= segment + segment_bytes);
        free(segment);
        segment = NULL;
    }
}

static void messages_carry_the_name(void **state)
{
    char name[200];
    int fd;
    (void)state;
    job_of(2, 0, "memfd");
    assert_int_equal(create_memfd(name, sizeof name, &fd), MPI_SUCCESS);
    assert_null(strpbrk(name, " =,"));
    assert_int_equal(access(name, R_OK | W_OK), 0);
    close(fd);
}

/* ---- two processes ---- */

static struct tf_peer peer;

static void be(int rank)
{
    tf_job.rank = rank;
    peer = (struct tf_peer){.rank = 1 - rank, .net = &tf_net_shm};
    line_of(rank)->line.pid = (int32_t)getpid();
    tf_pause_asleep = &line_of(rank)->line.asleep;
    tf_pause_setup();
    shm_connect(&peer);
}

static void send_number(uint32_t k, uint32_t length)
{
    struct tf_pause pause = TF_PAUSE_INIT;
    uint32_t *room;
    while (!(room = tf_net_reserve(&peer, length)))
        tf_pause(&pause);
    tf_pause_reset(&pause);
    for (uint32_t i = 0; i < length / 4; i++)
        room[i] = k + i;
    tf_net_commit(&peer, &(struct tf_header){.kind = 1, .length = length, .id = k});
}

static bool receive_number(uint32_t k, uint32_t length)
{
    struct tf_pause pause = TF_PAUSE_INIT;
    struct tf_cell *cell;
    while (!(cell = tf_net_peek(&peer)))
        tf_pause(&pause);
    tf_pause_reset(&pause);
    const uint32_t *data = tf_ring_payload(&peer.rx, cell);
    bool right = cell->header.id == k && cell->header.length == length;
    for (uint32_t i = 0; i < length / 4; i++)
        right = right && data[i] == k + i;
    tf_net_release(&peer, cell);
    return right;
}

enum { THERE_AND_BACK = 300, ONE_WAY = 20000 };

static uint32_t length_of(uint32_t k)
{
    return k % 7 == 6 ? 4 * (k % (tf_net_chunk(&peer) / 4)) : 4 * (k % 9);
}

/* The echoing side of the test; the number of messages that were wrong. */
static int other_process(void)
{
    int wrong = 0;
    be(1);
    for (uint32_t k = 0; k < THERE_AND_BACK; k++) {
        wrong += !receive_number(k, 8);
        send_number(k, 8);
    }
    for (uint32_t k = 0; k < ONE_WAY; k++)
        wrong += !receive_number(k, length_of(k));
    send_number(1, 4);
    return wrong > 100 ? 100 : wrong;
}

static void begin(size_t shm_size)
{
    int fd;
    char name[200];
    job_of(2, shm_size, "memfd");
    assert_int_equal(create_memfd(name, sizeof name, &fd), MPI_SUCCESS);
    assert_int_equal(map_segment(fd), MPI_SUCCESS);
    close(fd);
}

static pid_t start(int (*process)(void))
{
    pid_t child = fork();
    if (child == 0) {
        alarm(30);
        _exit(process());
    }
    return child;
}

/* The child, if there is one, has found nothing wrong. */
static void end(pid_t child)
{
    int status = 0;
    if (child)
        assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    shm_transport_close();
}

/* Both sleep as soon as there is nothing: a lost wake-up costs 100 ms. */
static void two_processes(void **state)
{
    (void)state;
    begin(1 << 16);
    tf_settings.spin = 1;
    tf_settings.sleep_after = 0;
    pid_t child = start(other_process);
    be(0);
    int64_t start = tf_time();
    for (uint32_t k = 0; k < THERE_AND_BACK; k++) {
        send_number(k, 8);
        assert_true(receive_number(k, 8));
    }
    for (uint32_t k = 0; k < ONE_WAY; k++)
        send_number(k, length_of(k));
    assert_true(receive_number(1, 4));
    assert_true(tf_time() - start < 10 * TF_SECOND);
    end(child);
}

/* A system whose sets of processors are longer than ours tells none. */
static void no_processor_may_be_known(void **state)
{
    (void)state;
    begin(1 << 20);
    be(0);
    begin_to_wait(0, true);
    assert_true(tf_awake_crowd());
    assert_int_equal(tf_awake_turns(), places);
    tf_pause_crowded = false;
    end(0);
}

/* ---- a neighbor's memory: errands and calls of the system ---- */

static char memory[1 << 16];

static size_t move(bool write, struct iovec *there, size_t rows, void *here, size_t bytes)
{
    struct iovec own = {here, bytes};
    struct tf_net_rows r = {.there = there, .here = &own, .rows_there = rows, .rows_here = 1, .write = write};
    return tf_shm_move(&peer, &r);
}

static void set(size_t at, char value)
{
    struct iovec there = {memory + at, 1};
    assert_int_equal(move(true, &there, 1, &value, 1), 1);
}

/* Both have their say in the last byte. */
static bool is_at(char value)
{
    return *(volatile char *)&memory[sizeof memory - 1] == value;
}

static void meet_the_other(int rank)
{
    tf_settings.spin = 4000;
    tf_settings.sleep_after = 1000;
    tf_errand_setup();
    be(rank);
    tf_net_near = &peer;
}

static void await_the_other(int rank)
{
    while (!atomic_load(&line_of(1 - rank)->line.pid))
        sched_yield();
}

enum { FIRST = 100, SECOND = 9000, APART = 4 };

/* It looks until it is told to end; what is wrong then. */
static int one_that_looks(void)
{
    memset(memory, 'c', sizeof memory);
    meet_the_other(1);
    await_the_other(1);
    set(sizeof memory - 1, 'r');
    while (!is_at('e'))
        tf_net_poll(&peer, 1);
    for (int i = 0; i < FIRST + SECOND; i++) {
        int at = i < FIRST ? i : i + APART;
        if (memory[at] != (char)(i % 100))
            return 1;
    }
    return memory[FIRST] == 'c' && memory[FIRST + APART - 1] == 'c' ? 0 : 2;
}

static void one_that_looks_runs_errands(void **state)
{
    static char own[FIRST + SECOND], back[FIRST + SECOND];
    struct iovec there[] = {{memory, FIRST}, {memory + FIRST + APART, SECOND}};
    (void)state;
    begin(1 << 20);
    pid_t child = start(one_that_looks);
    meet_the_other(0);
    while (!is_at('r'))
        sched_yield();
    for (int i = 0; i < FIRST + SECOND; i++)
        own[i] = (char)(i % 100);
    uint32_t before = peer.tx.sent;
    for (int turn = 0; turn < 1000 || peer.tx.sent - before < 2; turn++) { /* not by the system alone */
        memset(back, 0, sizeof back);
        assert_int_equal(move(true, there, 2, own, sizeof own), sizeof own);
        assert_int_equal(move(false, there, 2, back, sizeof back), sizeof back);
        assert_memory_equal(own, back, sizeof own);
    }
    set(sizeof memory - 1, 'e');
    end(child);
}

/* The same process is both; as the other one it looks late. */
static void who_looks_late_runs_none(void **state)
{
    struct iovec there = {memory, 8};
    char before[8] = "before.", after[8] = "after..";
    (void)state;
    begin(1 << 20);
    meet_the_other(0);
    line_of(1)->line.pid = (int32_t)getpid();
    struct tf_peer as_other = peer;
    as_other.rx.ring = peer.tx.ring;
    assert_int_equal(move(true, &there, 1, before, 8), 8);
    assert_memory_equal(memory, before, 8);
    assert_int_equal(peer.tx.sent, 1); /* it was asked, */
    assert_int_equal(move(true, &there, 1, after, 8), 8);
    assert_int_equal(peer.tx.sent, 1); /* is not asked again, */
    assert_true(tf_net_poll(&as_other, 1));
    assert_memory_equal(memory, after, 8); /* finds that it has come too late, */
    assert_int_equal(move(true, &there, 1, before, 8), 8);
    assert_memory_equal(memory, before, 8);
    assert_int_equal(peer.tx.sent, 2); /* and is asked again */
    end(0);
}

/* One that sleeps, as none has come for long, is woken for one of many. */
static void who_sleeps_is_woken_now_and_then(void **state)
{
    struct iovec there = {memory, 8};
    char word[8] = "asleep.";
    int n = 0;
    (void)state;
    begin(1 << 20);
    meet_the_other(0);
    line_of(1)->line.pid = (int32_t)getpid();
    for (atomic_store(&line_of(1)->line.asleep, TF_ASLEEP); atomic_load(&line_of(1)->line.asleep); n++) {
        assert_int_equal(peer.tx.sent, 0);
        assert_true(n < 1000);
        assert_int_equal(move(true, &there, 1, word, 8), 8);
    }
    assert_in_range(n, 100, 1000);
    assert_int_equal(peer.tx.sent, 1);
    assert_memory_equal(memory, word, 8);
    end(0);
}

static int run_errands_and_have_some(int rank)
{
    meet_the_other(rank);
    await_the_other(rank);
    for (int i = 0; i < 2000; i++)
        set((size_t)i % 100, (char)(i % 100));
    set(sizeof memory - 1, 'e');
    while (!is_at('e'))
        tf_net_poll(&peer, 1);
    for (int i = 0; i < 100; i++)
        if (memory[i] != (char)i)
            return 1;
    return 0;
}

static int other_that_runs_errands(void)
{
    return run_errands_and_have_some(1);
}

static void two_run_errands_for_each_other(void **state)
{
    (void)state;
    begin(1 << 20);
    memset(memory, 0, sizeof memory);
    pid_t child = start(other_that_runs_errands);
    assert_int_equal(run_errands_and_have_some(0), 0);
    end(child);
}

static int one_that_dies_over_an_errand(void)
{
    struct tf_cell *cell;
    meet_the_other(1);
    while (!(cell = tf_net_peek(&peer)))
        sched_yield();
    cell->header.claim = 2; /* taken */
    return 0;
}

/* Or is killed by the system, which says that it is gone. */
static void an_errand_ends_with_who_has_taken_it(void **state)
{
    char value = 1;
    struct iovec there = {memory, 1};
    void (*before)(int) = signal(SIGCHLD, SIG_IGN); /* nobody has to wait for it */
    (void)state;
    begin(1 << 20);
    start(one_that_dies_over_an_errand);
    meet_the_other(0);
    await_the_other(0);
    while (move(true, &there, 1, &value, 1) > 0)
        ; /* by the system, where it does not look soon enough */
    signal(SIGCHLD, before);
    end(0);
}

/* The one that slept has looked up by itself, left, and closed its pipe while we were about to ring: no signal. */
static void one_that_leaves_is_woken(void **state)
{
    int ends[2];
    (void)state;
    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    _Atomic uint32_t word = TF_ASLEEP_ON_FILE + (uint32_t)ends[1];
    struct tf_peer leaving = {.asleep = &word, .pid = getpid()};
    reader = ends[0];
    tf_shm_wake(&leaving);
    assert_int_equal(reader, -1);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capacity_is_within_the_budget),
        cmocka_unit_test(few_ranks_fit_in_a_container),
        cmocka_unit_test(nothing_overlaps),
        cmocka_unit_test(messages_carry_the_name),
        cmocka_unit_test(two_processes),
        cmocka_unit_test(no_processor_may_be_known),
        cmocka_unit_test(one_that_looks_runs_errands),
        cmocka_unit_test(who_looks_late_runs_none),
        cmocka_unit_test(who_sleeps_is_woken_now_and_then),
        cmocka_unit_test(two_run_errands_for_each_other),
        cmocka_unit_test(an_errand_ends_with_who_has_taken_it),
        cmocka_unit_test(one_that_leaves_is_woken),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
