/* With TREEFOLD_CHECK=strict a broadcast that one rank alone has called is found out at the latest by MPI_Finalize.
 *
 * np: 2
 * fails: rank 1 is in MPI_Finalize, rank 0 calls MPI_Bcast
 * timeout: 20
 * only: treefold
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, value = 1;
    MPI_Comm comm;
    setenv("TREEFOLD_CHECK", "strict", 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank == 0)
        MPI_Bcast(&value, 1, MPI_INT, 0, comm);
    MPI_Finalize();
    return 0;
}
