/* MPI_ERRORS_ARE_FATAL, the default: an error ends the job with words on standard error, and nobody waits for ever.
 *
 * np: 1 2 4
 * fails: -3
 * timeout: 20
 * wrong: openmpi (4.1: does not tell the value)
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Bcast(&value, -3, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
