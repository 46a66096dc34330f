/* MPI_THREAD_MULTIPLE: threads that wait at the same time, of which the library lets one look for all of them.
 *
 * The one that looks may stop to do so, and not call MPI again, while others wait; what a thread waits for may come
 * from one that does not look; and there are more threads than processors.
 *
 * np: 1 2 3
 * flags: -pthread
 */
#include "check.h"
#include <pthread.h>

enum { THREADS = 12, TURNS = 30, WORDS = 100 };
static int right, left;

static void run(void *(*work)(void *), int n)
{
    pthread_t threads[THREADS];
    int ids[THREADS];
    for (int k = 0; k < n; k++) {
        ids[k] = k;
        CHECK_INT(pthread_create(&threads[k], NULL, work, &ids[k]), 0);
    }
    for (int k = 0; k < n; k++)
        CHECK_INT(pthread_join(threads[k], NULL), 0);
}

/* Each thread waits once; its message is sent by the one whose message has come, so they end one after the other,
 * whichever of them looks, and none of those that have ended calls MPI again. */
static void *pass_on(void *argument)
{
    int id = *(int *)argument, got = -1, next = id + 1;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int index = -1;
    CHECK_OK(MPI_Irecv(&got, 1, MPI_INT, left, id, MPI_COMM_WORLD, &requests[id % 2]));
    if (id == 0)
        CHECK_OK(MPI_Send(&id, 1, MPI_INT, right, 0, MPI_COMM_WORLD));
    switch (id % 4) {
    case 0:
        CHECK_OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        break;
    case 1:
        CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        break;
    case 2:
        CHECK_OK(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
        break;
    default:
        CHECK_OK(MPI_Waitsome(2, requests, &index, &(int){0}, MPI_STATUSES_IGNORE));
        break;
    }
    CHECK_INT(got, id);
    if (next < THREADS)
        CHECK_OK(MPI_Send(&next, 1, MPI_INT, right, next, MPI_COMM_WORLD));
    return NULL;
}

/* Half of the threads wait for what the other half does. */
static MPI_Request generalized[THREADS];

static int query(void *state, MPI_Status *status)
{
    (void)state;
    return MPI_Status_set_elements(status, MPI_INT, 0);
}

static int nothing(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static void *help(void *argument)
{
    int id = *(int *)argument, half = THREADS / 2, word = id;
    if (id < half) {
        int got = -1;
        CHECK_OK(MPI_Recv(&got, 1, MPI_INT, check_rank, 100 + id, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_INT(got, half + id);
        MPI_Request copy = generalized[id];
        CHECK_OK(MPI_Wait(&copy, MPI_STATUS_IGNORE));
    } else {
        CHECK_OK(MPI_Send(&word, 1, MPI_INT, check_rank, 100 + id - half, MPI_COMM_WORLD));
        CHECK_OK(MPI_Grequest_complete(generalized[id - half]));
    }
    return NULL;
}

/* More threads than processors, each in a conversation of its own. */
static void *talk(void *argument)
{
    int id = *(int *)argument, out[WORDS], in[WORDS];
    for (int turn = 0; turn < TURNS; turn++) {
        MPI_Request requests[2];
        for (int i = 0; i < WORDS; i++)
            out[i] = check_value(check_rank, i + turn) ^ id;
        CHECK_OK(MPI_Irecv(in, WORDS, MPI_INT, left, 200 + id, MPI_COMM_WORLD, &requests[0]));
        CHECK_OK(MPI_Isend(out, WORDS, MPI_INT, right, 200 + id, MPI_COMM_WORLD, &requests[1]));
        CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        int wrong = 0;
        for (int i = 0; i < WORDS; i++)
            wrong += in[i] != (check_value(left, i + turn) ^ id);
        CHECK_NOTED(wrong == 0, "thread %d, turn %d: %d wrong", id, turn, wrong);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided = -1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &check_rank));
    CHECK_OK(MPI_Comm_size(MPI_COMM_WORLD, &check_size));
    CHECK_INT(provided, MPI_THREAD_MULTIPLE);
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    run(pass_on, THREADS);
    for (int i = 0; i < THREADS / 2; i++)
        CHECK_OK(MPI_Grequest_start(query, nothing, cancel, NULL, &generalized[i]));
    run(help, THREADS);
    run(talk, THREADS);
    return check_end();
}
