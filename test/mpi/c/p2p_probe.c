/* Probe, Iprobe, Mprobe, Improbe, Mrecv and Imrecv: what they tell is what is received, and a matched message is out of
 * reach of other receives.
 *
 * np: 1 2 3
 */
#include "check.h"

static int right, left;

static void probed(int n)
{
    int *out = check_alloc((n + 1) * sizeof *out, 0x21), *in = check_alloc((n + 1) * sizeof *in, 0), count = -1,
        flag = 0;
    MPI_Request request;
    MPI_Status status, received;
    CHECK_OK(MPI_Isend(out, n, MPI_INT, right, 40, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
    CHECK_INT(status.MPI_SOURCE, left);
    CHECK_INT(status.MPI_TAG, 40);
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_INT(count, n);
    CHECK_OK(MPI_Iprobe(left, 40, MPI_COMM_WORLD, &flag, &status));
    CHECK_INT(flag, 1); /* still there */
    CHECK_OK(MPI_Iprobe(left, 41, MPI_COMM_WORLD, &flag, &status));
    CHECK_INT(flag, 0);
    CHECK_OK(MPI_Recv(in, n, MPI_INT, left, 40, MPI_COMM_WORLD, &received));
    CHECK_BYTES(in, out, n * sizeof *in);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status));
    CHECK_INT(flag, 0);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    free(out);
    free(in);
}

/* Two messages; the first is matched, the wildcard receive gets the second; the first is received last. */
static void matched(int n, int nonblocking)
{
    int *out = check_alloc((2 * n + 2) * sizeof *out, 0), *in = check_alloc((2 * n + 2) * sizeof *in, 0), count = -1;
    MPI_Request requests[3];
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    for (int i = 0; i < 2 * n; i++)
        out[i] = check_value(check_rank, i);
    CHECK_OK(MPI_Isend(out, n, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Isend(out + n, n, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[1]));
    if (nonblocking)
        for (int flag = 0; !flag;)
            CHECK_OK(MPI_Improbe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status));
    else
        CHECK_OK(MPI_Mprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &message, &status));
    CHECK(message != MPI_MESSAGE_NULL);
    CHECK_INT(status.MPI_TAG, 1);
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_INT(count, n);
    CHECK_OK(MPI_Recv(in + n, n, MPI_INT, left, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
    CHECK_INT(status.MPI_TAG, 2);
    if (nonblocking) {
        CHECK_OK(MPI_Imrecv(in, n, MPI_INT, &message, &requests[2]));
        CHECK_OK(MPI_Wait(&requests[2], &status));
    } else {
        CHECK_OK(MPI_Mrecv(in, n, MPI_INT, &message, &status));
    }
    CHECK(message == MPI_MESSAGE_NULL);
    CHECK_INT(status.MPI_SOURCE, left);
    CHECK_INT(status.MPI_TAG, 1);
    int wrong = 0;
    for (int i = 0; i < 2 * n; i++)
        wrong += in[i] != check_value(left, i);
    CHECK_INT(wrong, 0);
    CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    free(out);
    free(in);
}

static void from_nobody(void)
{
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    int value = 5, flag = 0;
    CHECK_OK(MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status));
    CHECK(message == MPI_MESSAGE_NO_PROC);
    CHECK_OK(MPI_Mrecv(&value, 1, MPI_INT, &message, &status));
    CHECK(message == MPI_MESSAGE_NULL);
    CHECK_INT(status.MPI_SOURCE, MPI_PROC_NULL);
    CHECK_OK(MPI_Improbe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &message, &status));
    CHECK_INT(flag, 1);
    CHECK(message == MPI_MESSAGE_NO_PROC);
    CHECK_INT(value, 5);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    const int sizes[] = {0, 1, 100, 3000, 20000, 300000};
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    for (int i = 0; i < 6; i++) {
        probed(sizes[i]);
        matched(sizes[i], 0);
        matched(sizes[i], 1);
    }
    from_nobody();
    return check_end();
}
