/* Every send mode, blocking and not, to a neighbour and to oneself, sizes from 0 to 2 MiB on both sides of every
 * protocol switch.
 *
 * np: 1 2 3 4
 */
#include "check.h"

enum { STANDARD, SYNCHRONOUS, READY, BUFFERED, MODES };
enum { MOST = CHECK_SLOW > 1 ? 1048576 : 2097152 };
static char *out, *in, *wanted; /* what this rank sends, what has come, what its left neighbour sends */

static int start_send(int mode, const void *buf, int n, int dest, int tag, MPI_Request *request)
{
    switch (mode) {
    case STANDARD:
        return MPI_Isend(buf, n, MPI_CHAR, dest, tag, MPI_COMM_WORLD, request);
    case SYNCHRONOUS:
        return MPI_Issend(buf, n, MPI_CHAR, dest, tag, MPI_COMM_WORLD, request);
    case READY:
        return MPI_Irsend(buf, n, MPI_CHAR, dest, tag, MPI_COMM_WORLD, request);
    }
    return MPI_Ibsend(buf, n, MPI_CHAR, dest, tag, MPI_COMM_WORLD, request);
}

static int run_send(int mode, const void *buf, int n, int dest, int tag)
{
    switch (mode) {
    case STANDARD:
        return MPI_Send(buf, n, MPI_CHAR, dest, tag, MPI_COMM_WORLD);
    case SYNCHRONOUS:
        return MPI_Ssend(buf, n, MPI_CHAR, dest, tag, MPI_COMM_WORLD);
    case READY:
        return MPI_Rsend(buf, n, MPI_CHAR, dest, tag, MPI_COMM_WORLD);
    }
    return MPI_Bsend(buf, n, MPI_CHAR, dest, tag, MPI_COMM_WORLD);
}

static char *bytes_of(int rank)
{
    char *bytes = check_alloc(MOST, 0);
    for (int i = 0; i < MOST; i++)
        bytes[i] = (char)(rank * 7 + i + i / 251);
    return bytes;
}

static void verify(int rank, int n, int tag, const MPI_Status *status, const char *where)
{
    int count = -1;
    CHECK_NOTED(memcmp(in, wanted, n) == 0, "%s of %d bytes: others have come", where, n);
    CHECK_NOTED(in[n] == 0x5c, "%s of %d bytes wrote past its end", where, n);
    CHECK_INT(status->MPI_SOURCE, rank);
    CHECK_INT(status->MPI_TAG, tag);
    CHECK_OK(MPI_Get_count(status, MPI_CHAR, &count));
    CHECK_INT(count, n);
}

/* Receives are posted first (a ready send asks for that); the barrier makes it known. */
static void expected(int mode, int n)
{
    int right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size, tag = 10 + mode;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    memset(in, 0x5c, n + 1);
    CHECK_OK(MPI_Irecv(in, n + 1, MPI_CHAR, left, tag, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(start_send(mode, out, n, right, tag, &requests[1]));
    CHECK_OK(MPI_Waitall(2, requests, statuses));
    verify(left, n, tag, &statuses[0], "nonblocking");

    memset(in, 0x5c, n + 1);
    CHECK_OK(MPI_Irecv(in, n, MPI_CHAR, left, tag, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_size > 1 || mode != SYNCHRONOUS)
        CHECK_OK(run_send(mode, out, n, right, tag));
    else
        CHECK_OK(MPI_Send(out, n, MPI_CHAR, right, tag, MPI_COMM_WORLD));
    CHECK_OK(MPI_Wait(&requests[0], &statuses[0]));
    verify(left, n, tag, &statuses[0], "blocking");
}

/* The message is there, or announced, before the receive is posted. */
static void unexpected(int mode, int n)
{
    int right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size, tag = 20 + mode;
    MPI_Request request;
    MPI_Status status;
    memset(in, 0x5c, n + 1);
    CHECK_OK(start_send(mode, out, n, right, tag, &request));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (mode == SYNCHRONOUS) {
        int flag = 1;
        CHECK_OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
        CHECK_INT(flag, 0); /* nobody has posted the receive: section 3.4 */
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    CHECK_OK(MPI_Recv(in, n + 1, MPI_CHAR, left, tag, MPI_COMM_WORLD, &status));
    verify(left, n, tag, &status, "unexpected");
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    const int sizes[] = {0,     1,     7,     8,     40,     56,     63,     64,      65,      120,
                         500,   1023,  1024,  1025,  4000,   4096,   8191,   8193,    16384,   16385,
                         32768, 65535, 65536, 65537, 131073, 262144, 262145, 1000003, 1 << 20, MOST - 3};
    out = bytes_of(check_rank);
    wanted = bytes_of((check_rank + check_size - 1) % check_size);
    in = check_alloc(MOST + 1, 0);
    int room = 4 * MOST + 8 * MPI_BSEND_OVERHEAD, size = 0;
    char *buffer = check_alloc(room, 0), *back = NULL;
    CHECK_OK(MPI_Buffer_attach(buffer, room));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int mode = 0; mode < MODES; mode++) {
            expected(mode, sizes[i]);
            if (mode != READY)
                unexpected(mode, sizes[i]);
        }
    CHECK_OK(MPI_Buffer_detach(&back, &size));
    CHECK(back == buffer && size == room);
    free(buffer);
    free(out);
    free(wanted);
    free(in);
    return check_end();
}
