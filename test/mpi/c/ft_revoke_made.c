/* A thread revokes a communicator while all make windows and files of it: some may have one by then and others not, and
 * those who have it do not wait for the others.
 *
 * np: 2 3 4
 * only: treefold
 * flags: -pthread
 * timeout: 60
 */
#include "files.h"

#include <pthread.h>

enum { ROUNDS = 150, CELLS = 16 };

static char name[FILE_NAME];
static double memory[CELLS];

struct revoker {
    MPI_Comm comm;
    useconds_t after;
};

static void *revoke_later(void *arg)
{
    const struct revoker *revoker = arg;
    usleep(revoker->after);
    CHECK_OK(MPIX_Comm_revoke(revoker->comm));
    return NULL;
}

/* An error of somebody's is one of all sooner or later: of the communicator, or of what was made of it. */
static bool goes_on(int err)
{
    int class;
    MPI_Error_class(err, &class);
    CHECK_NOTED(class == MPI_SUCCESS || class == MPIX_ERR_REVOKED || class == MPIX_ERR_PROC_FAILED, "class %d", class);
    return class == MPI_SUCCESS;
}

static bool use_window(MPI_Comm comm, int i)
{
    MPI_Win win;
    double *own;
    int err = i % 2 ? MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, comm, &win)
                    : MPI_Win_allocate(sizeof memory, sizeof *memory, MPI_INFO_NULL, comm, &own, &win);
    if (!goes_on(err))
        return false;
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    bool well = goes_on(MPI_Win_fence(0, win));
    return goes_on(MPI_Win_free(&win)) && well;
}

static bool use_file(MPI_Comm comm)
{
    MPI_File file;
    double x = check_rank;
    if (!goes_on(MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file)))
        return false;
    bool well =
        goes_on(MPI_File_write_at_all(file, check_rank * (MPI_Offset)sizeof x, &x, 1, MPI_DOUBLE, MPI_STATUS_IGNORE));
    return goes_on(MPI_File_close(&file)) && well;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &check_rank));
    CHECK_OK(MPI_Comm_size(MPI_COMM_WORLD, &check_size));
    CHECK_INT(provided, MPI_THREAD_MULTIPLE);
    file_name(name, "ft-revoke-made");
    for (int i = 0; i < ROUNDS; i++) {
        struct revoker revoker = {.after = (useconds_t)(i * 37 % 1500)};
        pthread_t thread;
        CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &revoker.comm));
        CHECK_OK(MPI_Comm_set_errhandler(revoker.comm, MPI_ERRORS_RETURN));
        if (check_rank == 0)
            unlink(name); /* no one is still in the last round's calls; so that it is made again */
        if (check_rank == i % check_size)
            CHECK_INT(pthread_create(&thread, NULL, revoke_later, &revoker), 0);
        for (int k = 0; k % 2 ? use_file(revoker.comm) : use_window(revoker.comm, i); k++)
            ;
        if (check_rank == i % check_size)
            pthread_join(thread, NULL);
        CHECK_OK(MPI_Comm_free(&revoker.comm));
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == 0)
        unlink(name);
    printf("%lld checks, %lld failed\n", check_count, check_failures);
    MPI_Finalize(); /* windows that are broken are there to the end, as others may still write into them */
    return check_failures != 0;
}
