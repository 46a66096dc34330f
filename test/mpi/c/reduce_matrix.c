/* A product of 2 x 2 matrices, which does not commute, comes out in rank order from every reduction: every root, in
 * place or not, counts from 0 to 50021.
 *
 * np: 1 2 3 4 5 7 8 24
 */
#include "ordered.h"

static MPI_Datatype matrix;
static MPI_Op product;
static struct matrix *in, *out;

static void to_all(int n)
{
    matrix_fill(in, check_rank, 0, n);
    check_wipe(out, (size_t)n * sizeof *out);
    CHECK_OK(MPI_Allreduce(in, out, n, matrix, product, MPI_COMM_WORLD));
    matrix_verify(out, check_size - 1, 0, n, "allreduce");
    matrix_fill(out, check_rank, 0, n);
    CHECK_OK(MPI_Allreduce(MPI_IN_PLACE, out, n, matrix, product, MPI_COMM_WORLD));
    matrix_verify(out, check_size - 1, 0, n, "allreduce in place");
}

static void to_root(int n, int root)
{
    matrix_fill(in, check_rank, 0, n);
    check_wipe(out, (size_t)n * sizeof *out);
    CHECK_OK(MPI_Reduce(in, check_rank == root ? out : NULL, n, matrix, product, root, MPI_COMM_WORLD));
    if (check_rank == root)
        matrix_verify(out, check_size - 1, 0, n, "reduce");
    matrix_fill(out, check_rank, 0, n);
    if (check_rank == root) {
        CHECK_OK(MPI_Reduce(MPI_IN_PLACE, out, n, matrix, product, root, MPI_COMM_WORLD));
        matrix_verify(out, check_size - 1, 0, n, "reduce in place");
    } else {
        CHECK_OK(MPI_Reduce(out, NULL, n, matrix, product, root, MPI_COMM_WORLD));
    }
}

static void prefixes(int n)
{
    matrix_fill(in, check_rank, 0, n);
    check_wipe(out, (size_t)n * sizeof *out);
    CHECK_OK(MPI_Scan(in, out, n, matrix, product, MPI_COMM_WORLD));
    matrix_verify(out, check_rank, 0, n, "scan");
    matrix_fill(out, check_rank, 0, n);
    CHECK_OK(MPI_Scan(MPI_IN_PLACE, out, n, matrix, product, MPI_COMM_WORLD));
    matrix_verify(out, check_rank, 0, n, "scan in place");

    check_wipe(out, (size_t)n * sizeof *out);
    CHECK_OK(MPI_Exscan(in, out, n, matrix, product, MPI_COMM_WORLD));
    if (check_rank > 0)
        matrix_verify(out, check_rank - 1, 0, n, "exscan");
    matrix_fill(out, check_rank, 0, n);
    CHECK_OK(MPI_Exscan(MPI_IN_PLACE, out, n, matrix, product, MPI_COMM_WORLD));
    if (check_rank > 0)
        matrix_verify(out, check_rank - 1, 0, n, "exscan in place");
}

static void blocks(int n)
{
    matrix_fill(in, check_rank, 0, n * check_size);
    check_wipe(out, (size_t)n * sizeof *out);
    CHECK_OK(MPI_Reduce_scatter_block(in, out, n, matrix, product, MPI_COMM_WORLD));
    matrix_verify(out, check_size - 1, n * check_rank, n, "reduce_scatter_block");
    CHECK_OK(MPI_Reduce_scatter_block(MPI_IN_PLACE, in, n, matrix, product, MPI_COMM_WORLD));
    matrix_verify(in, check_size - 1, n * check_rank, n, "reduce_scatter_block in place");
}

static void uneven_blocks(int n)
{
    int counts[64], first = 0, total = 0;
    for (int r = 0; r < check_size; r++) {
        counts[r] = r % 3 == 1 ? 0 : n + r;
        first += r < check_rank ? counts[r] : 0;
        total += counts[r];
    }
    matrix_fill(in, check_rank, 0, total);
    check_wipe(out, (size_t)counts[check_rank] * sizeof *out);
    CHECK_OK(MPI_Reduce_scatter(in, out, counts, matrix, product, MPI_COMM_WORLD));
    matrix_verify(out, check_size - 1, first, counts[check_rank], "reduce_scatter");
    CHECK_OK(MPI_Reduce_scatter(MPI_IN_PLACE, in, counts, matrix, product, MPI_COMM_WORLD));
    matrix_verify(in, check_size - 1, first, counts[check_rank], "reduce_scatter in place");
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    const int counts[] = {0, 1, check_size - 1, 17, 1000, 50021 / CHECK_SLOW};
    int commutes = 1;
    in = check_alloc(sizeof *in * 60000, 0);
    out = check_alloc(sizeof *out * 60000, 0);
    matrix_setup(&matrix, &product);
    CHECK_OK(MPI_Op_commutative(product, &commutes));
    CHECK_INT(commutes, 0);
    for (int i = 0; i < 6; i++) {
        to_all(counts[i]);
        prefixes(counts[i]);
        for (int root = 0; root < check_size; root++)
            if (counts[i] < 10000 || root == check_size / 2)
                to_root(counts[i], root);
        int share = counts[i] / check_size;
        blocks(counts[i] < 100 ? counts[i] : share);
        uneven_blocks(counts[i] < 100 ? counts[i] : share);
    }
    CHECK_OK(MPI_Op_free(&product));
    CHECK(product == MPI_OP_NULL);
    CHECK_OK(MPI_Type_free(&matrix));
    free(in);
    free(out);
    return check_end();
}
