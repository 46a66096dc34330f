/* MPIX_Binned: a sum of a million numbers that nearly cancel, the same to the last bit on any number of ranks.
 *
 * The ranks share the numbers, add up their own in an accumulator, and reduce the accumulators.  The plain sum, of
 * doubles that each rank has added up, is not printed: on other numbers of ranks it is another.
 */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define N 1000000LL

/* Numbers of both signs between 2^-40 and 2^40, each followed by almost its opposite. */
static double number(long long i)
{
    uint64_t mixed = (uint64_t)(i / 2 + 1) * 0x9e3779b97f4a7c15u;
    mixed ^= mixed >> 31;
    double x = ldexp(1 + (double)(mixed >> 12) * 0x1p-52, (int)(mixed % 81) - 40);
    return i % 2 ? -x * (1 - 0x1p-30) : x;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPIX_Binned mine, all;
    memset(&mine, 0, sizeof mine);
    for (long long i = rank; i < N; i += size) {
        double x = number(i);
        MPIX_Binned_add(&x, 1, MPI_DOUBLE, &mine);
    }

    MPI_Datatype type;
    MPIX_Type_create_binned(MPI_DOUBLE, &type);
    MPI_Reduce(&mine, &all, 1, type, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Type_free(&type);

    if (rank == 0) {
        double sum;
        MPIX_Binned_value(&all, 1, MPI_DOUBLE, &sum);
        printf("the sum is %.17g, %a\n", sum, sum);
    }
    MPI_Finalize();
    return 0;
}
