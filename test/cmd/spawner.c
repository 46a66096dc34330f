/* spawner.c - a program of which mpiexec's tests start parents that start children: `spawner WHAT [COMMAND ARGS...]`.
 *
 *     spawner good                 children say a line and are parted from
 *     spawner exits, killed        a child ends so while it is connected
 *     spawner apart                a child exits with a failure when it is not connected any more
 *     spawner waits                the parent is in MPI_Comm_spawn of what follows
 *     spawner open                 nobody disconnects
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void child(const char *what, int rank, MPI_Comm parent)
{
    printf("child %d\n", rank);
    fflush(stdout);
    if (strcmp(what, "exits") == 0 && rank == 1)
        _exit(17);
    if (strcmp(what, "killed") == 0 && rank == 1)
        raise(SIGKILL);
    if (strcmp(what, "open") != 0)
        MPI_Comm_disconnect(&parent);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(what, "apart") == 0)
        _exit(3);
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm parent, inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        child(argv[1], rank, parent);
        return 0;
    }
    int waits = strcmp(argv[1], "waits") == 0;
    char *command = waits ? argv[2] : argv[0];
    MPI_Comm_spawn(command, waits ? argv + 3 : argv + 1, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                   MPI_ERRCODES_IGNORE);
    if (strcmp(argv[1], "open") != 0)
        MPI_Comm_disconnect(&inter);
    if (strcmp(argv[1], "apart") == 0)
        sleep(1);
    printf("parent %d\n", rank);
    MPI_Finalize();
    return 0;
}
