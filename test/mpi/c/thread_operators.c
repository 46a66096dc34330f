/* An operator that wants a lock of the program, which another thread has while it calls MPI, as with an interpreter's:
 * a call blocks the thread that makes it, and no other (MPI-5.0 section 11.6).  The lock is recursive, as such locks
 * are, since whoever calls MPI may advance what others have begun, and call its operator.
 *
 * np: 1 2 3 4
 * flags: -pthread -D_GNU_SOURCE
 */
#include "check.h"

#include <pthread.h>
#include <unistd.h>

enum { MOST = 200000, ROUNDS = 30 };

static pthread_mutex_t lock;
static _Atomic bool over;

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    const long *x = in;
    long *y = inout;
    int size;
    pthread_mutex_lock(&lock);
    MPI_Type_size(*type, &size);
    for (int i = 0; i < *n && size == sizeof *x; i++)
        y[i] += x[i];
    pthread_mutex_unlock(&lock);
}

static void *call(void *comm)
{
    int flag;
    while (!over) {
        pthread_mutex_lock(&lock);
        MPI_Iprobe(MPI_ANY_SOURCE, 1, *(MPI_Comm *)comm, &flag, MPI_STATUS_IGNORE);
        pthread_mutex_unlock(&lock);
        usleep(20);
    }
    return comm;
}

/* The sum over the ranks up to the last. */
static void expect(const long *out, int n, int last, const char *what)
{
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += out[i] != (last + 1L) * last / 2 + (last + 1L) * i;
    CHECK_NOTED(wrong == 0, "%s: %d of %d wrong", what, wrong, n);
}

static void reduce(int form, const long *in, long *out, long *also, int n, MPI_Op op)
{
    MPI_Request request[2];
    switch (form) {
    case 0:
        CHECK_OK(MPI_Allreduce(in, out, n, MPI_LONG, op, MPI_COMM_WORLD));
        expect(out, n, check_size - 1, "allreduce");
        break;
    case 1:
        CHECK_OK(MPI_Reduce(in, out, n, MPI_LONG, op, 0, MPI_COMM_WORLD));
        expect(out, check_rank == 0 ? n : 0, check_size - 1, "reduce");
        break;
    case 2:
        CHECK_OK(MPI_Scan(in, out, n, MPI_LONG, op, MPI_COMM_WORLD));
        expect(out, n, check_rank, "scan");
        break;
    case 3:
        CHECK_OK(MPI_Iallreduce(in, out, n, MPI_LONG, op, MPI_COMM_WORLD, &request[0]));
        CHECK_OK(MPI_Iscan(in, also, n, MPI_LONG, op, MPI_COMM_WORLD, &request[1]));
        CHECK_OK(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
        expect(out, n, check_size - 1, "iallreduce");
        expect(also, n, check_rank, "iscan");
        break;
    default:
        memcpy(out, in, (size_t)n * sizeof *out);
        CHECK_OK(MPI_Reduce_local(in, out, n, MPI_LONG, op));
        CHECK(n == 0 || out[n - 1] == 2 * in[n - 1]);
    }
}

int main(int argc, char **argv)
{
    static const int counts[] = {1, 10, 1000, 5000, 60000, MOST};
    int provided;
    pthread_t thread;
    pthread_mutexattr_t recursive;
    MPI_Comm comm;
    MPI_Op op;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &check_rank));
    CHECK_OK(MPI_Comm_size(MPI_COMM_WORLD, &check_size));
    CHECK_INT(provided, MPI_THREAD_MULTIPLE);
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &recursive);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK_OK(MPI_Op_create(add, 1, &op));
    long *in = check_alloc(MOST * sizeof *in, 0), *out = check_alloc(MOST * sizeof *out, 0);
    long *also = check_alloc(MOST * sizeof *also, 0);
    pthread_create(&thread, NULL, call, &comm);
    for (int i = 0; i < MOST; i++)
        in[i] = check_rank + i;
    for (int round = 0; round < ROUNDS; round++)
        reduce(round % 5, in, out, also, counts[round / 5 % 6], op);
    over = true;
    pthread_join(thread, NULL);
    free(in);
    free(out);
    free(also);
    CHECK_OK(MPI_Op_free(&op));
    CHECK_OK(MPI_Comm_free(&comm));
    return check_end();
}
