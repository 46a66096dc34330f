/* MPI_Gather and MPI_Gatherv in three variants, each towards rank 0:
 *
 *   plain      every rank gives 100 ints; they lie one behind the other
 *   strided    the same, but rank r's block starts at r * 150: displacements leave gaps between the blocks
 *   columns    rank r gives the lower 100 - r ints of column r of its own 100 x 150 matrix, described by a derived
 * type; the root takes them as plain ints
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define N 100
#define STRIDE 150

static int rank, size;

static void plain(void)
{
    int mine[N], *all = NULL;
    for (int i = 0; i < N; i++)
        mine[i] = rank * 1000 + i;
    if (rank == 0)
        all = malloc((size_t)size * N * sizeof *all);

    MPI_Gather(mine, N, MPI_INT, all, N, MPI_INT, 0, MPI_COMM_WORLD);

    for (int r = 0; rank == 0 && r < size; r++)
        printf("plain: rank %d gave %d .. %d\n", r, all[r * N], all[r * N + N - 1]);
    free(all);
}

static void strided(void)
{
    int mine[N], *all = NULL, *counts = NULL, *places = NULL;
    for (int i = 0; i < N; i++)
        mine[i] = rank * 1000 + i;
    if (rank == 0) {
        all = calloc((size_t)size * STRIDE, sizeof *all);
        counts = malloc((size_t)size * sizeof *counts);
        places = malloc((size_t)size * sizeof *places);
        for (int r = 0; r < size; r++) {
            counts[r] = N;
            places[r] = r * STRIDE;
        }
    }

    MPI_Gatherv(mine, N, MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);

    for (int r = 0; rank == 0 && r < size; r++)
        printf("strided: block %d is %d .. %d, the gap behind it holds %d\n", r, all[r * STRIDE],
               all[r * STRIDE + N - 1], all[r * STRIDE + N]);
    free(all);
    free(counts);
    free(places);
}

static void columns(void)
{
    static int matrix[N][STRIDE];
    int *all = NULL, *counts = NULL, *places = NULL, rows = N - rank;
    MPI_Datatype column;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < STRIDE; j++)
            matrix[i][j] = 10000 * rank + 100 * j + i;
    if (rank == 0) {
        all = malloc((size_t)size * N * sizeof *all);
        counts = malloc((size_t)size * sizeof *counts);
        places = malloc((size_t)size * sizeof *places);
        for (int r = 0; r < size; r++) {
            counts[r] = N - r;
            places[r] = r ? places[r - 1] + counts[r - 1] : 0;
        }
    }
    MPI_Type_vector(rows, 1, STRIDE, MPI_INT, &column);
    MPI_Type_commit(&column);

    MPI_Gatherv(&matrix[rank][rank], 1, column, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);

    for (int r = 0; rank == 0 && r < size; r++)
        printf("columns: %d ints of column %d of rank %d: %d .. %d\n", counts[r], r, r, all[places[r]],
               all[places[r] + counts[r] - 1]);
    MPI_Type_free(&column);
    free(all);
    free(counts);
    free(places);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    plain();
    strided();
    columns();
    MPI_Finalize();
    return 0;
}
