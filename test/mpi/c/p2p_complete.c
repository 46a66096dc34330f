/* The wait and test families, Request_get_status, persistent requests, cancel and free.
 *
 * np: 1 2 3
 */
#include "check.h"

enum { N = 12 };
static int right, left, in[N], out[N];
static MPI_Request sends[N], receives[N];

static void start(int n)
{
    for (int k = 0; k < n; k++) {
        in[k] = -1;
        CHECK_OK(MPI_Irecv(&in[k], 1, MPI_INT, left, k, MPI_COMM_WORLD, &receives[k]));
    }
    for (int k = n - 1; k >= 0; k--) {
        out[k] = 100 * check_rank + k;
        CHECK_OK(MPI_Isend(&out[k], 1, MPI_INT, right, k, MPI_COMM_WORLD, &sends[k]));
    }
}

static void finish(int n)
{
    CHECK_OK(MPI_Waitall(n, sends, MPI_STATUSES_IGNORE));
    for (int k = 0; k < n; k++) {
        CHECK_INT(in[k], 100 * left + k);
        CHECK(receives[k] == MPI_REQUEST_NULL && sends[k] == MPI_REQUEST_NULL);
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void one_at_a_time(void)
{
    MPI_Status status;
    int flag, index, seen[N] = {0};
    start(N);
    for (int k = 0; k < N; k++)
        CHECK_OK(MPI_Wait(&receives[k], &status));
    finish(N);

    start(N);
    for (int k = N - 1; k >= 0; k--)
        for (flag = 0; !flag;)
            CHECK_OK(MPI_Test(&receives[k], &flag, &status));
    finish(N);

    start(N);
    for (int k = 0; k < N; k++) {
        CHECK_OK(MPI_Waitany(N, receives, &index, &status));
        CHECK(index >= 0 && index < N && !seen[index]++);
        CHECK_INT(status.MPI_TAG, index);
        CHECK_INT(status.MPI_SOURCE, left);
    }
    CHECK_OK(MPI_Waitany(N, receives, &index, &status));
    CHECK_INT(index, MPI_UNDEFINED); /* none is left */
    CHECK_INT(status.MPI_TAG, MPI_ANY_TAG);
    CHECK_INT(status.MPI_SOURCE, MPI_ANY_SOURCE);
    finish(N);

    start(N);
    memset(seen, 0, sizeof seen);
    for (int k = 0; k < N; k++) {
        for (flag = 0; !flag;)
            CHECK_OK(MPI_Testany(N, receives, &index, &flag, &status));
        CHECK(index >= 0 && index < N && !seen[index]++);
    }
    CHECK_OK(MPI_Testany(N, receives, &index, &flag, &status));
    CHECK(flag && index == MPI_UNDEFINED);
    finish(N);
}

/* Of those that have ended the one that ended first is told first: programs count on a last message's being the last
 * (HPC Challenge's RandomAccess), and nobody whose request comes late in the array is passed over for ever. */
static void first_ended_first(void)
{
#ifdef TREEFOLD
    MPI_Status status;
    int flag, index;
    for (int k = 0; k < N; k++)
        CHECK_OK(MPI_Irecv(NULL, 0, MPI_INT, left, k, MPI_COMM_WORLD, &receives[k]));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int k = 0; k < N; k++)
        CHECK_OK(MPI_Isend(NULL, 0, MPI_INT, right, (k + 5) % N, MPI_COMM_WORLD, &sends[k]));
    CHECK_OK(MPI_Wait(&receives[4], &status)); /* the last one */
    for (int k = 0; k < N - 1; k++) {
        if (k % 2)
            CHECK_OK(MPI_Waitany(N, receives, &index, &status));
        else {
            CHECK_OK(MPI_Testany(N, receives, &index, &flag, &status));
            CHECK(flag);
        }
        CHECK_INT(index, (k + 5) % N);
    }
    CHECK_OK(MPI_Waitall(N, sends, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
#endif
}

static void several_at_a_time(void)
{
    MPI_Status statuses[N];
    int indices[N], some, flag, left_over;
    start(N);
    CHECK_OK(MPI_Waitall(N, receives, statuses));
    for (int k = 0; k < N; k++)
        CHECK_INT(statuses[k].MPI_TAG, k);
    finish(N);

    start(N);
    for (flag = 0; !flag;)
        CHECK_OK(MPI_Testall(N, receives, &flag, statuses));
    for (int k = 0; k < N; k++)
        CHECK_INT(statuses[k].MPI_TAG, k);
    finish(N);

    start(N);
    for (left_over = N; left_over > 0; left_over -= some) {
        CHECK_OK(MPI_Waitsome(N, receives, &some, indices, statuses));
        CHECK(some > 0 && some <= left_over);
        for (int k = 0; k < some; k++)
            CHECK_INT(statuses[k].MPI_TAG, indices[k]);
    }
    CHECK_OK(MPI_Waitsome(N, receives, &some, indices, statuses));
    CHECK_INT(some, MPI_UNDEFINED);
    finish(N);

    start(N);
    for (left_over = N; left_over > 0; left_over -= some) {
        CHECK_OK(MPI_Testsome(N, receives, &some, indices, statuses));
        CHECK(some >= 0 && some <= left_over);
        for (int k = 0; k < some; k++)
            CHECK_INT(statuses[k].MPI_TAG, indices[k]);
    }
    CHECK_OK(MPI_Testsome(N, receives, &some, indices, statuses));
    CHECK_INT(some, MPI_UNDEFINED);
    finish(N);
}

static void empty_ones(void)
{
    MPI_Request null = MPI_REQUEST_NULL;
    MPI_Status status;
    int flag = 0, cancelled = 1, count = -1;
    CHECK_OK(MPI_Wait(&null, &status));
    CHECK_INT(status.MPI_SOURCE, MPI_ANY_SOURCE); /* an empty status: section 3.7.3 */
    CHECK_INT(status.MPI_TAG, MPI_ANY_TAG);
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_INT(count, 0);
    CHECK_OK(MPI_Test_cancelled(&status, &cancelled));
    CHECK_INT(cancelled, 0);
    CHECK_OK(MPI_Test(&null, &flag, &status));
    CHECK_INT(flag, 1);
    CHECK_OK(MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE));
    CHECK_INT(flag, 1);
    CHECK_OK(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
}

static void persistent(void)
{
    MPI_Request requests[3];
    MPI_Status status;
    int values[2] = {0, 0}, got[2] = {0, 0}, flag;
    CHECK_OK(MPI_Recv_init(&got[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Send_init(&values[0], 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[1]));
    CHECK_OK(MPI_Ssend_init(&values[1], 1, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[2]));
    CHECK_OK(MPI_Wait(&requests[0], &status)); /* inactive: an empty status at once */
    CHECK_INT(status.MPI_TAG, MPI_ANY_TAG);
    CHECK_OK(MPI_Test(&requests[1], &flag, &status));
    CHECK_INT(flag, 1);
    for (int k = 0; k < 200; k++) {
        values[0] = 1000 * check_rank + k;
        values[1] = -values[0];
        CHECK_OK(MPI_Start(&requests[0]));
        CHECK_OK(MPI_Startall(2, requests + 1));
        CHECK_OK(MPI_Recv(&got[1], 1, MPI_INT, left, 2, MPI_COMM_WORLD, &status));
        if (k % 2) {
            CHECK_OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
        } else {
            int index;
            for (int i = 0; i < 3; i++)
                CHECK_OK(MPI_Waitany(3, requests, &index, &status));
            CHECK_OK(MPI_Waitany(3, requests, &index, &status));
            CHECK_INT(index, MPI_UNDEFINED);
        }
        CHECK_INT(got[0], 1000 * left + k);
        CHECK_INT(got[1], -got[0]);
    }
    for (int i = 0; i < 3; i++) {
        CHECK(requests[i] != MPI_REQUEST_NULL);
        CHECK_OK(MPI_Request_free(&requests[i]));
        CHECK(requests[i] == MPI_REQUEST_NULL);
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void start_pair(MPI_Request requests[2])
{
    static int in, out;
    CHECK_OK(MPI_Irecv(&in, 1, MPI_INT, left, 7, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Isend(&out, 1, MPI_INT, right, 7, MPI_COMM_WORLD, &requests[1]));
}

/* The one of them that has been retired leaves the other handle without a request. */
static void twice(void)
{
    for (int call = 0; call < 4; call++) {
        MPI_Request requests[4];
        MPI_Status statuses[4];
        int code = MPI_SUCCESS, flag = 0, indices[4] = {-1, -1, -1, -1}, some = 0;
        start_pair(requests);
        requests[2] = MPI_REQUEST_NULL;
        requests[3] = requests[0];
        if (call == 0)
            code = MPI_Waitall(4, requests, statuses);
        while (call == 1 && !flag && !code)
            code = MPI_Testall(4, requests, &flag, statuses);
        while (call == 2 && !code)
            code = MPI_Waitsome(4, requests, &some, indices, statuses);
        while (call == 3 && !code)
            code = MPI_Testsome(4, requests, &some, indices, statuses);
        CHECK_CLASS(code, MPI_ERR_IN_STATUS);
        int last = call < 2 ? 3 : some - 1;
        CHECK(last >= 0);
        CHECK_CLASS(statuses[last].MPI_ERROR, MPI_ERR_REQUEST);
        CHECK_INT(statuses[0].MPI_ERROR, MPI_SUCCESS);
        CHECK(call < 2 || indices[last] == 3);
        CHECK(requests[0] == MPI_REQUEST_NULL && requests[3] == MPI_REQUEST_NULL);
        CHECK_OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
    }
}

/* A persistent one is there still, inactive. */
static void twice_persistent(void)
{
    MPI_Request requests[3];
    int in = 0;
    CHECK_OK(MPI_Recv_init(&in, 1, MPI_INT, left, 8, MPI_COMM_WORLD, &requests[0]));
    requests[2] = requests[0];
    CHECK_OK(MPI_Start(&requests[0]));
    CHECK_OK(MPI_Isend(&right, 1, MPI_INT, right, 8, MPI_COMM_WORLD, &requests[1]));
    CHECK_OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
    CHECK_INT(in, check_rank);
    CHECK_OK(MPI_Request_free(&requests[0]));
    /* its handle names nothing now, which is seen before anything is waited for */
    start_pair(requests);
    CHECK_CLASS(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
    CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
}

static void cancelled(void)
{
    MPI_Request request;
    MPI_Status status;
    int value = 3, flag = 0;
    CHECK_OK(MPI_Irecv(&value, 1, MPI_INT, left, 99, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Test(&request, &flag, &status));
    CHECK_INT(flag, 0);
    CHECK_OK(MPI_Cancel(&request));
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_OK(MPI_Test_cancelled(&status, &flag));
    CHECK_INT(flag, 1);
    CHECK_INT(value, 3);
    /* the cancelled receive takes nothing from those after it */
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_Irecv(&value, 1, MPI_INT, left, 99, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Send(&check_rank, 1, MPI_INT, right, 99, MPI_COMM_WORLD));
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_OK(MPI_Test_cancelled(&status, &flag));
    CHECK_INT(flag, 0);
    CHECK_INT(value, left);
}

static void asked_and_freed(void)
{
    static int value, got;
    MPI_Request request;
    MPI_Status status;
    int flag = 0;
    value = check_rank + 5;
    CHECK_OK(MPI_Isend(&value, 1, MPI_INT, right, 4, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Request_free(&request)); /* the message goes all the same */
    CHECK_OK(MPI_Irecv(&got, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &request));
    while (!flag)
        CHECK_OK(MPI_Request_get_status(request, &flag, &status));
    CHECK_INT(status.MPI_TAG, 4);
    CHECK(request != MPI_REQUEST_NULL);
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_INT(got, left + 5);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    one_at_a_time();
    first_ended_first();
    several_at_a_time();
    empty_ones();
    persistent();
#ifdef TREEFOLD
    twice();
    twice_persistent();
#endif
    cancelled();
    asked_and_freed();
    return check_end();
}
