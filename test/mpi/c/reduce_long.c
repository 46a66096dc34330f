/* Reductions of vectors that travel in many pieces: every element on every rank.  No number of ranks divides them.
 *
 * np: 1 2 3 4 8
 */
#include "check.h"

enum { N = 400009 }; /* 3 MB: several pieces of a single copy in each of 8 slices */

static int rank, size;
static double mine[N], result[N];

static double contribution(int r, int i)
{
    return (r + 1) * (double)(i % 1000 + 1);
}

static double sum(int i)
{
    return size * (size + 1) / 2 * (double)(i % 1000 + 1);
}

static void fill(double *vector)
{
    for (int i = 0; i < N; i++)
        vector[i] = contribution(rank, i);
}

static int wrong(const double *vector, int first, int n)
{
    int count = 0;

    for (int i = 0; i < n; i++)
        count += vector[i] != sum(first + i);
    return count;
}

static void check_allreduce(void)
{
    fill(mine);
    check_wipe(result, sizeof result);
    CHECK_OK(MPI_Allreduce(mine, result, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(wrong(result, 0, N), 0);
    fill(result);
    CHECK_OK(MPI_Allreduce(MPI_IN_PLACE, result, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(wrong(result, 0, N), 0);
}

static void check_reduce(int root)
{
    check_wipe(result, sizeof result);
    CHECK_OK(MPI_Reduce(mine, result, N, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD));
    if (rank == root) {
        CHECK_INT(wrong(result, 0, N), 0);
        fill(result);
    }
    CHECK_OK(MPI_Reduce(rank == root ? MPI_IN_PLACE : mine, result, N, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD));
    if (rank == root)
        CHECK_INT(wrong(result, 0, N), 0);
}

static void check_reduce_scatter(void)
{
    int each = N / size;

    check_wipe(result, sizeof result);
    CHECK_OK(MPI_Reduce_scatter_block(mine, result, each, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(wrong(result, rank * each, each), 0);
    fill(result);
    CHECK_OK(MPI_Reduce_scatter_block(MPI_IN_PLACE, result, each, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(wrong(result, rank * each, each), 0);
}

/* Elements of a pair type, hole included. */
static void check_pairs(void)
{
    static struct {
        double value;
        int place;
    } in[N / 4], out[N / 4];
    int count = 0;

    for (int i = 0; i < N / 4; i++) {
        in[i].value = (rank + i) % size;
        in[i].place = rank;
    }
    CHECK_OK(MPI_Allreduce(in, out, N / 4, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD));
    for (int i = 0; i < N / 4; i++)
        count += out[i].value != size - 1 || (out[i].place + i) % size != size - 1;
    CHECK_INT(count, 0);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK_OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    check_allreduce();
    for (int root = 0; root < size; root++)
        check_reduce(root);
    check_reduce_scatter();
    check_pairs();
    return check_end();
}
