/* With TREEFOLD_CHECK=strict a thread that may not call MPI is told so (MPI-5.0 section 11.6.2).
 *
 * np: 1 2
 * option: -env TREEFOLD_CHECK strict
 * flags: -pthread
 * fails: MPI_Comm_size: thread [0-9]+ of this process is not the one that called MPI_Init .*MPI_THREAD_FUNNELED
 * status: 1
 * only: treefold
 */
#include <mpi.h>
#include <pthread.h>

static void *call(void *unused)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    pthread_create(&thread, NULL, call, NULL);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
