/* MPI_MAXLOC: every rank has 30 doubles; for each of the 30 places, the largest value of all ranks and who has it.
 *
 * Run it on 4 ranks to get the answer shown in expected/.
 */
#include <mpi.h>
#include <stdio.h>

#define N 30

int main(int argc, char **argv)
{
    struct {
        double value;
        int rank;
    } mine[N], best[N]; /* the layout of MPI_DOUBLE_INT */
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    for (int i = 0; i < N; i++) {
        mine[i].value = (rank * 7 + i * 5) % 23 + i / 100.0;
        mine[i].rank = rank;
    }

    MPI_Reduce(mine, best, N, MPI_DOUBLE_INT, MPI_MAXLOC, 0, MPI_COMM_WORLD);

    if (rank == 0)
        for (int i = 0; i < N; i++)
            printf("place %2d: %5.2f on rank %d%s", i, best[i].value, best[i].rank, i % 3 == 2 ? "\n" : "    ");
    MPI_Finalize();
    return 0;
}
