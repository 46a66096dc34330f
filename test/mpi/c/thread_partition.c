/* Partitions marked by eight threads at once, while others wait for them and look whether they have come.
 *
 * np: 1 2 4 7 9
 * flags: -pthread
 */
#include <pthread.h>

#include "partition.h"

enum { THREADS = 8, EACH = 7, PARTITIONS = THREADS * EACH, ROUNDS = 12, MOST = 9000 };

static int right, left, count, round_now;
static int *out, *in;
static MPI_Request requests[2];
static pthread_barrier_t gate;

static void mark(int id)
{
    for (int k = 0; k < EACH; k++) {
        int partition = k * THREADS + id;
        for (int i = partition * count; i < (partition + 1) * count; i++)
            out[i] = check_value(check_rank, i + round_now);
        if (k % 3 == 1)
            CHECK_OK(MPI_Pready_range(partition, partition, requests[0]));
        else if (k % 3 == 2)
            CHECK_OK(MPI_Pready_list(1, &partition, requests[0]));
        else
            CHECK_OK(MPI_Pready(partition, requests[0]));
    }
}

/* This side has half as many partitions. */
static void look(int id)
{
    for (int partition = id; partition < PARTITIONS / 2; partition += THREADS) {
        int wrong = 0;
        await_partition(requests[1], partition);
        for (int i = partition * 2 * count; i < (partition + 1) * 2 * count; i++)
            wrong += in[i] != check_value(left, i + round_now);
        CHECK_NOTED(wrong == 0, "partition %d of %d ints: %d wrong in round %d", partition, 2 * count, wrong,
                    round_now);
    }
}

/* What else may be called meanwhile takes the lock. */
static void others(void)
{
    int flag, size;
    for (int k = 0; k < 20; k++) {
        MPI_Request more[2];
        int value = k, got = -1;
        CHECK_OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
        CHECK_OK(MPI_Irecv(&got, 1, MPI_INT, check_rank, k, MPI_COMM_WORLD, &more[0]));
        CHECK_OK(MPI_Isend(&value, 1, MPI_INT, check_rank, k, MPI_COMM_WORLD, &more[1]));
        CHECK_OK(MPI_Waitall(2, more, MPI_STATUSES_IGNORE));
        CHECK_INT(got, k);
        CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, 12345, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    }
}

static void *work(void *number)
{
    int id = (int)(intptr_t)number;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&gate);
        mark(id);
        if (id == 0)
            others();
        look(id);
        pthread_barrier_wait(&gate);
    }
    return NULL;
}

static void begin(int n)
{
    count = n;
    CHECK_OK(MPI_Psend_init(out, PARTITIONS, n, MPI_INT, right, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
    CHECK_OK(MPI_Precv_init(in, PARTITIONS / 2, 2 * n, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
}

static void end(void)
{
    CHECK_OK(MPI_Request_free(&requests[0]));
    CHECK_OK(MPI_Request_free(&requests[1]));
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
    CHECK_INT(provided, MPI_THREAD_MULTIPLE);
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    out = check_alloc(PARTITIONS * MOST * sizeof *out, 0);
    in = check_alloc(PARTITIONS * MOST * sizeof *in, 0);
    pthread_barrier_init(&gate, NULL, THREADS + 1);
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    begin(1);
    for (round_now = 0; round_now < ROUNDS; round_now++) {
        if (round_now == ROUNDS / 2) {
            end();
            begin(MOST);
        }
        check_wipe(in, (size_t)PARTITIONS * (size_t)count * sizeof *in);
        CHECK_OK(MPI_Startall(2, requests));
        pthread_barrier_wait(&gate);
        CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)); /* while they are being marked */
        pthread_barrier_wait(&gate);
    }
    end();
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&gate);
    free(out);
    free(in);
    return check_end();
}
