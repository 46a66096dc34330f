/* What bench.c and limits.c share: the clock, where the buffers lie, and the line that tells a result.
 *
 * A result is a line of JSON: what was measured, and the seconds a call took on average in each block of calls.
 */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_BLOCKS = 9, PAGE = 4096 };

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The first of two buffers begins on a page and the second in the middle of one: were both to begin on a page, a load
 * from one would wait for a store to the other wherever their addresses agree in the last 12 bits, and the figure
 * would depend on what the compiler makes of the loop.
 */
static inline void *buffer_new(size_t bytes, int second)
{
    char *memory = aligned_alloc(PAGE, (bytes + 2 * PAGE) / PAGE * PAGE);
    if (!memory) {
        fprintf(stderr, "no memory for a buffer of %zu bytes\n", bytes);
        exit(1);
    }
    return memory + (second ? PAGE / 2 : 0);
}

static inline void buffer_free(void *buffer, int second)
{
    free((char *)buffer - (second ? PAGE / 2 : 0));
}

/* How many calls make a block that takes about `wanted` seconds, when `calls` of them took `took`: at most ten times
 * as many, since the first calls are slower than the later ones.
 */
static inline long calls_next(long calls, double took, double wanted)
{
    double growth = took > 0 ? wanted / took : 10;
    if (growth > 10)
        growth = 10;
    long next = (long)((double)calls * growth);
    return next > calls ? next : calls + 1;
}

/* Blocks to measure when one takes `took` and all should take about `budget`: an odd number, for the median. */
static inline int blocks_in(double budget, double took)
{
    return took * MOST_BLOCKS > 2 * budget ? 3 : MOST_BLOCKS;
}

static inline void result_print(const char *collective, const char *op, size_t bytes, long calls, int blocks,
                                const double *seconds)
{
    printf("{\"collective\": \"%s\", \"op\": \"%s\", \"bytes\": %zu, \"calls\": %ld, \"seconds\": [", collective, op,
           bytes, calls);
    for (int i = 0; i < blocks; i++)
        printf("%s%.6g", i ? ", " : "", seconds[i] / (double)calls);
    printf("]}\n");
    fflush(stdout);
}

#endif
