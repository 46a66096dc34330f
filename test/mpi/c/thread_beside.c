/* MPI_THREAD_MULTIPLE: more threads than processors, and some that compute beside those that wait.
 *
 * Whoever gives the processor up then has it back a slice later, so those who wait sleep, at other times than they
 * would: a wake that is lost shows as a test that takes too long.  The delays are as random as the numbers that make
 * them.
 *
 * np: 2 5
 * flags: -pthread
 */
#include "check.h"
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

enum { THREADS = 4, TURNS = 60, MOST = 20000, COMPUTE = 2 };
static int right, left;
static _Atomic int over;

static void *compute(void *unused)
{
    for (volatile unsigned i = 0; !over; i++)
        ;
    return unused;
}

static void delay(int random)
{
    if (random % 5 == 0)
        usleep((unsigned)(random % 300));
    else if (random % 5 == 1)
        for (volatile int i = 0; i < random % 3000; i++)
            ;
    else if (random % 5 == 2)
        sched_yield();
}

static void exchange(int id, int turn, int *out, int *in)
{
    int words = turn % 4 ? 1 + turn : MOST, wrong = 0, index;
    MPI_Request requests[2];
    for (int i = 0; i < words; i++)
        out[i] = check_value(check_rank, i + turn) ^ id;
    CHECK_OK(MPI_Irecv(in, words, MPI_INT, left, id, MPI_COMM_WORLD, &requests[0]));
    delay(check_value(check_rank + id, turn) & 0xffff);
    CHECK_OK(MPI_Isend(out, words, MPI_INT, right, id, MPI_COMM_WORLD, &requests[1]));
    switch (turn % 3) {
    case 0:
        CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        break;
    case 1:
        CHECK_OK(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Wait(&requests[!index], MPI_STATUS_IGNORE));
        break;
    default:
        for (int done = 0; !done; sched_yield())
            CHECK_OK(MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE));
        break;
    }
    for (int i = 0; i < words; i++)
        wrong += in[i] != (check_value(left, i + turn) ^ id);
    CHECK_NOTED(wrong == 0, "thread %d, turn %d: %d wrong", id, turn, wrong);
}

static void *talk(void *argument)
{
    int *out = malloc(MOST * sizeof *out), *in = malloc(MOST * sizeof *in);
    for (int turn = 0; turn < TURNS; turn++)
        exchange(*(int *)argument, turn, out, in);
    free(out);
    free(in);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS], busy;
    int provided = -1, ids[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &check_rank));
    CHECK_OK(MPI_Comm_size(MPI_COMM_WORLD, &check_size));
    CHECK_INT(provided, MPI_THREAD_MULTIPLE);
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    if (check_rank < COMPUTE)
        CHECK_INT(pthread_create(&busy, NULL, compute, NULL), 0);
    for (int k = 0; k < THREADS; k++) {
        ids[k] = k;
        CHECK_INT(pthread_create(&threads[k], NULL, talk, &ids[k]), 0);
    }
    for (int k = 0; k < THREADS; k++)
        CHECK_INT(pthread_join(threads[k], NULL), 0);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD)); /* as long as others compute */
    over = 1;
    if (check_rank < COMPUTE)
        CHECK_INT(pthread_join(busy, NULL), 0);
    return check_end();
}
