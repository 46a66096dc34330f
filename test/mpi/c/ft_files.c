/* An aggregator is killed while it writes or reads for others: the collective access of those ends with
 * MPIX_ERR_PROC_FAILED, the file can still be accessed by each one, and beside it there is nothing in its folder.
 *
 * np: 2 3 4 5
 * option: -keep-going
 * fails: ft_files: all is well
 * status: 137
 * timeout: 30
 * only: treefold
 */
#include "syscalls.h"

#include "ft.h"

#include <dirent.h>
#include <signal.h>

enum { N = 50000, VICTIM = 1 }; /* an aggregator, as ranks 0 and 1 of a node are */

static int data[N], left; /* accesses before it dies */

static ssize_t die_writing(int fd, const void *from, size_t bytes, off_t offset)
{
    if (left-- == 0)
        raise(SIGKILL);
    return system_write(fd, from, bytes, offset);
}

static ssize_t die_reading(int fd, void *to, size_t bytes, off_t offset)
{
    if (left-- == 0)
        raise(SIGKILL);
    return system_read(fd, to, bytes, offset);
}

static MPI_File open_turns(const char *name)
{
    MPI_File f = MPI_FILE_NULL;
    MPI_Info info;
    MPI_Datatype turn;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "collective_buffering", "true"));
    CHECK_OK(MPI_Info_set(info, "cb_buffer_size", "40000"));
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &f));
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, check_size * (MPI_Aint)sizeof(int), &turn));
    CHECK_OK(MPI_Type_commit(&turn));
    CHECK_OK(MPI_File_set_view(f, check_rank * (MPI_Offset)sizeof(int), MPI_INT, turn, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_Type_free(&turn));
    CHECK_OK(MPI_Info_free(&info));
    return f;
}

/* Another form with each number of processes. */
static void access_all(MPI_File f)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code;
    left = 3;
    rows.write = check_rank == VICTIM ? die_writing : NULL;
    rows.read = check_rank == VICTIM ? die_reading : NULL;
    switch (check_size) {
    case 2:
        ft_must_fail(MPI_File_write_at_all(f, 0, data, N, MPI_INT, MPI_STATUS_IGNORE), "write_at_all");
        break;
    case 3:
        ft_must_fail(MPI_File_read_at_all(f, 0, data, N, MPI_INT, MPI_STATUS_IGNORE), "read_at_all");
        break;
    case 4:
        code = MPI_File_iwrite_at_all(f, 0, data, N, MPI_INT, &request);
        ft_must_fail(code ? code : MPI_Wait(&request, MPI_STATUS_IGNORE), "iwrite_at_all");
        break;
    default:
        code = MPI_File_read_all_begin(f, data, N, MPI_INT);
        ft_must_fail(code ? code : MPI_File_read_all_end(f, data, MPI_STATUS_IGNORE), "read_all");
    }
}

static void check_folder(const char *folder)
{
    DIR *listed = opendir(folder);
    int others = 0;
    CHECK(listed != NULL);
    for (struct dirent *one; listed && (one = readdir(listed));)
        others += *one->d_name != '.' && strcmp(one->d_name, "data") != 0;
    closedir(listed);
    CHECK_INT(others, 0);
}

int main(int argc, char **argv)
{
    char folder[FILE_NAME], name[FILE_NAME + 20];
    int value = 4711, got = -1;
    check_start(&argc, &argv);
    file_name(folder, "ft-files");
    snprintf(name, sizeof name, "%s/data", folder);
    if (check_rank == 0)
        CHECK(mkdir(folder, 0700) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File f = open_turns(name);
    CHECK_OK(MPI_File_seek_shared(f, 5, MPI_SEEK_SET));
    CHECK_OK(MPI_File_write_at_all(f, 0, data, N, MPI_INT, MPI_STATUS_IGNORE));
    access_all(f);
    CHECK_OK(MPI_File_write_at(f, 7, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_read_at(f, 7, &got, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_INT(got, value);
    ft_must_fail(MPI_File_close(&f), "close");
    check_folder(folder);
    ft_tell_the_end("ft_files", VICTIM);
    if (check_rank == 0) {
        unlink(name);
        CHECK(rmdir(folder) == 0);
    }
    CHECK_OK(MPI_Finalize());
    return check_failures != 0;
}
