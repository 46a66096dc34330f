/* heap_messages.c - messages from and to memory of MPI_Alloc_mem, other memory, and both at once.
 *
 * np: 2 3 5
 *
 * Where sender and receiver share a node the receiver loads straight from the sender's memory.
 */
#include "heap.h"

#include <sys/wait.h>
#include <unistd.h>

enum { GUARD = 64, KINDS = 2 };

static const int counts[] = {1, 3000, 12345, 50000};
enum { COUNTS = sizeof counts / sizeof counts[0] };

static int *filled(int kind, int count, int rank)
{
    int *at = take(kind, (size_t)(count + GUARD) * sizeof *at);
    for (int i = 0; i < count; i++)
        at[i] = check_value(rank, i);
    return at;
}

static int wrong_values(const int *at, int count, int rank)
{
    int wrong = 0;
    for (int i = 0; i < count; i++)
        wrong += at[i] != check_value(rank, i);
    return wrong;
}

static int guard_touched(const void *end)
{
    int touched = 0;
    for (int i = 0; i < GUARD; i++)
        touched += ((const unsigned char *)end)[i] != 0xe5;
    return touched;
}

/* Round the ring, from each kind of memory to each. */
static void point_to_point(void)
{
    int to = (check_rank + 1) % check_size, from = (check_rank + check_size - 1) % check_size;
    for (int c = 0; c < COUNTS; c++)
        for (int kinds = 0; kinds < KINDS * KINDS; kinds++) {
            /* neighbors send from different memory */
            int mine = (kinds + check_rank) % KINDS, n = counts[c];
            int *out = filled(mine, n, check_rank), *in = take(kinds / KINDS, (size_t)(n + GUARD) * sizeof *in);
            MPI_Request requests[2];
            MPI_Status status;
            CHECK_OK(MPI_Sendrecv(out, n, MPI_INT, to, 1, in, n, MPI_INT, from, 1, MPI_COMM_WORLD, &status));
            CHECK_INT(wrong_values(in, n, from), 0);
            CHECK_INT(guard_touched(in + n), 0);
            check_wipe(in, (size_t)n * sizeof *in);
            CHECK_OK(MPI_Irecv(in, n, MPI_INT, from, 2, MPI_COMM_WORLD, &requests[0]));
            CHECK_OK(MPI_Issend(out, n, MPI_INT, to, 2, MPI_COMM_WORLD, &requests[1]));
            CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
            CHECK_INT(wrong_values(in, n, from), 0);
            CHECK_INT(guard_touched(in + n), 0);
            CHECK_INT(wrong_values(out, n, check_rank), 0);
            give(mine, out);
            give(kinds / KINDS, in);
        }
}

/* Every second element on either side, or on both; and less room than there is data. */
static void layouts(void)
{
    enum { N = 20000 };
    int to = (check_rank + 1) % check_size, from = (check_rank + check_size - 1) % check_size;
    MPI_Datatype every_second;
    CHECK_OK(MPI_Type_vector(N, 1, 2, MPI_INT, &every_second));
    CHECK_OK(MPI_Type_commit(&every_second));
    for (int way = 0; way < 16; way++) {
        int out_kind = way & 1, in_kind = way >> 1 & 1, out_gaps = way >> 2 & 1, in_gaps = way >> 3 & 1;
        int *out = filled(out_kind, 2 * N, check_rank), *in = take(in_kind, 2 * N * sizeof *in), wrong = 0;
        CHECK_OK(MPI_Sendrecv(out, out_gaps ? 1 : N, out_gaps ? every_second : MPI_INT, to, 1, in, in_gaps ? 1 : N,
                              in_gaps ? every_second : MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 0; i < N; i++) {
            wrong += in[in_gaps ? 2 * i : i] != check_value(from, out_gaps ? 2 * i : i);
            wrong += in[in_gaps ? 2 * i + 1 : N + i] != (int)0xe5e5e5e5;
        }
        CHECK_INT(wrong, 0);
        check_wipe(in, 2 * N * sizeof *in);
        int err =
            MPI_Sendrecv(out, N, MPI_INT, to, 1, in, N - 7000, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_CLASS(err, MPI_ERR_TRUNCATE);
        CHECK_INT(in[N - 7000], (int)0xe5e5e5e5);
        give(out_kind, out);
        give(in_kind, in);
    }
    CHECK_OK(MPI_Type_free(&every_second));
}

/* The same block again and again, each time with other data and for another use. */
static void reused(void)
{
    int to = (check_rank + 1) % check_size, from = (check_rank + check_size - 1) % check_size;
    for (int round = 0; round < 30; round++) {
        int n = 10000 + 3000 * (round % 7);
        int *out = filled(1, n, check_rank + round), *in = take(1, (size_t)(n + GUARD) * sizeof *in);
        MPI_Request request;
        CHECK_OK(MPI_Isend(out, n, MPI_INT, to, 0, MPI_COMM_WORLD, &request));
        CHECK_OK(MPI_Recv(in, n, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_INT(wrong_values(in, n, from + round), 0);
        give(1, round % 2 ? in : out);
        give(1, round % 2 ? out : in);
    }
}

/* A child that ends in the middle of it all leaves the parent's messages alone. */
static void child_beside(void)
{
    enum { N = 100000 };
    int to = (check_rank + 1) % check_size, from = (check_rank + check_size - 1) % check_size, status = -1;
    int *out = filled(1, N, check_rank), *in = take(1, N * sizeof *in);
    MPI_Request request;
    CHECK_OK(MPI_Irecv(in, N, MPI_INT, from, 0, MPI_COMM_WORLD, &request));
    pid_t pid = fork();
    if (pid == 0) {
        check_wipe(out, N * sizeof *out);
        check_wipe(in, N * sizeof *in);
        _exit(0);
    }
    CHECK_OK(MPI_Send(out, N, MPI_INT, to, 0, MPI_COMM_WORLD)); /* the receive is posted */
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(waitpid(pid, &status, 0), pid);
    CHECK_INT(status, 0);
    CHECK_INT(wrong_values(out, N, check_rank), 0);
    CHECK_INT(wrong_values(in, N, from), 0);
    give(1, in);
    give(1, out);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    point_to_point();
    layouts();
    reused();
    child_beside();
    return check_end();
}
