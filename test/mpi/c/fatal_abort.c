/* MPI_Abort of the last rank ends the others, who wait for a message that never comes; its code is the job's.
 *
 * np: 1 2 4 8
 * fails: gives up
 * status: 17
 * timeout: 20
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, value;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1) {
        fprintf(stderr, "rank %d gives up\n", rank);
        MPI_Abort(MPI_COMM_WORLD, 17);
    }
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
