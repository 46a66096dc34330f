/* MPI_THREAD_MULTIPLE: threads that send, receive, probe and wait at once, and collectives of one communicator for each
 * thread.
 *
 * np: 1 2 3 4
 * flags: -pthread
 */
#include "check.h"
#include <pthread.h>

enum { THREADS = 4, TURNS = 60 / CHECK_SLOW, MOST = 20000 };
static MPI_Comm comms[THREADS];

static void messages(int id)
{
    int right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size;
    const int sizes[] = {1, 30, 3000, MOST};
    int *out = check_alloc(MOST * sizeof *out, 0), *in = check_alloc(MOST * sizeof *in, 0);
    for (int k = 0; k < TURNS; k++) {
        int n = sizes[(k + id) % 4], wrong = 0;
        MPI_Request requests[2];
        MPI_Status status;
        for (int i = 0; i < n; i++)
            out[i] = check_value(check_rank, k + i) ^ id;
        CHECK_OK(MPI_Isend(out, n, MPI_INT, right, id, MPI_COMM_WORLD, &requests[0]));
        if (k % 3 == 0) {
            MPI_Message message;
            CHECK_OK(MPI_Mprobe(left, id, MPI_COMM_WORLD, &message, &status));
            CHECK_OK(MPI_Mrecv(in, n, MPI_INT, &message, &status));
        } else if (k % 3 == 1) {
            CHECK_OK(MPI_Recv(in, n, MPI_INT, left, id, MPI_COMM_WORLD, &status));
        } else {
            int flag = 0;
            CHECK_OK(MPI_Irecv(in, n, MPI_INT, left, id, MPI_COMM_WORLD, &requests[1]));
            while (!flag)
                CHECK_OK(MPI_Test(&requests[1], &flag, &status));
        }
        CHECK_OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        for (int i = 0; i < n; i++)
            wrong += in[i] != (check_value(left, k + i) ^ id);
        CHECK_NOTED(wrong == 0, "thread %d, turn %d: %d of %d wrong", id, k, wrong, n);
        CHECK_INT(status.MPI_TAG, id);
    }
    free(out);
    free(in);
}

static void collectives(int id)
{
    for (int k = 0; k < TURNS; k++) {
        int in[50], out[50];
        for (int i = 0; i < 50; i++)
            in[i] = check_rank * (id + 1) + k + i;
        CHECK_OK(MPI_Allreduce(in, out, 50, MPI_INT, MPI_SUM, comms[id]));
        int wrong = 0;
        for (int i = 0; i < 50; i++)
            wrong += out[i] != check_size * (check_size - 1) / 2 * (id + 1) + check_size * (k + i);
        CHECK_NOTED(wrong == 0, "thread %d, turn %d: %d sums wrong", id, k, wrong);
        MPI_Request request;
        int value = check_rank == k % check_size ? 1000 * id + k : -1;
        CHECK_OK(MPI_Ibcast(&value, 1, MPI_INT, k % check_size, comms[id], &request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_INT(value, 1000 * id + k);
    }
}

static void *work(void *argument)
{
    int id = *(int *)argument, is_main = 1;
    CHECK_OK(MPI_Is_thread_main(&is_main));
    CHECK_INT(is_main, 0);
    messages(id);
    collectives(id);
    messages(id);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided = -1, asked = -1, ids[THREADS], flag = 0;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &check_rank));
    CHECK_OK(MPI_Comm_size(MPI_COMM_WORLD, &check_size));
    CHECK_INT(provided, MPI_THREAD_MULTIPLE);
    CHECK_OK(MPI_Query_thread(&asked));
    CHECK_INT(asked, provided);
    CHECK_OK(MPI_Is_thread_main(&flag));
    CHECK_INT(flag, 1);
    for (int k = 0; k < THREADS; k++)
        CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[k]));
    for (int k = 0; k < THREADS; k++) {
        ids[k] = k;
        CHECK_INT(pthread_create(&threads[k], NULL, work, &ids[k]), 0);
    }
    for (int k = 0; k < THREADS; k++)
        CHECK_INT(pthread_join(threads[k], NULL), 0);
    for (int k = 0; k < THREADS; k++)
        CHECK_OK(MPI_Comm_free(&comms[k]));
    return check_end();
}
