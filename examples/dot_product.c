/* MPI_Reduce: the dot product of two vectors that are spread over the ranks.
 *
 * Each rank has a slice of a and b, multiplies it out, and the sum of all slices arrives at rank 0.
 */
#include <mpi.h>
#include <stdio.h>

#define N 100000LL /* length of the whole vectors: a[i] = i, b[i] = N - i */

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    long long first = N * rank / size, last = N * (rank + 1) / size;
    double slice = 0, dot = 0;
    for (long long i = first; i < last; i++)
        slice += (double)i * (double)(N - i);

    MPI_Reduce(&slice, &dot, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);

    if (rank == 0) {
        printf("a . b = %.0f\n", dot);
        printf("exact = %.0f\n", (double)((N - 1) * N * (N + 1) / 6));
    }
    MPI_Finalize();
    return 0;
}
