/* An error of a window names the window, once.
 *
 * np: 1
 * fails: \(window matrix\) \[MPI_ERR_RANK\]
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int memory = 0;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_name(win, "matrix");
    MPI_Win_fence(0, win);
    MPI_Put(&memory, 1, MPI_INT, 7, 0, 1, MPI_INT, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
