/* test_peers.c - the table of peers: other jobs are added while the job runs, peers stay where they are, and those that
 * were never met take no memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <sys/mman.h>
#include <unistd.h>

#include "net/peers.h"
#include "net/process.h"

enum { SIZE = 3 }; /* of this job */

/* What a layer above keeps. */
struct mine {
    struct tf_peer base;
    int set_up;
    char more[100];
};

static int connected;

static int connect_to(struct tf_peer *peer)
{
    assert_false(((struct mine *)peer)->set_up);
    peer->tx.capacity = 4096;
    connected++;
    return MPI_SUCCESS;
}

static const struct tf_net near = {.name = "near", .connect = connect_to},
                           other = {.name = "other", .connect = connect_to};

static void set_up_mine(struct tf_peer *peer)
{
    assert_int_equal(peer->tx.capacity, 4096);
    ((struct mine *)peer)->set_up++;
}

static int open_table(void **state)
{
    (void)state;
    tf_job.size = SIZE;
    tf_job.id = 11;
    connected = 0;
    tf_net_near = NULL;
    tf_net_peers_hold(sizeof(struct mine), set_up_mine);
    return tf_peers_add(SIZE, NULL);
}

static int close_table(void **state)
{
    (void)state;
    tf_peers_close();
    tf_process_forget_jobs();
    return 0;
}

static int add(uint64_t job, int size)
{
    int first = -1;
    assert_int_equal(tf_net_add_job(job, size, &near, &first), MPI_SUCCESS);
    return first;
}

static int number_of(uint64_t job, int rank)
{
    return tf_process_number(&(struct tf_process){.job = job, .rank = rank});
}

static void processes_of_other_jobs_have_the_next_numbers(void **state)
{
    static const struct tf_process all[] = {{11, 0, 0}, {11, 1, 0}, {11, 2, 0}, {22, 0, 0}, {22, 1, 0},
                                            {22, 2, 0}, {22, 3, 0}, {5, 0, 0},  {5, 1, 0}};
    (void)state;
    assert_int_equal(number_of(22, 0), MPI_UNDEFINED);
    assert_int_equal(add(22, 4), 3);
    assert_int_equal(add(5, 2), 7);
    assert_int_equal(add(22, 4), 3); /* it is known */
    for (int i = 0; i < (int)TF_ARRAY_LEN(all); i++) {
        struct tf_process process = tf_process_of(i);
        assert_int_equal(tf_process_compare(&process, &all[i]), 0);
        assert_int_equal(tf_process_number(&all[i]), i);
    }
    assert_int_equal(number_of(11, 3), MPI_UNDEFINED);
    assert_int_equal(number_of(22, 4), MPI_UNDEFINED);
    assert_int_equal(number_of(5, -1), MPI_UNDEFINED);
    assert_int_equal(number_of(6, 0), MPI_UNDEFINED);
}

static void a_peer_is_found_by_who_it_is_and_met_once(void **state)
{
    (void)state;
    add(22, 4);
    add(5, 2);
    struct tf_peer *peer = tf_net_peer(number_of(5, 1));
    assert_null(peer->net);
    tf_net_meet(peer);
    tf_net_meet(peer);
    assert_int_equal(connected, 1);
    assert_int_equal(((struct mine *)peer)->set_up, 1);
    assert_ptr_equal(peer->net, &near);
    assert_int_equal(peer->rank, 1);
    assert_ptr_equal(tf_net_near, peer);
    assert_null(tf_net_peer(number_of(22, 1))->net);
    assert_null(tf_net_peer(number_of(5, 0))->net);
}

/* Those of one job may be reached another way than those of the next. */
static void a_job_has_a_transport(void **state)
{
    int first;
    (void)state;
    add(22, 4);
    assert_int_equal(tf_net_add_job(33, 1, &other, &first), MPI_SUCCESS);
    tf_net_meet(tf_net_peer(first));
    assert_ptr_equal(tf_net_peer(first)->net, &other);
    assert_int_equal(tf_net_peer(first)->rank, 0);
}

static void peers_stay_where_they_are(void **state)
{
    enum { JOBS = 500, EACH = 7 };
    static struct tf_peer *at[SIZE + JOBS * EACH];
    (void)state;
    for (int i = 0; i < SIZE; i++)
        (at[i] = tf_net_peer(i))->pid = i;
    for (int job = 0; job < JOBS; job++) {
        int first = add(100 + (uint64_t)job, EACH);
        for (int i = first; i < first + EACH; i++)
            (at[i] = tf_net_peer(i))->pid = i;
    }
    for (int i = 0; i < (int)TF_ARRAY_LEN(at); i++) {
        assert_ptr_equal(tf_net_peer(i), at[i]);
        assert_int_equal(at[i]->pid, i); /* nobody else is there */
    }
}

static void a_job_that_is_too_large_changes_nothing(void **state)
{
    int first;
    (void)state;
    assert_int_equal(tf_net_add_job(22, INT_MAX, &near, &first), MPI_ERR_OTHER);
    assert_int_equal(number_of(22, 0), MPI_UNDEFINED);
    assert_int_equal(add(5, 2), SIZE);
    tf_net_meet(tf_net_peer(SIZE + 1));
    assert_int_equal(tf_net_peer(SIZE + 1)->rank, 1);
}

/* Pages of the table that are memory. */
static size_t resident(const void *from, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (bytes + page - 1) / page, n = 0;
    unsigned char *in = malloc(pages);
    assert_non_null(in);
    assert_int_equal(mincore((void *)(uintptr_t)from, bytes, in), 0);
    for (size_t i = 0; i < pages; i++)
        n += in[i] & 1;
    free(in);
    return n;
}

static void who_was_never_met_takes_no_memory(void **state)
{
    enum { MILLION = 1000000, MET = 20 };
    (void)state;
    int first = add(22, MILLION);
    const char *from = (char *)tf_net_peer(first), *to = (char *)tf_net_peer(first + MILLION - 1);
    for (int i = 0; i < MET; i++)
        tf_net_meet(tf_net_peer(first + (1 << i)));
    size_t pages = resident(from, (size_t)(to - from));
    assert_in_range(pages, 1, MET);
    for (int i = 0; i < MET; i++)
        assert_int_equal(tf_net_peer(first + (1 << i))->rank, 1 << i);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_table, close_table)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(processes_of_other_jobs_have_the_next_numbers),
        TEST(a_peer_is_found_by_who_it_is_and_met_once),
        TEST(a_job_has_a_transport),
        TEST(peers_stay_where_they_are),
        TEST(a_job_that_is_too_large_changes_nothing),
        TEST(who_was_never_met_takes_no_memory),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
