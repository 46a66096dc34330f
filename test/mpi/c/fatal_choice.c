/* Ranks whose rules of selection differ are told so instead of waiting for ever.
 *
 * np: 2 3 4
 * fails: algorithms differ: .*treefold_algorithm
 * timeout: 20
 * only: treefold
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    double in[100] = {0}, out[100];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "treefold_algorithm", rank ? "allreduce=recursive_doubling" : "allreduce=ring");
    MPI_Comm comm;
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Allreduce(in, out, 100, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Finalize();
    return 0;
}
