/* ends.c - an MPI program that ends, or does not, in the way its first argument says; rank 1 is the one that
 * misbehaves.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void misbehave(const char *way)
{
    if (!strcmp(way, "abort"))
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (!strcmp(way, "abort256"))
        MPI_Abort(MPI_COMM_WORLD, 256);
    if (!strcmp(way, "error"))
        MPI_Bcast(NULL, -3, MPI_INT, 0, MPI_COMM_WORLD);
    if (!strcmp(way, "kill"))
        raise(SIGKILL);
    if (!strcmp(way, "segv"))
        raise(SIGSEGV);
    if (!strcmp(way, "exit"))
        exit(3);
    if (!strcmp(way, "leave"))
        exit(0);
    if (!strcmp(way, "stand")) {
        puts("standing");
        fflush(stdout);
        MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* With everybody, so that each two have a connection. */
static void talk(int rank, int size)
{
    for (int i = 0, heard; i < size; i++)
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + i) % size, 0, &heard, 1, MPI_INT, (rank - i + size) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "well";
    int rank, size, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum != size * (size - 1) / 2)
        printf("the sum is %d\n", sum);
    if (!strcmp(way, "twice"))
        printf("second init: %d\n", MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN) || MPI_Init(NULL, NULL));
    if (!strcmp(way, "talk"))
        talk(rank, size);
    if (rank == 1)
        misbehave(way);
    /* The others wait for rank 1 in MPI, for ever. */
    if (strcmp(way, "well") && strcmp(way, "late") && strcmp(way, "twice") && strcmp(way, "talk"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d processes\n", size);
    MPI_Finalize();
    return !strcmp(way, "late") && rank == 1 ? 5 : 0;
}
