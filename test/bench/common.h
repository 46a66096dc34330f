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

/* Times blocks of calls that take about `budget` seconds together: block(what, calls) makes so many calls and returns
 * the seconds they took, the same on every process.  Stores the seconds of each block and the calls in a block, and
 * returns the number of blocks, which is odd.  Blocks that turn out much too short, as they do while everything gets
 * warm, are thrown away and more calls are put in one.
 */
static inline int blocks_time(double (*block)(void *what, long calls), void *what, double budget,
                              double seconds[MOST_BLOCKS], long *calls)
{
    double wanted = budget / MOST_BLOCKS;
    int blocks = MOST_BLOCKS;
    *calls = 1;
    for (int i = 0; i < blocks;) {
        double took = block(what, *calls);
        if (took < wanted / 2) {
            /* At most ten times as many, since the first calls are slower than the later ones. */
            double growth = took > 0 && wanted / took < 10 ? wanted / took : 10;
            *calls = (long)((double)*calls * growth) + 1;
            i = 0;
            continue;
        }
        seconds[i++] = took;
        blocks = i > 1 ? blocks : took > 2 * wanted ? 3 : MOST_BLOCKS;
    }
    return blocks;
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
