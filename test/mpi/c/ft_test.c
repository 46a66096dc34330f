/* A process that works and only tests now and then learns of a death after a few tests.
 *
 * np: 2 3
 * option: -keep-going
 * fails: ft_test: all is well
 * status: 137
 * timeout: 20
 * only: treefold
 */
#include "ft.h"

#include <signal.h>
#include <time.h>

enum { FEW = 100 };

static int dead, err, flag;
static double x;

static void work(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
}

static void test_few(void)
{
    MPI_Request request;
    CHECK_OK(MPI_Irecv(&x, 1, MPI_DOUBLE, dead, 1, MPI_COMM_WORLD, &request));
    flag = 0;
    for (int i = 0; i < FEW && !flag; i++) {
        work();
        err = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
    CHECK(flag);
    ft_must_fail(err, "MPI_Test");
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    dead = check_size - 1;
    ft_may_fail(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier"); /* some may still be in it when one has died */
    if (check_rank == dead)
        raise(SIGKILL);
    test_few();
    err = MPI_SUCCESS;
    for (int i = 0; i < FEW && !err; i++)
        err = MPI_Iprobe(dead, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    ft_must_fail(err, "MPI_Iprobe");
    ft_tell_the_end("ft_test", dead);
    CHECK_OK(MPI_Finalize());
    return check_failures != 0;
}
