/* file_far.c - places that no file can have: an error in words on all ranks, and nothing is moved.  Bytes are numbered
 * in 64 bits, so an offset in etypes, times their size, could come round to a place that the file does have.
 *
 * np: - 1 2 4
 */
#include "files.h"

static const MPI_Offset far = (MPI_Offset)1 << 62;
enum { KNOWN = 8 };
static MPI_File fh;
static int value = -1;

static void refused(int err)
{
    CHECK_CLASS(err, MPI_ERR_ARG);
    CHECK_WORDS(err, "beyond what a file can hold");
}

static void unchanged(const char *name)
{
    int got[KNOWN + 1] = {0};
    MPI_Barrier(MPI_COMM_WORLD);
    int fd = open(name, O_RDONLY);
    CHECK_INT(read(fd, got, sizeof got), (long long)(KNOWN * sizeof *got));
    for (int i = 0; i < KNOWN; i++)
        CHECK_INT(got[i], 10 + i);
    close(fd);
    CHECK_INT(value, -1);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void independent(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    refused(MPI_File_write_at(fh, far, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    refused(MPI_File_read_at(fh, far, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    refused(MPI_File_iwrite_at(fh, far, &value, 1, MPI_INT, &request));
    refused(MPI_File_iread_at(fh, far, &value, 1, MPI_INT, &request));
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_OK(MPI_File_seek(fh, far, MPI_SEEK_SET));
    refused(MPI_File_write(fh, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    refused(MPI_File_read(fh, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    refused(MPI_File_iwrite(fh, &value, 1, MPI_INT, &request));
    refused(MPI_File_iread(fh, &value, 1, MPI_INT, &request));
    CHECK_CLASS(MPI_File_seek(fh, far, MPI_SEEK_CUR), MPI_ERR_ARG);
    CHECK_OK(MPI_File_seek(fh, 0, MPI_SEEK_SET));
    CHECK_OK(MPI_File_write_at(fh, far, &value, 0, MPI_INT, MPI_STATUS_IGNORE));
}

/* All learn of it, wherever it is. */
static void collective(void)
{
    MPI_Request request;
    MPI_Offset at = check_rank == check_size - 1 ? far : check_rank;
    refused(MPI_File_write_at_all(fh, at, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    refused(MPI_File_read_at_all(fh, at, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_iwrite_at_all(fh, at, &value, 1, MPI_INT, &request));
    refused(MPI_Wait(&request, MPI_STATUS_IGNORE));
    int err = MPI_File_read_at_all_begin(fh, at, &value, 1, MPI_INT);
    CHECK((err != MPI_SUCCESS) == (at == far));
    refused(err ? err : MPI_File_read_at_all_end(fh, &value, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_write_at_all(fh, at, &value, 0, MPI_INT, MPI_STATUS_IGNORE));
}

static void shared(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_OK(MPI_File_seek_shared(fh, far, MPI_SEEK_SET));
    refused(MPI_File_write_shared(fh, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    refused(MPI_File_iread_shared(fh, &value, 1, MPI_INT, &request));
    refused(MPI_File_write_ordered(fh, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_seek_shared(fh, 0, MPI_SEEK_SET));
}

static void set_view(MPI_Offset disp, MPI_Datatype filetype)
{
    CHECK_OK(MPI_File_set_view(fh, disp, MPI_INT, filetype, "native", MPI_INFO_NULL));
}

static void through_views(void)
{
    MPI_Datatype wide, down, late;
    MPI_Offset at = -1;
    int values[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    set_view(0, MPI_INT);
    CHECK_CLASS(MPI_File_get_byte_offset(fh, far, &at), MPI_ERR_ARG);
    CHECK_OK(MPI_File_get_byte_offset(fh, far >> 2, &at));
    CHECK(at == far);
    set_view(INT64_MAX, MPI_INT);
    refused(MPI_File_write_at(fh, 0, values, 1, MPI_INT, MPI_STATUS_IGNORE));
    refused(MPI_File_read_at_all(fh, 0, values, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_get_byte_offset(fh, 0, &at));
    CHECK(at == INT64_MAX);

    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)far / 2, &wide));
    CHECK_OK(MPI_Type_commit(&wide));
    set_view(0, wide); /* of eight tiles the fifth would begin at 2^63 */
    refused(MPI_File_write_at(fh, 1, values, 8, MPI_INT, MPI_STATUS_IGNORE));
    refused(MPI_File_write_at_all(fh, 1, values, 8, MPI_INT, MPI_STATUS_IGNORE));
    refused(MPI_File_write_at(fh, 8, values, 1, MPI_INT, MPI_STATUS_IGNORE));

    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, -64, &down));
    CHECK_OK(MPI_Type_commit(&down));
    set_view(0, down); /* the second tile would begin before the file */
    refused(MPI_File_write_at(fh, 1, values, 1, MPI_INT, MPI_STATUS_IGNORE));

    MPI_Aint begin = (MPI_Aint)far - 8 + (MPI_Aint)far;
    CHECK_OK(MPI_Type_create_hindexed_block(1, 1, &begin, MPI_INT, &late));
    CHECK_OK(MPI_Type_commit(&late));
    set_view(16, late);
    refused(MPI_File_write_at(fh, 0, values, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Type_free(&wide));
    CHECK_OK(MPI_Type_free(&down));
    CHECK_OK(MPI_Type_free(&late));
}

int main(int argc, char **argv)
{
    char name[FILE_NAME];
    int known[KNOWN];
    check_start(&argc, &argv);
    file_name(name, "far");
    for (int i = 0; i < KNOWN; i++)
        known[i] = 10 + i;
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &fh));
    set_view(0, MPI_INT);
    if (check_rank == 0)
        CHECK_OK(MPI_File_write_at(fh, 0, known, KNOWN, MPI_INT, MPI_STATUS_IGNORE));
    independent();
    unchanged(name);
    collective();
    unchanged(name);
    shared();
    unchanged(name);
    through_views();
    unchanged(name);
    CHECK_OK(MPI_File_close(&fh));
    return check_end();
}
