/* With -keep-going a process that dies ends nobody else: operations that need it end with MPIX_ERR_PROC_FAILED and name
 * it, those with anybody as their sender tell of it, and all others go on.
 *
 * np: 2 3 5
 * option: -keep-going
 * fails: ft_messages: all is well
 * status: 137
 * timeout: 15
 * only: treefold
 */
#include "ft.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 60000 };

static int rank, size, dead;

static void must_fail(int err, int class, const char *what)
{
    char words[MPI_MAX_ERROR_STRING];
    char name[20];
    int length;
    CHECK_NOTED(err == class, "%s: error %d, not %d", what, err, class);
    if (err == MPI_SUCCESS)
        return;
    MPI_Error_string(err, words, &length);
    snprintf(name, sizeof name, "rank %d", dead);
    CHECK_NOTED(strstr(words, name) && strstr(words, "signal 9"), "%s: %.150s", what, words);
}

static void meet_the_dead(void)
{
    static double many[LONG];
    double x = -1;
    MPI_Request request;
    int flag;
    must_fail(MPI_Recv(&x, 1, MPI_DOUBLE, dead, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED, "recv");
    must_fail(MPI_Recv(&x, 1, MPI_DOUBLE, dead, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED, "again");
    must_fail(MPI_Send(&x, 1, MPI_DOUBLE, dead, 8, MPI_COMM_WORLD), MPIX_ERR_PROC_FAILED, "send");
    must_fail(MPI_Ssend(&x, 1, MPI_DOUBLE, dead, 8, MPI_COMM_WORLD), MPIX_ERR_PROC_FAILED, "ssend");
    must_fail(MPI_Send(many, LONG, MPI_DOUBLE, dead, 8, MPI_COMM_WORLD), MPIX_ERR_PROC_FAILED, "long send");
    CHECK_OK(MPI_Isend(many, LONG, MPI_DOUBLE, dead, 8, MPI_COMM_WORLD, &request));
    must_fail(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED, "isend");
    CHECK_OK(MPI_Irecv(&x, 1, MPI_DOUBLE, dead, 8, MPI_COMM_WORLD, &request));
    must_fail(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED, "irecv");
    must_fail(MPI_Probe(dead, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED, "probe");
    must_fail(MPI_Iprobe(dead, 8, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED, "iprobe");
    must_fail(MPI_Barrier(MPI_COMM_WORLD), MPIX_ERR_PROC_FAILED, "barrier");
    CHECK_NOTED(x == -1, "a receive that failed has written %g", x);
}

static void expect_anybody(void)
{
    double x = -1;
    MPI_Request request;
    must_fail(MPI_Recv(&x, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED,
              "recv from anybody");
    CHECK_OK(MPI_Irecv(&x, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 21, MPI_COMM_SELF, &request));
    CHECK_OK(MPI_Send(&(double){3}, 1, MPI_DOUBLE, 0, 21, MPI_COMM_SELF));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_NOTED(x == 3, "got %g", x);
    CHECK_OK(MPI_Irecv(&x, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 22, MPI_COMM_WORLD, &request));
    must_fail(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED_PENDING, "irecv from anybody");
    CHECK_NOTED(request != MPI_REQUEST_NULL, "the request is gone");
    CHECK_OK(MPI_Send(&(double){4}, 1, MPI_DOUBLE, rank, 22, MPI_COMM_WORLD));
    int err = MPIX_ERR_PROC_FAILED_PENDING;
    while (err == MPIX_ERR_PROC_FAILED_PENDING)
        err = MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_NOTED(err == MPI_SUCCESS && x == 4, "error %d, got %g", err, x);
    CHECK_OK(MPI_Irecv(&x, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 23, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Cancel(&request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void go_on(void)
{
    static double out[LONG], in[LONG];
    int alive = size - 1, to = (rank + 1) % alive, from = (rank + alive - 1) % alive;
    for (int i = 0; i < LONG; i++)
        out[i] = rank + i;
    CHECK_OK(
        MPI_Sendrecv(out, LONG, MPI_DOUBLE, to, 30, in, LONG, MPI_DOUBLE, from, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < LONG; i++)
        CHECK_NOTED(in[i] == from + i, "element %d is %g", i, in[i]);
}

/* When all have left the barrier.  What it has sent before its end is received. */
static void die(void)
{
    for (int i = 0; i < size - 1; i++)
        CHECK_OK(MPI_Recv(NULL, 0, MPI_DOUBLE, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Ssend(&(double){7}, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD));
    raise(SIGKILL);
}

int main(int argc, char **argv)
{
    double x = 1, y, last = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_OK(MPI_Init(&argc, &argv));
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK_OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    dead = size - 1;
    if (rank == 0)
        CHECK_OK(MPI_Irecv(&last, 1, MPI_DOUBLE, dead, 7, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == dead)
        die();
    (void)MPI_Send(NULL, 0, MPI_DOUBLE, dead, 6, MPI_COMM_WORLD);
    /* Another survivor may have told of it first. */
    must_fail(MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), MPIX_ERR_PROC_FAILED, "allreduce");
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_NOTED(rank > 0 || last == 7, "got %g", last);
    meet_the_dead();
    expect_anybody();
    go_on();
    ft_tell_the_end("ft_messages", size - 1);
    CHECK_OK(MPI_Finalize());
    return check_failures != 0;
}
