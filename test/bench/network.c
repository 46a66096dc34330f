/* network.c - processes on two hosts: round trips, allreduce, a halo exchange and one-sided communication over MPI, or,
 * without MPI, over one TCP connection as the limit of what the first may reach.  Run by test/bench/network.
 *
 *     network MILLISECONDS PRIORITY WHAT,... BYTES...                     an MPI program
 *     network-raw MILLISECONDS PRIORITY WHAT,... BYTES... - PORT [ADDRESS]    (built with -DRAW) connects, or accepts
 *
 * Each case gets so many milliseconds, in nine blocks of calls.  Prints "WHAT BYTES MICROSECONDS", the median block,
 * as soon as it has it.  PRIORITY, if it is not 0, is that of a real-time process while it measures: it keeps other
 * programs out, and is of use for two ranks with a processor each.
 *
 * Round trips are of the first and the last rank, the others wait; "allreduce" is a sum of doubles on all.  Raw, that
 * is both sides sending all and receiving all at once: what two ranks have to move at the least.  "neighbors" is an
 * alltoall with the four neighbours in a torus of all ranks, persistent where MPI has that (MPI-4), so many bytes each;
 * "stream" 64 messages each way between the first and the last rank; and there are other collectives, of which the
 * bytes are those of a block, for reduce_scatter of all blocks.  None of these is raw.
 *
 * What begins with "window" is of the first rank and the memory of the last one, which waits for a broadcast meanwhile:
 * put, get, acc (a sum of doubles), fop (MPI_Fetch_and_op of a long, whatever the bytes, once) and a flush; many, 64
 * puts and a flush; lock, an exclusive lock, a put, and unlock; and fence, a put and MPI_Win_fence by all.  Not raw.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCKS = 9, NEIGHBORS = 4, WINDOW = 64 };

static int me, last;
static double *in, *out;
static double seconds;

/* By MPI or raw: */
static void round_trip(size_t bytes);
static void both_ways(size_t bytes);
#ifndef RAW
static void windows(const char *wanted, size_t most, size_t bytes);
#endif
static long agreed(long calls); /* what rank 0 says */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double block(void (*run)(size_t bytes), size_t bytes, long calls)
{
    double began = now();
    for (long i = 0; i < calls; i++)
        run(bytes);
    return (now() - began) / (double)calls;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Whether that word is one of those, with commas between them. */
static int is_wanted(const char *list, const char *word)
{
    size_t n = strlen(word);
    while (*list && !(strncmp(list, word, n) == 0 && (list[n] == ',' || !list[n]))) {
        list += strcspn(list, ",");
        list += *list == ',';
    }
    return *list != '\0';
}

static void measure(const char *wanted, const char *what, void (*run)(size_t bytes), size_t bytes)
{
    double sample[BLOCKS];
    if (!is_wanted(wanted, what))
        return;
    block(run, bytes, 2);
    double share = seconds / BLOCKS / block(run, bytes, 3);
    long calls = agreed(share < 1 ? 1 : share > 1e5 ? 100000 : (long)share);
    for (int i = 0; i < BLOCKS; i++)
        sample[i] = block(run, bytes, calls);
    qsort(sample, BLOCKS, sizeof sample[0], by_value);
    if (me == 0) {
        printf("%s %zu %.3f\n", what, bytes, sample[BLOCKS / 2] * 1e6);
        fflush(stdout);
    }
}

static void set_priority(int priority)
{
    struct sched_param p = {.sched_priority = priority};
    if (sched_setscheduler(0, priority ? SCHED_FIFO : SCHED_OTHER, &p) && priority && me == 0)
        fprintf(stderr, "cannot run with real-time priority\n");
}

struct what {
    const char *name;
    void (*run)(size_t bytes);
};
static const struct what *whats(void); /* the last one has no name */

static void measure_all(int argc, char **argv)
{
    size_t most = 8;
    for (int i = 4; i < argc && argv[i][0] != '-'; i++)
        most = strtoul(argv[i], NULL, 10) > most ? strtoul(argv[i], NULL, 10) : most;
    size_t blocks = strstr(argv[3], "stream") ? WINDOW : last + 1 > NEIGHBORS ? (size_t)last + 1 : NEIGHBORS;
    in = malloc(blocks * most);
    out = malloc(blocks * most);
    for (size_t i = 0; i < blocks * most / 8; i++)
        in[i] = out[i] = (double)i;
    seconds = atof(argv[1]) * 1e-3;
    set_priority(atoi(argv[2]));
    for (int i = 4; i < argc && argv[i][0] != '-'; i++) {
        size_t bytes = strtoul(argv[i], NULL, 10);
        for (const struct what *what = whats(); what->name; what++)
            measure(argv[3], what->name, what->run, bytes);
#ifndef RAW
        windows(argv[3], most, bytes);
#endif
    }
    set_priority(0);
}

#ifdef RAW

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

static int fd;

/* The best there are for 4 MiB: all at once takes four times as long, as it falls out of the caches on its way. */
enum { SEND_PIECE = 1024 * 1024, RECV_PIECE = 256 * 1024 };

/* One call of send or recv without blocking; bytes moved. */
static size_t some(int sends, char *at, size_t n)
{
    if (n == 0)
        return 0;
    size_t piece = sends ? SEND_PIECE : RECV_PIECE;
    n = n < piece ? n : piece;
    ssize_t moved = sends ? send(fd, at, n, MSG_DONTWAIT) : recv(fd, at, n, MSG_DONTWAIT);
    if (moved == 0 || (moved < 0 && errno != EAGAIN))
        exit(1);
    return moved < 0 ? 0 : (size_t)moved;
}

static void transfer(size_t to_send, size_t to_receive)
{
    size_t sent = 0, received = 0;
    while (sent < to_send || received < to_receive) {
        sent += some(1, (char *)in + sent, to_send - sent);
        received += some(0, (char *)out + received, to_receive - received);
    }
}

static void round_trip(size_t bytes)
{
    transfer(me == 0 ? bytes : 0, me == 0 ? 0 : bytes);
    transfer(me == 0 ? 0 : bytes, me == 0 ? bytes : 0);
}

static void both_ways(size_t bytes)
{
    transfer(bytes, bytes);
}

static const struct what *whats(void)
{
    static const struct what all[] = {{"pingpong", round_trip}, {"allreduce", both_ways}, {NULL, NULL}};
    return all;
}

static long agreed(long calls)
{
    in[0] = (double)calls;
    transfer(me == 0 ? 8 : 0, me == 0 ? 0 : 8);
    return me == 0 ? calls : (long)out[0];
}

static int meet(const char *address, int port)
{
    int on = 1, s = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    if (!address) {
        setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        return bind(s, (struct sockaddr *)&at, sizeof at) || listen(s, 1) ? -1 : accept(s, NULL, NULL);
    }
    inet_pton(AF_INET, address, &at.sin_addr);
    for (int i = 0; connect(s, (struct sockaddr *)&at, sizeof at); i++) {
        if (i == 100)
            return -1;
        close(s);
        s = socket(AF_INET, SOCK_STREAM, 0);
        usleep(50000);
    }
    return s;
}

int main(int argc, char **argv)
{
    int dash = 1, on = 1;
    while (dash < argc && strcmp(argv[dash], "-") != 0)
        dash++;
    if (dash + 1 >= argc)
        return 2;
    me = argv[dash + 2] ? 0 : 1;
    last = 1;
    fd = meet(argv[dash + 2], atoi(argv[dash + 1]));
    if (fd < 0)
        return 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    measure_all(argc, argv);
    return 0;
}

#else

#include <mpi.h>

static void round_trip(size_t bytes)
{
    if (me == 0)
        MPI_Send(in, (int)bytes, MPI_BYTE, last, 0, MPI_COMM_WORLD);
    if (me == 0 || me == last)
        MPI_Recv(out, (int)bytes, MPI_BYTE, last - me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (me == last)
        MPI_Send(in, (int)bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
}

static void both_ways(size_t bytes)
{
    MPI_Allreduce(in, out, (int)(bytes / 8), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

#if MPI_VERSION >= 4
static void exchange(size_t bytes, MPI_Comm torus)
{
    static MPI_Request request = MPI_REQUEST_NULL;
    static size_t its_bytes;
    if (bytes != its_bytes) {
        if (request != MPI_REQUEST_NULL)
            MPI_Request_free(&request);
        MPI_Neighbor_alltoall_init(in, (int)bytes, MPI_BYTE, out, (int)bytes, MPI_BYTE, torus, MPI_INFO_NULL, &request);
        its_bytes = bytes;
    }
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
#else
static void exchange(size_t bytes, MPI_Comm torus)
{
    MPI_Neighbor_alltoall(in, (int)bytes, MPI_BYTE, out, (int)bytes, MPI_BYTE, torus);
}
#endif

static void neighbors(size_t bytes)
{
    static MPI_Comm torus = MPI_COMM_NULL;
    if (torus == MPI_COMM_NULL) {
        int sides[2] = {0, 0}, periods[2] = {1, 1};
        MPI_Dims_create(last + 1, 2, sides);
        MPI_Cart_create(MPI_COMM_WORLD, 2, sides, periods, 0, &torus);
    }
    exchange(bytes, torus);
}

static void stream(size_t bytes)
{
    MPI_Request request[2 * WINDOW];
    int n = (int)bytes, peer = last - me;
    if (me != 0 && me != last)
        return;
    for (int i = 0; i < WINDOW; i++)
        MPI_Irecv((char *)out + (size_t)i * bytes, n, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &request[i]);
    for (int i = 0; i < WINDOW; i++)
        MPI_Isend((char *)in + (size_t)i * bytes, n, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &request[WINDOW + i]);
    MPI_Waitall(2 * WINDOW, request, MPI_STATUSES_IGNORE);
}

static void bcast(size_t bytes)
{
    MPI_Bcast(in, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void reduce(size_t bytes)
{
    MPI_Reduce(in, out, (int)(bytes / 8), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void allgather(size_t bytes)
{
    MPI_Allgather(in, (int)bytes, MPI_BYTE, out, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void alltoall(size_t bytes)
{
    MPI_Alltoall(in, (int)bytes, MPI_BYTE, out, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void reduce_scatter(size_t bytes)
{
    int count = (int)(bytes / 8 / (size_t)(last + 1));
    MPI_Reduce_scatter_block(in, out, count > 0 ? count : 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void gather(size_t bytes)
{
    MPI_Gather(in, (int)bytes, MPI_BYTE, out, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void scan(size_t bytes)
{
    MPI_Scan(in, out, (int)(bytes / 8), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static const struct what *whats(void)
{
    static const struct what all[] = {
        {"pingpong", round_trip}, {"allreduce", both_ways}, {"neighbors", neighbors},
        {"stream", stream},       {"bcast", bcast},         {"reduce", reduce},
        {"allgather", allgather}, {"alltoall", alltoall},   {"reduce_scatter", reduce_scatter},
        {"gather", gather},       {"scan", scan},           {NULL, NULL}};
    return all;
}

/* ---- one-sided; under MPI_Win_lock_all, but for the last two ---- */

enum { MANY = 64, MOST_PUTS = 64 * 1024 };
static MPI_Win win;

static void window_put(size_t bytes)
{
    MPI_Put(in, (int)bytes, MPI_BYTE, last, 0, (int)bytes, MPI_BYTE, win);
    MPI_Win_flush(last, win);
}

static void window_get(size_t bytes)
{
    MPI_Get(out, (int)bytes, MPI_BYTE, last, 0, (int)bytes, MPI_BYTE, win);
    MPI_Win_flush(last, win);
}

static void window_acc(size_t bytes)
{
    MPI_Accumulate(in, (int)(bytes / 8), MPI_DOUBLE, last, 0, (int)(bytes / 8), MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_flush(last, win);
}

static void window_fop(size_t bytes)
{
    const long one = 1;
    long old;
    (void)bytes;
    MPI_Fetch_and_op(&one, &old, MPI_LONG, last, 0, MPI_SUM, win);
    MPI_Win_flush(last, win);
}

static void window_many(size_t bytes)
{
    for (int i = 0; i < MANY; i++)
        MPI_Put(in, (int)bytes, MPI_BYTE, last, 0, (int)bytes, MPI_BYTE, win);
    MPI_Win_flush(last, win);
}

static void window_lock(size_t bytes)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last, 0, win);
    MPI_Put(in, (int)bytes, MPI_BYTE, last, 0, (int)bytes, MPI_BYTE, win);
    MPI_Win_unlock(last, win);
}

static void window_fence(size_t bytes)
{
    if (me == 0)
        MPI_Put(in, (int)bytes, MPI_BYTE, last, 0, (int)bytes, MPI_BYTE, win);
    MPI_Win_fence(0, win);
}

static void nothing(size_t bytes)
{
    (void)bytes;
}

static void windows(const char *wanted, size_t most, size_t bytes)
{
    static const struct {
        const char *what;
        void (*run)(size_t bytes);
    } locked[] = {{"window_put", window_put}, {"window_get", window_get},   {"window_acc", window_acc},
                  {"window_fop", window_fop}, {"window_many", window_many}, {"window_lock", window_lock}};
    void *memory;
    if (!strstr(wanted, "window_"))
        return;
    MPI_Win_allocate((MPI_Aint)most, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    memset(memory, 0, most);
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t i = 0; i < sizeof locked / sizeof locked[0]; i++) {
        if ((locked[i].run == window_fop && bytes != 8) || (locked[i].run == window_many && bytes > MOST_PUTS))
            continue;
        if (locked[i].run != window_lock)
            MPI_Win_lock_all(0, win);
        measure(wanted, locked[i].what, me == 0 ? locked[i].run : nothing, bytes);
        if (locked[i].run != window_lock)
            MPI_Win_unlock_all(win);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_fence(0, win);
    measure(wanted, "window_fence", window_fence, bytes);
    MPI_Win_free(&win);
}

static long agreed(long calls)
{
    MPI_Bcast(&calls, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    return calls;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &last);
    last--;
    if (argc < 5)
        MPI_Abort(MPI_COMM_WORLD, 2);
    measure_all(argc, argv);
    MPI_Finalize();
    return 0;
}

#endif
