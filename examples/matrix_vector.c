/* MPI_Reduce of a vector: c = a B, where the rows of the matrix B and the elements of a are spread over the ranks.
 *
 *         columns 0..N-1
 *     a0  |  rank 0's rows  |     each rank adds up its own rows, weighted by its elements of a: a vector of
 *     a1  |  rank 1's rows  |     N partial sums; the element-wise sum of those vectors is c
 *     ..  |  ...            |
 */
#include <mpi.h>
#include <stdio.h>

#define M 1200 /* rows */
#define N 6    /* columns */

static double element(int i, int j)
{
    return i == j ? 10 : (i + j) % 3;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    double partial[N] = {0}, c[N];
    for (int i = M * rank / size; i < M * (rank + 1) / size; i++) {
        double a = 1 + i % 4;
        for (int j = 0; j < N; j++)
            partial[j] += a * element(i, j);
    }

    MPI_Reduce(partial, c, N, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);

    if (rank == 0) {
        printf("c = a B =");
        for (int j = 0; j < N; j++)
            printf(" %.0f", c[j]);
        printf("\n");
    }
    MPI_Finalize();
    return 0;
}
