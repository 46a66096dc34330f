/* files.c - writes and reads of a file by all ranks, beside what one process needs for the same bytes.
 *
 *     files FOLDER TURNS MIB CASE
 *
 * CASE is blocks:BYTES, blocks of that length from all ranks in turn, cube, a cube of doubles in C order of which the
 * ranks have boxes, holes:BYTES, blocks as before with a hole of that length behind those of all ranks, own:BYTES,
 * blocks that each rank accesses by itself, some at a time, new:BYTES, the same into a file that is empty each time, or
 * begun:BYTES, the same by nonblocking calls of a block each.
 * In each turn rank 0 alone writes MIB megabytes with pwrite, all write them together, rank 0 reads them, and all do;
 * the file is there and in the page cache.  The line of JSON has the seconds of all turns.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

enum { MOST_TURNS = 100, PIECE = 16 << 20, BLOCKS = 64 /* of its own that a rank accesses at a time */ };

static int rank, size;
static double times[4][MOST_TURNS];
static const char *const names[] = {"plain write", "write", "plain read", "read"};

static void check(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "rank %d: %s failed\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* One process, as much at a time as it likes. */
static void move_plain(int fd, int write, char *data, size_t bytes)
{
    for (size_t at = 0; at < bytes && rank == 0; at += PIECE) {
        size_t n = bytes - at < PIECE ? bytes - at : PIECE;
        ssize_t moved = write ? pwrite(fd, data + at, n, (off_t)at) : pread(fd, data + at, n, (off_t)at);
        check(moved == (ssize_t)n, "plain access");
    }
}

static MPI_Datatype make_blocks(int length, int hole, MPI_Offset *disp)
{
    MPI_Datatype block, tile;
    MPI_Type_contiguous(length, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, (MPI_Aint)length * size + hole, &tile);
    MPI_Type_commit(&tile);
    *disp = (MPI_Offset)length * rank;
    return tile;
}

/* The boxes are as thick as the grid of ranks says, and the cube a little smaller than the megabytes. */
static MPI_Datatype make_cube(size_t *bytes, size_t *mine)
{
    int dims[3] = {0, 0, 0}, sizes[3], parts[3], starts[3], side = 1;
    MPI_Datatype box;
    MPI_Dims_create(size, 3, dims);
    while ((size_t)(side + 1) * (side + 1) * (side + 1) * sizeof(double) <= *bytes)
        side++;
    side -= side % (dims[0] * dims[1] * dims[2]);
    int place[3] = {rank / (dims[1] * dims[2]), rank / dims[2] % dims[1], rank % dims[2]};
    *mine = sizeof(double);
    for (int d = 0; d < 3; d++) {
        sizes[d] = side;
        parts[d] = side / dims[d];
        starts[d] = place[d] * parts[d];
        *mine *= (size_t)parts[d];
    }
    *bytes = (size_t)side * side * side * sizeof(double);
    MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &box);
    MPI_Type_commit(&box);
    return box;
}

static double timed_plain(int fd, int write, char *data, size_t bytes)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = now();
    move_plain(fd, write, data, bytes);
    double end = now();
    MPI_Barrier(MPI_COMM_WORLD);
    return end - start;
}

static void move_all(MPI_File f, int write, char *data, size_t bytes)
{
    check((write ? MPI_File_write_at_all(f, 0, data, (int)bytes, MPI_BYTE, MPI_STATUS_IGNORE)
                 : MPI_File_read_at_all(f, 0, data, (int)bytes, MPI_BYTE, MPI_STATUS_IGNORE)) == MPI_SUCCESS,
          "collective access");
}

static void move_own(MPI_File f, int write, char *data, size_t bytes, size_t most)
{
    for (size_t at = 0; at < bytes; at += most) {
        int n = (int)(bytes - at < most ? bytes - at : most);
        check((write ? MPI_File_write_at(f, (MPI_Offset)at, data + at, n, MPI_BYTE, MPI_STATUS_IGNORE)
                     : MPI_File_read_at(f, (MPI_Offset)at, data + at, n, MPI_BYTE, MPI_STATUS_IGNORE)) == MPI_SUCCESS,
              "access");
    }
}

static void move_begun(MPI_File f, int write, char *data, size_t bytes, size_t most)
{
    MPI_Request requests[BLOCKS];
    int n = 0, length = (int)(most / BLOCKS);
    for (size_t at = 0; at < bytes; at += (size_t)length) {
        MPI_Request *request = &requests[n++];
        check((write ? MPI_File_iwrite_at(f, (MPI_Offset)at, data + at, length, MPI_BYTE, request)
                     : MPI_File_iread_at(f, (MPI_Offset)at, data + at, length, MPI_BYTE, request)) == MPI_SUCCESS,
              "the beginning of an access");
        if (n == BLOCKS || at + (size_t)length >= bytes) {
            check(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS, "access");
            n = 0;
        }
    }
}

/* All at once, together, or so many bytes at a time. */
static double timed(MPI_File f, int write, char *data, size_t bytes, size_t at_a_time, bool begun)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = now();
    if (begun)
        move_begun(f, write, data, bytes, at_a_time);
    else if (at_a_time > 0)
        move_own(f, write, data, bytes, at_a_time);
    else
        move_all(f, write, data, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    return now() - start;
}

static void print(const char *what, int turns)
{
    printf("{\"case\": \"%s\"", what);
    for (int k = 0; k < 4; k++) {
        printf(", \"%s\": [", names[k]);
        for (int i = 0; i < turns; i++)
            printf("%s%.9f", i ? ", " : "", times[k][i]);
        printf("]");
    }
    printf("}\n");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check(argc == 5, "usage: files FOLDER TURNS MIB CASE");
    int turns = atoi(argv[2]);
    check(turns > 0 && turns <= MOST_TURNS, "number of turns");
    size_t bytes = (size_t)atoi(argv[3]) << 20, mine = bytes / (size_t)size;
    char name[500];
    snprintf(name, sizeof name, "%s/bench-%d", argv[1], (int)getpid());
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Offset disp = 0;
    const char *colon = strchr(argv[4], ':');
    int block = colon ? atoi(colon + 1) : 0;
    bool fresh = !strncmp(argv[4], "new", 3), begun = !strncmp(argv[4], "begun", 5);
    size_t at_a_time = fresh || begun || !strncmp(argv[4], "own", 3) ? (size_t)block * BLOCKS : 0;
    int hole = strncmp(argv[4], "holes", 5) ? 0 : block;
    MPI_Datatype tile = block > 0 ? make_blocks(block, hole, &disp) : make_cube(&bytes, &mine);
    char *data = buffer_new(rank == 0 ? bytes : mine, 0);
    memset(data, rank + 1, rank == 0 ? bytes : mine);
    MPI_File f;
    check(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                        &f) == MPI_SUCCESS,
          "open");
    int fd = open(name, O_RDWR);
    check(MPI_File_set_view(f, disp, MPI_BYTE, tile, "native", MPI_INFO_NULL) == MPI_SUCCESS, "set_view");
    for (int i = -1; i < turns; i++) { /* the first turn makes the file */
        int k = i < 0 ? 0 : i;
        times[0][k] = timed_plain(fd, 1, data, bytes);
        if (fresh)
            check(MPI_File_set_size(f, 0) == MPI_SUCCESS, "set_size");
        times[1][k] = timed(f, 1, data, mine, at_a_time, begun);
        times[2][k] = timed_plain(fd, 0, data, bytes);
        times[3][k] = timed(f, 0, data, mine, at_a_time, begun);
    }
    if (rank == 0)
        print(argv[4], turns);
    close(fd);
    MPI_File_close(&f);
    MPI_Type_free(&tile);
    MPI_Finalize();
    return 0;
}
