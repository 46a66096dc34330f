/* file_large.c - what does not fit 31 bits: offsets past 5 GiB of a file with a hole, and 5 GiB in one call, which
 * takes several of the system.
 *
 * np: - 2 3
 */
#include "files.h"

#include <sys/mman.h>

static const MPI_Offset GiB = 1 << 30;

static void far(const char *name)
{
    MPI_File fh;
    MPI_Datatype wide;
    MPI_Offset at = -1, size = -1;
    long long value = 7000 + check_rank, got = 0;
    int amode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE;
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &fh));
    CHECK_OK(MPI_File_write_at(fh, 5 * GiB + 8 * check_rank, &value, 1, MPI_LONG_LONG, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_sync(fh));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_get_size(fh, &size));
    CHECK_INT(size, 5 * GiB + 8 * check_size);
    /* Every third GiB of a view whose tiles are 3 GiB long. */
    CHECK_OK(MPI_Type_create_resized(MPI_LONG_LONG, 0, 3 * GiB, &wide));
    CHECK_OK(MPI_Type_commit(&wide));
    CHECK_OK(MPI_File_set_view(fh, 2 * GiB, MPI_LONG_LONG, wide, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_byte_offset(fh, 3, &at));
    CHECK_INT(at, 11 * GiB);
    CHECK_OK(MPI_File_read_at(fh, 1, &got, 1, MPI_LONG_LONG, MPI_STATUS_IGNORE));
    CHECK_INT(got, 7000);
    CHECK_OK(MPI_File_seek(fh, 0, MPI_SEEK_END));
    CHECK_OK(MPI_File_get_position(fh, &at));
    CHECK_INT(at, 2);
    CHECK_OK(MPI_Type_free(&wide));
    CHECK_OK(MPI_File_close(&fh));
}

/* The ranks' integers in turn, from below 5 GiB on, together; then only what is there takes room. */
static void far_together(const char *name)
{
    enum { N = 60000 };
    static int data[N];
    const MPI_Offset from = 5 * GiB - 100000;
    MPI_File fh;
    MPI_Info info;
    MPI_Datatype turn;
    MPI_Offset at = -1;
    struct stat found;
    int got = -1, amode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE;
    MPI_Status status;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "collective_buffering", "true"));
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, amode, info, &fh));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, check_size * (MPI_Aint)sizeof(int), &turn));
    CHECK_OK(MPI_Type_commit(&turn));
    CHECK_OK(MPI_File_set_view(fh, check_rank * (MPI_Offset)sizeof(int), MPI_INT, turn, "native", MPI_INFO_NULL));
    MPI_Offset first = from / ((MPI_Offset)sizeof(int) * check_size);
    for (int i = 0; i < N; i++)
        data[i] = check_value(check_rank, i);
    CHECK_OK(MPI_File_write_at_all(fh, first, data, N, MPI_INT, &status));
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &got));
    CHECK_INT(got, N);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(file_length(name), (first + N) * (MPI_Offset)sizeof(int) * check_size);
    CHECK(stat(name, &found) == 0 && found.st_blocks * 512 < GiB);
    check_wipe(data, sizeof data);
    CHECK_OK(MPI_File_seek(fh, first, MPI_SEEK_SET));
    CHECK_OK(MPI_File_read_all(fh, data, N, MPI_INT, &status));
    for (int i = 0; i < N; i++)
        CHECK(data[i] == check_value(check_rank, i));
    CHECK_OK(MPI_File_get_position(fh, &at));
    CHECK_INT(at, first + N);
    CHECK_OK(MPI_File_read_all(fh, data, N, MPI_INT, &status));
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &got));
    CHECK_INT(got, 0);
    CHECK_OK(MPI_File_read_at_all(fh, first / 2, data, N, MPI_INT, &status));
    for (int i = 0; i < N; i++)
        CHECK(data[i] == 0);
    CHECK_OK(MPI_Type_free(&turn));
    CHECK_OK(MPI_File_close(&fh));
}

/* A device that takes whatever it is given, from memory that is never touched. */
static void long_call(void)
{
    MPI_File fh;
    MPI_Status status;
    MPI_Request request;
    MPI_Count count = -1, bytes = 5 * GiB + 12;
    void *memory = mmap(NULL, (size_t)bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(memory != MAP_FAILED);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, "/dev/null", MPI_MODE_WRONLY, MPI_INFO_NULL, &fh));
    CHECK_OK(MPI_File_write_at_c(fh, 0, memory, bytes, MPI_BYTE, &status));
    CHECK_OK(MPI_Get_count_c(&status, MPI_BYTE, &count));
    CHECK_INT(count, bytes);
    CHECK_OK(MPI_File_iwrite_c(fh, memory, bytes / 4, MPI_INT, &request));
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_OK(MPI_Get_count_c(&status, MPI_INT, &count));
    CHECK_INT(count, bytes / 4);
    MPI_Offset at = -1;
    CHECK_OK(MPI_File_get_position(fh, &at));
    CHECK_INT(at, bytes);
    CHECK_OK(MPI_File_close(&fh));
    munmap(memory, (size_t)bytes);
}

int main(int argc, char **argv)
{
    char name[FILE_NAME];
    check_start(&argc, &argv);
    file_name(name, "large");
    far(name);
    far_together(name);
    long_call();
    return check_end();
}
