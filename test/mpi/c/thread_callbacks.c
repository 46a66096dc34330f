/* Functions of the program that wait for another thread, which calls MPI meanwhile: a call blocks the thread that makes
 * it, and no other (MPI-5.0 section 11.6).  Language bindings have them, whose interpreter has a lock of its own.
 *
 * np: - 1 2
 * flags: -pthread
 */
#include "check.h"

#include <pthread.h>
#include <unistd.h>

enum { SECONDS = 20, TAG = 7 };

static _Atomic bool waits, called, over;

static void *call(void *comm)
{
    int flag;
    while (!over) {
        if (!waits || called) {
            usleep(100);
            continue;
        }
        MPI_Iprobe(MPI_ANY_SOURCE, TAG, *(MPI_Comm *)comm, &flag, MPI_STATUS_IGNORE);
        called = true;
    }
    return comm;
}

static void wait_for_call(const char *where)
{
    called = false;
    waits = true;
    for (int i = 0; i < SECONDS * 1000 && !called; i++)
        usleep(1000);
    waits = false;
    CHECK_NOTED(called, "another thread's call waits for %s", where);
}

static void complain(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    wait_for_call("an error handler");
}

static int copy(MPI_Comm comm, int key, void *state, void *value, void *out, int *flag)
{
    (void)comm, (void)key, (void)state, (void)value, (void)out;
    wait_for_call("a copy function");
    *flag = 0;
    return MPI_SUCCESS;
}

static int delete (MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm, (void)key, (void)value, (void)state;
    wait_for_call("a delete function");
    return MPI_SUCCESS;
}

static int query(void *state, MPI_Status *status)
{
    (void)state;
    wait_for_call("the query of a generalized request");
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int release(void *state)
{
    (void)state;
    wait_for_call("the free function of a generalized request");
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

static void one_after_another(void)
{
    int one = 1, key, value = 0;
    MPI_Errhandler handler;
    MPI_Comm mine, other;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_SELF, &mine));
    CHECK_OK(MPI_Comm_create_errhandler(complain, &handler));
    CHECK_OK(MPI_Comm_set_errhandler(mine, handler));
    CHECK_CLASS(MPI_Send(&one, 1, MPI_INT, 99, 0, mine), MPI_ERR_RANK);
    CHECK_OK(MPI_Errhandler_free(&handler));

    CHECK_OK(MPI_Comm_create_keyval(copy, delete, &key, NULL));
    CHECK_OK(MPI_Comm_set_attr(mine, key, &value));
    CHECK_OK(MPI_Comm_dup(mine, &other));
    CHECK_OK(MPI_Comm_delete_attr(mine, key));
    CHECK_OK(MPI_Comm_free_keyval(&key));
    CHECK_OK(MPI_Comm_free(&other));
    CHECK_OK(MPI_Comm_free(&mine));

    MPI_Request request;
    CHECK_OK(MPI_Grequest_start(query, release, cancel, NULL, &request));
    CHECK_OK(MPI_Grequest_complete(request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &check_rank));
    CHECK_OK(MPI_Comm_size(MPI_COMM_WORLD, &check_size));
    CHECK_INT(provided, MPI_THREAD_MULTIPLE);
    MPI_Comm comm;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    pthread_create(&thread, NULL, call, &comm);
    one_after_another();
    over = true;
    pthread_join(thread, NULL);
    CHECK_OK(MPI_Comm_free(&comm));
    return check_end();
}
