/* A rank that leaves with a failure and without MPI_Finalize ends the job.
 *
 * np: 2 3
 * fails: rank|exit
 * status: 5
 * wrong: mpich (4.0: says nothing)
 * timeout: 20
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        exit(5);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
