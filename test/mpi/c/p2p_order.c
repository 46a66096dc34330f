/* Matching: messages of one sender do not overtake each other, whatever their sizes; wildcards; tags; messages to
 * nobody and to oneself; thousands of unexpected messages; a receiver that comes late.
 *
 * np: 1 2 3 4 8
 */
#include "check.h"

static int right, left;

/* Sizes jump between the protocols, so that a long message's data come later than the next short one. */
static void no_overtaking(void)
{
    enum { MESSAGES = 60, MOST = 75000, BEHIND = 4 };
    int *in = check_alloc(MOST * sizeof *in, 0), *out[MESSAGES];
    MPI_Request requests[MESSAGES];
    for (int k = 0; k < MESSAGES + BEHIND; k++) {
        if (k < MESSAGES) {
            int n = k % 3 == 0 ? MOST : k % 3 == 1 ? 1 : 2000;
            out[k] = check_alloc(n * sizeof(int), 0);
            out[k][0] = out[k][n - 1] = k;
            CHECK_OK(MPI_Isend(out[k], n, MPI_INT, right, k % 2, MPI_COMM_WORLD, &requests[k]));
        }
        if (k >= BEHIND) { /* some are received while others are still being sent */
            int want = k - BEHIND, count = 0;
            MPI_Status status;
            CHECK_OK(MPI_Recv(in, MOST, MPI_INT, k % 4 ? left : MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
            CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
            CHECK_INT(in[0], want);
            CHECK_INT(in[count - 1], want);
            CHECK_INT(status.MPI_TAG, want % 2);
        }
    }
    CHECK_OK(MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE));
    for (int k = 0; k < MESSAGES; k++)
        free(out[k]);
    free(in);
}

/* A posted receive takes the first message that fits it; of several posted ones, the first posted. */
static void tags_and_posting_order(void)
{
    enum { N = 40 };
    MPI_Request requests[2 * N];
    int in[N], out[N];
    for (int k = 0; k < N; k++) {
        in[k] = -1;
        out[k] = 500 * check_rank + k;
        CHECK_OK(MPI_Irecv(&in[k], 1, MPI_INT, k % 2 ? left : MPI_ANY_SOURCE, k % 4 < 2 ? 7 : 8, MPI_COMM_WORLD,
                           &requests[k]));
    }
    for (int k = 0; k < N; k++) /* those of tag 8 first */
        CHECK_OK(MPI_Isend(&out[k], 1, MPI_INT, right, k < N / 2 ? 8 : 7, MPI_COMM_WORLD, &requests[N + k]));
    CHECK_OK(MPI_Waitall(2 * N, requests, MPI_STATUSES_IGNORE));
    for (int k = 0, eight = 0, seven = N / 2; k < N; k++)
        CHECK_INT(in[k], 500 * left + (k % 4 < 2 ? seven++ : eight++));
}

static void from_anybody(void)
{
    enum { EACH = 50 };
    int next[64] = {0};
    if (check_rank == 0)
        for (int k = 0; k < EACH * (check_size - 1); k++) {
            int value;
            MPI_Status status;
            CHECK_OK(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
            CHECK_INT(value, status.MPI_SOURCE * 1000 + next[status.MPI_SOURCE]);
            CHECK_INT(status.MPI_TAG, next[status.MPI_SOURCE]);
            next[status.MPI_SOURCE]++;
        }
    else
        for (int k = 0; k < EACH; k++) {
            int value = check_rank * 1000 + k;
            CHECK_OK(MPI_Send(&value, 1, MPI_INT, 0, k, MPI_COMM_WORLD));
        }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* 10,000 messages that nobody waits for, taken out from the far end. */
static void unexpected_flood(void)
{
    enum { N = 10000 };
    int *values = check_alloc(N * sizeof *values, 0);
    MPI_Request *requests = check_alloc(N * sizeof *requests, 0);
    for (int k = 0; k < N; k++) {
        values[k] = check_rank * N + k;
        CHECK_OK(MPI_Isend(&values[k], 1, MPI_INT, right, k % 100, MPI_COMM_WORLD, &requests[k]));
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int tag = 99; tag >= 0; tag--)
        for (int k = tag; k < N; k += 100) {
            int value = -1;
            CHECK_OK(MPI_Recv(&value, 1, MPI_INT, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_INT(value, left * N + k);
        }
    CHECK_OK(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));
    free(values);
    free(requests);
}

/* Rank 0 sends 5000 messages before anybody receives: the ring must not lose or reorder when it is full. */
static void late_receiver(int n)
{
    enum { N = 5000 };
    int *data = check_alloc(n * sizeof *data, 0);
    MPI_Request *requests = check_alloc((size_t)N * check_size * sizeof *requests, 0);
    int outstanding = 0;
    if (check_rank == 0) {
        int *all = check_alloc((size_t)N * n * sizeof *all, 0);
        for (int k = 0; k < N; k++) {
            for (int i = 0; i < n; i++)
                all[k * n + i] = k + i;
            for (int r = 1; r < check_size; r++)
                CHECK_OK(MPI_Isend(all + k * n, n, MPI_INT, r, 1, MPI_COMM_WORLD, &requests[outstanding++]));
        }
        for (int r = 1; r < check_size; r++)
            CHECK_OK(MPI_Send(NULL, 0, MPI_INT, r, 2, MPI_COMM_WORLD));
        CHECK_OK(MPI_Waitall(outstanding, requests, MPI_STATUSES_IGNORE));
        free(all);
    } else {
        CHECK_OK(MPI_Recv(NULL, 0, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)); /* sent last, taken first */
        for (int k = 0; k < N; k++) {
            CHECK_OK(MPI_Recv(data, n, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK(data[0] == k && data[n - 1] == k + n - 1);
        }
    }
    free(data);
    free(requests);
}

static void nobody(void)
{
    int value = 77, count = -1;
    MPI_Status status;
    MPI_Request requests[2];
    CHECK_OK(MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    CHECK_OK(MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
    CHECK_INT(value, 77);
    CHECK_INT(status.MPI_SOURCE, MPI_PROC_NULL);
    CHECK_INT(status.MPI_TAG, MPI_ANY_TAG);
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_INT(count, 0);
    CHECK_OK(MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &requests[1]));
    CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Probe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
    CHECK_INT(status.MPI_SOURCE, MPI_PROC_NULL);
}

static void oneself(void)
{
    enum { N = 100000 };
    int *out = check_alloc(N * sizeof *out, 0x12), *in = check_alloc(N * sizeof *in, 0);
    MPI_Request requests[4];
    CHECK_OK(MPI_Isend(out, N, MPI_INT, check_rank, 1, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Isend(out, 3, MPI_INT, check_rank, 2, MPI_COMM_WORLD, &requests[1]));
    CHECK_OK(MPI_Irecv(in, N, MPI_INT, check_rank, 2, MPI_COMM_WORLD, &requests[2]));
    CHECK_OK(MPI_Wait(&requests[2], MPI_STATUS_IGNORE));
    CHECK_INT(in[2], 0x12121212);
    CHECK_INT(in[3], 0);
    CHECK_OK(MPI_Irecv(in, N, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[3]));
    CHECK_OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    CHECK_BYTES(in, out, N * sizeof *in);
    CHECK_OK(MPI_Isend(out, 5, MPI_INT, 0, 2, MPI_COMM_SELF, &requests[0]));
    check_wipe(in, 5 * sizeof *in);
    CHECK_OK(MPI_Recv(in, 5, MPI_INT, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK_BYTES(in, out, 5 * sizeof *in);
    CHECK_OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    tags_and_posting_order();
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD)); /* its wildcards are not for the next messages */
    from_anybody();
    no_overtaking();
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    unexpected_flood();
    late_receiver(1);
    late_receiver(100);
    nobody();
    oneself();
    return check_end();
}
