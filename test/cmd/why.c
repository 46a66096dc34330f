/* why.c - an MPI program that stands still in the way its first argument says, after a line "ready" of each rank.
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG = 1 << 22, FOR_EVER = 1000 };

static int rank, size;
static char *program;
static char buffer[LONG];

static void ready(void)
{
    puts("ready");
    fflush(stdout);
}

/* Nobody is to be woken by questions. */
static void nap(void)
{
    if (sleep(FOR_EVER) > 0)
        puts("woken");
}

static void caught(int number)
{
    (void)number;
    if (write(STDOUT_FILENO, "caught\n", 7) < 0)
        _exit(1);
}

static void receive(int from, int tag, MPI_Comm comm)
{
    MPI_Recv(buffer, 1, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE);
}

/* Each receives from the one before it. */
static void ring(void)
{
    receive((rank + size - 1) % size, 5, MPI_COMM_WORLD);
}

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        nap();
    MPI_Barrier(MPI_COMM_WORLD);
}

/* One accepts at a port that nobody knows, the other connects to one at which nobody accepts. */
static void ports(void)
{
    char known[MPI_MAX_PORT_NAME], unknown[MPI_MAX_PORT_NAME];
    MPI_Comm comm;
    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, known);
        MPI_Open_port(MPI_INFO_NULL, unknown);
    }
    MPI_Bcast(known, sizeof known, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Comm_accept(unknown, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm);
    else
        MPI_Comm_connect(known, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm);
}

/* The new process stops who spawns it before MPI_Init, in which it then waits.  Its output is not counted. */
static void spawn(void)
{
    char parent[20], *args[] = {"child", parent, NULL};
    MPI_Comm comm;
    snprintf(parent, sizeof parent, "%d", (int)getpid());
    MPI_Comm_spawn(program, args, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm, MPI_ERRCODES_IGNORE);
}

/* Ranks in another order than in the job. */
static void named(void)
{
    MPI_Comm comm;
    double x = 1, sum;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    MPI_Comm_set_name(comm, "the solver");
    if (rank == 0)
        nap();
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
}

/* Rank 0 waits for a message, the others for it to come to the fence, or to post. */
static MPI_Win new_window(void)
{
    MPI_Win win;
    int *memory;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_name(win, "the halo");
    return win;
}

static void fence(void)
{
    MPI_Win win = new_window();
    MPI_Win_fence(0, win);
    if (rank == 0)
        receive(1, 5, MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
}

static void start(void)
{
    MPI_Win win = new_window();
    MPI_Group all;
    MPI_Win_get_group(win, &all);
    if (rank == 0)
        receive(1, 5, MPI_COMM_WORLD);
    MPI_Win_post(all, 0, win);
    MPI_Win_start(all, 0, win);
}

static void waitall(void)
{
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    if (rank > 0)
        nap();
    MPI_Irecv(buffer, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(buffer + 4, 1, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

static void probe(void)
{
    if (rank > 0)
        nap();
    MPI_Probe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Both send first, and too much for nobody to be there. */
static void sends(void)
{
    MPI_Ssend(buffer, LONG, MPI_CHAR, 1 - rank, 3, MPI_COMM_WORLD);
}

/* Any of the others would do, and none can. */
static void knot(void)
{
    receive(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD);
}

/* 0 may get its message of 2, which is alive, so 0 and 1 are no cycle. */
static void choice(void)
{
    if (rank == 2)
        nap();
    receive(rank == 0 ? MPI_ANY_SOURCE : 0, 1, MPI_COMM_WORLD);
}

/* Rank 1 is in the barrier already, although its thread waits for rank 0: who keeps it from its end is rank 2. */
static void background(void)
{
    MPI_Request request;
    if (rank == 2)
        nap();
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    if (rank == 1)
        receive(0, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void mixed(void)
{
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    receive(0, 2, MPI_COMM_WORLD);
}

static void gone(void)
{
    if (rank == 0)
        receive(1, 2, MPI_COMM_WORLD);
}

static void *take_signal(void *set)
{
    int number;
    sigwait(set, &number);
    caught(number);
    return NULL;
}

/* Rank 1 has a handler, rank 2 a thread that waits for the signal. */
static void own_handler(void)
{
    static sigset_t set;
    pthread_t thread;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    if (rank == 1)
        signal(SIGUSR1, caught);
    if (rank == 2 && (pthread_sigmask(SIG_BLOCK, &set, NULL) || pthread_create(&thread, NULL, take_signal, &set)))
        exit(1);
    ring();
}

static void *receive_apart(void *tag)
{
    MPI_Recv(&rank, 1, MPI_INT, 1, *(int *)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

/* Two threads wait. */
static void two_threads(void)
{
    pthread_t thread;
    int tag = 2;
    if (rank > 0)
        nap();
    if (pthread_create(&thread, NULL, receive_apart, &tag))
        exit(1);
    receive(1, 1, MPI_COMM_WORLD);
}

static void *sleep_apart(void *unused)
{
    nap();
    return unused;
}

/* The other one might send. */
static void threads(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, sleep_apart, NULL))
        exit(1);
    ring();
}

static void after(void)
{
    MPI_Finalize();
    nap();
}

static void alone(void)
{
    receive(MPI_ANY_SOURCE, 4, MPI_COMM_SELF);
}

static void test(void)
{
    MPI_Request request;
    int flag = 0;
    if (rank > 0)
        nap();
    MPI_Irecv(buffer, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, &request);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

/* The receive has another tag. */
static void tag(void)
{
    int x = 1;
    if (rank == 1)
        MPI_Send(&x, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
    receive(1 - rank, 5, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*stall)(void);
} ways[] = {{"ring", ring},       {"ports", ports},         {"barrier", barrier}, {"named", named},
            {"fence", fence},     {"start", start},         {"waitall", waitall}, {"probe", probe},
            {"sends", sends},     {"knot", knot},           {"choice", choice},   {"mixed", mixed},
            {"gone", gone},       {"handler", own_handler}, {"alone", alone},     {"background", background},
            {"sleep", nap},       {"test", test},           {"tag", tag},         {"two", two_threads},
            {"threads", threads}, {"after", after},         {"spawn", spawn}};

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    if (!strcmp(way, "before") && getenv("PMI_RANK") && atoi(getenv("PMI_RANK")) == 1) {
        ready();
        nap();
    }
    if (!strcmp(way, "before"))
        ready();
    if (!strcmp(way, "child"))
        kill((pid_t)atoi(argv[2]), SIGSTOP);
    program = argv[0];
    int level = !strcmp(way, "two") || !strcmp(way, "threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, level, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ready();
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (!strcmp(ways[i].name, way))
            ways[i].stall();
    MPI_Finalize();
    return 0;
}
