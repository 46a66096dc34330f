/* Processes are killed at any moment of a series of agreements: those who are left have agreed on the same each time.
 *
 * np: 3 5
 * option: -keep-going
 * fails: ft_agree_killed: all is well
 * status: 137
 * only: treefold
 */
#include "check.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

enum { ROUNDS = 400 };

static int rank, size;
static int flags[ROUNDS + 1], classes[ROUNDS + 1];

static void die(int signal)
{
    (void)signal;
    kill(getpid(), SIGKILL);
}

/* All but the last one of three or two of five, each at its own time. */
static void wind_up(void)
{
    struct itimerval time = {.it_value = {.tv_usec = 2000 + (rank * 7919 + getpid() * 31) % 20000}};
    signal(SIGALRM, die);
    if (rank < size - 2 || (rank == size - 2 && size == 3))
        CHECK(setitimer(ITIMER_REAL, &time, NULL) == 0);
}

static void go_round(MPI_Comm comm, int i)
{
    flags[i] = ~(1 << (rank + i) % 30);
    int err = MPIX_Comm_agree(comm, &flags[i]);
    if (err)
        MPI_Error_class(err, &classes[i]);
    CHECK_NOTED(classes[i] == MPI_SUCCESS || classes[i] == MPIX_ERR_PROC_FAILED, "round %d: class %d", i, classes[i]);
    if (err && i % 2)
        CHECK_OK(MPIX_Comm_failure_ack(comm));
}

/* What two of them have agreed on. */
static void compare(MPI_Comm comm)
{
    static int others[ROUNDS + 1], their_classes[ROUNDS + 1];
    MPI_Comm rest;
    int n, me;
    CHECK_OK(MPIX_Comm_shrink(comm, &rest));
    CHECK_OK(MPI_Comm_size(rest, &n));
    CHECK_OK(MPI_Comm_rank(rest, &me));
    CHECK_NOTED(n <= 2, "%d are left", n);
    memcpy(others, flags, sizeof flags);
    memcpy(their_classes, classes, sizeof classes);
    CHECK_OK(MPI_Bcast(others, ROUNDS, MPI_INT, 0, rest));
    CHECK_OK(MPI_Bcast(their_classes, ROUNDS, MPI_INT, 0, rest));
    for (int i = 0; i < ROUNDS; i++)
        CHECK_NOTED(others[i] == flags[i] && their_classes[i] == classes[i], "round %d: 0x%x and 0x%x", i,
                    (unsigned)others[i], (unsigned)flags[i]);
    int well = check_failures == 0;
    CHECK_OK(MPIX_Comm_agree(rest, &well));
    if (me == 0 && well)
        printf("ft_agree_killed: all is well\n");
    CHECK_OK(MPI_Comm_free(&rest));
}

/* The others' timers go off while they wait here. */
static void outlive(MPI_Comm comm)
{
    int n = 0, dying = size == 3 ? 2 : size - 2;
    MPI_Group failed;
    while (n < dying) {
        CHECK_OK(MPIX_Comm_get_failed(comm, &failed));
        CHECK_OK(MPI_Group_size(failed, &n));
        if (n > 0)
            CHECK_OK(MPI_Group_free(&failed));
    }
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    int all = 1;
    check_start(&argc, &argv);
    rank = check_rank;
    size = check_size;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    MPIX_Comm_agree(comm, &all); /* all are there */
    wind_up();
    for (int i = 0; i < ROUNDS; i++)
        go_round(comm, i);
    outlive(comm);
    compare(comm);
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Finalize());
    return check_failures != 0;
}
