/* file_shared.c - the shared file pointer: every part of the file goes to one access, whoever makes it; sequential
 * mode.
 *
 * np: - 1 2 4 8
 */
#include "files.h"

enum { TIMES = 25 };

/* In turn by each of the forms. */
static int read_so(MPI_File fh, int i, int *record, MPI_Status *status)
{
    MPI_Request request = MPI_REQUEST_NULL;
    if (i % 4 == 0)
        return MPI_File_read_shared(fh, record, 1, MPI_2INT, status);
    if (i % 4 == 1)
        return MPI_File_read_shared_c(fh, record, 1, MPI_2INT, status);
    int code = i % 4 == 2 ? MPI_File_iread_shared(fh, record, 1, MPI_2INT, &request)
                          : MPI_File_iread_shared_c(fh, record, 1, MPI_2INT, &request);
    return code ? code : MPI_Wait(&request, status);
}

/* Records of a rank and a number, written by all at once: each is there once, and those of a rank in order. */
static void records(const char *name)
{
    MPI_File fh;
    MPI_Offset at = -1;
    MPI_Request request;
    MPI_Status status;
    int record[2] = {check_rank, 0}, count = -1, seen[16] = {0};
    int amode = MPI_MODE_RDWR | MPI_MODE_CREATE;
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &fh));
    CHECK_OK(MPI_File_set_view(fh, 16, MPI_2INT, MPI_2INT, "native", MPI_INFO_NULL));
    for (record[1] = 0; record[1] < TIMES; record[1]++) {
        bool large = record[1] / 2 % 2;
        if (record[1] % 2 == 0) {
            CHECK_OK(large ? MPI_File_write_shared_c(fh, record, 1, MPI_2INT, &status)
                           : MPI_File_write_shared(fh, record, 1, MPI_2INT, &status));
        } else {
            CHECK_OK(large ? MPI_File_iwrite_shared_c(fh, record, 2, MPI_INT, &request)
                           : MPI_File_iwrite_shared(fh, record, 2, MPI_INT, &request));
            CHECK_OK(MPI_Wait(&request, &status));
        }
        CHECK_OK(MPI_Get_count(&status, MPI_2INT, &count));
        CHECK_INT(count, 1);
    }
    CHECK_OK(MPI_File_sync(fh));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_get_position_shared(fh, &at));
    CHECK_INT(at, TIMES * check_size);
    CHECK_INT(file_length(name), 16 + 8 * TIMES * check_size);
    for (int i = 0; i < TIMES * check_size; i++) {
        int got[2] = {-1, -1};
        CHECK_OK(MPI_File_read_at(fh, i, got, 1, MPI_2INT, MPI_STATUS_IGNORE));
        CHECK_NOTED(got[0] >= 0 && got[0] < check_size, "record %d is of rank %d", i, got[0]);
        if (got[0] >= 0 && got[0] < check_size)
            CHECK_INT(got[1], seen[got[0]]++);
    }
    /* All read it by the shared pointer: each record goes to one rank. */
    CHECK_OK(MPI_File_seek_shared(fh, 0, MPI_SEEK_SET));
    int mine[2] = {0, 0}, all[2] = {0, 0}, records = TIMES * check_size;
    do {
        int got[2] = {-1, -1};
        CHECK_OK(read_so(fh, mine[0], got, &status));
        CHECK_OK(MPI_Get_count(&status, MPI_2INT, &count));
        mine[0] += count;
        mine[1] += count ? got[0] * TIMES + got[1] : 0; /* the numbers from 0 on, one each */
        CHECK(count || (got[0] == -1 && got[1] == -1));
    } while (count == 1);
    CHECK_OK(MPI_Allreduce(mine, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(all[0], records);
    CHECK_INT(all[1], records * (records - 1) / 2);
    CHECK_OK(MPI_File_close(&fh));
}

static void seeks(const char *name)
{
    MPI_File fh;
    MPI_Offset at = -1;
    int value = 0;
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_APPEND, MPI_INFO_NULL, &fh));
    CHECK_OK(MPI_File_get_position_shared(fh, &at));
    CHECK_INT(at, 16 + 8 * TIMES * check_size);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_seek_shared(fh, 20, MPI_SEEK_SET));
    CHECK_OK(MPI_File_seek_shared(fh, 3, MPI_SEEK_CUR));
    CHECK_OK(MPI_File_get_position_shared(fh, &at));
    CHECK_INT(at, 23);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_seek_shared(fh, -1, MPI_SEEK_END));
    CHECK_OK(MPI_File_get_position_shared(fh, &at));
    CHECK_INT(at, 15 + 8 * TIMES * check_size);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_CLASS(MPI_File_seek_shared(fh, -1, MPI_SEEK_SET), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_seek_shared(fh, 0, 7), MPI_ERR_ARG);
    if (check_size > 1) {
        CHECK_CLASS(MPI_File_seek_shared(fh, check_rank, MPI_SEEK_SET), MPI_ERR_NOT_SAME);
        CHECK_CLASS(MPI_File_seek_shared(fh, 0, check_rank ? MPI_SEEK_CUR : MPI_SEEK_SET), MPI_ERR_OTHER);
    }
    CHECK_OK(MPI_File_get_position_shared(fh, &at));
    CHECK_INT(at, 15 + 8 * TIMES * check_size);
    /* The individual pointer is another one; a view begins anew. */
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_get_position(fh, &at));
    CHECK_INT(at, 16 + 8 * TIMES * check_size);
    CHECK_OK(MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_position_shared(fh, &at));
    CHECK_INT(at, 0);
    CHECK_CLASS(MPI_File_read_shared(fh, &value, 3, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CHECK_OK(MPI_File_close(&fh));
}

/* Only the shared pointer, and views from where it is. */
static void sequential(const char *name)
{
    MPI_File fh;
    MPI_Offset at = -1, disp = -1;
    MPI_Datatype e, f;
    char datarep[MPI_MAX_DATAREP_STRING];
    int value = check_rank;
    int amode = MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL | MPI_MODE_DELETE_ON_CLOSE;
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &fh));
    CHECK_CLASS(MPI_File_write(fh, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_File_write_at(fh, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_File_seek(fh, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_File_seek_shared(fh, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_File_get_position(fh, &at), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_ERR_ARG);
    CHECK_OK(MPI_File_write_shared(fh, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_set_view(fh, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_view(fh, &disp, &e, &f, datarep));
    CHECK_INT(disp, 4 * check_size);
    CHECK_OK(MPI_File_get_position_shared(fh, &at));
    CHECK_INT(at, 0);
    CHECK_OK(MPI_File_close(&fh));
}

int main(int argc, char **argv)
{
    char name[FILE_NAME];
    check_start(&argc, &argv);
    file_name(name, "shared");
    records(name);
    seeks(name);
    sequential(name);
    return check_end();
}
