/* fatal_heap.c - a process is killed while others have its memory mapped and messages from it under way.
 *
 * np: 3
 * fails: killed by signal 9
 */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    enum { N = 1 << 20 };
    int rank;
    char *mine;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Alloc_mem(N, MPI_INFO_NULL, &mine);
    memset(mine, rank, N);
    MPI_Bcast(mine, N, MPI_BYTE, 1, MPI_COMM_WORLD);
    if (mine[0] != 1 || mine[N - 1] != 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (rank == 1) {
        MPI_Isend(mine, N, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
        raise(SIGKILL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Free_mem(mine);
    MPI_Finalize();
    return 0;
}
