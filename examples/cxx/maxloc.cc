/* MPI::MAXLOC: every rank has 30 doubles; for each of the 30 places, the largest value of all ranks and who has it.
 *
 * Run it on 4 ranks to get the answer shown in expected/.
 */
#include <mpi.h>

#include <cstdio>

struct entry {
    double value;
    int rank;
}; /* the layout of MPI::DOUBLE_INT */

int main(int argc, char **argv)
{
    const int n = 30;
    entry mine[n], best[n];
    MPI::Init(argc, argv);
    const int rank = MPI::COMM_WORLD.Get_rank();

    for (int i = 0; i < n; i++) {
        mine[i].value = (rank * 7 + i * 5) % 23 + i / 100.0;
        mine[i].rank = rank;
    }

    MPI::COMM_WORLD.Reduce(mine, best, n, MPI::DOUBLE_INT, MPI::MAXLOC, 0);

    if (rank == 0)
        for (int i = 0; i < n; i++)
            std::printf("place %2d: %5.2f on rank %d%s", i, best[i].value, best[i].rank, i % 3 == 2 ? "\n" : "    ");
    MPI::Finalize();
    return 0;
}
