/* np: 2
 *
 * Ranks that share a processor and look for something in a loop, by calls that never wait, give the processor to
 * others: whoever is to bring it may need it.
 */
#define _GNU_SOURCE
#include "check.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TIMES = 200, TAG = 1 }; /* beside other programs each time may cost a slice */

static long yields;

/* Stands before the C library's. */
int sched_yield(void)
{
    yields++;
    return (int)syscall(SYS_sched_yield);
}

static MPI_Request request;
static MPI_Win win, apart;
static int *memory, own = 5;

static void test(void)
{
    int flag;
    CHECK_OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    CHECK_INT(flag, 0);
}

static void test_some(void)
{
    int n, which;
    CHECK_OK(MPI_Testsome(1, &request, &n, &which, MPI_STATUSES_IGNORE));
    CHECK_INT(n, 0);
}

static void look_at_status(void)
{
    int flag;
    CHECK_OK(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
    CHECK_INT(flag, 0);
}

static void probe(void)
{
    int flag;
    CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
    CHECK_INT(flag, 0);
}

static void probe_matched(void)
{
    MPI_Message message;
    int flag;
    CHECK_OK(MPI_Improbe(MPI_ANY_SOURCE, TAG, MPI_COMM_SELF, &flag, &message, MPI_STATUS_IGNORE));
    CHECK_INT(flag, 0);
}

static void fetch(void)
{
    int there;
    CHECK_OK(MPI_Fetch_and_op(NULL, &there, MPI_INT, check_rank, 0, MPI_NO_OP, win));
    CHECK_OK(MPI_Win_flush(check_rank, win));
    CHECK_INT(there, 7);
}

static void get(void)
{
    int there;
    CHECK_OK(MPI_Get(&there, 1, MPI_INT, check_rank, 0, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_flush_local_all(win));
    CHECK_INT(there, 7);
}

static void get_requested(void)
{
    MPI_Request got;
    int there;
    CHECK_OK(MPI_Rget(&there, 1, MPI_INT, check_rank, 0, 1, MPI_INT, win, &got));
    CHECK_OK(MPI_Wait(&got, MPI_STATUS_IGNORE));
    CHECK_INT(there, 7);
}

/* The other one's memory, which is not shared. */
static void get_of_the_other(void)
{
    int there;
    CHECK_OK(MPI_Get(&there, 1, MPI_INT, 1 - check_rank, 0, 1, MPI_INT, apart));
    CHECK_OK(MPI_Win_flush(1 - check_rank, apart));
    CHECK_INT(there, 5);
}

static void load(void)
{
    CHECK_OK(MPI_Win_sync(win));
    CHECK_INT(*(volatile int *)memory, 7);
}

static void swap(void)
{
    int there, want = 0, next = 1;
    CHECK_OK(MPI_Compare_and_swap(&next, &want, &there, MPI_INT, check_rank, 0, win));
    CHECK_OK(MPI_Win_flush_local(check_rank, win));
    CHECK_INT(there, 7);
}

static const struct {
    const char *name;
    void (*look)(void);
} loops[] = {{"MPI_Test", test},
             {"MPI_Testsome", test_some},
             {"MPI_Request_get_status", look_at_status},
             {"MPI_Iprobe", probe},
             {"MPI_Improbe", probe_matched},
             {"MPI_Fetch_and_op and MPI_Win_flush", fetch},
             {"MPI_Get and MPI_Win_flush_local_all", get},
             {"MPI_Rget and MPI_Wait", get_requested},
             {"MPI_Get and MPI_Win_flush of memory that is not shared", get_of_the_other},
             {"MPI_Win_sync", load},
             {"MPI_Compare_and_swap and MPI_Win_flush_local", swap}};

int main(int argc, char **argv)
{
    cpu_set_t all, one;
    int first = 0, value;
    sched_getaffinity(0, sizeof all, &all);
    while (!CPU_ISSET((size_t)first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET((size_t)first, &one);
    sched_setaffinity(0, sizeof one, &one); /* the library counts processors when it begins */
    check_start(&argc, &argv);
    CHECK_OK(MPI_Irecv(&value, 1, MPI_INT, 0, TAG, MPI_COMM_SELF, &request));
    CHECK_OK(MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    CHECK_OK(MPI_Win_create(&own, sizeof own, sizeof own, MPI_INFO_NULL, MPI_COMM_WORLD, &apart));
    CHECK_OK(MPI_Win_lock_all(0, win));
    CHECK_OK(MPI_Win_lock_all(0, apart));
    *memory = 7;
    CHECK_OK(MPI_Win_sync(win));
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        yields = 0;
        for (int k = 0; k < TIMES; k++)
            loops[i].look();
        CHECK_NOTED(yields > 0, "%s gave the processor away %ld times", loops[i].name, yields);
    }
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Win_unlock_all(apart));
    CHECK_OK(MPI_Win_free(&apart));
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Cancel(&request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Finalize());
    return check_failures > 0;
}
