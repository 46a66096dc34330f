/* overlap SECONDS BYTES ... - how much of an MPI_Iallreduce goes on while the program computes; MPI calls only.
 *
 * For each size: the time of MPI_Iallreduce and MPI_Wait alone; a computation that takes as long; both at once, with
 * the wait after the computation, and again with MPI_Test between its parts.  Overlapped is the part of the shorter of
 * the two that disappears behind the longer: all of it at best, nothing where the operation advances in MPI calls only.
 * The time of a round is that of the slowest rank.  Rank 0 prints a line for each size, JSON.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { PARTS = 50, ROUNDS = 2000 };

static double *in, *out;
static int count;
static volatile double sink;

static void compute(double loops)
{
    double x = 1;
    for (double i = 0; i < loops; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}

enum way { ALONE, COMPUTED, WAITED, TESTED };

static void once(enum way way, double loops)
{
    MPI_Request request = MPI_REQUEST_NULL;
    if (way != COMPUTED)
        MPI_Iallreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    for (int part = 0; part < PARTS && way != ALONE; part++) {
        int flag;
        compute(loops / PARTS);
        if (way == TESTED)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of rounds that take about `budget` seconds. */
static double timed(enum way way, double loops, double budget)
{
    static double times[ROUNDS];
    double spent = 0;
    int n = 0;
    while (n < ROUNDS && spent < budget) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        once(way, loops);
        double mine = MPI_Wtime() - start;
        MPI_Allreduce(&mine, &times[n], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        spent += times[n++];
    }
    qsort(times, (size_t)n, sizeof *times, by_value);
    return times[n / 2];
}

static double overlapped(double alone, double computed, double both)
{
    double shorter = alone < computed ? alone : computed, gone = (alone + computed - both) / shorter;
    return gone < 0 ? 0 : gone > 1 ? 1 : gone;
}

static void measure(size_t bytes, double budget)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    count = (int)(bytes / sizeof *in);
    in = calloc((size_t)count, sizeof *in);
    out = calloc((size_t)count, sizeof *out);
    timed(ALONE, 0, budget / 4);
    double alone = timed(ALONE, 0, budget);
    double loops = 1e5 * alone / timed(COMPUTED, 1e5, budget / 4);
    MPI_Bcast(&loops, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    double computed = timed(COMPUTED, loops, budget);
    double waited = timed(WAITED, loops, budget), tested = timed(TESTED, loops, budget);
    if (rank == 0)
        printf("{\"bytes\": %zu, \"alone\": %g, \"computed\": %g, \"waited\": %g, \"tested\": %g, "
               "\"overlapped_waited\": %.3f, \"overlapped_tested\": %.3f}\n",
               bytes, alone, computed, waited, tested, overlapped(alone, computed, waited),
               overlapped(alone, computed, tested));
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 2; i < argc; i++)
        measure(strtoul(argv[i], NULL, 10), atof(argv[1]));
    MPI_Finalize();
    return 0;
}
