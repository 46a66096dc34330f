/* file_datarep.c - external32, in which some elements have other sizes, and a representation of the program's own.
 *
 * np: - 2
 */
#include "files.h"

static MPI_File open_new(const char *name)
{
    MPI_File fh = MPI_FILE_NULL;
    int amode = MPI_MODE_RDWR | MPI_MODE_CREATE;
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &fh));
    CHECK_OK(MPI_File_set_size(fh, 0));
    return fh;
}

static void bytes_of(const char *name, void *bytes, size_t n)
{
    int fd = open(name, O_RDONLY);
    memset(bytes, 0xe5, n);
    CHECK(pread(fd, bytes, n, 0) >= 0);
    close(fd);
}

/* Ranks take turns of two: each has a strided view, of LONGs, which have four bytes in external32. */
static void external(const char *name)
{
    MPI_File fh = open_new(name);
    MPI_Datatype filetype;
    MPI_Status status;
    MPI_Aint extent = 0;
    MPI_Offset at = -1;
    unsigned char bytes[64];
    long values[3] = {1, -2, 0x01020304 + check_rank}, got[4];
    int count = -1;
    CHECK_OK(MPI_Type_create_subarray(1, (int[]){check_size}, (int[]){1}, (int[]){check_rank}, MPI_ORDER_C, MPI_LONG,
                                      &filetype));
    CHECK_OK(MPI_Type_commit(&filetype));
    CHECK_OK(MPI_File_set_view(fh, 0, MPI_LONG, filetype, "external32", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_type_extent(fh, MPI_LONG, &extent));
    CHECK_INT(extent, 4);
    CHECK_OK(MPI_File_get_type_extent(fh, filetype, &extent));
    CHECK_INT(extent, 4 * check_size);
    CHECK_OK(MPI_File_get_byte_offset(fh, 1, &at));
    CHECK_INT(at, 4 * check_size + 4 * check_rank);
    CHECK_OK(MPI_File_write_at(fh, 0, values, 3, MPI_LONG, &status));
    CHECK_OK(MPI_Get_count(&status, MPI_LONG, &count));
    CHECK_INT(count, 3);
    CHECK_OK(MPI_File_sync(fh));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(file_length(name), 12 * check_size);
    bytes_of(name, bytes, sizeof bytes);
    for (int rank = 0; rank < check_size; rank++) {
        const unsigned char want[3][4] = {{0, 0, 0, 1}, {255, 255, 255, 254}, {1, 2, 3, (unsigned char)(4 + rank)}};
        for (int i = 0; i < 3; i++)
            CHECK_BYTES(bytes + 4 * (i * check_size + rank), want[i], 4);
    }
    /* Four are asked for, three are there. */
    MPI_Request request;
    for (int nonblocking = 0; nonblocking < 2; nonblocking++) {
        check_wipe(got, sizeof got);
        if (nonblocking)
            CHECK_OK(MPI_File_iread_at(fh, 0, got, 4, MPI_LONG, &request));
        CHECK_OK(nonblocking ? MPI_Wait(&request, &status) : MPI_File_read_at(fh, 0, got, 4, MPI_LONG, &status));
        CHECK_OK(MPI_Get_count(&status, MPI_LONG, &count));
        CHECK_INT(count, 3);
        CHECK_BYTES(got, values, sizeof values);
        CHECK(got[3] == (long)0xe5e5e5e5e5e5e5e5);
    }
    long large = 1l << 40;
    CHECK_CLASS(MPI_File_write_at(fh, 0, &large, 1, MPI_LONG, &status), MPI_ERR_CONVERSION);
    CHECK_OK(MPI_Type_free(&filetype));
    CHECK_OK(MPI_File_close(&fh));
}

/* ---- a representation in which every element of n bytes is 2 n: the bytes, then their complement ---- */

static int state, calls;

static int extent_of(MPI_Datatype datatype, MPI_Aint *extent, void *extra_state)
{
    int size;
    CHECK(extra_state == &state);
    CHECK_OK(MPI_Type_size(datatype, &size));
    *extent = 2 * size;
    return MPI_SUCCESS;
}

static int out_of_memory(void *userbuf, MPI_Datatype datatype, int count, void *filebuf, MPI_Offset position,
                         void *extra_state)
{
    MPI_Aint lb, extent;
    int size;
    calls++;
    CHECK(extra_state == &state);
    CHECK_OK(MPI_Type_size(datatype, &size));
    CHECK_OK(MPI_Type_get_extent(datatype, &lb, &extent));
    for (int i = 0; i < count; i++)
        for (int b = 0; b < size; b++) {
            unsigned char byte = ((unsigned char *)userbuf)[(position + i) * extent + b];
            ((unsigned char *)filebuf)[2 * size * i + b] = byte;
            ((unsigned char *)filebuf)[2 * size * i + size + b] = (unsigned char)~byte;
        }
    return MPI_SUCCESS;
}

static int into_memory(void *userbuf, MPI_Datatype datatype, int count, void *filebuf, MPI_Offset position,
                       void *extra_state)
{
    MPI_Aint lb, extent;
    int size;
    calls++;
    (void)extra_state;
    CHECK_OK(MPI_Type_size(datatype, &size));
    CHECK_OK(MPI_Type_get_extent(datatype, &lb, &extent));
    for (int i = 0; i < count; i++)
        for (int b = 0; b < size; b++) {
            unsigned char byte = ((unsigned char *)filebuf)[2 * size * i + b];
            CHECK(((unsigned char *)filebuf)[2 * size * i + size + b] == (unsigned char)~byte);
            ((unsigned char *)userbuf)[(position + i) * extent + b] = byte;
        }
    return MPI_SUCCESS;
}

static int out_c(void *userbuf, MPI_Datatype datatype, MPI_Count count, void *filebuf, MPI_Offset position, void *extra)
{
    return out_of_memory(userbuf, datatype, (int)count, filebuf, position, extra);
}

static int in_c(void *userbuf, MPI_Datatype datatype, MPI_Count count, void *filebuf, MPI_Offset position, void *extra)
{
    return into_memory(userbuf, datatype, (int)count, filebuf, position, extra);
}

static int refusing(void *userbuf, MPI_Datatype datatype, int count, void *filebuf, MPI_Offset position, void *extra)
{
    (void)userbuf, (void)datatype, (void)count, (void)filebuf, (void)position, (void)extra;
    return 17;
}

static void own(const char *name, char *datarep)
{
    MPI_File fh = open_new(name);
    MPI_Request request;
    MPI_Status status;
    char found[MPI_MAX_DATAREP_STRING] = "";
    MPI_Datatype e, f;
    MPI_Offset disp;
    short values[5] = {1, 2, 3, 4, 5}, got[5];
    int count = -1;
    calls = 0;
    CHECK_OK(MPI_File_set_view(fh, 20 * check_rank, MPI_SHORT, MPI_SHORT, datarep, MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_view(fh, &disp, &e, &f, found));
    CHECK_STRING(found, datarep);
    CHECK_OK(MPI_File_write(fh, values, 3, MPI_SHORT, &status));
    CHECK_OK(MPI_File_iwrite(fh, values + 3, 2, MPI_SHORT, &request));
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_OK(MPI_Get_count(&status, MPI_SHORT, &count));
    CHECK_INT(count, 2);
    CHECK_INT(calls, 2);
    CHECK_OK(MPI_File_sync(fh));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(file_length(name), 20 * check_size);
    check_wipe(got, sizeof got);
    CHECK_OK(MPI_File_iread_at(fh, 0, got, 5, MPI_SHORT, &request));
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_BYTES(got, values, sizeof values);
    check_wipe(got, sizeof got);
    CHECK_OK(MPI_File_seek(fh, 2, MPI_SEEK_SET));
    CHECK_OK(MPI_File_read(fh, got, 3, MPI_SHORT, &status));
    CHECK_BYTES(got, values + 2, 3 * sizeof *values);
    CHECK_OK(MPI_File_close(&fh));
}

int main(int argc, char **argv)
{
    char name[FILE_NAME];
    MPI_File fh;
    check_start(&argc, &argv);
    file_name(name, "datarep");
    external(name);
    char doubled[] = "doubled", doubled_c[] = "doubled, large", broken[] = "broken";
    CHECK_OK(MPI_Register_datarep(doubled, into_memory, out_of_memory, extent_of, &state));
    CHECK_OK(MPI_Register_datarep_c(doubled_c, in_c, out_c, extent_of, &state));
    CHECK_OK(MPI_Register_datarep(broken, refusing, refusing, extent_of, &state));
    CHECK_CLASS(MPI_Register_datarep(doubled, into_memory, out_of_memory, extent_of, &state), MPI_ERR_DUP_DATAREP);
    CHECK_CLASS(MPI_Register_datarep("native", into_memory, out_of_memory, extent_of, &state), MPI_ERR_DUP_DATAREP);
    own(name, doubled);
    own(name, doubled_c);
    fh = open_new(name);
    short value = 1;
    CHECK_OK(MPI_File_set_view(fh, 0, MPI_SHORT, MPI_SHORT, broken, MPI_INFO_NULL));
    CHECK_CLASS(MPI_File_write(fh, &value, 1, MPI_SHORT, MPI_STATUS_IGNORE), MPI_ERR_CONVERSION);
    CHECK_OK(MPI_File_close(&fh));
    if (check_rank == 0)
        unlink(name);
    return check_end();
}
