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

#ifdef TREEFOLD
static void combine(void *in, void *inout, MPI_Count length, MPI_Datatype type, void *context)
{
    (void)type, (void)context;
    for (MPI_Count i = 0; i < length; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void destroy(void *context)
{
    ++*(int *)context;
    wait_for_call("the destructor of an operator");
}

static void destroy_key(void *context)
{
    ++*(int *)context;
    wait_for_call("the destructor of an attribute key");
}

static void destroy_handler(void *context)
{
    ++*(int *)context;
    wait_for_call("the destructor of an error handler");
}

static void ignore(MPI_Comm comm, int code, void *context)
{
    (void)comm, (void)code, (void)context;
}

/* The last use of a key is its own free, that of its last attribute, or what frees the object which has that. */
static void keys(MPI_Comm comm)
{
    int destroyed = 0, key, value = 0;
    MPI_Comm other;
    for (int use = 0; use < 3; use++) {
        CHECK_OK(MPI_Comm_dup(comm, &other));
        CHECK_OK(
            MPIX_Comm_create_keyval_x(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, destroy_key, &destroyed, &key));
        if (use > 0)
            CHECK_OK(MPI_Comm_set_attr(other, key, &value));
        int freed = key;
        CHECK_OK(MPI_Comm_free_keyval(&freed));
        CHECK_INT(destroyed, use + (use == 0));
        if (use == 1)
            CHECK_OK(MPI_Comm_delete_attr(other, key));
        CHECK_OK(MPI_Comm_free(&other));
        CHECK_INT(destroyed, use + 1);
    }
}

/* The last use of an error handler is its own free, another one in its place, or an error. */
static void handlers(MPI_Comm comm)
{
    int destroyed = 0;
    MPI_Errhandler handler;
    for (int use = 0; use < 2; use++) {
        CHECK_OK(MPIX_Comm_create_errhandler_x(ignore, destroy_handler, &destroyed, &handler));
        if (use == 1)
            CHECK_OK(MPI_Comm_set_errhandler(comm, handler));
        CHECK_OK(MPI_Errhandler_free(&handler));
        CHECK_INT(destroyed, use + (use == 0));
        CHECK_OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
        CHECK_INT(destroyed, use + 1);
    }
}

/* The last use of the operator is MPI_Op_free, or that of a request which still has it. */
static void operators(void)
{
    int destroyed = 0, mine = 1, sum = 0, later = 0;
    MPI_Request requests[2];
    MPI_Op op;
    CHECK_OK(MPIX_Op_create_x(combine, destroy, 1, &destroyed, &op));
    CHECK_OK(MPI_Op_free(&op));
    CHECK_INT(destroyed, 1);
    CHECK_OK(MPIX_Op_create_x(combine, destroy, 1, &destroyed, &op));
    CHECK_OK(MPI_Iallreduce(&mine, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Op_free(&op));
    CHECK_OK(MPI_Iallreduce(&mine, &later, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]));
    CHECK_INT(destroyed, 1);
    CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK_INT(destroyed, 2);
    CHECK_INT(sum, check_size);
    CHECK_INT(later, check_size);
}
#endif

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
#ifdef TREEFOLD
    operators();
    keys(MPI_COMM_SELF);
    handlers(MPI_COMM_SELF);
#endif
    over = true;
    pthread_join(thread, NULL);
    CHECK_OK(MPI_Comm_free(&comm));
    return check_end();
}
