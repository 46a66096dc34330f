/* With TREEFOLD_CHECK=strict threads may do all that the level of threads lets them (MPI-5.0 section 11.6.2): take
 * turns at MPI_THREAD_SERIALIZED, also with functions of the program in which MPI is called, or out of which they jump,
 * and always ask for what may be called at any time.
 *
 * np: 1 2 4
 * option: -env TREEFOLD_CHECK strict
 * flags: -pthread
 * only: treefold
 */
#include <pthread.h>
#include <setjmp.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { THREADS = 4, TURNS = 50 };

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void *ask(void *unused)
{
    int flag = -1, provided = -1, version, subversion;
    MPI_Info info;
    for (int i = 0; i < TURNS; i++) {
        CHECK_OK(MPI_Is_thread_main(&flag));
        CHECK_INT(flag, 0);
        CHECK_OK(MPI_Query_thread(&provided));
        CHECK_INT(provided, MPI_THREAD_SERIALIZED);
        CHECK_OK(MPI_Initialized(&flag));
        CHECK_OK(MPI_Get_version(&version, &subversion));
        CHECK_OK(MPI_Info_create(&info));
        CHECK_OK(MPI_Info_set(info, "a", "b"));
        CHECK_OK(MPI_Info_free(&info));
        CHECK(MPI_Wtime() > 0);
    }
    return unused;
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    int size;
    CHECK_OK(MPI_Type_size(*type, &size)); /* a call within a call */
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void *take_turns(void *op)
{
    for (int i = 0; i < TURNS; i++) {
        int one = 1, sum = 0, right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size;
        MPI_Request request;
        pthread_mutex_lock(&turn);
        CHECK_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, *(MPI_Op *)op, MPI_COMM_WORLD));
        CHECK_INT(sum, check_size);
        CHECK_OK(MPI_Irecv(&sum, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &request));
        CHECK_OK(MPI_Send(&i, 1, MPI_INT, right, 0, MPI_COMM_WORLD));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        pthread_mutex_unlock(&turn);
    }
    return op;
}

static void all_take_turns(void *op)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, take_turns, op) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

static void ask_meanwhile(void *op)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, ask, NULL) == 0);
    take_turns(op);
    CHECK(pthread_join(thread, NULL) == 0);
}

static jmp_buf outside;

static void jump_out(MPI_Comm *comm, int *code, ...)
{
    int rank = -1;
    CHECK_OK(MPI_Comm_rank(*comm, &rank));
    CHECK_INT(rank, check_rank);
    longjmp(outside, *code);
}

static void fail_and_jump(void)
{
    MPI_Errhandler jumps, before;
    CHECK_OK(MPI_Comm_create_errhandler(jump_out, &jumps));
    CHECK_OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, jumps));
    int code = setjmp(outside);
    if (code == 0) {
        MPI_Send(NULL, 0, MPI_INT, check_size, 0, MPI_COMM_WORLD);
        CHECK(!"the error handler jumps");
    }
    CHECK_CLASS(code, MPI_ERR_RANK);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, before));
    CHECK_OK(MPI_Errhandler_free(&jumps));
}

/* A child of fork() is another thread, and is told what it is told otherwise. */
static void fork_one(void)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        int rank;
        _exit(MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS && MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS ? 7
                                                                                                                : 1);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_INT(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 7);
}

int main(int argc, char **argv)
{
    MPI_Op op;
    int provided = -1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &check_rank));
    CHECK_OK(MPI_Comm_size(MPI_COMM_WORLD, &check_size));
    CHECK_OK(MPI_Op_create(add, 1, &op));
    ask_meanwhile(&op);
    all_take_turns(&op);
    fail_and_jump();
    all_take_turns(&op);
    fork_one();
    CHECK_OK(MPI_Op_free(&op));
    return check_end();
}
