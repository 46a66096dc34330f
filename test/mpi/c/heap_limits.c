/* heap_limits.c - ranks that must not share memory, or not map that of others, beside ranks that may.
 *
 * np: 2 4
 *
 * What cannot be had is replaced by private memory, with a line on standard error, and messages go other ways.
 */
#include "heap.h"

#include <sys/resource.h>

static void lower(int which, rlim_t to)
{
    struct rlimit limit;
    CHECK_INT(getrlimit(which, &limit), 0);
    limit.rlim_cur = to;
    CHECK_INT(setrlimit(which, &limit), 0);
}

static rlim_t addresses_in_use(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f && fscanf(f, "%lu", &pages) == 1);
    if (f)
        fclose(f);
    return (rlim_t)pages * 4096;
}

/* Rank 0 may do all, 1 write no files, 2 open none, and 3 has few addresses left. */
static void limit_myself(void)
{
    if (check_rank == 1)
        lower(RLIMIT_FSIZE, 4096);
    if (check_rank == 2)
        lower(RLIMIT_NOFILE, 3);
#ifndef __SANITIZE_ADDRESS__ /* which needs addresses of its own */
    if (check_rank == 3)
        lower(RLIMIT_AS, addresses_in_use() + ((rlim_t)60 << 20));
#endif
    (void)addresses_in_use;
}

static void exchange(int n)
{
    int *in = take(HEAP, (size_t)n * sizeof *in), *out = take(HEAP, (size_t)n * sizeof *out);
    for (int i = 0; i < n; i++)
        out[i] = check_value(check_rank, i);
    for (int k = 1; k < check_size; k++) {
        int to = (check_rank + k) % check_size, from = (check_rank + check_size - k) % check_size, wrong = 0;
        check_wipe(in, (size_t)n * sizeof *in);
        CHECK_OK(MPI_Sendrecv(out, n, MPI_INT, to, k, in, n, MPI_INT, from, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 0; i < n; i++)
            wrong += in[i] != check_value(from, i);
        CHECK_INT(wrong, 0);
    }
    for (int i = 0; i < n; i++)
        out[i] = i + check_rank;
    CHECK_OK(MPI_Allreduce(out, in, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += in[i] != i * check_size + check_size * (check_size - 1) / 2;
    CHECK_INT(wrong, 0);
    give(HEAP, in);
    give(HEAP, out);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD); /* who meets others has files to open */
    limit_myself();
    exchange(10);
    exchange(100000);
    exchange(300000);
    return check_end();
}
