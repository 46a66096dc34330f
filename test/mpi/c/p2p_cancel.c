/* MPI_Cancel of sends (MPI-5.0 section 3.8.4): either the message is received or it is cancelled, and both sides agree.
 *
 * np: 1 2
 */
#include "check.h"

enum { BUFFER = 1 << 23, MANY = 300 };
enum mode { STANDARD, SYNCHRONOUS, BUFFERED, MODES };

static const int lengths[] = {0, 4, 1000, 60000, 300000, 1 << 20};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static int to, from; /* the sender's and the receiver's idea of the other: the last rank receives */
static bool sends, receives;
static char out[1 << 20], in[1 << 20];

static void start(enum mode mode, int length, int tag, MPI_Request *request)
{
    int (*functions[])(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *) = {MPI_Isend, MPI_Issend,
                                                                                              MPI_Ibsend};
    CHECK_OK(functions[mode](out, length, MPI_CHAR, to, tag, MPI_COMM_WORLD, request));
}

static int cancel(MPI_Request *request)
{
    MPI_Status status;
    int flag = -1;
    CHECK_OK(MPI_Cancel(request));
    CHECK_OK(MPI_Wait(request, &status));
    CHECK_OK(MPI_Test_cancelled(&status, &flag));
    return flag;
}

/* The two sides meet, and the receiver hears a number; nothing but messages, which the receiver takes. */
static int tell(int number)
{
    MPI_Request request;
    int heard = receives ? -1 : number;
    if (sends)
        CHECK_OK(MPI_Isend(&number, 1, MPI_INT, to, 99, MPI_COMM_WORLD, &request));
    if (receives)
        CHECK_OK(MPI_Recv(&heard, 1, MPI_INT, from, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    if (sends)
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(heard >= 0);
    return heard;
}

static void nothing_left(const char *what)
{
    int flag = 0;
    MPI_Status status;
    CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status));
    CHECK_NOTED(!flag, "%s: there is a message with tag %d", what, flag ? status.MPI_TAG : -1);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD)); /* before the next message comes */
}

/* Nobody receives it: it is cancelled, and the next of the same tag is the one that comes. */
static void unmatched(enum mode mode, int length)
{
    MPI_Request request;
    MPI_Status status;
    int count = -1;
    if (sends) {
        memset(out, 'x', (size_t)length);
        start(mode, length, 1, &request);
        CHECK_NOTED(cancel(&request) == 1, "mode %d, %d bytes: not cancelled", mode, length);
        CHECK(request == MPI_REQUEST_NULL);
    }
    tell(0);
    if (sends) {
        memset(out, 'y', (size_t)length);
        start(mode, length, 1, &request);
    }
    if (receives) {
        memset(in, 'z', sizeof in);
        CHECK_OK(MPI_Recv(in, sizeof in, MPI_CHAR, from, 1, MPI_COMM_WORLD, &status));
        CHECK_OK(MPI_Get_count(&status, MPI_CHAR, &count));
        CHECK_INT(count, length);
        CHECK_NOTED(length == 0 || (in[0] == 'y' && in[length - 1] == 'y'), "mode %d, %d bytes", mode, length);
    }
    if (sends) {
        CHECK_OK(MPI_Wait(&request, &status));
        CHECK_OK(MPI_Test_cancelled(&status, &count));
        CHECK_INT(count, 0);
    }
    nothing_left("unmatched");
}

/* There is a receive: the two sides agree on what happened. */
static void matched(enum mode mode, int length)
{
    MPI_Request request, receive;
    MPI_Status status;
    int cancelled = 0, flag = -1;
    memset(in, 'z', sizeof in);
    if (receives)
        CHECK_OK(MPI_Irecv(in, sizeof in, MPI_CHAR, from, 2, MPI_COMM_WORLD, &receive));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (sends) {
        memset(out, 'm', (size_t)length);
        start(mode, length, 2, &request);
        cancelled = cancel(&request);
    }
    cancelled = tell(cancelled);
    if (receives) {
        if (cancelled)
            CHECK_OK(MPI_Cancel(&receive));
        CHECK_OK(MPI_Wait(&receive, &status));
        CHECK_OK(MPI_Test_cancelled(&status, &flag));
        CHECK_INT(flag, cancelled);
        CHECK(in[length] == 'z');
        CHECK(length == 0 || (in[0] == (cancelled ? 'z' : 'm') && in[length - 1] == in[0]));
    }
    nothing_left("matched");
}

/* A message that a matched probe has taken is as good as received. */
static void probed(enum mode mode, int length)
{
    MPI_Request request;
    MPI_Message message;
    int cancelled = 1;
    if (receives)
        memset(in, 'z', sizeof in);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (sends) {
        memset(out, 'p', (size_t)length);
        start(mode, length, 3, &request);
    }
    if (receives)
        CHECK_OK(MPI_Mprobe(from, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (sends)
        CHECK_OK(MPI_Cancel(&request));
    if (receives)
        CHECK_OK(MPI_Mrecv(in, length, MPI_CHAR, &message, MPI_STATUS_IGNORE));
    CHECK(!receives || length == 0 || (in[0] == 'p' && in[length - 1] == 'p'));
    if (sends) {
        MPI_Status status;
        CHECK_OK(MPI_Wait(&request, &status));
        CHECK_OK(MPI_Test_cancelled(&status, &cancelled));
        CHECK_INT(cancelled, 0);
    }
    tell(0);
}

/* Every other message is cancelled, in the order in which they were sent or backwards; the others come. */
static void many(bool backwards)
{
    static MPI_Request requests[MANY];
    static int values[MANY];
    if (sends) {
        for (int i = 0; i < MANY; i++) {
            values[i] = i;
            CHECK_OK((i % 3 ? MPI_Isend : MPI_Issend)(&values[i], 1, MPI_INT, to, i % 7, MPI_COMM_WORLD, &requests[i]));
        }
        for (int k = 0; k < MANY; k += 2) {
            int i = backwards ? MANY - 2 - k : k;
            CHECK_OK(MPI_Cancel(&requests[i]));
            CHECK_OK(MPI_Cancel(&requests[i])); /* again: nothing changes */
        }
        for (int i = 0; i < MANY; i += 2) {
            int flag = 0;
            MPI_Status status;
            CHECK_OK(MPI_Wait(&requests[i], &status));
            CHECK_OK(MPI_Test_cancelled(&status, &flag));
            CHECK_NOTED(flag, "message %d was not cancelled", i);
        }
    }
    tell(0);
    for (int i = 1; receives && i < MANY; i += 2) {
        int value = -1;
        CHECK_OK(MPI_Recv(&value, 1, MPI_INT, from, i % 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_INT(value, i);
    }
    if (sends)
        CHECK_OK(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
    nothing_left("many");
}

static void persistent(int length)
{
    MPI_Request request;
    int flag = 1;
    if (sends) {
        CHECK_OK(MPI_Ssend_init(out, length, MPI_CHAR, to, 4, MPI_COMM_WORLD, &request));
        for (int i = 0; i < 3; i++) {
            CHECK_OK(MPI_Start(&request));
            CHECK_INT(cancel(&request), 1);
        }
    }
    tell(0);
    if (sends) {
        memset(out, 's', (size_t)length);
        CHECK_OK(MPI_Start(&request));
    }
    if (receives) {
        memset(in, 'z', sizeof in);
        CHECK_OK(MPI_Recv(in, length, MPI_CHAR, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(length == 0 || (in[0] == 's' && in[length - 1] == 's'));
    }
    if (sends) {
        MPI_Status status;
        CHECK_OK(MPI_Wait(&request, &status));
        CHECK_OK(MPI_Test_cancelled(&status, &flag));
        CHECK_INT(flag, 0);
        CHECK_OK(MPI_Request_free(&request));
    }
    nothing_left("persistent");
}

/* Given up, the request goes by itself. */
static void freed(enum mode mode, int length)
{
    MPI_Request request;
    if (sends) {
        start(mode, length, 5, &request);
        CHECK_OK(MPI_Cancel(&request));
        CHECK_OK(MPI_Request_free(&request));
    }
    tell(0);
    nothing_left("freed");
}

/* To nobody: complete at once, and not cancelled. */
static void nobody(void)
{
    MPI_Request request;
    CHECK_OK(MPI_Isend(out, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request));
    CHECK_INT(cancel(&request), 0);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    sends = check_rank == 0;
    receives = check_rank == check_size - 1;
    to = check_size - 1;
    from = 0;
    void *buffer = check_alloc(BUFFER, 0);
    int size;
    CHECK_OK(MPI_Buffer_attach(buffer, BUFFER));
    for (enum mode mode = STANDARD; mode < MODES; mode++)
        for (int i = 0; i < LENGTHS; i++) {
            unmatched(mode, lengths[i]);
            if (lengths[i] < (int)sizeof in)
                matched(mode, lengths[i]);
            if (mode != SYNCHRONOUS || check_size > 1)
                probed(mode, lengths[i]);
            freed(mode, lengths[i]);
        }
    many(false);
    many(true);
    persistent(10);
    persistent(500000);
    nobody();
    CHECK_OK(MPI_Buffer_detach(&buffer, &size)); /* a cancelled message holds no room */
    free(buffer);
    return check_end();
}
