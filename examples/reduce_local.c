/* MPI_Reduce_local: an operator applied within one process, and a reduction written by hand with it.
 *
 * The ranks form a chain: each takes the partial result of the ranks below, combines it with its own vector as
 * MPI_Reduce_local(in, inout) does (inout = in op inout), and passes it on; the last rank sends it to rank 0, which
 * compares it with what MPI_Reduce gives.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define N 8

int main(int argc, char **argv)
{
    int rank, size;
    double mine[N], below[N], chain[N], reduced[N];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    for (int i = 0; i < N; i++)
        mine[i] = (rank * 5 + i * 3) % 11;

    memcpy(chain, mine, sizeof chain);
    if (rank > 0) {
        MPI_Recv(below, N, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Reduce_local(below, chain, N, MPI_DOUBLE, MPI_MAX);
    }
    if (rank < size - 1)
        MPI_Send(chain, N, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
    MPI_Bcast(chain, N, MPI_DOUBLE, size - 1, MPI_COMM_WORLD);

    MPI_Reduce(mine, reduced, N, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);

    if (rank == 0) {
        printf("largest:");
        for (int i = 0; i < N; i++)
            printf(" %.0f", chain[i]);
        printf("\nMPI_Reduce agrees: %s\n", memcmp(chain, reduced, sizeof chain) == 0 ? "yes" : "no");
    }
    MPI_Finalize();
    return 0;
}
