/* A long message that nobody receives is found out by MPI_Finalize at the latest.
 *
 * np: 2 3
 * fails: has never received a message of 1000000 bytes from rank 0 with tag 5
 * timeout: 20
 * only: treefold
 */
#include <mpi.h>

static char data[1000000];

int main(int argc, char **argv)
{
    int rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Isend(data, sizeof data, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &request);
    MPI_Finalize();
    return 0;
}
