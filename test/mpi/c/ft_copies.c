/* Puts and gets of ordinary memory that are collected when one of their targets dies, and counters that it has not
 * answered for: whatever ends their epoch then ends with success or MPIX_ERR_PROC_FAILED, and what went to those who
 * live is done.
 *
 * np: 2 3 5
 * option: -keep-going
 * fails: ft_copies: all is well
 * status: 137
 * timeout: 20
 * only: treefold
 */
#include "ft.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

/* More than one call of the system copies; and so long that no put of an epoch of both sides goes by a message. */
enum { SHORT = 300, LONG = 3000, CELLS = SHORT + LONG };
enum { FLUSHED, FLUSHED_ALL, UNLOCKED, ALL_UNLOCKED, FENCED, COMPLETED, WINDOWS };
enum { PUT, GET, REQUESTS };
enum { PUTS, GETS, COUNTERS, ROWS, FETCHES = 20 };
enum { MOST = 5 }; /* processes */

static int rank, size, dead, next, before;
static MPI_Win wins[WINDOWS];
static double memory[WINDOWS][ROWS][CELLS];
static const long one = 1, none;
static long old[WINDOWS][FETCHES + 1], forgotten[FETCHES + 1];
static double out[CELLS], in[WINDOWS][CELLS], lost[CELLS];
static MPI_Request requests[REQUESTS];

static double value_of(int r, int i)
{
    return 1000000 * (r + 1) + i;
}

static void open_windows(void)
{
    MPI_Group all;
    for (int i = 0; i < WINDOWS; i++) {
        for (int k = 0; k < CELLS; k++)
            memory[i][GETS][k] = out[k] = value_of(rank, k);
        CHECK_OK(MPI_Win_create(memory[i], sizeof memory[i], sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &wins[i]));
        CHECK_OK(MPI_Win_set_errhandler(wins[i], MPI_ERRORS_RETURN));
    }
    CHECK_OK(MPI_Win_lock_all(0, wins[FLUSHED]));
    CHECK_OK(MPI_Win_lock_all(0, wins[FLUSHED_ALL]));
    CHECK_OK(MPI_Win_lock_all(0, wins[ALL_UNLOCKED]));
    CHECK_OK(MPI_Win_fence(0, wins[FENCED]));
    CHECK_OK(MPI_Win_get_group(wins[COMPLETED], &all));
    CHECK_OK(MPI_Win_post(all, 0, wins[COMPLETED]));
    CHECK_OK(MPI_Win_start(all, 0, wins[COMPLETED]));
    CHECK_OK(MPI_Group_free(&all));
    if (rank == dead)
        return;
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, dead, 0, wins[UNLOCKED]));
    if (next != dead)
        CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, wins[UNLOCKED]));
}

/* The counter is as many, and the one beside it is 1 once. */
static void count(int target, long *was, MPI_Win win)
{
    for (int i = 0; i < FETCHES; i++)
        CHECK_OK(MPI_Fetch_and_op(&one, &was[i], MPI_LONG, target, COUNTERS * CELLS, MPI_SUM, win));
    CHECK_OK(MPI_Compare_and_swap(&one, &none, &was[FETCHES], MPI_LONG, target, COUNTERS * CELLS + 1, win));
}

static void begin(int target, double *into, MPI_Win win)
{
    for (int i = 0; i < SHORT; i++) {
        CHECK_OK(MPI_Put(&out[i], 1, MPI_DOUBLE, target, i, 1, MPI_DOUBLE, win));
        CHECK_OK(MPI_Get(&into[i], 1, MPI_DOUBLE, target, CELLS + i, 1, MPI_DOUBLE, win));
    }
    CHECK_OK(MPI_Put(&out[SHORT], LONG, MPI_DOUBLE, target, SHORT, LONG, MPI_DOUBLE, win));
    CHECK_OK(MPI_Get(&into[SHORT], LONG, MPI_DOUBLE, target, CELLS + SHORT, LONG, MPI_DOUBLE, win));
}

static void begin_all(void)
{
    for (int i = 0; i < WINDOWS; i++) {
        begin(dead, lost, wins[i]);
        count(dead, forgotten, wins[i]);
        if (next == dead)
            continue;
        begin(next, in[i], wins[i]);
        count(next, old[i], wins[i]);
    }
    CHECK_OK(MPI_Rput(out, 1, MPI_DOUBLE, dead, 0, 1, MPI_DOUBLE, wins[FLUSHED], &requests[PUT]));
    CHECK_OK(MPI_Rget(lost, 1, MPI_DOUBLE, dead, 0, 1, MPI_DOUBLE, wins[FLUSHED], &requests[GET]));
}

static void end_all(void)
{
    for (int i = 0; i < REQUESTS; i++)
        ft_may_fail(MPI_Wait(&requests[i], MPI_STATUS_IGNORE), "a request");
    ft_may_fail(MPI_Win_flush(dead, wins[FLUSHED]), "flush of the dead");
    ft_may_fail(MPI_Win_flush(next, wins[FLUSHED]), "flush");
    ft_may_fail(MPI_Win_flush_local_all(wins[FLUSHED_ALL]), "flush_local_all");
    ft_may_fail(MPI_Win_flush_all(wins[FLUSHED_ALL]), "flush_all");
    ft_may_fail(MPI_Win_unlock(dead, wins[UNLOCKED]), "unlock of the dead");
    if (next != dead)
        ft_may_fail(MPI_Win_unlock(next, wins[UNLOCKED]), "unlock");
    ft_may_fail(MPI_Win_unlock_all(wins[ALL_UNLOCKED]), "unlock_all");
    ft_may_fail(MPI_Win_fence(MPI_MODE_NOSUCCEED, wins[FENCED]), "fence");
    ft_may_fail(MPI_Win_complete(wins[COMPLETED]), "complete");
    ft_may_fail(MPI_Win_wait(wins[COMPLETED]), "wait");
}

/* Those before this one and behind it, among those who live. */
static void look_at_all(void)
{
    if (next == dead)
        return;
    CHECK_OK(MPI_Sendrecv(NULL, 0, MPI_INT, next, 9, NULL, 0, MPI_INT, before, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < WINDOWS; i++) {
        const volatile long *counters = (const volatile long *)memory[i][COUNTERS];
        CHECK_NOTED(counters[0] == FETCHES && counters[1] == 1, "window %d: %ld, %ld", i, counters[0], counters[1]);
        CHECK_NOTED(old[i][FETCHES] == 0, "window %d, swap", i);
        for (int k = 0; k < FETCHES; k++)
            CHECK_NOTED(old[i][k] == k, "window %d, fetch %d: %ld", i, k, old[i][k]);
        for (int k = 0; k < CELLS; k++) {
            CHECK_NOTED(((volatile double *)memory[i][PUTS])[k] == value_of(before, k), "window %d, put %d", i, k);
            CHECK_NOTED(in[i][k] == value_of(next, k), "window %d, get %d", i, k);
        }
    }
}

/* Signals, which MPI would copy nothing for.  So many are waited for with progress: the last words of a barrier may
 * still have to leave, as whoever is connected for the first time has not answered yet. */
static void expect(const sigset_t *signals, int n)
{
    const struct timespec at_once = {0};
    int flag;
    while (n > 0) {
        CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
        n -= sigtimedwait(signals, NULL, &at_once) == SIGRTMIN;
    }
}

static void tell(int pid)
{
    CHECK(sigqueue(pid, SIGRTMIN, (union sigval){0}) == 0);
}

/* All have come, and what they have said has been heard: from now on the one that dies makes no progress. */
static void come_together(const sigset_t *signals, const int *pids)
{
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == dead) {
        expect(signals, dead);
        for (int i = 0; i < dead; i++)
            tell(pids[i]);
    } else {
        tell(pids[dead]);
        expect(signals, 1);
    }
}

int main(int argc, char **argv)
{
    int pids[MOST], pid = (int)getpid();
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    check_start(&argc, &argv);
    rank = check_rank;
    size = check_size;
    dead = size - 1;
    next = size == 2 ? dead : (rank + 1) % (size - 1);
    before = size == 2 ? dead : (rank + size - 2) % (size - 1);
    CHECK_OK(MPI_Allgather(&pid, 1, MPI_INT, pids, 1, MPI_INT, MPI_COMM_WORLD));
    open_windows();
    come_together(&signals, pids);
    if (rank == dead) {
        for (int i = 0; i < dead; i++)
            sigwaitinfo(&signals, NULL);
        raise(SIGKILL);
    }
    begin_all();
    tell(pids[dead]);
    while (kill(pids[dead], 0) == 0)
        usleep(1000);
    end_all();
    look_at_all();
    ft_tell_the_end("ft_copies", dead);
    CHECK_OK(MPI_Finalize());
    return check_failures != 0;
}
