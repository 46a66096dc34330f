/* vanish.c - what the ranks do while test/net/namespaces cuts a host off, or disturbs their ports.
 *
 *     idle        all are connected, then the others wait for a message of the last rank, which computes
 *     receiving   all exchange messages without end
 *     starved     two exchange long messages without end, and get a processor for a moment every 1.2 seconds
 *     sending     long messages to the last rank, without end
 *     surviving   all agree and reduce without end; those who are left when some are gone end well
 *     strangers   some seconds of exchanges that end well
 *     stopped     the others wait for a message of the last rank, which is stopped for 12 seconds; all ends well
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void exchange(int seconds)
{
    int size, sum, one = 1;
    double began = MPI_Wtime(), most, mine;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    do {
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (sum != size) {
            fprintf(stderr, "the sum is %d\n", sum);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
        usleep(1000);
        mine = MPI_Wtime() - began;
        MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    } while (most < seconds);
}

static void must(int err, const char *what)
{
    if (err) {
        fprintf(stderr, "%s fails\n", what);
        MPI_Abort(MPI_COMM_WORLD, 4);
    }
}

/* Until somebody has vanished. */
static void work_together(MPI_Comm comm)
{
    int size, one = 1, sum, err = MPI_SUCCESS;
    MPI_Comm_size(comm, &size);
    while (!err) {
        int flag = 6;
        err = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
        if (!err && sum != size)
            must(1, "the sum of all");
        if (!err)
            err = MPIX_Comm_agree(comm, &flag);
        if (!err && flag != 6)
            must(1, "the agreement");
        usleep(1000);
    }
}

static void survive(int rank, int size)
{
    MPI_Comm comm, smaller;
    int left = size, one = 1, sum;
    must(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    while (left > size / 2) {
        work_together(comm);
        must(MPIX_Comm_revoke(comm), "MPIX_Comm_revoke");
        must(MPIX_Comm_shrink(comm, &smaller), "MPIX_Comm_shrink");
        MPI_Comm_free(&comm);
        comm = smaller;
        MPI_Comm_size(comm, &left);
    }
    for (int i = 0; i < 100; i++)
        must(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm) || sum != left, "the sum of those who are left");
    printf("rank %d goes on with %d\n", rank, left);
    MPI_Comm_free(&comm);
}

static void stop_for(unsigned seconds)
{
    if (fork() == 0) {
        sleep(seconds);
        kill(getppid(), SIGCONT);
        _exit(0);
    }
    raise(SIGSTOP);
}

static void starve(void)
{
    pid_t parent = getpid();
    if (fork() != 0)
        return;
    while (getppid() == parent) {
        kill(parent, SIGSTOP);
        usleep(1200000);
        kill(parent, SIGCONT);
        usleep(2000);
    }
    _exit(0);
}

int main(int argc, char **argv)
{
    int rank, size, bytes = 8 << 20;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 2)
        MPI_Abort(MPI_COMM_WORLD, 3);
    char *buffer = calloc(2, (size_t)bytes);
    exchange(1);
    if (strcmp(argv[1], "strangers") == 0)
        exchange(7);
    else if (strcmp(argv[1], "surviving") == 0)
        survive(rank, size);
    else if (strcmp(argv[1], "stopped") == 0) {
        if (rank == size - 1)
            stop_for(12);
        MPI_Bcast(buffer, bytes, MPI_BYTE, size - 1, MPI_COMM_WORLD);
    } else if (strcmp(argv[1], "starved") == 0) {
        starve();
        for (;;)
            MPI_Sendrecv(buffer, bytes, MPI_BYTE, 1 - rank, 0, buffer + bytes, bytes, MPI_BYTE, 1 - rank, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(argv[1], "receiving") == 0)
        exchange(1000);
    else if (rank == size - 1 && strcmp(argv[1], "idle") == 0)
        sleep(1000);
    else if (strcmp(argv[1], "idle") == 0)
        MPI_Recv(buffer, bytes, MPI_BYTE, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        for (;;) {
            if (rank == 0)
                MPI_Send(buffer, bytes, MPI_BYTE, size - 1, 0, MPI_COMM_WORLD);
            else if (rank == size - 1)
                MPI_Recv(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else
                sleep(1);
        }
    free(buffer);
    MPI_Finalize();
    return 0;
}
