/* file_left.c - files that are open in MPI_Finalize are closed there, with all that was written.
 *
 * np: - 1 2 3
 * only: treefold
 */
#include "files.h"

static char all[FILE_NAME], own[FILE_NAME];

static void open_all(MPI_File *fh)
{
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, all, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, fh));
    CHECK_OK(MPI_File_set_view(*fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
}

/* Of one operation nobody waits for the end. */
static void write_all(MPI_File fh)
{
    static int value;
    MPI_Request request;
    value = 100 + check_rank;
    CHECK_OK(MPI_File_iwrite_at(fh, check_rank, &value, 1, MPI_INT, &request));
    CHECK_OK(MPI_Request_free(&request));
    CHECK_OK(MPI_File_seek_shared(fh, check_size, MPI_SEEK_SET));
    CHECK_OK(MPI_File_write_shared(fh, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
}

/* Ranks leave different numbers of files. */
static void leave_own(void)
{
    MPI_File fh;
    snprintf(own, sizeof own, "%.180s-%d", all, check_rank);
    for (int i = 0; i <= check_rank; i++)
        CHECK_OK(MPI_File_open(MPI_COMM_SELF, own, MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                               MPI_INFO_NULL, &fh));
    CHECK(file_is_there(own));
}

static void look(int fd)
{
    struct stat found;
    int value = 0;
    CHECK_INT(pread(fd, &value, sizeof value, (off_t)sizeof value * check_rank), sizeof value);
    CHECK_INT(value, 100 + check_rank);
    CHECK(fstat(fd, &found) == 0 && found.st_size == 2LL * check_size * (int)sizeof value);
    CHECK(!file_is_there(own));
    close(fd);
}

int main(int argc, char **argv)
{
    MPI_File fh;
    check_start(&argc, &argv);
    file_name(all, "left");
    open_all(&fh);
    write_all(fh);
    leave_own();
    int fd = open(all, O_RDONLY);
    CHECK(fd >= 0);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == 0)
        unlink(all);
    CHECK_OK(MPI_Finalize());
    look(fd);
    if (check_rank == 0)
        printf("%lld checks, %lld failed\n", check_count, check_failures);
    return check_failures > 0 || check_left() > 0;
}
