/* rates.c - how fast messages follow each other, and what a receive costs among many: `rates SECONDS CASE...`, with any
 * MPI.  Run by test/bench/rates.
 *
 *     window:BYTES        ranks in pairs, 0 and 1, 2 and 3, ...; each posts 64 receives, starts 64 sends, and waits for
 *                         all; a call is one message of one rank
 *     stream:BYTES        the same one way, from the even rank to the odd one, which then says that it has them
 *     posted:COUNT        so many receives are posted, each with its tag; then the messages come, the last one first
 *     unexpected:COUNT    so many messages have come; then they are received, the last one first
 *                         (8 bytes; a call is one message, of rank 1 to rank 0; the others do nothing)
 *
 * Each case takes about SECONDS.  A line of JSON for each: the case, and the seconds a call took in each block.
 */
#include <mpi.h>
#include <string.h>

#include "common.h"

enum { WINDOW = 64, SHORT = 8 };

static int rank, size;

struct what {
    long number; /* bytes, or messages */
    char *in, *out;
    MPI_Request *requests;
};

/* The same on every rank: those of the slowest. */
static double slowest(double seconds)
{
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

static void receive_window(struct what *w, int peer, MPI_Request *requests)
{
    int bytes = (int)w->number;
    for (int i = 0; i < WINDOW; i++)
        MPI_Irecv(w->in + (size_t)i * (size_t)bytes, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[i]);
}

static void send_window(struct what *w, int peer, MPI_Request *requests)
{
    int bytes = (int)w->number;
    for (int i = 0; i < WINDOW; i++)
        MPI_Isend(w->out + (size_t)i * (size_t)bytes, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[i]);
}

static void exchange_window(struct what *w, int peer)
{
    receive_window(w, peer, w->requests);
    send_window(w, peer, w->requests + WINDOW);
    MPI_Waitall(2 * WINDOW, w->requests, MPI_STATUSES_IGNORE);
}

static void stream_window(struct what *w, int peer)
{
    if (rank % 2)
        receive_window(w, peer, w->requests);
    else
        send_window(w, peer, w->requests);
    MPI_Waitall(WINDOW, w->requests, MPI_STATUSES_IGNORE);
    if (rank % 2)
        MPI_Send(NULL, 0, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
    else
        MPI_Recv(NULL, 0, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double in_pairs(struct what *w, long calls, void (*window)(struct what *w, int peer))
{
    int peer = rank ^ 1;
    MPI_Barrier(MPI_COMM_WORLD);
    double began = now();
    for (long k = 0; k < (calls + WINDOW - 1) / WINDOW && peer < size; k++)
        window(w, peer);
    return slowest(now() - began);
}

static double windows(void *what, long calls)
{
    return in_pairs(what, calls, exchange_window);
}

static double streams(void *what, long calls)
{
    return in_pairs(what, calls, stream_window);
}

/* The receives, by tags from `first` on in steps of `step`. */
static void post_all(struct what *w, int first, int step)
{
    for (long i = 0; i < w->number; i++) {
        int tag = first + (int)i * step;
        MPI_Irecv(w->in + (size_t)tag * SHORT, SHORT, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &w->requests[i]);
    }
}

static void send_all(struct what *w, int first, int step)
{
    for (long i = 0; i < w->number; i++)
        MPI_Isend(w->out, SHORT, MPI_BYTE, 0, first + (int)i * step, MPI_COMM_WORLD, &w->requests[i]);
}

static void wait_all(struct what *w)
{
    MPI_Waitall((int)w->number, w->requests, MPI_STATUSES_IGNORE);
}

static double posted(void *what, long calls)
{
    struct what *w = what;
    int last = (int)w->number - 1;
    double took = 0;
    for (long k = 0; k < (calls + last) / w->number; k++) {
        if (rank == 0)
            post_all(w, 0, 1);
        MPI_Barrier(MPI_COMM_WORLD);
        double began = now();
        if (rank == 1)
            send_all(w, last, -1);
        if (rank < 2)
            wait_all(w);
        took += now() - began;
    }
    return slowest(took);
}

static double unexpected(void *what, long calls)
{
    struct what *w = what;
    int last = (int)w->number - 1, flag;
    double took = 0;
    for (long k = 0; k < (calls + last) / w->number; k++) {
        if (rank == 1)
            send_all(w, 0, 1);
        if (rank == 1) /* all of them are there when this one is */
            MPI_Send(NULL, 0, MPI_BYTE, 0, last + 1, MPI_COMM_WORLD);
        if (rank == 0)
            do
                MPI_Iprobe(1, last + 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            while (!flag);
        double began = now();
        if (rank == 0) {
            post_all(w, last, -1);
            wait_all(w);
            took += now() - began;
            MPI_Recv(NULL, 0, MPI_BYTE, 1, last + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        if (rank == 1)
            wait_all(w);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return slowest(took);
}

static const struct {
    const char *name;
    double (*block)(void *what, long calls);
    int messages; /* at a time, of so many bytes as the case has; 0: so many as the case has, short ones */
} cases[] = {
    {"window", windows, WINDOW}, {"stream", streams, WINDOW}, {"posted", posted, 0}, {"unexpected", unexpected, 0}};
enum { CASES = sizeof(cases) / sizeof(cases[0]) };

static void measure(int which, long number, double budget)
{
    double seconds[MOST_BLOCKS];
    int fixed = cases[which].messages;
    long calls, messages = fixed ? fixed : number, bytes = fixed ? number : SHORT;
    struct what w = {number, buffer_new((size_t)(messages * bytes), 0), buffer_new((size_t)(messages * bytes), 1),
                     malloc(2 * (size_t)messages * sizeof(MPI_Request))};
    memset(w.in, 1, (size_t)(messages * bytes));
    memset(w.out, 1, (size_t)(messages * bytes));
    int blocks = blocks_time(cases[which].block, &w, budget, seconds, &calls);
    calls = (calls + messages - 1) / messages * messages; /* whole windows */
    if (rank == 0) {
        printf("{\"case\": \"%s\", \"number\": %ld, \"seconds\": [", cases[which].name, number);
        for (int i = 0; i < blocks; i++)
            printf("%s%.6g", i ? ", " : "", seconds[i] / (double)calls);
        printf("]}\n");
        fflush(stdout);
    }
    buffer_free(w.in, 0);
    buffer_free(w.out, 1);
    free(w.requests);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 2; i < argc; i++)
        for (int k = 0; k < CASES; k++)
            if (strncmp(argv[i], cases[k].name, strcspn(argv[i], ":")) == 0)
                measure(k, strtol(strchr(argv[i], ':') + 1, NULL, 10), strtod(argv[1], NULL));
    MPI_Finalize();
    return 0;
}
