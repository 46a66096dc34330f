/* A rank that dies of a signal ends the job, although the others wait for it.
 *
 * np: 2 4
 * fails: signal|killed|exit|terminat|dead|died
 * timeout: 20
 */
#include <mpi.h>
#include <signal.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size / 2)
        raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
