/* threads.c - threads of a rank that communicate: `threads LEVEL SECONDS CASE...`, with any MPI.  Run by
 * test/bench/threads.
 *
 *     call:1              one rank, and of it one thread: MPI_Sendrecv of 8 bytes to itself
 *     ask:THREADS         one rank, whose threads ask for their rank and the size of a datatype; a call is both
 *     window:THREADS      two ranks; each thread posts 64 receives from its counterpart, starts 64 sends, and waits for
 *                         all, on one communicator; a call is one message of a rank
 *     apart:THREADS       the same, but each thread on a communicator of its own
 *     reply:THREADS       two ranks; each thread and its counterpart send 8 bytes to and fro; a call is one round trip
 *     allreduce:THREADS   each thread on a communicator of its own: MPI_Allreduce of 8 bytes
 *     beside:THREADS      one thread calls MPI_Allreduce of 8 bytes, beside so many that wait in MPI_Recv for what
 *                         comes only when it has ended
 *     serve:THREADS       one thread of each rank sends 8 bytes to one of so many others of the other rank, which
 *                         receive from any rank and send as much back; a call is one round trip
 *     team:THREADS        each rank has so many threads of OpenMP, which all compute for 50 us; then MPI_Allreduce of
 *                         8 bytes, ten times; a call is all of that
 *     star:BYTES          rank 0 has as many threads as there are other ranks, each of which exchanges with one of them
 *                         (MPI_Irecv, MPI_Isend, MPI_Waitall); a call is one exchange of a thread
 *
 * LEVEL is single or multiple.  Each case takes about SECONDS.  A line of JSON for each: the case, the seconds a call
 * took in each block, and of the threads of rank 0 the time of the first to end over that of the last, the median.
 */
#include <mpi.h>
#include <pthread.h>
#include <string.h>

#include "common.h"

enum { WINDOW = 64, SHORT = 8, MOST_THREADS = 64 };
enum { QUESTION, ANSWER, LAST };

static int rank, size;
static MPI_Comm own[MOST_THREADS]; /* duplicates */

struct job;
struct worker {
    const struct job *job;
    int index;
    MPI_Comm comm;
    char *in, *out;
    double ended;
};
struct job {
    void (*work)(struct worker *w, long calls);
    int threads, parts; /* of this rank; between how many the calls are divided */
    int team;           /* of OpenMP's threads */
    long bytes, calls;  /* the calls of a thread */
    struct worker workers[MOST_THREADS];
    double even[1000]; /* first over last, of each block */
    int blocks;
};

static void asks(struct worker *w, long calls)
{
    int number, bytes;
    for (long k = 0; k < calls; k++) {
        MPI_Comm_rank(w->comm, &number);
        MPI_Type_size(MPI_DOUBLE, &bytes);
    }
}

static void windows(struct worker *w, long calls)
{
    MPI_Request requests[2 * WINDOW];
    for (long k = 0; k < calls; k += WINDOW) {
        for (int i = 0; i < WINDOW; i++)
            MPI_Irecv(w->in + i * SHORT, SHORT, MPI_BYTE, !rank, w->index, w->comm, &requests[i]);
        for (int i = 0; i < WINDOW; i++)
            MPI_Isend(w->out, SHORT, MPI_BYTE, !rank, w->index, w->comm, &requests[WINDOW + i]);
        MPI_Waitall(2 * WINDOW, requests, MPI_STATUSES_IGNORE);
    }
}

static void replies(struct worker *w, long calls)
{
    for (long k = 0; k < 2 * calls; k++)
        if (k % 2 == rank)
            MPI_Send(w->out, SHORT, MPI_BYTE, !rank, w->index, w->comm);
        else
            MPI_Recv(w->in, SHORT, MPI_BYTE, !rank, w->index, w->comm, MPI_STATUS_IGNORE);
}

static void to_itself(struct worker *w, long calls)
{
    for (long k = 0; k < calls; k++)
        MPI_Sendrecv(w->out, SHORT, MPI_BYTE, rank, 0, w->in, SHORT, MPI_BYTE, rank, 0, w->comm, MPI_STATUS_IGNORE);
}

static void sums(struct worker *w, long calls)
{
    for (long k = 0; k < calls; k++)
        MPI_Allreduce(w->out, w->in, 1, MPI_DOUBLE, MPI_SUM, w->comm);
}

/* To the other threads of the next rank, of which each waits for that. */
static void dismiss(const struct worker *w)
{
    for (int i = 1; i < w->job->threads; i++)
        MPI_Send(NULL, 0, MPI_BYTE, (rank + 1) % size, LAST, own[i]);
}

static void sums_beside(struct worker *w, long calls)
{
    if (w->index > 0) {
        MPI_Recv(w->in, SHORT, MPI_BYTE, MPI_ANY_SOURCE, LAST, w->comm, MPI_STATUS_IGNORE);
        return;
    }
    sums(w, calls);
    dismiss(w);
}

static void serve(struct worker *w)
{
    while (1) {
        MPI_Status status;
        MPI_Recv(w->in, SHORT, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, w->comm, &status);
        if (status.MPI_TAG == LAST)
            break;
        MPI_Send(w->out, SHORT, MPI_BYTE, status.MPI_SOURCE, ANSWER, MPI_COMM_WORLD);
    }
}

static void questions(struct worker *w, long calls)
{
    if (w->index > 0) {
        serve(w);
        return;
    }
    for (long k = 0; k < calls; k++) {
        MPI_Send(w->out, SHORT, MPI_BYTE, !rank, QUESTION, own[1 + k % (w->job->threads - 1)]);
        MPI_Recv(w->in, SHORT, MPI_BYTE, !rank, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    dismiss(w);
}

static double had(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* As much as takes 50 us where nothing else runs. */
static void compute(void)
{
    double began = had();
    while (had() - began < 50e-6)
        ;
}

static void regions(struct worker *w, long calls)
{
    for (long k = 0; k < calls; k++) {
#pragma omp parallel num_threads(w->job->team)
        compute();
        sums(w, 10);
    }
}

static void exchanges(struct worker *w, long calls)
{
    int peer = rank ? 0 : w->index + 1, bytes = (int)w->job->bytes;
    for (long k = 0; k < calls; k++) {
        MPI_Request requests[2];
        MPI_Irecv(w->in, bytes, MPI_BYTE, peer, 0, w->comm, &requests[0]);
        MPI_Isend(w->out, bytes, MPI_BYTE, peer, 0, w->comm, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

static void *begin(void *worker)
{
    struct worker *w = worker;
    w->job->work(w, w->job->calls);
    w->ended = now();
    return NULL;
}

static void run(struct job *job)
{
    pthread_t threads[MOST_THREADS];
    for (int i = 1; i < job->threads; i++)
        if (pthread_create(&threads[i], NULL, begin, &job->workers[i]))
            MPI_Abort(MPI_COMM_WORLD, 1);
    begin(&job->workers[0]);
    for (int i = 1; i < job->threads; i++)
        pthread_join(threads[i], NULL);
}

static double evenness(const struct job *job, double began)
{
    double first = job->workers[0].ended, last = first;
    for (int i = 1; i < job->threads; i++) {
        double ended = job->workers[i].ended;
        first = ended < first ? ended : first;
        last = ended > last ? ended : last;
    }
    return (first - began) / (last - began);
}

static double block(void *what, long calls)
{
    struct job *job = what;
    job->calls = (calls + job->parts - 1) / job->parts;
    MPI_Barrier(MPI_COMM_WORLD);
    double began = now();
    run(job);
    double took = now() - began;
    if (job->blocks < 1000)
        job->even[job->blocks++] = evenness(job, began);
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return took;
}

static const struct {
    const char *name;
    void (*work)(struct worker *w, long calls);
    enum { THREADS, OTHERS, BYTES, TEAM } number; /* what the number behind the name is */
    int apart;
} cases[] = {{"call", to_itself, THREADS, 0},    {"ask", asks, THREADS, 0},       {"window", windows, THREADS, 0},
             {"apart", windows, THREADS, 1},     {"reply", replies, THREADS, 0},  {"allreduce", sums, THREADS, 1},
             {"beside", sums_beside, OTHERS, 1}, {"serve", questions, OTHERS, 1}, {"team", regions, TEAM, 0},
             {"star", exchanges, BYTES, 0}};
enum { CASES = sizeof(cases) / sizeof(cases[0]) };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print(int which, long number, int blocks, const double *seconds, struct job *job)
{
    printf("{\"case\": \"%s\", \"number\": %ld, \"seconds\": [", cases[which].name, number);
    for (int i = 0; i < blocks; i++)
        printf("%s%.6g", i ? ", " : "", seconds[i]);
    /* of the blocks that were measured, which are the last ones */
    double *even = job->even + (job->blocks > blocks ? job->blocks - blocks : 0);
    qsort(even, (size_t)blocks, sizeof(double), compare);
    printf("], \"even\": %.3f}\n", even[blocks / 2]);
    fflush(stdout);
}

/* Whole windows, as the threads make them. */
static double calls_made(int which, const struct job *job, long calls)
{
    long each = (calls + job->parts - 1) / job->parts;
    if (cases[which].work == windows)
        each = (each + WINDOW - 1) / WINDOW * WINDOW;
    return (double)(each * job->parts);
}

static void measure(int which, long number, double budget)
{
    static struct job job;
    int star = cases[which].number == BYTES;
    double seconds[MOST_BLOCKS];
    long calls, bytes = star ? number : SHORT;
    job = (struct job){.work = cases[which].work, .bytes = bytes, .team = (int)number};
    job.parts = star ? size - 1 : cases[which].number == THREADS ? (int)number : 1;
    job.threads = star && rank ? 1 : cases[which].number == OTHERS ? 1 + (int)number : job.parts;
    for (int i = 0; i < job.threads; i++) {
        struct worker *w = &job.workers[i];
        *w = (struct worker){.job = &job, .index = i, .comm = cases[which].apart ? own[i] : MPI_COMM_WORLD};
        w->in = buffer_new((size_t)bytes * WINDOW, 0);
        w->out = buffer_new((size_t)bytes * WINDOW, 1);
        memset(w->in, 1, (size_t)bytes);
        memset(w->out, 1, (size_t)bytes);
    }
    int blocks = blocks_time(block, &job, budget, seconds, &calls);
    for (int i = 0; i < blocks; i++)
        seconds[i] /= calls_made(which, &job, calls);
    if (rank == 0)
        print(which, number, blocks, seconds, &job);
    for (int i = 0; i < job.threads; i++) {
        buffer_free(job.workers[i].in, 0);
        buffer_free(job.workers[i].out, 1);
    }
}

int main(int argc, char **argv)
{
    int level = argc > 1 && strcmp(argv[1], "single") == 0 ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, provided;
    MPI_Init_thread(&argc, &argv, level, &provided);
    if (provided < level) {
        fprintf(stderr, "no threads\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < MOST_THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    for (int i = 3; i < argc; i++)
        for (int k = 0; k < CASES; k++)
            if (strncmp(argv[i], cases[k].name, strcspn(argv[i], ":")) == 0)
                measure(k, strtol(strchr(argv[i], ':') + 1, NULL, 10), strtod(argv[2], NULL));
    for (int i = 0; i < MOST_THREADS; i++)
        MPI_Comm_free(&own[i]);
    MPI_Finalize();
    return 0;
}
