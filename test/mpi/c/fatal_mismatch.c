/* Ranks that call different collectives, or with different operators, are told so instead of getting garbage.
 *
 * np: 2 3
 * fails: MPI_(SUM|MAX)
 * timeout: 20
 * only: treefold
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in = 1, out = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&in, &out, 1, MPI_INT, rank ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
