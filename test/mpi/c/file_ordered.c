/* Access in the order of ranks at the shared file pointer, in every form: each rank's part lies behind those of the
 * ranks before it, whatever they are long, and the pointer behind all of them.
 *
 * np: 1 2 3 4 8
 */
#include "files.h"

enum { MOST = 3000, TURNS = 6 };

static char name[FILE_NAME];
static int data[MOST];

/* Of a turn: how many a rank writes, and how many all before it. */
static int part(int turn, int rank)
{
    return turn == 3 ? 0 : (rank * 977 + turn * 131) % (rank % 3 == 2 ? 1 : 700);
}

static int before(int turn, int rank)
{
    int n = 0;
    for (int t = 0; t < turn; t++)
        for (int r = 0; r < check_size; r++)
            n += part(t, r);
    for (int r = 0; r < rank; r++)
        n += part(turn, r);
    return n;
}

static int write_turn(MPI_File f, int form, int n, MPI_Status *status)
{
    int code;
    switch (form) {
    case 0:
        return MPI_File_write_ordered(f, data, n, MPI_INT, status);
    case 1:
        return MPI_File_write_ordered_c(f, data, n, MPI_INT, status);
    case 2:
        code = MPI_File_write_ordered_begin(f, data, n, MPI_INT);
        break;
    default:
        code = MPI_File_write_ordered_begin_c(f, data, n, MPI_INT);
    }
    return code ? code : MPI_File_write_ordered_end(f, data, status);
}

static int read_turn(MPI_File f, int form, int n, MPI_Status *status)
{
    int code;
    switch (form) {
    case 0:
        return MPI_File_read_ordered(f, data, n, MPI_INT, status);
    case 1:
        return MPI_File_read_ordered_c(f, data, n, MPI_INT, status);
    case 2:
        code = MPI_File_read_ordered_begin(f, data, n, MPI_INT);
        break;
    default:
        code = MPI_File_read_ordered_begin_c(f, data, n, MPI_INT);
    }
    return code ? code : MPI_File_read_ordered_end(f, data, status);
}

static void check_turn(MPI_File f, int turn, bool write)
{
    int n = part(turn, check_rank), from = before(turn, check_rank), got = -1;
    MPI_Offset position = -1;
    MPI_Status status;
    check_wipe(data, sizeof data);
    check_wipe(&status, sizeof status);
    for (int i = 0; i < n && write; i++)
        data[i] = check_value(7, from + i);
    CHECK_OK(write ? write_turn(f, turn % 4, n, &status) : read_turn(f, (turn + 1) % 4, n, &status));
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &got));
    CHECK_INT(got, n);
    for (int i = 0; i < n; i++)
        CHECK_NOTED(data[i] == check_value(7, from + i), "turn %d, integer %d: %d", turn, i, data[i]);
    CHECK_OK(MPI_File_get_position_shared(f, &position));
    CHECK_INT(position, 3 + before(turn + 1, 0));
}

static void check_file(void)
{
    int n = before(TURNS, 0), *all = check_alloc((size_t)n * sizeof(int), 0);
    int fd = open(name, O_RDONLY);
    CHECK_INT(pread(fd, all, (size_t)n * sizeof(int), 5 + 3 * sizeof(int)), n * (int)sizeof(int));
    close(fd);
    for (int i = 0; i < n; i++)
        CHECK_NOTED(all[i] == check_value(7, i), "integer %d: %d", i, all[i]);
    free(all);
}

/* From the fourth integer of a view on. */
static void check_turns(MPI_File f, bool write)
{
    CHECK_OK(MPI_File_seek_shared(f, 3, MPI_SEEK_SET));
    for (int turn = 0; turn < TURNS; turn++)
        check_turn(f, turn, write);
}

/* At the end of the file those that come late get less. */
static void check_end_of_file(MPI_File f)
{
    MPI_Offset total = 3 + before(TURNS, 0), mine = total - 10 + 7 * check_rank, left = total - mine;
    int want = left >= 7 ? 7 : left > 0 ? (int)left : 0, got = -1;
    MPI_Status status;
    CHECK_OK(MPI_File_seek_shared(f, total - 10, MPI_SEEK_SET));
    CHECK_OK(MPI_File_read_ordered(f, data, 7, MPI_INT, &status));
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &got));
    CHECK_INT(got, want);
}

int main(int argc, char **argv)
{
    MPI_File f;
    check_start(&argc, &argv);
    file_name(name, "ordered");
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &f));
    CHECK_OK(MPI_File_set_view(f, 5, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    check_turns(f, true);
    CHECK_OK(MPI_File_sync(f));
    check_file();
    MPI_Barrier(MPI_COMM_WORLD);
    check_turns(f, false);
    check_end_of_file(f);
    CHECK_OK(MPI_File_close(&f));
    if (check_rank == 0)
        unlink(name);
    return check_end();
}
