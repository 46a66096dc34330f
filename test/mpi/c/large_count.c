/* The large-count forms (MPI_X_c) give what the plain ones give, take MPI_Count arrays, and refuse negative counts.
 *
 * np: 1 2 3
 */
#include "ordered.h"

#if MPI_VERSION >= 4

static void affine_function_c(void *in, void *inout, MPI_Count *len, MPI_Datatype *type)
{
    struct affine *x = in, *y = inout;
    (void)type;
    for (MPI_Count i = 0; i < *len; i++)
        y[i] = affine_product(x[i], y[i]);
}

static void reductions(MPI_Count n)
{
    MPI_Datatype type;
    MPI_Op op;
    MPI_Request request;
    MPI_Count size = -1, counts[64];
    int p = check_size;
    CHECK_OK(MPI_Type_contiguous_c(2, MPI_UINT32_T, &type));
    CHECK_OK(MPI_Type_commit(&type));
    CHECK_OK(MPI_Type_size_c(type, &size));
    CHECK_INT(size, 8);
    CHECK_OK(MPI_Op_create_c(affine_function_c, 0, &op));
    struct affine *in = check_alloc(n * p * sizeof *in, 0), *out = check_alloc(n * p * sizeof *out, 0);
    affine_fill(in, check_rank, 0, (int)n * p);
    CHECK_OK(MPI_Allreduce_c(in, out, n, type, op, MPI_COMM_WORLD));
    affine_verify(out, p - 1, 0, (int)n, "Allreduce_c");
    check_wipe(out, (size_t)n * sizeof *out);
    CHECK_OK(MPI_Iallreduce_c(in, out, n, type, op, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    affine_verify(out, p - 1, 0, (int)n, "Iallreduce_c");
    check_wipe(out, (size_t)n * sizeof *out);
    CHECK_OK(MPI_Reduce_c(in, out, n, type, op, p - 1, MPI_COMM_WORLD));
    if (check_rank == p - 1)
        affine_verify(out, p - 1, 0, (int)n, "Reduce_c");
    CHECK_OK(MPI_Scan_c(in, out, n, type, op, MPI_COMM_WORLD));
    affine_verify(out, check_rank, 0, (int)n, "Scan_c");
    for (int r = 0; r < p; r++)
        counts[r] = n;
    CHECK_OK(MPI_Reduce_scatter_c(in, out, counts, type, op, MPI_COMM_WORLD));
    affine_verify(out, p - 1, (int)n * check_rank, (int)n, "Reduce_scatter_c");
    if (check_size > 1) {
        affine_fill(in, 0, 0, (int)n);
        affine_fill(out, 1, 0, (int)n);
        CHECK_OK(MPI_Reduce_local_c(in, out, n, type, op));
        affine_verify(out, 1, 0, (int)n, "Reduce_local_c");
    }
#ifdef TREEFOLD
    CHECK_CLASS(MPI_Allreduce_c(in, out, -7, type, op, MPI_COMM_WORLD), MPI_ERR_COUNT);
#endif
    CHECK_OK(MPI_Op_free(&op));
    CHECK_OK(MPI_Type_free(&type));
    free(in);
    free(out);
}

static void moves(MPI_Count n)
{
    int p = check_size, right = (check_rank + 1) % p, left = (check_rank + p - 1) % p, wrong = 0;
    MPI_Count counts[64], count = -1;
    MPI_Aint displs[64];
    int *in = check_alloc(n * sizeof *in, 0), *out = check_alloc(n * p * sizeof *out, 0);
    MPI_Request request;
    MPI_Status status;
    for (int i = 0; i < n; i++)
        in[i] = check_value(check_rank, i);
    for (int r = 0; r < p; r++) {
        counts[r] = n;
        displs[r] = (p - 1 - r) * n;
    }
    CHECK_OK(MPI_Allgatherv_c(in, n, MPI_INT, out, counts, displs, MPI_INT, MPI_COMM_WORLD));
    for (int i = 0; i < n * p; i++)
        wrong += out[i] != check_value(p - 1 - (int)(i / n), i % n);
    CHECK_INT(wrong, 0);
    CHECK_OK(MPI_Isend_c(in, n, MPI_INT, right, 1, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Recv_c(out, n, MPI_INT, left, 1, MPI_COMM_WORLD, &status));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Get_count_c(&status, MPI_INT, &count));
    CHECK_INT(count, n);
    for (int i = 0; i < n; i++)
        wrong += out[i] != check_value(left, i);
    CHECK_INT(wrong, 0);
    for (int i = 0; i < n; i++)
        out[i] = check_rank == p - 1 ? check_value(p - 1, i) : -1;
    CHECK_OK(MPI_Bcast_c(out, n, MPI_INT, p - 1, MPI_COMM_WORLD));
    for (int i = 0; i < n; i++)
        wrong += out[i] != check_value(p - 1, i);
    CHECK_INT(wrong, 0);
    free(in);
    free(out);
}

/* A type of more bytes than an int can say; nothing of it is sent. */
static void beyond_int(void)
{
    MPI_Datatype type;
    MPI_Count size = 0, lb = 1, extent = 0;
    int small = 0;
    CHECK_OK(MPI_Type_contiguous_c((MPI_Count)5 << 30, MPI_DOUBLE, &type));
    CHECK_OK(MPI_Type_size_c(type, &size));
    CHECK_INT(size, (MPI_Count)40 << 30);
    CHECK_OK(MPI_Type_get_extent_c(type, &lb, &extent));
    CHECK(lb == 0 && extent == size);
    CHECK_OK(MPI_Type_size(type, &small));
    CHECK_INT(small, MPI_UNDEFINED); /* does not fit: section 5.1.5 */
    CHECK_OK(MPI_Type_free(&type));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    reductions(1);
    reductions(20000);
    moves(1);
    moves(50000);
    beyond_int();
    return check_end();
}

#else

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    CHECK(MPI_VERSION < 4);
    return check_end();
}

#endif
