/* The pattern of IOR, which stands for how simulations write checkpoints: a file is segments, a segment a block of each
 * rank, a block transfers of a call each.  All in a file or each in its own; in order or at random; by offsets or by a
 * view; independent, together or with requests; and each rank reads what another one has written.
 *
 *     | segment 0                    | segment 1 ...
 *     | block of 0 | of 1 | of 2 ... |
 *     | transfer, transfer ...
 *
 * np: 1 2 4 8
 */
#include "files.h"

enum { MOST_CALLS = 512 };
enum flags { TOGETHER = 1, OWN_FILES = 2, RANDOM = 4, VIEW = 8, REQUESTS = 16, SYNC = 32, STRIDED = 64 };

static const struct run {
    int transfer, transfers, segments; /* bytes; of a block; of the file */
    int flags;
} runs[] = {
    {262144, 4, 2, 0},
    {65536, 4, 3, SYNC},
    {4096, 16, 4, RANDOM},
    {47008, 3, 5, RANDOM | TOGETHER},
    {8, 64, 8, TOGETHER},
    {4096, 4, 16, TOGETHER | REQUESTS},
    {1048576, 1, 2, TOGETHER | SYNC},
    {32768, 2, 4, OWN_FILES},
    {32768, 2, 4, OWN_FILES | TOGETHER | RANDOM},
    {4096, 8, 6, VIEW},
    {4096, 8, 6, VIEW | TOGETHER},
    {65536, 1, 9, VIEW | TOGETHER | STRIDED},
    {65536, 1, 9, VIEW | STRIDED},
    {200, 5, 20, VIEW | REQUESTS},
};

static const struct run *run;
static MPI_File f;
static MPI_Datatype turn;
static int64_t *data;

static int words(void)
{
    return run->transfer / 8;
}

static int calls(void)
{
    return run->flags & STRIDED ? 1 : run->transfers * run->segments;
}

/* Where transfer k of a rank lies in the file, and in a view of its own. */
static MPI_Offset place(int rank, int k)
{
    MPI_Offset segment = k / run->transfers, block = (MPI_Offset)run->transfer * run->transfers;
    int size = run->flags & OWN_FILES ? 1 : check_size;
    return (segment * size + (run->flags & OWN_FILES ? 0 : rank)) * block +
           k % run->transfers * (MPI_Offset)run->transfer;
}

static int64_t value(int rank, int k, int word)
{
    return ((int64_t)(rank + 1) << 40) + ((int64_t)k << 24) + word;
}

/* The same order on all ranks, which collectives need not have: so each has its own. */
static void find_order(int *order)
{
    unsigned state = 11u + (unsigned)check_rank;
    for (int k = 0; k < calls(); k++) {
        int j = run->flags & RANDOM ? (int)file_random(&state, (unsigned)k + 1) : k;
        order[k] = order[j];
        order[j] = k;
    }
}

static int move(bool write, MPI_Offset at, void *from, int n, MPI_Status *status, MPI_Request *request)
{
    bool together = run->flags & TOGETHER;
    if (run->flags & REQUESTS) {
        int code = write ? (together ? MPI_File_iwrite_at_all(f, at, from, n, MPI_INT64_T, request)
                                     : MPI_File_iwrite_at(f, at, from, n, MPI_INT64_T, request))
                         : (together ? MPI_File_iread_at_all(f, at, from, n, MPI_INT64_T, request)
                                     : MPI_File_iread_at(f, at, from, n, MPI_INT64_T, request));
        return code ? code : MPI_Wait(request, status);
    }
    if (together)
        return write ? MPI_File_write_at_all(f, at, from, n, MPI_INT64_T, status)
                     : MPI_File_read_at_all(f, at, from, n, MPI_INT64_T, status);
    return write ? MPI_File_write_at(f, at, from, n, MPI_INT64_T, status)
                 : MPI_File_read_at(f, at, from, n, MPI_INT64_T, status);
}

/* What belongs to `rank`, transfer after transfer. */
static void move_all(bool write, int rank)
{
    int order[MOST_CALLS], n = run->flags & STRIDED ? words() * run->segments : words();
    CHECK(calls() <= MOST_CALLS);
    find_order(order);
    for (int c = 0; c < calls(); c++) {
        int k = order[c], got = -1;
        MPI_Status status;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Offset at = run->flags & VIEW ? (MPI_Offset)k * words() : place(rank, k);
        for (int i = 0; i < n; i++)
            data[i] = write ? value(rank, k + i / words(), i % words()) : -1;
        CHECK_OK(move(write, at, data, n, &status, &request));
        CHECK_OK(MPI_Get_count(&status, MPI_INT64_T, &got));
        CHECK_INT(got, n);
        for (int i = 0; i < n; i++)
            CHECK(data[i] == value(rank, k + i / words(), i % words()));
    }
}

static void open_one(const char *name, int rank, int amode)
{
    char own[FILE_NAME + 20];
    MPI_Offset block = (MPI_Offset)run->transfer * run->transfers;
    snprintf(own, sizeof own, run->flags & OWN_FILES ? "%s.%d" : "%s", name, rank);
    CHECK_OK(MPI_File_open(run->flags & OWN_FILES ? MPI_COMM_SELF : MPI_COMM_WORLD, own, amode, MPI_INFO_NULL, &f));
    if (run->flags & VIEW)
        CHECK_OK(MPI_File_set_view(f, rank * block, MPI_INT64_T, turn, "native", MPI_INFO_NULL));
}

static void close_one(bool sync)
{
    if (sync)
        CHECK_OK(MPI_File_sync(f));
    CHECK_OK(MPI_File_close(&f));
    MPI_Barrier(MPI_COMM_WORLD);
}

/* All of it, by one rank and past MPI. */
static void check_bytes_of(const char *name)
{
    MPI_Offset all = place(check_size - 1, run->transfers * run->segments - 1) + run->transfer;
    CHECK_INT(file_length(name), all);
    int fd = open(name, O_RDONLY);
    for (int r = 0; r < check_size; r++)
        for (int k = 0; k < run->transfers * run->segments; k++) {
            CHECK(pread(fd, data, (size_t)run->transfer, place(r, k)) == run->transfer);
            for (int i = 0; i < words(); i++)
                CHECK(data[i] == value(r, k, i));
        }
    close(fd);
}

static void check_run(const char *name)
{
    MPI_Datatype block;
    int other = (check_rank + 1) % check_size;
    data = check_alloc((size_t)run->transfer * (size_t)run->segments, 0);
    CHECK_OK(MPI_Type_contiguous(words() * run->transfers, MPI_INT64_T, &block));
    CHECK_OK(MPI_Type_create_resized(block, 0, (MPI_Aint)run->transfer * run->transfers * check_size, &turn));
    CHECK_OK(MPI_Type_commit(&turn));
    open_one(name, check_rank, MPI_MODE_CREATE | MPI_MODE_RDWR);
    move_all(true, check_rank);
    close_one(run->flags & SYNC);
    if (check_rank == 0 && !(run->flags & OWN_FILES))
        check_bytes_of(name);
    open_one(name, other, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE);
    move_all(false, other);
    close_one(false);
    CHECK_OK(MPI_Type_free(&turn));
    CHECK_OK(MPI_Type_free(&block));
    free(data);
}

int main(int argc, char **argv)
{
    char name[FILE_NAME];
    check_start(&argc, &argv);
    file_name(name, "segments");
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        run = &runs[i];
        check_run(name);
    }
    return check_end();
}
