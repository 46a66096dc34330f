/* A program that has every exception of floating-point arithmetic trap, results that are inexact among them: what the
 * library computes for itself, how long a wait lasts say, raises none.
 *
 * np: - 1 2 3 4
 */
#include "files.h"

#include <unistd.h>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

enum { LONG = 1 << 20, TURNS = 4 };
static int right, left, out[LONG], in[LONG];

/* All that wait yield, and then sleep, until the last one comes. */
static void waits_that_last(void)
{
    for (int late = 0; late < check_size; late++) {
        if (check_rank == late)
            usleep(50000);
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    }
}

static void messages(void)
{
    static const int lengths[] = {1, 1000, 30000, LONG};
    MPI_Request requests[2];
    for (int turn = 0; turn < TURNS; turn++)
        for (int k = 0; k < 4; k++) {
            int n = lengths[k], index, flag = 0;
            for (int i = 0; i < n; i++)
                out[i] = check_rank + i + turn;
            check_wipe(in, (size_t)n * sizeof *in);
            CHECK_OK(MPI_Irecv(in, n, MPI_INT, turn % 2 ? MPI_ANY_SOURCE : left, k, MPI_COMM_WORLD, &requests[0]));
            CHECK_OK(MPI_Issend(out, n, MPI_INT, right, k, MPI_COMM_WORLD, &requests[1]));
            while (!flag)
                CHECK_OK(MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE));
            CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
            CHECK(in[0] == left + turn && in[n - 1] == left + n - 1 + turn);
            CHECK_OK(MPI_Barrier(MPI_COMM_WORLD)); /* from any source of this turn */
        }
}

static void collectives(void)
{
    static const int lengths[] = {1, 3000, LONG / 8};
    int ranks = check_size * (check_size - 1) / 2;
    for (int k = 0; k < 3; k++) {
        int n = lengths[k];
        MPI_Request request;
        for (int i = 0; i < n; i++)
            out[i] = check_rank;
        CHECK_OK(MPI_Allreduce(out, in, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        CHECK_INT(in[n - 1], ranks);
        check_wipe(in, (size_t)n * sizeof *in);
        CHECK_OK(MPI_Iallreduce(out, in, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_INT(in[n - 1], check_size - 1);
        CHECK_OK(MPI_Bcast(out, n, MPI_INT, check_size - 1, MPI_COMM_WORLD));
        CHECK_INT(out[n - 1], check_size - 1);
        out[0] = check_rank;
        CHECK_OK(MPI_Alltoall(MPI_IN_PLACE, n / 8, MPI_INT, out, n / 8, MPI_INT, MPI_COMM_WORLD));
        CHECK_OK(MPI_Scan(&check_rank, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        CHECK_INT(in[0], check_rank * (check_rank + 1) / 2);
    }
    double one = 1, sum = 0; /* exact, as the program may count on */
    CHECK_OK(MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sum == check_size);
}

static void windows(void)
{
    int *base, one = 1, got = -1;
    MPI_Win win;
    CHECK_OK(MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    *base = 0;
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_SUM, win));
    CHECK_OK(MPI_Win_fence(0, win));
    for (int i = 0; i < TURNS; i++) {
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        CHECK_OK(MPI_Fetch_and_op(&one, &got, MPI_INT, 0, 0, MPI_SUM, win));
        CHECK_OK(MPI_Win_unlock(0, win));
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    CHECK_OK(MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_unlock(0, win));
    CHECK_INT(got, 1 + TURNS * check_size);
    CHECK_OK(MPI_Win_free(&win));
}

static void communicators_and_clocks(void)
{
    int dims[2] = {0, 0}, periods[2] = {1, 0};
    MPI_Comm grid, half;
    CHECK_OK(MPI_Dims_create(check_size, 2, dims));
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid));
    CHECK_OK(MPI_Comm_split(grid, check_rank % 2, 0, &half));
    CHECK_OK(MPI_Comm_free(&half));
    CHECK_OK(MPI_Comm_free(&grid));
    double before = MPI_Wtime();
    for (int i = 0; i < 1000; i++) {
        double now = MPI_Wtime();
        CHECK(now >= before);
        before = now;
    }
    CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 1);
}

static void files(void)
{
    char name[FILE_NAME];
    MPI_File fh;
    file_name(name, "traps");
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &fh));
    CHECK_OK(MPI_File_write_at_all(fh, check_rank * 4, &check_rank, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_sync(fh));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_File_read_at_all(fh, right * 4, &in[0], 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_INT(in[0], right);
    CHECK_OK(MPI_File_close(&fh));
}

int main(int argc, char **argv)
{
#ifdef __x86_64__ /* few others trap at all */
    _MM_SET_EXCEPTION_MASK(0);
#endif
    check_start(&argc, &argv);
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    waits_that_last();
    messages();
    collectives();
    windows();
    communicators_and_clocks();
    files();
    return check_end();
}
