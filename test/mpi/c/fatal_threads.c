/* With TREEFOLD_CHECK=strict two threads that call at once are told that they may not (MPI-5.0 section 11.6.2): here
 * one waits for a message that the other sends.
 *
 * np: 1 2
 * option: -env TREEFOLD_CHECK strict
 * flags: -pthread
 * fails: MPI_Send: thread [0-9]+ of this process calls it while thread [0-9]+ is in MPI_Recv.* MPI_THREAD_SERIALIZED
 * status: 1
 * only: treefold
 */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

static void *wait_for_message(void *unused)
{
    int value;
    MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int provided, value = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    pthread_create(&thread, NULL, wait_for_message, NULL);
    usleep(300000); /* by then it waits; if not, the message that it gets ends the program well, which fails */
    MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
