/* Sums of every count, by every root, in place and not, blocking: counts 0, 1, p - 1, p, p + 1, 17, 100003 and those
 * around the sizes at which a library changes its algorithm.
 *
 * np: 1 2 3 4 5 7 8
 * wrong: mpich (4.0: a long reduce in place at a root other than 0)
 */
#include "check.h"

#define MOST 300000

static long long *out;
static long long *wide;

/* The sum over ranks 0..last of check_value(r, i). */
static long long sum(int last, int i)
{
    long long s = 0;
    for (int r = 0; r <= last; r++)
        s += check_value(r, i);
    return s;
}

static void fill(int n)
{
    for (int i = 0; i < n; i++)
        wide[i] = check_value(check_rank, i);
}

static void verify(const long long *got, int last, int first, int n, const char *where)
{
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += got[i] != sum(last, first + i);
    CHECK_NOTED(wrong == 0, "%s of %d: %d wrong", where, n, wrong);
}

static void untouched(const long long *got, int n, const char *where)
{
    CHECK_NOTED(got[n] == -77, "%s of %d wrote past its end", where, n);
}

static void one_count(int n)
{
    fill(n);
    out[n] = -77;
    check_wipe(out, (size_t)n * sizeof *out);
    CHECK_OK(MPI_Allreduce(wide, out, n, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD));
    verify(out, check_size - 1, 0, n, "allreduce");
    memcpy(out, wide, n * sizeof *out);
    CHECK_OK(MPI_Allreduce(MPI_IN_PLACE, out, n, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD));
    verify(out, check_size - 1, 0, n, "allreduce in place");
    check_wipe(out, (size_t)n * sizeof *out);
    CHECK_OK(MPI_Scan(wide, out, n, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD));
    verify(out, check_rank, 0, n, "scan");
    memset(out, 0x11, n * sizeof *out);
    CHECK_OK(MPI_Exscan(wide, out, n, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD));
    if (check_rank > 0)
        verify(out, check_rank - 1, 0, n, "exscan");
    else
        for (int i = 0; i < n; i += 1 + n / 5)
            CHECK_INT(out[i], 0x1111111111111111LL); /* section 6.11.2: not significant on rank 0; Treefold keeps it */
    untouched(out, n, "a reduction to all");
    for (int root = 0; root < check_size; root++) {
        if (n > 20000 && root != n % check_size)
            continue;
        out[n] = -77;
        check_wipe(out, (size_t)n * sizeof *out);
        CHECK_OK(MPI_Reduce(wide, out, n, MPI_LONG_LONG, MPI_SUM, root, MPI_COMM_WORLD));
        if (check_rank == root) {
            verify(out, check_size - 1, 0, n, "reduce");
            memcpy(out, wide, n * sizeof *out);
        }
        CHECK_OK(
            MPI_Reduce(check_rank == root ? MPI_IN_PLACE : wide, out, n, MPI_LONG_LONG, MPI_SUM, root, MPI_COMM_WORLD));
        if (check_rank == root)
            verify(out, check_size - 1, 0, n, "reduce in place");
        untouched(out, n, "reduce");
    }
}

static void scattered(int n)
{
    int counts[64], first = 0, total = 0;
    fill(n * check_size);
    out[n] = -77;
    check_wipe(out, (size_t)n * sizeof *out);
    CHECK_OK(MPI_Reduce_scatter_block(wide, out, n, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD));
    verify(out, check_size - 1, n * check_rank, n, "reduce_scatter_block");
    untouched(out, n, "reduce_scatter_block");
    CHECK_OK(MPI_Reduce_scatter_block(MPI_IN_PLACE, wide, n, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD));
    verify(wide, check_size - 1, n * check_rank, n, "reduce_scatter_block in place");
    for (int all = 0; all < 2; all++) { /* uneven with zeros; everything at one rank */
        first = total = 0;
        for (int r = 0; r < check_size; r++) {
            counts[r] = all ? (r == check_size / 2 ? n : 0) : r % 2 ? n / 2 : n + r % 3;
            first += r < check_rank ? counts[r] : 0;
            total += counts[r];
        }
        fill(total);
        out[counts[check_rank]] = -77;
        check_wipe(out, (size_t)counts[check_rank] * sizeof *out);
        CHECK_OK(MPI_Reduce_scatter(wide, out, counts, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD));
        verify(out, check_size - 1, first, counts[check_rank], "reduce_scatter");
        untouched(out, counts[check_rank], "reduce_scatter");
        CHECK_OK(MPI_Reduce_scatter(MPI_IN_PLACE, wide, counts, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD));
        verify(wide, check_size - 1, first, counts[check_rank], "reduce_scatter in place");
    }
}

/* All ranks get the same bits, of floats whose sum depends on the order. */
static void same_bits(int n)
{
    double *a = check_alloc(n * sizeof *a, 0), *b = check_alloc(n * sizeof *b, 0);
    unsigned long long low = 0, high[2], all[2];
    for (int i = 0; i < n; i++)
        a[i] = 1.0 / (check_rank + 3 + i % 13) * (i % 2 ? 1e10 : 1e-10);
    CHECK_OK(MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        uint64_t bits;
        double about = 0;
        for (int r = 0; r < check_size; r++)
            about += 1.0 / (r + 3 + i % 13) * (i % 2 ? 1e10 : 1e-10);
        wrong += !(b[i] > about * 0.999999 && b[i] < about * 1.000001);
        memcpy(&bits, &b[i], 8);
        low = low * 1099511628211u + bits;
    }
    CHECK_INT(wrong, 0);
    high[0] = low;
    high[1] = ~low;
    check_wipe(all, sizeof all);
    CHECK_OK(MPI_Allreduce(high, all, 2, MPI_UNSIGNED_LONG_LONG, MPI_BXOR, MPI_COMM_WORLD));
    CHECK(check_size % 2 ? all[0] == low : all[0] == 0);
    free(a);
    free(b);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    const int counts[] = {0,   1,   check_size - 1, check_size, check_size + 1, 17,    255,
                          256, 257, 1023,           8192,       20011,          100003};
    out = check_alloc((MOST + 1) * sizeof *out, 0);
    wide = check_alloc((MOST + 1) * sizeof *wide, 0);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        one_count(counts[i]);
        scattered(counts[i] < 20000 ? counts[i] : counts[i] / check_size);
        same_bits(counts[i]);
    }
    free(out);
    free(wide);
    return check_end();
}
