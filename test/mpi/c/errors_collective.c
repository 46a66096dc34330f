/* Wrong arguments of collectives under MPI_ERRORS_RETURN: the right class, and the communicator works on.
 *
 * np: 1 2 3
 * only: treefold
 */
#include "check.h"

static int in[64], out[64], counts[64], displs[64];

static void counts_and_roots(void)
{
    int p = check_size;
    MPI_Comm w = MPI_COMM_WORLD;
    CHECK_CLASS(MPI_Allreduce(in, out, -1, MPI_INT, MPI_SUM, w), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Reduce(in, out, -2, MPI_INT, MPI_SUM, 0, w), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Scan(in, out, -1, MPI_INT, MPI_SUM, w), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Exscan(in, out, -1, MPI_INT, MPI_SUM, w), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Reduce_scatter_block(in, out, -1, MPI_INT, MPI_SUM, w), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Bcast(in, -1, MPI_INT, 0, w), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Allgather(in, -1, MPI_INT, out, 1, MPI_INT, w), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Alltoall(in, 1, MPI_INT, out, -1, MPI_INT, w), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, p, w), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, -1, w), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Bcast(in, 1, MPI_INT, p + 4, w), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, -3, w), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Scatter(in, 1, MPI_INT, out, 1, MPI_INT, p, w), MPI_ERR_ROOT);
    for (int r = 0; r < p; r++) {
        counts[r] = r ? 1 : -1;
        displs[r] = r;
    }
    CHECK_CLASS(MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, w), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Allgatherv(in, 1, MPI_INT, out, counts, displs, MPI_INT, w), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Alltoallv(in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, w), MPI_ERR_COUNT);
}

static void buffers(void)
{
    MPI_Comm w = MPI_COMM_WORLD;
    CHECK_CLASS(MPI_Allreduce(in, in, 4, MPI_INT, MPI_SUM, w), MPI_ERR_BUFFER); /* aliased: section 2.3 */
    CHECK_CLASS(MPI_Scan(in, in, 4, MPI_INT, MPI_SUM, w), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Allgather(in, 4, MPI_INT, in, 4, MPI_INT, w), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Alltoall(in, 4, MPI_INT, in, 4, MPI_INT, w), MPI_ERR_BUFFER);
    /* Only the root can tell here, so nobody else takes part. */
    CHECK_CLASS(MPI_Gather(in, 4, MPI_INT, in, 4, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Scatter(in, 4, MPI_INT, in, 4, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
    CHECK_OK(MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 4, MPI_INT, 0, MPI_COMM_SELF));
    CHECK_OK(MPI_Scatter(in, 4, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_SELF));
#ifdef TREEFOLD
    CHECK_CLASS(MPI_Allreduce(in, MPI_IN_PLACE, 4, MPI_INT, MPI_SUM, w), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Bcast(MPI_IN_PLACE, 4, MPI_INT, 0, w), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Allreduce(NULL, out, 4, MPI_INT, MPI_SUM, w), MPI_ERR_BUFFER);
#endif
}

static void types_and_operators(void)
{
    MPI_Comm w = MPI_COMM_WORLD;
    MPI_Datatype type;
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_CLASS(MPI_Allreduce(in, out, 1, MPI_DATATYPE_NULL, MPI_SUM, w), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Bcast(in, 1, MPI_DATATYPE_NULL, 0, w), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Allreduce(in, out, 1, MPI_INT, MPI_OP_NULL, w), MPI_ERR_OP);
    CHECK_CLASS(MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_BAND, w), MPI_ERR_OP);
    CHECK_CLASS(MPI_Iallreduce(in, out, 1, MPI_DOUBLE, MPI_BAND, w, &request), MPI_ERR_OP);
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_OK(MPI_Type_contiguous(2, MPI_INT, &type));
    CHECK_CLASS(MPI_Bcast(in, 1, type, 0, w), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Allgather(in, 1, type, out, 1, type, w), MPI_ERR_TYPE);
    CHECK_OK(MPI_Type_commit(&type));
    CHECK_CLASS(MPI_Allreduce(in, out, 1, type, MPI_SUM, w), MPI_ERR_OP);
    CHECK_OK(MPI_Type_free(&type));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (int turn = 0; turn < 2; turn++) {
        counts_and_roots();
        buffers();
        types_and_operators();
        int one = 1, sum = 0;
        CHECK_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        CHECK_INT(sum, check_size);
    }
    return check_end();
}
