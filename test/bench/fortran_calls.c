/* fortran_calls.c - of test/bench/fortran: the calls in C, which Fortran calls like those of its own.
 */
#include <mpi.h>

void calls_c(int *n, double *x, double *y)
{
    for (int i = 0; i < *n; i++)
        MPI_Allreduce(x, y, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD);
}
