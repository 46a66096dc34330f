/* The first message between two processes, which is when they meet, by every kind of call: received before it is sent,
 * probed for, long, synchronous, buffered, from anybody, after a receive that was cancelled, both ways at once.  Each
 * pair has its own kind, and nothing collective comes before.
 *
 * np: 2 4 8
 * timeout: 30
 */
#include <unistd.h>

#include "check.h"

enum { LONG = 100000, NEVER = 1000 };
static int sent[LONG], got[LONG];
static int tag; /* of the pair: messages from anybody are from the other one */

static void fill(int lower, int higher)
{
    for (int i = 0; i < LONG; i++)
        sent[i] = lower * 1000 + higher + i;
    memset(got, 0x55, sizeof got);
}

static void verify(int count, const MPI_Status *status, int source)
{
    int n = -1;
    CHECK_OK(MPI_Get_count(status, MPI_INT, &n));
    CHECK_INT(n, count);
    CHECK_INT(status->MPI_SOURCE, source);
    CHECK_INT(memcmp(got, sent, (size_t)count * sizeof got[0]), 0);
    if (count < LONG)
        CHECK_INT(got[count], 0x55555555);
}

/* ---- the lower rank receives ---- */

static void receive(int from, int count)
{
    MPI_Status status;
    CHECK_OK(MPI_Recv(got, count, MPI_INT, from, tag, MPI_COMM_WORLD, &status));
    verify(count, &status, from);
}

static void receive_one(int from)
{
    receive(from, 1);
}

static void receive_long(int from)
{
    receive(from, LONG);
}

static void receive_any(int from)
{
    MPI_Status status;
    CHECK_OK(MPI_Recv(got, LONG, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status));
    verify(2, &status, from);
}

static void post_and_wait(int from)
{
    MPI_Request request;
    MPI_Status status;
    CHECK_OK(MPI_Irecv(got, 1, MPI_INT, from, tag, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Wait(&request, &status));
    verify(1, &status, from);
}

static void post_and_test(int from)
{
    MPI_Request request;
    MPI_Status status;
    int done = 0;
    CHECK_OK(MPI_Irecv(got, 1, MPI_INT, from, tag, MPI_COMM_WORLD, &request));
    while (!done)
        CHECK_OK(MPI_Test(&request, &done, &status));
    verify(1, &status, from);
}

static void probe(int from)
{
    MPI_Status status;
    CHECK_OK(MPI_Probe(from, tag, MPI_COMM_WORLD, &status));
    receive(from, 1);
}

static void cancel(int from)
{
    MPI_Request request;
    MPI_Status status;
    int cancelled = 0;
    CHECK_OK(MPI_Irecv(got, 1, MPI_INT, from, NEVER, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Cancel(&request));
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_OK(MPI_Test_cancelled(&status, &cancelled));
    CHECK(cancelled);
    receive(from, 1);
}

/* ---- the higher one sends, mostly after it was waited for ---- */

static void send_one(int to)
{
    CHECK_OK(MPI_Send(sent, 1, MPI_INT, to, tag, MPI_COMM_WORLD));
}

static void send_long(int to)
{
    CHECK_OK(MPI_Send(sent, LONG, MPI_INT, to, tag, MPI_COMM_WORLD));
}

static void send_two(int to)
{
    CHECK_OK(MPI_Send(sent, 2, MPI_INT, to, tag, MPI_COMM_WORLD));
}

static void send_synchronous(int to)
{
    CHECK_OK(MPI_Ssend(sent, 1, MPI_INT, to, tag, MPI_COMM_WORLD));
}

static void send_buffered(int to)
{
    static char buffer[1000];
    void *back;
    int size;
    CHECK_OK(MPI_Buffer_attach(buffer, sizeof buffer));
    CHECK_OK(MPI_Bsend(sent, 1, MPI_INT, to, tag, MPI_COMM_WORLD));
    CHECK_OK(MPI_Buffer_detach(&back, &size));
}

static void send_started(int to)
{
    MPI_Request request;
    CHECK_OK(MPI_Send_init(sent, 1, MPI_INT, to, tag, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Start(&request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Request_free(&request));
}

/* ---- both ---- */

static void exchange(int other)
{
    MPI_Status status;
    CHECK_OK(MPI_Sendrecv(sent, LONG, MPI_INT, other, tag, got, LONG, MPI_INT, other, tag, MPI_COMM_WORLD, &status));
    verify(LONG, &status, other);
}

static void (*const kinds[][2])(int other) = {
    {post_and_wait, send_one},     {receive_one, send_one},   {receive_long, send_long}, {receive_any, send_two},
    {post_and_test, send_started}, {probe, send_synchronous}, {cancel, send_buffered},   {exchange, exchange},
};

/* The higher one comes late where `late`; then the other way. */
static void meet(int lower, int higher, void (*const kind[2])(int), bool late)
{
    fill(lower, higher);
    if (check_rank == lower) {
        kind[0](higher);
        send_one(higher);
    } else if (check_rank == higher) {
        if (late)
            usleep(3000);
        kind[1](lower);
        memset(got, 0x55, sizeof got);
        receive_one(lower);
    }
}

int main(int argc, char **argv)
{
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    check_start(&argc, &argv);
    int pair = check_size; /* not always the same kinds */
    for (int higher = 1; higher < check_size; higher++)
        for (int lower = 0; lower < higher; lower++, pair++) {
            tag = pair;
            meet(lower, higher, kinds[pair % KINDS], pair % 3 != 0);
        }
    return check_end();
}
