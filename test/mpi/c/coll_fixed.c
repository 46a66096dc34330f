/* coll_fixed.c - treefold_reproducible=fixed: the bits depend on the operands and the number of ranks alone, not on the
 * size of the vector, root, or form of the call; they are those of one way to bracket.
 *
 * np: 1 2 3 4 5 7 8
 * only: treefold
 */
#include <math.h>

#include "check.h"

#ifdef TREEFOLD

enum { MOST = 50000 };

static int rank, size;
static MPI_Comm comm;

/* Thirds of many magnitudes: nearly every way to bracket gives other bits. */
static double element(int of, int i)
{
    return ldexp((double)((of * 7919LL + i * 104729LL) % 1000 - 500) / 3, (of * 5 + i) % 23);
}

static void plain(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *len; i++)
        ((double *)inout)[i] = ((double *)in)[i] + ((double *)inout)[i];
}

/* Members from..to-1, of which the first `pairs` are two ranks: as the manual says it. */
static double balanced(int from, int to, int pairs, int i)
{
    if (to - from > 1)
        return balanced(from, (from + to) / 2, pairs, i) + balanced((from + to) / 2, to, pairs, i);
    if (from >= pairs)
        return element(from + pairs, i);
    return element(2 * from, i) + element(2 * from + 1, i);
}

static double expected(int i)
{
    int core = 1;
    while (2 * core <= size)
        core *= 2;
    return balanced(0, core, size - core, i);
}

static void verify(const char *what, const double *got, const double *wanted, int count)
{
    int i = 0;
    while (i < count && got[i] == wanted[i])
        i++;
    CHECK_NOTED(i == count, "%s of %d, element %d: %a, not %a", what, count, i, got[i], wanted[i]);
}

static void reductions(int count, MPI_Op op)
{
    double *mine = check_alloc((size_t)count * sizeof *mine, 0), *got = check_alloc((size_t)count * sizeof *got, 0);
    double *all = check_alloc((size_t)count * sizeof *all, 0), *below = check_alloc((size_t)count * sizeof *below, 0);
    int *counts = check_alloc((size_t)size * sizeof *counts, 0);
    MPI_Request request;
    for (int i = 0; i < count; i++) {
        mine[i] = element(rank, i);
        all[i] = expected(i);
        for (int of = 0; of < rank; of++)
            below[i] = of ? below[i] + element(of, i) : element(0, i);
    }
    check_wipe(got, (size_t)count * sizeof *got);
    CHECK_OK(MPI_Allreduce(mine, got, count, MPI_DOUBLE, op, comm));
    verify("allreduce", got, all, count);
    check_wipe(got, (size_t)count * sizeof *got);
    CHECK_OK(MPI_Iallreduce(mine, got, count, MPI_DOUBLE, op, comm, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    verify("iallreduce", got, all, count);
    check_wipe(got, (size_t)count * sizeof *got);
    CHECK_OK(MPI_Allreduce_init(mine, got, count, MPI_DOUBLE, op, comm, MPI_INFO_NULL, &request));
    CHECK_OK(MPI_Start(&request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Request_free(&request));
    verify("persistent allreduce", got, all, count);
    for (int root = 0; root < size; root++) {
        check_wipe(got, (size_t)count * sizeof *got);
        CHECK_OK(MPI_Reduce(mine, got, count, MPI_DOUBLE, op, root, comm));
        if (rank == root)
            verify("reduce", got, all, count);
    }
    int block = count / size, from = rank * block;
    for (int i = 0; i < size; i++)
        counts[i] = i + 1 < size ? block : count - i * block;
    check_wipe(got, (size_t)count * sizeof *got);
    CHECK_OK(MPI_Reduce_scatter(mine, got, counts, MPI_DOUBLE, op, comm));
    verify("reduce_scatter", got, all + from, counts[rank]);
    check_wipe(got, (size_t)count * sizeof *got);
    CHECK_OK(MPI_Reduce_scatter_block(mine, got, block, MPI_DOUBLE, op, comm));
    for (int i = 0; i < block; i++)
        all[from + i] = expected(rank * block + i);
    verify("reduce_scatter_block", got, all + from, block);
    check_wipe(got, (size_t)count * sizeof *got);
    CHECK_OK(MPI_Exscan(mine, got, count, MPI_DOUBLE, op, comm));
    verify("exscan", got, below, rank ? count : 0);
    for (int i = 0; i < count; i++)
        below[i] = rank ? below[i] + mine[i] : mine[i];
    check_wipe(got, (size_t)count * sizeof *got);
    CHECK_OK(MPI_Scan(mine, got, count, MPI_DOUBLE, op, comm));
    verify("scan", got, below, count);
    free(counts);
    free(below);
    free(all);
    free(got);
    free(mine);
}

int main(int argc, char **argv)
{
    static const int counts[] = {1, 3, 100, 3000, 20000, MOST};
    MPI_Op op;
    MPI_Info info;
    check_start(&argc, &argv);
    rank = check_rank;
    size = check_size;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "treefold_reproducible", "fixed"));
    CHECK_OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Op_create(plain, 1, &op));
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        reductions(counts[c], MPI_SUM);
        reductions(counts[c], op);
    }
    CHECK_OK(MPI_Op_free(&op));
    CHECK_OK(MPI_Comm_free(&comm));
    return check_end();
}

#else

int main(void)
{
    return 0;
}

#endif
