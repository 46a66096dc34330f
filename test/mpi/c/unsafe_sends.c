/* Programs that MPI-5.0 section 3.5 calls unsafe, and that run where messages of up to 60,000 bytes are kept: everybody
 * sends before anybody receives.  What is so kept is matched in order, probed, cancelled, and counted as any other.
 *
 * np: 2 3 4
 */
#include "check.h"

enum { MOST = 60000 };
static int right, left;
static unsigned char out[MOST], in[MOST];

static void fill(int salt)
{
    for (int i = 0; i < MOST; i++)
        out[i] = (unsigned char)(i * 7 + i / 251 + salt);
}

static void receive(int from, int tag, int n, int salt)
{
    MPI_Status status;
    int count = -1;
    memset(in, 0xee, sizeof in);
    CHECK_OK(MPI_Recv(in, MOST, MPI_BYTE, from, tag, MPI_COMM_WORLD, &status));
    CHECK_OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK_INT(count, n);
    CHECK_INT(status.MPI_SOURCE, left);
    bool same = true;
    for (int i = 0; i < n; i++)
        same = same && in[i] == (unsigned char)(i * 7 + i / 251 + salt);
    CHECK_NOTED(same, "%d bytes", n);
    CHECK_NOTED(n == MOST || in[n] == 0xee, "%d bytes", n);
}

/* Sizes of each protocol; many turns, in which each process answers the other at once. */
static void blocking(void)
{
    static const int sizes[] = {1, 4000, 8192, 9000, 16384, 20000, 40000, MOST};
    for (int turn = 0; turn < 30; turn++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            fill(turn + check_rank);
            CHECK_OK(MPI_Send(out, sizes[s], MPI_BYTE, right, turn, MPI_COMM_WORLD));
            receive(turn % 2 ? left : MPI_ANY_SOURCE, turn % 3 ? turn : MPI_ANY_TAG, sizes[s], turn + left);
        }
}

/* So many that they are found by an index, long ones and short ones, of which the last was sent by a call that waits.
 */
static void many(void)
{
    enum { MESSAGES = 80 };
    MPI_Request requests[MESSAGES];
    fill(check_rank);
    for (int k = 0; k < MESSAGES; k++)
        CHECK_OK(MPI_Isend(out, k % 2 ? 40000 - k : k, MPI_BYTE, right, k / 4, MPI_COMM_WORLD, &requests[k]));
    CHECK_OK(MPI_Send(out, 30000, MPI_BYTE, right, 1000, MPI_COMM_WORLD));
    receive(left, 1000, 30000, left);
    CHECK_OK(MPI_Send(out, 30001, MPI_BYTE, right, 1001, MPI_COMM_WORLD));
    for (int k = MESSAGES - 4; k >= 0; k -= 4)
        for (int i = k; i < k + 4; i++)
            receive(i % 8 == 1 ? MPI_ANY_SOURCE : left, k / 4, i % 2 ? 40000 - i : i, left);
    receive(MPI_ANY_SOURCE, MPI_ANY_TAG, 30001, left);
    CHECK_OK(MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE));
}

/* Waits of other kinds. */
static void waits(void)
{
    MPI_Request request;
    fill(check_rank);
    CHECK_OK(MPI_Isend(out, 50000, MPI_BYTE, right, 1, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    receive(left, 1, 50000, left);

    if (check_rank == 0) {
        CHECK_OK(MPI_Send(out, 50001, MPI_BYTE, right, 2, MPI_COMM_WORLD));
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
        receive(left, 2, 50001, left);
    } else {
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
        receive(left, 2, 50001, left);
        CHECK_OK(MPI_Send(out, 50001, MPI_BYTE, right, 2, MPI_COMM_WORLD));
    }
}

/* One that was announced and kept is told of by a probe, and goes to who has probed; another one can be taken back. */
static void probed(void)
{
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    int count = -1, cancelled = -1;
    fill(check_rank);
    CHECK_OK(MPI_Isend(out, 45000, MPI_BYTE, right, 3, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Send(out, 35000, MPI_BYTE, right, 4, MPI_COMM_WORLD));
    CHECK_OK(MPI_Probe(left, 3, MPI_COMM_WORLD, &status));
    CHECK_OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK_INT(count, 45000);
    CHECK_OK(MPI_Mprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &message, &status));
    CHECK_OK(MPI_Mrecv(in, MOST, MPI_BYTE, &message, &status));
    CHECK_OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK_INT(count, 35000);
    CHECK_INT(in[34999], (unsigned char)(34999 * 7 + 34999 / 251 + left));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD)); /* who probes finds it */
    CHECK_OK(MPI_Cancel(&request));
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_OK(MPI_Test_cancelled(&status, &cancelled));
    CHECK_INT(cancelled, 1); /* nobody has received it */
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    int there = -1;
    CHECK_OK(MPI_Iprobe(left, 3, MPI_COMM_WORLD, &there, &status));
    CHECK_INT(there, 0);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    blocking();
    many();
    waits();
    probed();
    return check_end();
}
