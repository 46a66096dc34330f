/* file_tiles.c - views whose tiles reach into each other: a filetype whose extent is less than what it spans is allowed
 * in a file that is written, as long as its own displacements are in order (MPI-5.0 section 14.1.1).
 *
 * np: 1 2 4
 */
#include "files.h"

enum { ROWS = 5, COLUMNS = 2 };

static MPI_File fh;
static char name[FILE_NAME];

static int value_of(int rank, int i)
{
    return 1000 * (rank + 1) + i;
}

static void check_file(const int *want, int n)
{
    int *found = calloc((size_t)n, sizeof *found);
    CHECK_OK(MPI_File_sync(fh));
    MPI_Barrier(MPI_COMM_WORLD);
    int fd = open(name, O_RDONLY);
    CHECK(pread(fd, found, (size_t)n * sizeof *found, 0) == (ssize_t)((size_t)n * sizeof *found));
    close(fd);
    for (int i = 0; i < n; i++)
        CHECK_INT(found[i], want[i]);
    free(found);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void empty_file(void)
{
    CHECK_OK(MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_set_size(fh, 0));
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Two ints with one between them, the second of which has bounds that count for the whole: its extent is 4. */
static void bounds(void)
{
    MPI_Datatype bounded, type;
    int lengths[] = {1, 1}, pair = check_rank / 2, want[32] = {0}, data[2], back[2];
    MPI_Aint places[] = {0, 8}, lb, extent;
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, 4, &bounded));
    CHECK_OK(MPI_Type_create_struct(2, lengths, places, (MPI_Datatype[]){MPI_INT, bounded}, &type));
    CHECK_OK(MPI_Type_commit(&type));
    CHECK_OK(MPI_Type_get_extent(type, &lb, &extent));
    CHECK(lb == 8 && extent == 4);
    empty_file();
    CHECK_OK(MPI_File_set_view(fh, 16 * pair + 4 * (check_rank % 2), MPI_INT, type, "native", MPI_INFO_NULL));
    for (int rank = 0; rank < check_size; rank++)
        for (int i = 0; i < 2; i++)
            want[4 * (rank / 2) + rank % 2 + 2 * i] = value_of(rank, i);
    for (int i = 0; i < 2; i++) {
        data[i] = value_of(check_rank, i);
        back[i] = -1;
    }
    CHECK_OK(MPI_File_write_at_all(fh, 0, data, 2, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_read_at_all(fh, 0, back, 2, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(back[0] == data[0] && back[1] == data[1]);
    check_file(want, check_size == 1 ? 3 : 2 * check_size);
    CHECK_OK(MPI_Type_free(&type));
    CHECK_OK(MPI_Type_free(&bounded));
}

/* A matrix by rows, of which each rank has some columns; a tile is a column. */
static void columns(bool together)
{
    MPI_Datatype column, type;
    int width = COLUMNS * check_size, want[ROWS * COLUMNS * 4], data[ROWS * COLUMNS], back[ROWS * COLUMNS];
    CHECK_OK(MPI_Type_vector(ROWS, 1, width, MPI_INT, &column));
    CHECK_OK(MPI_Type_create_resized(column, 0, sizeof(int), &type));
    CHECK_OK(MPI_Type_commit(&type));
    empty_file();
    CHECK_OK(MPI_File_set_view(fh, 4 * COLUMNS * check_rank, MPI_INT, type, "native", MPI_INFO_NULL));
    for (int i = 0; i < ROWS * width; i++)
        want[i] = value_of(i % width / COLUMNS, i % COLUMNS * ROWS + i / width);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        data[i] = value_of(check_rank, i);
        back[i] = -1;
    }
    CHECK_OK((together ? MPI_File_write_at_all : MPI_File_write_at)(fh, 0, data, ROWS * COLUMNS, MPI_INT,
                                                                    MPI_STATUS_IGNORE));
    CHECK_OK(
        (together ? MPI_File_read_at_all : MPI_File_read_at)(fh, 0, back, ROWS * COLUMNS, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(memcmp(data, back, sizeof data) == 0);
    check_file(want, ROWS * width);
    CHECK_OK(MPI_Type_free(&type));
    CHECK_OK(MPI_Type_free(&column));
}

/* Without an extent: all tiles are one. */
static void heap(void)
{
    MPI_Datatype two, type;
    int data[] = {7, 8, 9}, back[] = {0, 0, 0};
    CHECK_OK(MPI_Type_vector(2, 1, 2, MPI_INT, &two));
    CHECK_OK(MPI_Type_create_resized(two, 0, 0, &type));
    CHECK_OK(MPI_Type_commit(&type));
    empty_file();
    CHECK_OK(MPI_File_set_view(fh, 12 * check_rank, MPI_INT, type, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_write_at_all(fh, 0, data, 3, MPI_INT, MPI_STATUS_IGNORE)); /* the third over the first */
    CHECK_OK(MPI_File_read_at_all(fh, 0, back, 3, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(back[0] == 9 && back[1] == 8 && back[2] == 9);
    CHECK_OK(MPI_File_seek(fh, 0, MPI_SEEK_END));
    CHECK_OK(MPI_Type_free(&type));
    CHECK_OK(MPI_Type_free(&two));
}

int main(int argc, char **argv)
{
    static const char *const ways[] = {"automatic", "enable", "disable"};
    check_start(&argc, &argv);
    for (int way = 0; way < 3; way++) {
        MPI_Info info;
        CHECK_OK(MPI_Info_create(&info));
        CHECK_OK(MPI_Info_set(info, "romio_cb_write", ways[way]));
        CHECK_OK(MPI_Info_set(info, "romio_cb_read", ways[way]));
        CHECK_OK(MPI_Info_set(info, "romio_ds_write", ways[way]));
        CHECK_OK(MPI_Info_set(info, "romio_ds_read", ways[way]));
        file_name(name, "tiles");
        CHECK_OK(
            MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, info, &fh));
        CHECK_OK(MPI_Info_free(&info));
        for (int atomic = 0; atomic < 2; atomic++) {
            CHECK_OK(MPI_File_set_atomicity(fh, atomic));
            bounds();
            columns(true);
            if (way != 1 || atomic)
                columns(false);
            heap();
        }
        CHECK_OK(MPI_File_close(&fh));
    }
    return check_end();
}
