/* Threads that wait for whatever is asked next, each by another call, beside one that calls MPI closely for some time,
 * asks those of other ranks, and computes (src/msg/lead.h); and beside two that call each other only, and so closely
 * that they look at nobody else.
 *
 * np: 1 2 3 4
 * flags: -pthread
 */
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

enum { SERVERS = 4, ROUNDS = 12 / CHECK_SLOW, QUESTIONS = 20, CLOSELY = 3 /* milliseconds */ };
enum { QUESTION, OTHER, STOP, LAST };

static MPI_Comm own[SERVERS];
static atomic_int stopped;

static int receive(int *number, MPI_Comm comm, MPI_Status *status)
{
    return MPI_Recv(number, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, status);
}

static int probe(int *number, MPI_Comm comm, MPI_Status *status)
{
    int err = MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, status);
    return err ? err : MPI_Recv(number, 1, MPI_INT, status->MPI_SOURCE, status->MPI_TAG, comm, status);
}

static int mprobe(int *number, MPI_Comm comm, MPI_Status *status)
{
    MPI_Message message;
    int err = MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message, status);
    return err ? err : MPI_Mrecv(number, 1, MPI_INT, &message, status);
}

/* One receive for each kind of message; those that are not met go. */
static int wait_for_any(int *number, MPI_Comm comm, MPI_Status *status)
{
    MPI_Request requests[LAST + 1];
    int numbers[LAST + 1], found = 0;
    for (int tag = QUESTION; tag <= LAST; tag++)
        MPI_Irecv(&numbers[tag], 1, MPI_INT, MPI_ANY_SOURCE, tag, comm, &requests[tag]);
    int err = MPI_Waitany(LAST + 1, requests, &found, status);
    for (int tag = QUESTION; tag <= LAST; tag++)
        if (tag != found)
            MPI_Cancel(&requests[tag]);
    MPI_Waitall(LAST + 1, requests, MPI_STATUSES_IGNORE);
    *number = numbers[found];
    return err;
}

static int (*const ways[SERVERS])(int *number, MPI_Comm comm, MPI_Status *status) = {receive, probe, mprobe,
                                                                                     wait_for_any};

static void *serve(void *index)
{
    int i = (int)(intptr_t)index, number = 0;
    while (1) {
        MPI_Status status;
        CHECK_OK(ways[i](&number, own[i], &status));
        if (status.MPI_TAG == LAST)
            break;
        if (status.MPI_TAG == STOP)
            atomic_store(&stopped, 1);
        number = 10 * number + i;
        CHECK_OK(MPI_Send(&number, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD));
    }
    return NULL;
}

/* All threads but one each wait for long, whoever leads. */
static void call_closely(void)
{
    double began = MPI_Wtime();
    int more = 1, all = 1, zero = 0;
    while (all) {
        more = MPI_Wtime() - began < 1e-3 * CLOSELY;
        CHECK_OK(MPI_Allreduce(&more, &all, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD));
        CHECK_OK(MPI_Sendrecv(&more, 1, MPI_INT, check_rank, 0, &zero, 1, MPI_INT, check_rank, 0, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE));
        CHECK_INT(zero, more);
    }
}

static void compute(void)
{
    double began = MPI_Wtime();
    while (MPI_Wtime() - began < 1e-3 * CLOSELY)
        ;
}

static void ask(int rank, int i, int number, int tag)
{
    int answer = 0;
    CHECK_OK(MPI_Send(&number, 1, MPI_INT, rank, tag, own[i]));
    CHECK_OK(MPI_Recv(&answer, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(answer, 10 * number + i);
}

static void ask_all(int rank)
{
    for (int k = 0; k < QUESTIONS; k++)
        ask(rank, k % SERVERS, k, k % 2 ? QUESTION : OTHER);
}

/* Of ranks 0 and 1, while rank 2 asks a server of rank 0. */
static void call_each_other(void)
{
    MPI_Comm pair;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank < 2 ? 0 : MPI_UNDEFINED, 0, &pair));
    if (check_rank == 2) {
        compute();
        for (int i = 0; i < SERVERS; i++)
            ask(0, i, i, QUESTION);
        ask(0, 0, 0, STOP);
    }
    if (check_rank >= 2)
        return;
    for (int more = 1, all = 1; all;) {
        more = check_rank == 0 ? !atomic_load(&stopped) : 1;
        CHECK_OK(MPI_Allreduce(&more, &all, 1, MPI_INT, MPI_BAND, pair));
    }
    CHECK_OK(MPI_Comm_free(&pair));
}

int main(int argc, char **argv)
{
    pthread_t threads[SERVERS];
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_INT(provided, MPI_THREAD_MULTIPLE);
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &check_rank));
    CHECK_OK(MPI_Comm_size(MPI_COMM_WORLD, &check_size));
    int next = (check_rank + 1) % check_size;
    for (int i = 0; i < SERVERS; i++) {
        CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &own[i]));
        CHECK_INT(pthread_create(&threads[i], NULL, serve, (void *)(intptr_t)i), 0);
    }
    for (int round = 0; round < ROUNDS; round++) {
        call_closely();
        if ((round + check_rank) % 2) /* while others ask */
            compute();
        ask_all(round % 3 ? next : check_rank);
    }
    if (check_size > 2)
        call_each_other();
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < SERVERS; i++)
        CHECK_OK(MPI_Send(&i, 1, MPI_INT, next, LAST, own[i]));
    for (int i = 0; i < SERVERS; i++)
        CHECK_INT(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < SERVERS; i++)
        CHECK_OK(MPI_Comm_free(&own[i]));
    return check_end();
}
