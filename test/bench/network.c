/* network.c - two processes on two hosts: round trips and allreduce over MPI, or, without MPI, over one TCP connection
 * as the limit of what the first may reach.  Run by test/bench/network.
 *
 *     network                     an MPI program of two processes
 *     network-raw ADDRESS PORT    (built with -DRAW) connects; without ADDRESS it accepts
 *
 * Prints "WHAT BYTES MICROSECONDS", the least of several means.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int me;
static double *in, *out;

static void round_trip(size_t bytes);
static void both_ways(size_t bytes);

static void measure(const char *what, void (*run)(size_t bytes), size_t bytes, int repeats)
{
    double least = 1e9;
    for (int turn = 0; turn < 7; turn++) {
        double began = now();
        for (int i = 0; i < repeats; i++)
            run(bytes);
        double mean = (now() - began) / repeats;
        least = turn > 0 && mean < least ? mean : least;
    }
    if (me == 0)
        printf("%s %zu %.3f\n", what, bytes, least * 1e6);
}

static void measure_all(void)
{
    static const struct {
        size_t bytes;
        int repeats;
    } sizes[] = {{8, 3000}, {4096, 2000}, {65536, 300}, {1 << 20, 30}, {4 << 20, 10}};
    size_t most = 4 << 20;
    in = malloc(most);
    out = malloc(most);
    for (size_t i = 0; i < most / 8; i++)
        in[i] = out[i] = (double)i;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        measure("pingpong", round_trip, sizes[i].bytes, sizes[i].repeats);
        measure("allreduce", both_ways, sizes[i].bytes, sizes[i].repeats);
    }
}

#ifdef RAW

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

static int fd;

/* One call of send or recv without blocking; bytes moved. */
static size_t some(int sends, char *at, size_t n)
{
    if (n == 0)
        return 0;
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

int main(int argc, char **argv)
{
    int on = 1, port = atoi(argv[argc - 1]);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    fd = socket(AF_INET, SOCK_STREAM, 0);
    if (argc == 3) {
        inet_pton(AF_INET, argv[1], &address.sin_addr);
        for (int i = 0; connect(fd, (struct sockaddr *)&address, sizeof address); i++) {
            if (i == 100)
                return 1;
            usleep(50000);
        }
    } else {
        int listener = fd;
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1))
            return 1;
        fd = accept(listener, NULL, NULL);
        me = 1;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    measure_all();
    return 0;
}

#else

#include <mpi.h>

static void round_trip(size_t bytes)
{
    if (me == 0)
        MPI_Send(in, (int)bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(out, (int)bytes, MPI_BYTE, 1 - me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (me == 1)
        MPI_Send(in, (int)bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
}

static void both_ways(size_t bytes)
{
    MPI_Allreduce(in, out, (int)(bytes / 8), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    measure_all();
    MPI_Finalize();
    return 0;
}

#endif
