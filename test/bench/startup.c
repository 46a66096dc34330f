/* startup - a program that only initialises, reduces and ends.  Rank 0 prints the largest peak of resident memory of
 * any rank, in KiB, after the reductions.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

/* The peak since this program was executed; getrusage's also knows that of the process that started it. */
static long peak_kib(void)
{
    char line[256];
    long peak = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %ld", &peak) == 1)
            break;
    if (f)
        fclose(f);
    return peak;
}

int main(int argc, char **argv)
{
    double values[1024], sums[1024];
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 1024; i++)
        values[i] = rank + i;
    MPI_Reduce(values, sums, 1024, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && sums[1023] != size * (size - 1) / 2 + 1023.0 * size) {
        fprintf(stderr, "startup: the sum is %g\n", sums[1023]);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    long peak = peak_kib(), largest;
    MPI_Reduce(&peak, &largest, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%ld\n", largest);
    MPI_Finalize();
    return 0;
}
