/* More short messages than the receiver should keep: they come before it asks for them, and what it holds of them stays
 * within bounds, goes back when they are received, and keeps nothing from being right: their order, wildcards, probes,
 * messages of other tags and communicators, cancelled ones and those to oneself.
 *
 * np: 2 3
 * timeout: 120
 * only: treefold
 * exclusive: how much of a flood comes before its receiver can say that it has enough depends on who has the processors
 */
#include "check.h"

#include <unistd.h>

enum { BYTES = 1000, MESSAGES = 60000 / CHECK_SLOW, FEW = 6000, WINDOW = 500, ROUNDS = 8, MIB = 1024 };
enum { FLOOD = 1, DONE, OTHER };

/* VmRSS, VmHWM: KiB. */
static long memory(const char *what)
{
    char line[200];
    long value = -1;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, what, strlen(what)) == 0)
            value = strtol(line + strlen(what) + 1, NULL, 10);
    if (f)
        fclose(f);
    return value;
}

/* AddressSanitizer maps terabytes, and keeps what was freed; providers of libfabric keep what they like. */
static bool memory_counts(void)
{
    const char *net = getenv("TREEFOLD_NET");
    return memory("VmSize:") < 1L << 30 && !(net && strcmp(net, "ofi") == 0);
}

static void fill(int *message, int number, int ints)
{
    for (int i = 0; i < ints; i++)
        message[i] = number + i;
}

static int wrong(const int *message, int number, int ints)
{
    int n = 0;
    for (int i = 0; i < ints; i++)
        n += message[i] != number + i;
    return n;
}

/* All at once: the receiver can only get DONE when it has seen what was sent before. */
static void send_all(int bytes)
{
    int ints = bytes / (int)sizeof(int);
    char *data = check_alloc((size_t)MESSAGES * (size_t)bytes + 1, 0);
    MPI_Request *requests = check_alloc((MESSAGES + 1) * sizeof *requests, 0);
    for (int i = 0; i < MESSAGES; i++) {
        void *message = data + (size_t)i * (size_t)bytes;
        fill(message, i, ints);
        CHECK_OK(MPI_Isend(message, bytes, MPI_BYTE, 0, FLOOD, MPI_COMM_WORLD, &requests[i]));
    }
    CHECK_OK(MPI_Isend(NULL, 0, MPI_BYTE, 0, DONE, MPI_COMM_WORLD, &requests[MESSAGES]));
    CHECK_OK(MPI_Waitall(MESSAGES + 1, requests, MPI_STATUSES_IGNORE));
    free(requests);
    free(data);
}

static void receive_all(int bytes)
{
    static int messages[WINDOW][BYTES / sizeof(int)];
    static MPI_Status statuses[WINDOW];
    MPI_Request requests[WINDOW];
    int ints = bytes / (int)sizeof(int), bad = 0;
    for (int first = 0; first < MESSAGES; first += WINDOW) {
        check_wipe(messages, sizeof messages);
        for (int i = 0; i < WINDOW; i++)
            CHECK_OK(MPI_Irecv(messages[i], BYTES, MPI_BYTE, i % 2 ? 1 : MPI_ANY_SOURCE, i % 3 ? FLOOD : MPI_ANY_TAG,
                               MPI_COMM_WORLD, &requests[i]));
        CHECK_OK(MPI_Waitall(WINDOW, requests, statuses));
        for (int i = 0; i < WINDOW; i++)
            bad += wrong(messages[i], first + i, ints) + (statuses[i].MPI_TAG != FLOOD);
    }
    CHECK_INT(bad, 0);
}

/* The receiver comes late: by then much waits for room, and then there is room for all of it. */
static void at_once(int bytes, long bound)
{
    long before = memory("VmRSS:");
    if (check_rank == 1)
        send_all(bytes);
    if (check_rank != 0)
        return;
    usleep(100000);
    CHECK_OK(MPI_Recv(NULL, 0, MPI_BYTE, 1, DONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    long most = memory("VmHWM:");
    CHECK_NOTED(!memory_counts() || most < before + bound, "%ld KiB, and %ld before", most, before);
    receive_all(bytes);
    long after = memory("VmRSS:");
    CHECK_NOTED(!memory_counts() || after < before + 32 * MIB, "%ld KiB, and %ld before", after, before);
}

/* The receiver waits for somebody else, in a collective, and takes what comes from the one who floods it only now and
 * then. */
static void meanwhile(long bound)
{
    MPI_Comm pair;
    int told = 0;
    long before = memory("VmRSS:");
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank == 1 ? MPI_UNDEFINED : 0, 0, &pair));
    if (check_rank == 1)
        send_all(BYTES);
    if (pair == MPI_COMM_NULL)
        return;
    if (check_rank == 2)
        usleep(500000);
    CHECK_OK(MPI_Bcast(&told, 1, MPI_INT, 1, pair));
    CHECK_OK(MPI_Comm_free(&pair));
    if (check_rank != 0)
        return;
    long most = memory("VmHWM:");
    CHECK_NOTED(!memory_counts() || most < before + bound, "%ld KiB, and %ld before", most, before);
    CHECK_OK(MPI_Recv(NULL, 0, MPI_BYTE, 1, DONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    receive_all(BYTES);
}

/* Blocking: the sender waits in the end, while the receiver looks for something else and all use other communicators.
 */
static void send_one_by_one(MPI_Comm other)
{
    int message[BYTES / sizeof(int)], number;
    MPI_Request request;
    CHECK_OK(MPI_Ibarrier(other, &request));
    for (int i = 0; i < FEW; i++) {
        fill(message, i, BYTES / sizeof(int));
        CHECK_OK(MPI_Send(message, BYTES, MPI_BYTE, 0, FLOOD, MPI_COMM_WORLD));
    }
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Recv(&number, 1, MPI_INT, 0, OTHER, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(number, 77);
}

static void receive_one_by_one(MPI_Comm other)
{
    int message[BYTES / sizeof(int)], flag, bad = 0, number = 77;
    MPI_Request request;
    CHECK_OK(MPI_Ibarrier(other, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < FEW; i++) {
        CHECK_OK(MPI_Iprobe(1, OTHER, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        CHECK_INT(flag, 0);
    }
    CHECK_OK(MPI_Isend(&number, 1, MPI_INT, 1, OTHER, MPI_COMM_WORLD, &request));
    for (int i = 0; i < FEW; i++) {
        MPI_Message found;
        CHECK_OK(MPI_Mprobe(1, FLOOD, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Mrecv(message, BYTES, MPI_BYTE, &found, MPI_STATUS_IGNORE));
        bad += wrong(message, i, BYTES / sizeof(int));
    }
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(bad, 0);
}

/* Windows, each acknowledged: enough and more are said again and again. */
static void in_windows(void)
{
    static int messages[WINDOW][2 * BYTES];
    MPI_Request requests[WINDOW];
    int bad = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < WINDOW && check_rank == 1; i++) {
            fill(messages[i], round + i, 2 * BYTES);
            CHECK_OK(MPI_Isend(messages[i], 2 * BYTES, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]));
        }
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
        for (int i = 0; i < WINDOW && check_rank == 0; i++)
            CHECK_OK(MPI_Irecv(messages[i], 2 * BYTES, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]));
        if (check_rank < 2)
            CHECK_OK(MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE));
        for (int i = 0; i < WINDOW && check_rank == 0; i++)
            bad += wrong(messages[i], round + i, 2 * BYTES);
    }
    CHECK_INT(bad, 0);
}

/* Some that were stored, some that were announced, are taken back; those between them come. */
static void taken_back(void)
{
    static int messages[FEW][BYTES / sizeof(int)];
    static MPI_Request requests[FEW];
    int cancelled = 0, flag, bad = 0, got[BYTES / sizeof(int)];
    for (int i = 0; i < FEW && check_rank == 1; i++) {
        fill(messages[i], i, BYTES / sizeof(int));
        CHECK_OK(MPI_Isend(messages[i], BYTES, MPI_BYTE, 0, FLOOD, MPI_COMM_WORLD, &requests[i]));
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < FEW && check_rank == 1; i += 100) {
        MPI_Status status;
        CHECK_OK(MPI_Cancel(&requests[i]));
        CHECK_OK(MPI_Wait(&requests[i], &status));
        CHECK_OK(MPI_Test_cancelled(&status, &flag));
        cancelled += flag;
    }
    if (check_rank == 1)
        CHECK_INT(cancelled, FEW / 100);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < FEW && check_rank == 0; i++) {
        if (i % 100 == 0)
            continue;
        CHECK_OK(MPI_Recv(got, BYTES, MPI_BYTE, 1, FLOOD, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        bad += wrong(got, i, BYTES / sizeof(int));
    }
    CHECK_INT(bad, 0);
    if (check_rank == 1)
        CHECK_OK(MPI_Waitall(FEW, requests, MPI_STATUSES_IGNORE));
}

static void to_oneself(void)
{
    static int messages[FEW][BYTES / sizeof(int)];
    static MPI_Request requests[FEW];
    int got[BYTES / sizeof(int)], bad = 0;
    for (int i = 0; i < FEW; i++) {
        fill(messages[i], i, BYTES / sizeof(int));
        CHECK_OK(MPI_Isend(messages[i], BYTES, MPI_BYTE, 0, FLOOD, MPI_COMM_SELF, &requests[i]));
    }
    for (int i = 0; i < FEW; i++) {
        CHECK_OK(MPI_Recv(got, BYTES, MPI_BYTE, 0, FLOOD, MPI_COMM_SELF, MPI_STATUS_IGNORE));
        bad += wrong(got, i, BYTES / sizeof(int));
    }
    CHECK_INT(bad, 0);
    CHECK_OK(MPI_Waitall(FEW, requests, MPI_STATUSES_IGNORE));
}

int main(int argc, char **argv)
{
    MPI_Comm other;
    check_start(&argc, &argv);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &other));
    if (check_size > 2)
        meanwhile(48 * MIB);
    at_once(BYTES, 48 * MIB);
    at_once(0, 48 * MIB);
    CHECK_OK(MPI_Barrier(other));
    if (check_rank == 1)
        send_one_by_one(other);
    else if (check_rank == 0)
        receive_one_by_one(other);
    else {
        MPI_Request request;
        CHECK_OK(MPI_Ibarrier(other, &request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    in_windows();
    taken_back();
    to_oneself();
    CHECK_OK(MPI_Comm_free(&other));
    return check_end();
}
