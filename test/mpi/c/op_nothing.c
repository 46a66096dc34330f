/* op_nothing.c - reductions by functions of the program over datatypes without data, without an extent, or neither:
 * there is nothing to combine, or one element.
 *
 * np: 1 2 3 5
 */
#include "check.h"

static void take_larger(void *in, void *inout, int *n, MPI_Datatype *type)
{
    MPI_Count size;
    MPI_Type_size_x(*type, &size);
    for (int i = 0; i < *n && size > 0; i++)
        *(int *)inout = *(int *)in > *(int *)inout ? *(int *)in : *(int *)inout;
}

static MPI_Op op;
static int got;

static int given(void)
{
    got = -7;
    return check_rank;
}

static void reduce_all(MPI_Datatype type, int n, int there)
{
    int in = given(), counts[16];
    MPI_Request request;
    for (int r = 0; r < check_size; r++)
        counts[r] = n;
    CHECK_OK(MPI_Allreduce(&in, &got, n, type, op, MPI_COMM_WORLD));
    CHECK_INT(got, there ? check_size - 1 : -7);
    in = given();
    CHECK_OK(MPI_Reduce(&in, &got, n, type, op, 0, MPI_COMM_WORLD));
    CHECK_INT(got, there && check_rank == 0 ? check_size - 1 : -7);
    in = given();
    CHECK_OK(MPI_Scan(&in, &got, n, type, op, MPI_COMM_WORLD));
    CHECK_INT(got, there ? check_rank : -7);
    in = given();
    CHECK_OK(MPI_Exscan(&in, &got, n, type, op, MPI_COMM_WORLD));
    CHECK_INT(got, there && check_rank > 0 ? check_rank - 1 : -7);
    in = given();
    CHECK_OK(MPI_Reduce_scatter(&in, &got, counts, type, op, MPI_COMM_WORLD));
    CHECK_INT(got, there ? check_size - 1 : -7);
    in = given();
    CHECK_OK(MPI_Reduce_scatter_block(&in, &got, n, type, op, MPI_COMM_WORLD));
    CHECK_INT(got, there ? check_size - 1 : -7);
    in = given();
    CHECK_OK(MPI_Iallreduce(&in, &got, n, type, op, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(got, there ? check_size - 1 : -7);
    in = given();
    CHECK_OK(MPI_Reduce_local(&in, &got, n, type, op));
    CHECK_INT(got, there ? check_rank : -7);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    MPI_Datatype types[4];
    CHECK_OK(MPI_Type_contiguous(0, MPI_INT, &types[0]));
    CHECK_OK(MPI_Type_vector(0, 1, 1, MPI_INT, &types[1]));
    CHECK_OK(MPI_Type_create_resized(types[0], 0, 8, &types[2]));
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, 0, &types[3]));
    for (int i = 0; i < 4; i++)
        CHECK_OK(MPI_Type_commit(&types[i]));
    for (int commutes = 0; commutes < 2; commutes++) {
        CHECK_OK(MPI_Op_create(take_larger, commutes, &op));
        for (int i = 0; i < 4; i++)
            for (int n = 0; n < (i < 3 ? 4 : 2); n++) /* several without an extent would overlap */
                reduce_all(types[i], n, i == 3 && n > 0);
        CHECK_OK(MPI_Op_free(&op));
    }
    for (int i = 0; i < 4; i++)
        CHECK_OK(MPI_Type_free(&types[i]));
    return check_end();
}
