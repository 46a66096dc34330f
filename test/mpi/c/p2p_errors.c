/* Errors of messages: truncation (the class, and what stays whole), in single calls and in statuses; wrong arguments.
 *
 * np: 1 2
 * wrong: openmpi (4.1: long truncated messages overrun), mpich (4.0: hangs on one to itself; uncommitted type)
 */
#include "check.h"

static void truncated(int sent, int room)
{
    int peer = (check_rank + 1) % check_size, *out = check_alloc(sent * sizeof *out, 0x11),
        *in = check_alloc((sent + 1) * sizeof *in, 0x22);
    MPI_Request request;
    MPI_Status status;
    CHECK_OK(MPI_Isend(out, sent, MPI_INT, peer, 1, MPI_COMM_WORLD, &request));
    CHECK_CLASS(MPI_Recv(in, room, MPI_INT, peer, 1, MPI_COMM_WORLD, &status), MPI_ERR_TRUNCATE);
    CHECK_INT(in[room], 0x22222222);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));

    /* posted before it comes */
    CHECK_OK(MPI_Irecv(in, room, MPI_INT, peer, 2, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_Send(out, sent, MPI_INT, peer, 2, MPI_COMM_WORLD));
    CHECK_CLASS(MPI_Wait(&request, &status), MPI_ERR_TRUNCATE);
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_INT(in[room], 0x22222222);

    /* the messages after it arrive */
    check_wipe(in, sizeof *in);
    CHECK_OK(MPI_Isend(out, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Recv(in, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, &status));
    CHECK_INT(in[0], 0x11111111);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    free(out);
    free(in);
}

static void truncated_among_others(void)
{
    int peer = (check_rank + 1) % check_size, out[3][2] = {{1, 2}, {3, 4}, {5, 6}}, in[3][2] = {{0, 0}, {0, 0}, {0, 0}};
    MPI_Request requests[6];
    MPI_Status statuses[6];
    for (int k = 0; k < 3; k++)
        CHECK_OK(MPI_Irecv(in[k], k == 1 ? 1 : 2, MPI_INT, peer, k, MPI_COMM_WORLD, &requests[k]));
    for (int k = 0; k < 3; k++)
        CHECK_OK(MPI_Isend(out[k], 2, MPI_INT, peer, k, MPI_COMM_WORLD, &requests[3 + k]));
    int code = MPI_Waitall(6, requests, statuses);
    while (code != MPI_SUCCESS) { /* others may be pending still: section 3.7.5 */
        CHECK_CLASS(code, MPI_ERR_IN_STATUS);
        CHECK_CLASS(statuses[1].MPI_ERROR, MPI_ERR_TRUNCATE);
        for (int k = 0; k < 6; k++)
            if (k != 1 && statuses[k].MPI_ERROR != MPI_SUCCESS)
                CHECK_CLASS(statuses[k].MPI_ERROR, MPI_ERR_PENDING);
        code = MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
    }
    CHECK_INT(in[0][1], 2);
    CHECK_INT(in[1][1], 0);
    CHECK_INT(in[2][1], 6);
}

static void wrong_arguments(void)
{
    int value = 0, flag, size = check_size;
    void *attribute = NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    MPI_Datatype type;
    CHECK_CLASS(MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Recv(&value, -3, MPI_INT, 0, 0, MPI_COMM_WORLD, &status), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Irecv(&value, 1, MPI_INT, size + 3, 0, MPI_COMM_WORLD, &request), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Isend(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD, &request), MPI_ERR_TAG);
    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &attribute, &flag));
    CHECK(flag && *(int *)attribute >= 32767);
    if (flag && *(int *)attribute < 0x7fffffff)
        CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, 0, *(int *)attribute + 1, MPI_COMM_WORLD), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    CHECK_OK(MPI_Type_contiguous(2, MPI_INT, &type));
    CHECK_CLASS(MPI_Send(&value, 0, type, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE); /* not committed */
    CHECK_OK(MPI_Type_free(&type));
    CHECK_CLASS(MPI_Bsend(&value, 1, MPI_INT, check_rank, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER); /* none attached */
    CHECK_CLASS(MPI_Request_free(&request), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Start(&request), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Cancel(&request), MPI_ERR_REQUEST);
#ifdef TREEFOLD
    CHECK_CLASS(MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
#endif
}

/* Of those behind and before a wrong one none is started. */
static void started_with_a_wrong_one(void)
{
    int values[2] = {0}, flag = 0;
    MPI_Request wrong, requests[3];
    CHECK_OK(MPI_Irecv(values, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &wrong));
    CHECK_OK(MPI_Recv_init(&values[0], 1, MPI_INT, check_rank, 7, MPI_COMM_WORLD, &requests[0]));
    requests[1] = wrong;
    CHECK_OK(MPI_Recv_init(&values[1], 1, MPI_INT, check_rank, 7, MPI_COMM_WORLD, &requests[2]));
    CHECK_CLASS(MPI_Startall(3, requests), MPI_ERR_REQUEST);
    for (int k = 0; k < 3; k += 2) {
        CHECK_OK(MPI_Test(&requests[k], &flag, MPI_STATUS_IGNORE));
        CHECK(flag); /* it is inactive */
        CHECK_OK(MPI_Request_free(&requests[k]));
    }
    CHECK_OK(MPI_Wait(&wrong, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    truncated(2, 1);
    truncated(2, 0);
    truncated(30, 7);
    truncated(5000, 100);
    truncated(300000, 299999);
    truncated_among_others();
    wrong_arguments();
    started_with_a_wrong_one();
    return check_end();
}
