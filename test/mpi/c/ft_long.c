/* Long puts, gets and accumulates, both ways, in whose midst a process dies: whoever waits for them learns it, what
 * comes from it and was not whole harms nobody, and those who live go on with windows of their own.
 *
 * np: 2 3 5
 * option: -keep-going
 * fails: ft_long: all is well
 * status: 137
 * timeout: 30
 * only: treefold
 */
#include "ft.h"

#include <signal.h>

enum { COUNT = 1 << 18 /* longs */, TURNS = 3 };

static int dead;
static long *out, *in;

static MPI_Win open_window(MPI_Comm comm, long **memory)
{
    MPI_Win win;
    CHECK_OK(MPI_Win_allocate(2 * COUNT * (MPI_Aint)sizeof(long), sizeof(long), MPI_INFO_NULL, comm, memory, &win));
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    for (int i = 0; i < 2 * COUNT; i++)
        (*memory)[i] = 0;
    CHECK_OK(MPI_Barrier(comm));
    CHECK_OK(MPI_Win_lock_all(0, win));
    return win;
}

/* The first half is what the latest has put, the second a sum. */
static int begin(MPI_Win win, int target)
{
    int err = MPI_Put(out, COUNT, MPI_LONG, target, 0, COUNT, MPI_LONG, win);
    if (!err)
        err = MPI_Accumulate(out, COUNT, MPI_LONG, target, COUNT, COUNT, MPI_LONG, MPI_SUM, win);
    if (!err)
        err = MPI_Get(in, COUNT, MPI_LONG, target, 0, COUNT, MPI_LONG, win);
    return err;
}

static void lose_one(void)
{
    long *memory;
    int err = MPI_SUCCESS;
    MPI_Win win = open_window(MPI_COMM_WORLD, &memory);
    for (int turn = 0; check_rank == dead; turn++) {
        for (int r = 0; r < check_size; r++)
            CHECK_OK(begin(win, r));
        if (turn == TURNS)
            raise(SIGKILL);
        CHECK_OK(MPI_Win_flush_all(win));
    }
    while (!err) {
        for (int r = 0; r < check_size && !err; r++)
            err = begin(win, r);
        if (!err)
            err = MPI_Win_flush_all(win);
    }
    ft_must_fail(err, "long operations");
    ft_must_fail(MPI_Win_unlock_all(win), "unlock_all");
    ft_may_fail(MPI_Win_free(&win), "free");
}

static void go_on(MPI_Comm comm)
{
    long *memory;
    int rank, size, wrong = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Win win = open_window(comm, &memory);
    CHECK_OK(begin(win, (rank + 1) % size));
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Barrier(comm));
    for (int i = 0; i < COUNT; i++)
        wrong += memory[i] != i || memory[COUNT + i] != i || (in[i] != i && in[i] != 0);
    CHECK_INT(wrong, 0);
    CHECK_OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    MPI_Comm living;
    check_start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    dead = check_size - 1;
    out = check_alloc(COUNT * sizeof(long), 0);
    in = check_alloc(COUNT * sizeof(long), 0);
    for (int i = 0; i < COUNT; i++)
        out[i] = i;
    lose_one();
    CHECK_OK(MPIX_Comm_shrink(MPI_COMM_WORLD, &living));
    go_on(living);
    CHECK_OK(MPI_Comm_free(&living));
    ft_tell_the_end("ft_long", dead);
    CHECK_OK(MPI_Finalize());
    return check_failures != 0;
}
