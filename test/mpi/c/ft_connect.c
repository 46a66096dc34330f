/* Processes that wait for others to connect, be it in MPI_Comm_accept, MPI_Comm_connect or MPI_Comm_spawn, are told
 * when their communicator is revoked or one of them dies, the root among them.
 *
 * np: 2 3 4
 * option: -keep-going
 * fails: ft_connect: all is well
 * status: 137
 * timeout: 30
 * only: treefold
 */
#include "spawn.h"

#include <signal.h>
#include <unistd.h>

enum { WAY_ACCEPT, WAY_CONNECT, WAY_SPAWN, WAYS };
static const char *const names[] = {"accept", "connect", "spawn"};
static char port[MPI_MAX_PORT_NAME]; /* of rank 0, where nobody is accepted but in the first way */

static int wait_for_others(int way, MPI_Comm comm)
{
    char *argv[] = {"late", NULL};
    MPI_Comm inter = MPI_COMM_NULL;
    if (way == WAY_ACCEPT)
        return MPI_Comm_accept(port, MPI_INFO_NULL, 0, comm, &inter);
    if (way == WAY_CONNECT)
        return MPI_Comm_connect(port, MPI_INFO_NULL, 0, comm, &inter);
    return MPI_Comm_spawn(spawn_self(), argv, 1, MPI_INFO_NULL, 0, comm, &inter, MPI_ERRCODES_IGNORE);
}

static MPI_Comm copy(MPI_Comm of)
{
    MPI_Comm comm;
    CHECK_OK(MPI_Comm_dup(of, &comm));
    CHECK_OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    return comm;
}

/* The last of them revokes instead. */
static void interrupt(int way)
{
    MPI_Comm comm = copy(MPI_COMM_WORLD);
    if (check_rank < check_size - 1)
        CHECK_CLASS(wait_for_others(way, comm), MPIX_ERR_REVOKED);
    else {
        usleep(100000);
        CHECK_OK(MPIX_Comm_revoke(comm));
    }
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* The last of them dies instead; each time another one, as long as two are left. */
static void die(void)
{
    MPI_Comm comm = copy(MPI_COMM_WORLD), smaller;
    int left = check_size;
    for (int way = 0; way < WAYS && left > 1; way++) {
        if (check_rank == left - 1) {
            usleep(100000);
            raise(SIGKILL);
        }
        int class, code = wait_for_others(way, comm);
        MPI_Error_class(code, &class);
        CHECK_NOTED(class == MPIX_ERR_PROC_FAILED, "%s: class %d", names[way], class);
        CHECK_OK(MPIX_Comm_shrink(comm, &smaller));
        CHECK_OK(MPI_Comm_free(&comm));
        CHECK_OK(MPI_Comm_set_errhandler(smaller, MPI_ERRORS_RETURN));
        comm = smaller;
        CHECK_OK(MPI_Comm_size(comm, &left));
    }
    long long all = 0, mine = check_failures;
    CHECK_OK(MPI_Reduce(&mine, &all, 1, MPI_LONG_LONG, MPI_SUM, 0, comm));
    if (check_rank == 0 && all == 0)
        fprintf(stderr, "ft_connect: all is well\n");
    CHECK_OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        sleep(1); /* its parents wait for MPI_Init, and then no more */
        MPI_Init(&argc, &argv);
        return 0;
    }
    check_start(&argc, &argv);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    if (check_rank == 0)
        CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
    CHECK_OK(MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD));
    for (int way = 0; way < WAYS; way++)
        interrupt(way);
    die();
    return check_end();
}
