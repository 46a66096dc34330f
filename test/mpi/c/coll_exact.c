/* coll_exact.c - exact sums (treefold_reproducible=exact, MPIX_Binned): the bits depend on the numbers alone.
 *
 * np: 1 2 3 5 8
 * timeout: 120
 * only: treefold
 *
 * Expected bits come from one accumulator to which this process alone adds all numbers one by one; that accumulator is
 * compared with the rounded true sum where that is known.
 */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#ifdef TREEFOLD

enum { NUMBERS = 40000 / CHECK_SLOW, MOST = 6000 };

static int rank, size;

/* The i-th number of a sum that nearly cancels: magnitudes from 2^-40 to 2^40, every one with its opposite but few. */
static double number(uint64_t i)
{
    uint64_t mixed = (i / 2 + 1) * 0x9e3779b97f4a7c15u;
    mixed ^= mixed >> 31;
    mixed *= 0xbf58476d1ce4e5b9u;
    mixed ^= mixed >> 29;
    double x = ldexp(1 + (double)(mixed >> 12) * 0x1p-52, (int)(mixed % 81) - 40);
    if (i % 2)
        x = i % 1000 == 1 ? -x * (1 - 0x1p-40) : -x;
    return x;
}

static int same(const void *a, const void *b, size_t bytes)
{
    return memcmp(a, b, bytes) == 0;
}

/* ---- local data, summed over ranks ---- */

static double sum_of_share(int deal, int p, int me)
{
    MPIX_Binned sum, total;
    MPI_Datatype type;
    memset(&sum, 0, sizeof sum);
    for (uint64_t i = 0; i < NUMBERS; i++) {
        uint64_t k = deal == 0 ? i : NUMBERS - 1 - i;
        int owner = deal == 2 ? (int)(k * 2654435761u % 1000003 % (uint64_t)p) : (int)(k * (uint64_t)p / NUMBERS);
        double x = owner == me ? number(k) : 0;
        if (owner == me)
            MPIX_Binned_add(&x, 1, MPI_DOUBLE, &sum);
    }
    check_wipe(&total, sizeof total);
    MPIX_Type_create_binned(MPI_DOUBLE, &type);
    CHECK_OK(MPI_Allreduce(&sum, &total, 1, type, MPI_SUM, MPI_COMM_WORLD));
    CHECK_OK(MPI_Type_free(&type));
    double value;
    MPIX_Binned_value(&total, 1, MPI_DOUBLE, &value);
    return value;
}

static void shares(void)
{
    double *all = malloc(NUMBERS * sizeof *all), wanted;
    long double close = 0;
    MPIX_Binned sum;
    for (uint64_t i = 0; i < NUMBERS; i++)
        all[i] = number(i);
    /* Each pair is exact in long double, and so are sums of these. */
    for (uint64_t i = 0; i < NUMBERS; i += 2)
        close += (long double)all[i] + all[i + 1];
    memset(&sum, 0, sizeof sum);
    MPIX_Binned_add(all, NUMBERS, MPI_DOUBLE, &sum);
    MPIX_Binned_value(&sum, 1, MPI_DOUBLE, &wanted);
    CHECK_NOTED(fabsl(wanted - close) <= 1e-9L * fabsl(close), "the sum is %a, not about %La", wanted, close);
    for (int deal = 0; deal < 3; deal++) {
        double value = sum_of_share(deal, size, rank);
        CHECK_NOTED(same(&value, &wanted, sizeof value), "deal %d: %a, not %a", deal, value, wanted);
    }
    free(all);
}

/* ---- reductions of elements ---- */

static const struct kind {
    const char *name;
    MPI_Datatype type;
    size_t width;
    int parts;
} kinds[] = {
    {"MPI_DOUBLE", MPI_DOUBLE, sizeof(double), 1},
    {"MPI_FLOAT", MPI_FLOAT, sizeof(float), 1},
    {"MPI_C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX, sizeof(double complex), 2},
    {"MPI_C_FLOAT_COMPLEX", MPI_C_FLOAT_COMPLEX, sizeof(float complex), 2},
};

static void fill(const struct kind *kind, void *x, int of, int count, int round)
{
    for (int i = 0; i < count * kind->parts; i++) {
        double value = number((uint64_t)(of + 8 * round) + 16 * (uint64_t)i);
        if (i % 97 == 13)
            value = of == 1 ? 1e300 : of == 2 ? -1e300 : 0x1p-1074;
        if (i % 97 == 14)
            value = -0.0;
        if (i % 97 == 15 && of == 2)
            value = i % 2 ? INFINITY : NAN;
        if (kind->width / (size_t)kind->parts == sizeof(float))
            ((float *)x)[i] = (float)value;
        else
            ((double *)x)[i] = value;
    }
}

/* Add what ranks first..last contribute, the last one first, number by number. */
static void add_ranks(const struct kind *kind, MPIX_Binned *sums, int first, int last, int count, int round)
{
    char *x = malloc((size_t)count * kind->width + 1);
    for (int of = last; of >= first; of--) {
        fill(kind, x, of, count, round);
        for (int i = 0; i < count; i++)
            MPIX_Binned_add(x + (size_t)i * kind->width, 1, kind->type, &sums[i * kind->parts]);
    }
    free(x);
}

static MPIX_Binned *no_sums(const struct kind *kind, int count)
{
    return calloc((size_t)(count * kind->parts) + 1, sizeof(MPIX_Binned));
}

/* The sums of all ranks. */
static void expect(const struct kind *kind, void *all, int count, int round)
{
    MPIX_Binned *sums = no_sums(kind, count);
    add_ranks(kind, sums, 0, size - 1, count, round);
    MPIX_Binned_value(sums, count, kind->type, all);
    free(sums);
}

/* The sums of all ranks, of those up to this one, and of those before it, in the first round. */
static void expect_parts(const struct kind *kind, void *all, void *upto, void *before, int count)
{
    MPIX_Binned *sums = no_sums(kind, count);
    add_ranks(kind, sums, 0, rank - 1, count, 0);
    MPIX_Binned_value(sums, count, kind->type, before);
    add_ranks(kind, sums, rank, rank, count, 0);
    MPIX_Binned_value(sums, count, kind->type, upto);
    add_ranks(kind, sums, rank + 1, size - 1, count, 0);
    MPIX_Binned_value(sums, count, kind->type, all);
    free(sums);
}

static void verify(const struct kind *kind, const char *what, const void *got, const void *wanted, int count)
{
    CHECK_NOTED(same(got, wanted, (size_t)count * kind->width), "%s of %d %s: other bits", what, count, kind->name);
}

static void reductions(const struct kind *kind, int count, MPI_Comm comm)
{
    size_t bytes = (size_t)count * kind->width;
    char *mine = malloc(bytes + 1), *got = malloc(bytes + 1), *all = malloc(bytes + 1);
    char *upto = malloc(bytes + 1), *before = malloc(bytes + 1);
    int *counts = calloc((size_t)size, sizeof *counts);
    MPI_Request request;
    fill(kind, mine, rank, count, 0);
    expect_parts(kind, all, upto, before, count);

    check_wipe(got, bytes);
    CHECK_OK(MPI_Allreduce(mine, got, count, kind->type, MPI_SUM, comm));
    verify(kind, "allreduce", got, all, count);
    memcpy(got, mine, bytes);
    CHECK_OK(MPI_Allreduce(MPI_IN_PLACE, got, count, kind->type, MPI_SUM, comm));
    verify(kind, "allreduce in place", got, all, count);
    check_wipe(got, bytes);
    CHECK_OK(MPI_Iallreduce(mine, got, count, kind->type, MPI_SUM, comm, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    verify(kind, "iallreduce", got, all, count);

    check_wipe(got, bytes);
    CHECK_OK(MPI_Reduce(mine, got, count, kind->type, MPI_SUM, size - 1, comm));
    if (rank == size - 1)
        verify(kind, "reduce", got, all, count);
    memcpy(got, mine, bytes);
    CHECK_OK(MPI_Reduce(rank ? mine : MPI_IN_PLACE, rank ? NULL : got, count, kind->type, MPI_SUM, 0, comm));
    if (rank == 0)
        verify(kind, "reduce in place", got, all, count);

    check_wipe(got, bytes);
    CHECK_OK(MPI_Scan(mine, got, count, kind->type, MPI_SUM, comm));
    verify(kind, "scan", got, upto, count);
    memcpy(got, mine, bytes);
    CHECK_OK(MPI_Exscan(MPI_IN_PLACE, got, count, kind->type, MPI_SUM, comm));
    verify(kind, "exscan in place", got, rank ? before : mine, count);

    int block = count / size, from = rank * block;
    for (int i = 0; i < size; i++)
        counts[i] = i + 1 < size ? block : count - i * block;
    check_wipe(got, bytes);
    CHECK_OK(MPI_Reduce_scatter(mine, got, counts, kind->type, MPI_SUM, comm));
    verify(kind, "reduce_scatter", got, all + (size_t)from * kind->width, counts[rank]);
    memcpy(got, mine, bytes);
    CHECK_OK(MPI_Reduce_scatter_block(MPI_IN_PLACE, got, block, kind->type, MPI_SUM, comm));
    verify(kind, "reduce_scatter_block in place", got, all + (size_t)from * kind->width, block);

    CHECK_OK(MPI_Allreduce_init(mine, got, count, kind->type, MPI_SUM, comm, MPI_INFO_NULL, &request));
    for (int round = 0; round < (count < MOST ? 3 : 2); round++) {
        fill(kind, mine, rank, count, round);
        if (round > 0)
            expect(kind, all, count, round);
        check_wipe(got, bytes);
        CHECK_OK(MPI_Start(&request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        verify(kind, "persistent allreduce", got, all, count);
    }
    CHECK_OK(MPI_Request_free(&request));
    free(counts);
    free(before);
    free(upto);
    free(all);
    free(got);
    free(mine);
}

/* Switching back and forth; what is exact in any case. */
static void switching(MPI_Comm comm)
{
    const double mine = rank == 0 ? 1e16 : rank == 1 ? 1 : rank == 2 ? -1e16 : 0;
    double sum[3];
    int numbers = rank, total;
    const char *const words[] = {"exact", "no", "exact"};
    for (int i = 0; i < 3; i++) {
        MPI_Info info;
        CHECK_OK(MPI_Info_create(&info));
        CHECK_OK(MPI_Info_set(info, "treefold_reproducible", words[i]));
        CHECK_OK(MPI_Comm_set_info(comm, info));
        CHECK_OK(MPI_Info_free(&info));
        for (int turn = 0; turn < 3; turn++) {
            sum[i] = -1;
            CHECK_OK(MPI_Allreduce(&mine, &sum[i], 1, MPI_DOUBLE, MPI_SUM, comm));
        }
        total = -1;
        CHECK_OK(MPI_Allreduce(&numbers, &total, 1, MPI_INT, MPI_SUM, comm));
        CHECK_NOTED(total == size * (size - 1) / 2, "%d", total);
    }
    double wanted = size > 2 ? 1 : 1e16;
    CHECK_NOTED(sum[0] == wanted && sum[2] == wanted, "%g and %g, not %g", sum[0], sum[2], wanted);
}

int main(int argc, char **argv)
{
    static const int counts[] = {0, 1, 7, 500, MOST};
    check_start(&argc, &argv);
    rank = check_rank;
    size = check_size;
    MPI_Comm comm;
    MPI_Info info;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "treefold_reproducible", "exact"));
    CHECK_OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
    CHECK_OK(MPI_Info_free(&info));
    shares();
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
            reductions(&kinds[k], c < 4 || k == 0 ? counts[c] : 1500, comm);
    switching(comm);
    CHECK_OK(MPI_Comm_free(&comm));
    return check_end();
}

#else

int main(void)
{
    return 0;
}

#endif
