/* A rank waits in a collective while another is in MPI_Finalize and will never come.
 *
 * np: 2 3
 * fails: rank 0 calls MPI_Allreduce with MPI_SUM, rank 1 is in MPI_Finalize
 * timeout: 20
 * only: treefold
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in = 1, out = 0;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2, 0, &comm);
    if (rank == 0)
        MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, comm);
    MPI_Finalize();
    return 0;
}
