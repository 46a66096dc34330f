/* file_cube.c - boxes of a large cube, whose rows lie close together in the file and its planes far apart: however they
 * are read, together or each by itself, with the holes or without, to an odd address, and where the file ends early.
 *
 * np: 1 2 8
 */
#include "files.h"

enum { PLANES = 80, ROWS = 90, ROW = 600 }; /* of a rank's box, of bytes: more than what is read by way of the caches */
static const size_t box = (size_t)PLANES * ROWS * ROW;

static int sizes[3], starts[3];
static const int parts[3] = {PLANES, ROWS, ROW};

static MPI_Datatype make_box(void)
{
    MPI_Datatype type;
    int dims[3] = {0, 0, 0}, place = check_rank;
    CHECK_OK(MPI_Dims_create(check_size, 3, dims));
    for (int d = 2; d >= 0; place /= dims[d--]) {
        sizes[d] = dims[d] * parts[d];
        starts[d] = place % dims[d] * parts[d];
    }
    CHECK_OK(MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_BYTE, &type));
    CHECK_OK(MPI_Type_commit(&type));
    return type;
}

/* Where a byte of this rank's box lies in the cube. */
static size_t place_of(size_t i)
{
    size_t row = i / ROW, plane = row / ROWS;
    size_t z = plane + (size_t)starts[0], y = row % ROWS + (size_t)starts[1], x = i % ROW + (size_t)starts[2];
    return (z * (size_t)sizes[1] + y) * (size_t)sizes[2] + x;
}

static unsigned char value_at(size_t place)
{
    return (unsigned char)(place * 7 + place / 251);
}

static MPI_File open_so(const char *name, int mode, MPI_Datatype type, const char *together, const char *holes)
{
    MPI_Info info;
    MPI_File fh;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "romio_cb_read", together));
    CHECK_OK(MPI_Info_set(info, "romio_ds_read", holes));
    CHECK_OK(MPI_Info_set(info, "ind_rd_buffer_size", "100000"));
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, mode, info, &fh));
    CHECK_OK(MPI_File_set_view(fh, 0, MPI_BYTE, type, "native", info));
    CHECK_OK(MPI_Info_free(&info));
    return fh;
}

/* `end`: so long is the file. */
static void read_box(MPI_File fh, int all, size_t end)
{
    unsigned char *memory = check_alloc(box + 64, 0), *got = memory + 1 + check_rank;
    MPI_Status status;
    size_t there = 0;
    int count;
    memset(memory, 0xee, box + 64);
    CHECK_OK(all ? MPI_File_read_at_all(fh, 0, got, (int)box, MPI_BYTE, &status)
                 : MPI_File_read_at(fh, 0, got, (int)box, MPI_BYTE, &status));
    for (; there < box && place_of(there) < end; there++)
        if (got[there] != value_at(place_of(there)))
            break;
    CHECK_NOTED(there == box || place_of(there) >= end, "byte %zu", there);
    CHECK_OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK_INT(count, (int)there);
    CHECK(got[-1] == 0xee && got[box] == 0xee && (there == box || got[there] == 0xee));
    free(memory);
}

static void read_all(const char *name, MPI_Datatype type, size_t end)
{
    static const char *const ways[] = {"automatic", "enable", "disable"};
    for (int i = 0; i < 6; i++) {
        MPI_File fh =
            open_so(name, MPI_MODE_RDONLY, type, i < 3 ? ways[i] : "disable", i < 3 ? "automatic" : ways[i - 3]);
        read_box(fh, 1, end);
        if (i >= 3)
            read_box(fh, 0, end);
        CHECK_OK(MPI_File_close(&fh));
    }
}

int main(int argc, char **argv)
{
    char name[FILE_NAME];
    check_start(&argc, &argv);
    file_name(name, "cube");
    MPI_Datatype type = make_box();
    unsigned char *data = check_alloc(box, 0);
    for (size_t i = 0; i < box; i++)
        data[i] = value_at(place_of(i));
    MPI_File fh = open_so(name, MPI_MODE_RDWR | MPI_MODE_CREATE, type, "automatic", "automatic");
    CHECK_OK(MPI_File_write_at_all(fh, 0, data, (int)box, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&fh));
    size_t all = box * (size_t)check_size, end = all / 2 + 12345;
    read_all(name, type, all);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == 0)
        CHECK_INT(truncate(name, (off_t)end), 0);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    read_all(name, type, end);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == 0)
        unlink(name);
    free(data);
    CHECK_OK(MPI_Type_free(&type));
    return check_end();
}
