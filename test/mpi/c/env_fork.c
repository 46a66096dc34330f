/* A process that fork() makes of a rank: it may compute and exit, with what finalizes MPI at exit, and is told so when
 * it calls MPI; its parent's messages, requests and windows are as if nothing had been.
 *
 * np: - 1 2 3
 * only: treefold
 */
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* As language bindings do. */
static void at_exit(void)
{
    int flag = 0;
    MPI_Finalized(&flag);
    if (!flag)
        MPI_Finalize();
}

static int status_of(pid_t pid)
{
    int status = -1;
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    return status;
}

static bool is_refused(int code, const char *call)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length, errclass = 0;
    MPI_Error_class(code, &errclass);
    MPI_Error_string(code, text, &length);
    bool refused = errclass == MPI_ERR_OTHER && strstr(text, "made by fork()");
    if (!refused)
        printf("rank %d, after fork(): %s gives \"%s\"\n", check_rank, call, text);
    return refused;
}
#define REFUSED(call) (good &= is_refused(call, #call))

/* What of the parent the child has handles of. */
struct held {
    MPI_Comm comm;
    MPI_Win win;
    MPI_Session session;
    MPI_Request request, started;
};

static void child(struct held held)
{
    int flag = 0, x = 7;
    bool good = MPI_Initialized(&flag) == MPI_SUCCESS && flag;
    good &= MPI_Finalized(&flag) == MPI_SUCCESS && flag;
    MPI_Request request;
    MPI_Session session;
    MPI_Comm comm;
    int rank = -1, size = -1;
    good &= MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank == check_rank;
    good &= MPI_Comm_size(held.comm, &size) == MPI_SUCCESS && size == check_size;
    REFUSED(MPI_Comm_size(MPI_COMM_NULL, &size));
    REFUSED(MPI_Send(&x, 1, MPI_INT, (check_rank + 1) % check_size, 1, MPI_COMM_WORLD));
    REFUSED(MPI_Send(&x, 1, MPI_INT, (check_rank + 1) % check_size, 1, held.comm));
    REFUSED(MPI_Isend(&x, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request));
    REFUSED(MPI_Barrier(MPI_COMM_WORLD));
    REFUSED(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    REFUSED(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, held.win));
    REFUSED(MPI_Wait(&held.request, MPI_STATUS_IGNORE));
    REFUSED(MPI_Start(&held.started));
    REFUSED(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    REFUSED(MPI_Init(NULL, NULL));
    REFUSED(MPI_Finalize());
    pid_t pid = fork();
    if (pid == 0)
        _exit(MPI_Comm_rank(held.comm, &rank) || rank != check_rank || MPI_Barrier(held.comm) == MPI_SUCCESS);
    good &= status_of(pid) == 0;
    fflush(stdout);
    exit(good ? 3 : 4);
}

/* An error that ends the child does so to no other process. */
static void fatal_child(void)
{
    MPI_Session session;
    close(STDERR_FILENO);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    _exit(0);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    int from = (check_rank + check_size - 1) % check_size, to = (check_rank + 1) % check_size;
    int got[2] = {-1, -1}, place = -1;
    struct held held;
    CHECK_OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &held.session));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &held.comm));
    CHECK_OK(MPI_Win_create(&place, sizeof place, sizeof place, MPI_INFO_NULL, held.comm, &held.win));
    CHECK_OK(MPI_Irecv(&got[0], 1, MPI_INT, from, 1, held.comm, &held.request));
    CHECK_OK(MPI_Recv_init(&got[1], 1, MPI_INT, from, 2, held.comm, &held.started));
    atexit(at_exit);

    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        child(held);
    int status = status_of(pid);
    CHECK(WIFEXITED(status));
    CHECK_INT(WEXITSTATUS(status), 3);

    pid = fork();
    if (pid == 0)
        fatal_child();
    status = status_of(pid);
    CHECK(WIFEXITED(status));
    CHECK_INT(WEXITSTATUS(status), MPI_ERR_OTHER);

    CHECK_OK(MPI_Start(&held.started));
    CHECK_OK(MPI_Send(&check_rank, 1, MPI_INT, to, 1, held.comm));
    CHECK_OK(MPI_Send(&check_rank, 1, MPI_INT, to, 2, held.comm));
    CHECK_OK(MPI_Wait(&held.request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Wait(&held.started, MPI_STATUS_IGNORE));
    CHECK_INT(got[0], from);
    CHECK_INT(got[1], from);
    CHECK_OK(MPI_Win_fence(0, held.win));
    CHECK_OK(MPI_Put(&check_rank, 1, MPI_INT, to, 0, 1, MPI_INT, held.win));
    CHECK_OK(MPI_Win_fence(0, held.win));
    CHECK_INT(place, from);

    CHECK_OK(MPI_Request_free(&held.started));
    CHECK_OK(MPI_Win_free(&held.win));
    CHECK_OK(MPI_Comm_free(&held.comm));
    CHECK_OK(MPI_Session_finalize(&held.session));
    return check_end();
}
