/* A window beyond 4 GiB, of which few pages are ever used: its ends are reached, and 3 GiB apart in one operation.
 *
 * np: 2
 * only: treefold
 * timeout: 120
 */
#include "rma.h"

int main(int argc, char **argv)
{
    static const MPI_Aint BYTES = ((MPI_Aint)5 << 30) + 64;
    int rank, size;
    char *base;
    MPI_Win win;
    check_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Win_allocate(BYTES, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win)) {
        if (rank == 0)
            printf("skipped: no 5 GiB of addresses for each process\n");
        return check_end();
    }
    int next = (rank + 1) % size;
    MPI_Datatype ends;
    MPI_Type_create_hvector(2, 1, (MPI_Aint)3 << 30, MPI_LONG, &ends);
    MPI_Type_commit(&ends);
    long two[2] = {100 + rank, 200 + rank}, got[2] = {-1, -1}, old = -1, *last = (long *)(base + BYTES) - 1;
    *last = 40 + rank;
    CHECK_OK(MPI_Win_lock_all(0, win));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_Fetch_and_op(&two[0], &old, MPI_LONG, next, BYTES / 8 - 1, MPI_SUM, win));
    CHECK_OK(MPI_Put(two, 2, MPI_LONG, next, ((MPI_Aint)1 << 30) / 8, 1, ends, win));
    CHECK_OK(MPI_Win_flush(next, win));
    CHECK_INT(old, 40 + next);
    CHECK_OK(MPI_Get(got, 2, MPI_LONG, next, ((MPI_Aint)1 << 30) / 8, 1, ends, win));
    CHECK_OK(MPI_Win_flush(next, win));
    CHECK_BYTES(got, two, sizeof two);
    CHECK_CLASS((MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN),
                 MPI_Put(two, 2, MPI_LONG, next, BYTES / 8 - 1, 2, MPI_LONG, win)),
                MPI_ERR_RMA_RANGE);
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    int left = (rank + size - 1) % size;
    CHECK_INT(*last, 40 + rank + 100 + left);
    CHECK_INT(*(long *)(base + ((MPI_Aint)4 << 30)), 200 + left);
    CHECK_OK(MPI_Type_free(&ends));
    CHECK_OK(MPI_Win_free(&win));
    return check_end();
}
