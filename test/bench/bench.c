/* bench SECONDS COLLECTIVE:OPERATOR:BYTES ... - times calls of an MPI library; MPI calls only.
 *
 * Each case is verified on every rank, called until it is warm and the number of calls that take about SECONDS is
 * known, and timed in blocks of calls without anything between the calls.  A block's figure is that of its
 * slowest rank; a barrier comes before each block and is not timed.  BYTES is what one process contributes, or what
 * each gets from each (scatter, alltoall, reduce_scatter_block).  Rank 0 prints a line for each case: see common.h.
 * With BENCH_FRESH in the environment each rank writes a word of each cache line of its input before each call, and the
 * time that takes is in the figure.  With BENCH_ALONE all ranks begin a call at one time, and it counts until the last
 * has ended.  With BENCH_APART a barrier follows each call, and what counts is the ranks' own times in the calls, their
 * mean.
 */
#include "calls.h"
#include "common.h"

#include <string.h>

/* When all are to begin: they know it by then, if each has a processor. */
static double begin_together(void)
{
    double start = now() + 1e-5;
    MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    while (now() < start)
        ;
    return start;
}

static double slowest_of(double mine)
{
    double slowest;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static double block_alone(const struct measured *m, long calls, int fresh)
{
    double sum = 0;
    for (long i = 0; i < calls; i++) {
        double start = begin_together();
        if (fresh)
            measured_write(m);
        m->call->run(m);
        sum += slowest_of(now() - start);
    }
    return sum;
}

static double block_apart(const struct measured *m, long calls, int fresh)
{
    double mine = 0, sum;
    MPI_Barrier(MPI_COMM_WORLD);
    for (long i = 0; i < calls; i++) {
        if (fresh)
            measured_write(m);
        double start = now();
        m->call->run(m);
        mine += now() - start;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum / m->size;
}

static double block(void *what, long calls)
{
    const struct measured *m = what;
    int fresh = getenv("BENCH_FRESH") != NULL;
    if (getenv("BENCH_ALONE"))
        return block_alone(m, calls, fresh);
    if (getenv("BENCH_APART"))
        return block_apart(m, calls, fresh);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = now();
    for (long i = 0; i < calls; i++) {
        if (fresh)
            measured_write(m);
        m->call->run(m);
    }
    return slowest_of(now() - start);
}

/* Says what is wrong and ends the job. */
static void fail(const char *what, const char *which, long value)
{
    fprintf(stderr, "bench: %s: %s (%ld)\n", which, what, value);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void measure(const char *which, double budget)
{
    char collective[32], op[32];
    size_t bytes;
    struct measured m = {.comm = MPI_COMM_WORLD};
    MPI_Comm_rank(MPI_COMM_WORLD, &m.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &m.size);

    if (sscanf(which, "%31[^:]:%31[^:]:%zu", collective, op, &bytes) != 3)
        fail("a case is COLLECTIVE:OPERATOR:BYTES", which, 0);
    m.call = call_find(collective);
    if (!m.call)
        fail("there is no such collective", which, 0);
    if (m.size < m.call->least)
        fail("it needs more processes than there are", which, m.size);
    /* Calls that combine nothing are measured on doubles. */
    if (reduction_find(&m.with, strcmp(op, "-") ? op : "sum"))
        fail("there is no such operator", which, 0);
    m.count = (int)(bytes / m.with.extent);
    if (m.count < 1 && m.call->in != NONE)
        fail("it is less than one element", which, (long)bytes);

    measured_start(&m);
    long wrong = measured_verify(&m), all_wrong;
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (all_wrong)
        fail("elements of the result are wrong", which, all_wrong);

    double seconds[MOST_BLOCKS];
    long calls;
    int blocks = blocks_time(block, &m, budget, seconds, &calls);
    if (m.rank == 0)
        result_print(collective, op, bytes, calls, blocks, seconds);
    measured_end(&m);
    reduction_free(&m.with);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc < 3)
        fail("give SECONDS and at least one COLLECTIVE:OPERATOR:BYTES", argv[0], argc);
    for (int i = 2; i < argc; i++)
        measure(argv[i], atof(argv[1]));
    MPI_Finalize();
    return 0;
}
