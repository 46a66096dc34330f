/* Many short pieces of a view, written by a rank by itself or with the others, are stored into the file as memory,
 * where its file system has that.  Others write into the holes meanwhile, by whatever calls, and lose nothing; where
 * the system refuses, at once or after a while, the rest is written by calls.
 *
 * np: 1 2 4
 * only: treefold
 */
#include "syscalls.h"

#include <sys/mman.h>

enum { POPULATE = 23, LONGEST = 3 << 20, RANGE = 4 << 20 };

static char name[FILE_NAME];
static unsigned char *data, *wanted, *got;
static int reserved, refuse_after; /* calls, and how many of them are let through */

static int reserve(int fd, off_t offset, off_t bytes)
{
    return reserved++ < refuse_after ? system_reserve(fd, offset, bytes) : failing(ENOSPC);
}

static bool old; /* a system that knows nothing of MADV_POPULATE_WRITE */

int madvise(void *at, size_t bytes, int advice)
{
    return old && advice == POPULATE ? failing(EINVAL) : (int)syscall(SYS_madvise, at, bytes, advice);
}

static void wish(int after)
{
    reserved = 0;
    refuse_after = after;
    rows.reserve = reserve;
}

/* Of `piece` bytes with holes of `hole`, from `first` on. */
static MPI_File view(MPI_Offset first, int piece, int hole, int amode, const char *hint)
{
    MPI_File f = MPI_FILE_NULL;
    MPI_Datatype bytes, tile;
    MPI_Info info;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "romio_ds_write", hint));
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, amode | MPI_MODE_CREATE, info, &f));
    CHECK_OK(MPI_Type_contiguous(piece, MPI_BYTE, &bytes));
    CHECK_OK(MPI_Type_create_resized(bytes, 0, piece + hole, &tile));
    CHECK_OK(MPI_Type_commit(&tile));
    CHECK_OK(MPI_File_set_view(f, first, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_Type_free(&bytes));
    CHECK_OK(MPI_Type_free(&tile));
    CHECK_OK(MPI_Info_free(&info));
    return f;
}

static void fill(int turn, int bytes)
{
    for (int i = 0; i < bytes; i++)
        data[i] = (unsigned char)(check_rank * 31 + i * 7 + turn + 1);
}

/* What the file has, read by the system's calls. */
static void check_holds(long long length, const char *what)
{
    CHECK_INT(file_length(name), length);
    int fd = open(name, O_RDONLY);
    memset(got, 0xee, (size_t)length);
    CHECK(system_read(fd, got, (size_t)length, 0) == length);
    close(fd);
    CHECK_NOTED(memcmp(got, wanted, (size_t)length) == 0, "%s", what);
}

/* ---- all ranks in turn, some of whom go on after the others ---- */

static long long expect(int piece, int hole, int count, int turn)
{
    long long length = 0;
    for (int rank = 0; rank < check_size; rank++)
        for (int i = 0; i < count; i++) {
            long long at = (long long)(i / piece) * (piece * check_size + hole) + rank * piece + i % piece;
            wanted[at] = (unsigned char)(rank * 31 + i * 7 + turn + 1);
            length = at + 1 > length ? at + 1 : length;
        }
    return length;
}

static int write_some(MPI_File f, bool together, int at, int some, MPI_Status *status)
{
    return together ? MPI_File_write_at_all(f, at, data + at, some, MPI_BYTE, status)
                    : MPI_File_write_at(f, at, data + at, some, MPI_BYTE, status);
}

static void turns(int piece, int hole, int count, int each, bool together, const char *what)
{
    MPI_File f = view(check_rank * piece, piece, piece * (check_size - 1) + hole, MPI_MODE_WRONLY, "automatic");
    MPI_Status status;
    int n = 0;
    memset(wanted, 0, LONGEST);
    for (int turn = 0; turn < 2; turn++) {
        fill(turn, count);
        for (int at = 0; at < count; at += each) {
            int some = count - at < each ? count - at : each;
            CHECK_OK(write_some(f, together, at, some, &status));
            CHECK_OK(MPI_Get_count(&status, MPI_BYTE, &n));
            CHECK_INT(n, some);
        }
        long long length = expect(piece, hole, count, turn);
        MPI_Barrier(MPI_COMM_WORLD);
        check_holds(length, what);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    CHECK_OK(MPI_File_close(&f));
    if (check_rank == 0)
        unlink(name);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void all_turns(const char *what)
{
    static const struct {
        int piece, hole, count, each;
    } cases[] = {{1, 0, 30000, 30000},    {1, 7, 5000, 777},      {8, 3, 20000, 4000},      {64, 0, 100000, 4096},
                 {100, 900, 20001, 2500}, {511, 1, 60000, 51100}, {1000, 24, 90000, 90000}, {3000, 0, 60000, 60000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int together = 0; together < 2; together++)
            turns(cases[i].piece, cases[i].hole, cases[i].count, cases[i].each, together, what);
}

/* ---- rank 1 writes bytes in the holes of rank 0, of the same pages, by calls of the system ---- */

enum { SHORT = 32, PIECES = 2000 };

static void write_pieces(int fd)
{
    for (int i = 0; i < PIECES; i++)
        CHECK(system_write(fd, data + i * SHORT, SHORT, (2 * i + 1) * SHORT) == SHORT);
}

static void nothing_lost(void)
{
    enum { TIMES = 30 };
    MPI_File f = view(0, SHORT, SHORT, MPI_MODE_RDWR, "automatic");
    int fd = open(name, O_WRONLY);
    for (int time = 0; time < TIMES; time++) {
        fill(time, PIECES * SHORT);
        if (check_rank == 0)
            CHECK_OK(MPI_File_write_at(f, 0, data, PIECES * SHORT, MPI_BYTE, MPI_STATUS_IGNORE));
        if (check_rank == 1)
            write_pieces(fd);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    close(fd);
    for (int rank = 0; rank < 2; rank++)
        for (int i = 0; i < PIECES * SHORT; i++)
            wanted[(i / SHORT * 2 + rank) * SHORT + i % SHORT] = (unsigned char)(rank * 31 + i * 7 + TIMES);
    if (check_size > 1)
        check_holds(2 * PIECES * SHORT, "holes that others write");
    CHECK_OK(MPI_File_close(&f));
}

/* ---- several at once, of one rank ---- */

static void at_once(void)
{
    enum { N = 6, PART = 40000 };
    MPI_Request requests[N];
    MPI_File f = view(check_rank, 1, check_size - 1, MPI_MODE_RDWR, "automatic");
    fill(0, N * PART);
    for (int i = 0; i < N; i++)
        CHECK_OK(MPI_File_iwrite_at(f, i * PART, data + i * PART, PART, MPI_BYTE, &requests[i]));
    CHECK_OK(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));
    long long length = expect(1, 0, N * PART, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    check_holds(length, "several at once");
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_close(&f));
}

/* ---- a file that becomes shorter: its end is behind what is kept of it, and later there are zeros ---- */

static void shorter(void)
{
    enum { COUNT = 10000 };
    MPI_File f = view(0, 4, 4, MPI_MODE_RDWR, "automatic");
    memset(wanted, 0, LONGEST);
    fill(0, COUNT);
    for (int turn = 0; turn < 2; turn++) {
        if (check_rank == 0)
            CHECK_OK(MPI_File_write_at(f, turn ? COUNT / 2 : 0, data, COUNT, MPI_BYTE, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_File_sync(f));
        CHECK_OK(MPI_File_set_size(f, turn ? 2 * COUNT : 0));
    }
    for (int i = 0; i < COUNT / 2; i++)
        wanted[COUNT + i / 4 * 8 + i % 4] = (unsigned char)(i * 7 + 1);
    check_holds(2 * COUNT, "a file that was cut");
    CHECK_OK(MPI_File_close(&f));
}

/* ---- which way it took ---- */

static bool system_populates(void)
{
    void *page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool does = madvise(page, 1, POPULATE) == 0;
    munmap(page, 1);
    return does;
}

static bool has_memory(void)
{
    static const struct {
        long magic;
        long long spare;
    } systems[] = {{0x58465342, 0}, {0x01021994, 0}, {0xef53, 0}, {0x9123683e, 1 << 30}, {0x794c7630, 1 << 30}};
    struct statfs known;
    MPI_File f = view(0, 4, 4, MPI_MODE_RDWR, "automatic");
    CHECK(statfs(name, &known) == 0);
    CHECK_OK(MPI_File_close(&f));
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
        if (known.f_type == systems[i].magic)
            return (long long)known.f_bavail * known.f_bsize >= systems[i].spare;
    return false;
}

static int reserved_by(int piece, int hole, int count, const char *hint)
{
    MPI_File f = view(check_rank * 100000, piece, hole, MPI_MODE_RDWR, hint);
    wish(100);
    fill(0, count);
    CHECK_OK(MPI_File_write_at(f, 0, data, count, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&f));
    return reserved;
}

/* By the aggregators, whoever they are, into a file of holes and what ranks give together. */
static int reserved_together(int piece, int hole, int count)
{
    int all = 0;
    MPI_File f = view(check_rank * piece, piece, (check_size - 1) * piece + hole, MPI_MODE_RDWR, "automatic");
    wish(1000);
    fill(0, count);
    CHECK_OK(MPI_File_write_at_all(f, 0, data, count, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&f));
    CHECK_OK(MPI_Allreduce(&reserved, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    return all;
}

static void which(void)
{
    if (!has_memory() || !system_populates()) {
        if (check_rank == 0)
            puts("skipped: files here are not written through memory");
        return;
    }
    CHECK_INT(reserved_by(8, 8, 8000, "automatic"), 1);
    CHECK_INT(reserved_by(1000, 1000, 20000, "automatic"), 1);
    CHECK_INT(reserved_by(8, 8, 8000, "disable"), 0);
    CHECK_INT(reserved_by(8, 8, 8000, "enable"), 0);
    CHECK_INT(reserved_by(8, 8, 16, "automatic"), 0);       /* two pieces */
    CHECK_INT(reserved_by(8, 100000, 800, "automatic"), 0); /* pages of their own */
    CHECK_INT(reserved_by(8, 0, 8000, "automatic"), 0);     /* no holes */
    CHECK_INT(reserved_by(512, 512, LONGEST, "automatic"), (2 * LONGEST + RANGE - 1) / RANGE);
    CHECK(reserved_together(8, 8, 8000) > 0);
    CHECK_INT(reserved_together(8, 0, 8000), 0);
    CHECK_INT(reserved_together(8, 100000, 800), 0);
    rows.magic = 0x6969; /* NFS: pages are sent to the server as a whole */
    CHECK_INT(reserved_by(8, 8, 8000, "automatic"), 0);
    CHECK_INT(reserved_together(8, 8, 8000), 0);
    rows.magic = 0;
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    file_name(name, "stored");
    data = check_alloc(LONGEST, 0);
    wanted = check_alloc(LONGEST, 0);
    got = check_alloc(LONGEST, 0);
    which();
    if (check_rank == 0)
        unlink(name);
    MPI_Barrier(MPI_COMM_WORLD);
    rows.reserve = NULL;
    all_turns("as it comes");
    for (int after = 0; after < 2; after++) {
        wish(after);
        all_turns("refused after a while");
    }
    rows.reserve = NULL;
    old = true;
    all_turns("an old system");
    old = false;
    nothing_lost();
    at_once();
    shorter();
    free(data);
    free(wanted);
    free(got);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0)
        unlink(name);
    return check_end();
}
