/* A file system that fails while a file is open, as a server does that goes away, a disk that breaks, or a quota that
 * is used up; one that moves less than it is asked for.  All ranks of a collective learn of it in words, nobody waits
 * for ever, and where the fault is over the file can be used again.
 *
 * np: 1 2 4
 * only: treefold
 */
#include "syscalls.h"

enum { N = 12000 };

static int data[N];
static char name[FILE_NAME];

/* ---- the faults ---- */

static struct fault {
    int error, class;
    const char *words;
} faults[] = {{EIO, MPI_ERR_IO, "input/output error"},
              {ESTALE, MPI_ERR_IO, "stale file handle"},
              {ENOTCONN, MPI_ERR_IO, "transport endpoint is not connected"},
              {EDQUOT, MPI_ERR_QUOTA, "disk quota exceeded"},
              {ENOSPC, MPI_ERR_NO_SPACE, "no space left on device"}};
static int failure;       /* errno of calls */
static unsigned luck = 7; /* threads of the library share it, and what comes of that is as good */

static ssize_t fail_read(int fd, void *to, size_t bytes, off_t offset)
{
    (void)fd, (void)to, (void)bytes, (void)offset;
    return failing(failure);
}

static ssize_t fail_write(int fd, const void *from, size_t bytes, off_t offset)
{
    (void)fd, (void)from, (void)bytes, (void)offset;
    return failing(failure);
}

static int fail_call(int fd)
{
    (void)fd;
    return failing(failure);
}

static int fail_resize(int fd, off_t size)
{
    (void)fd, (void)size;
    return failing(failure);
}

static int fail_stat(int fd, struct stat *known)
{
    (void)fd, (void)known;
    return failing(failure);
}

static void break_it(int error)
{
    failure = error;
    rows.read = fail_read;
    rows.write = fail_write;
    rows.sync = fail_call;
    rows.resize = fail_resize;
    rows.stat = fail_stat;
}

static void mend_it(void)
{
    rows.read = NULL;
    rows.write = NULL;
    rows.sync = NULL;
    rows.resize = NULL;
    rows.stat = NULL;
    rows.close = NULL;
}

/* Now and then a signal, else some of the bytes. */
static size_t some(size_t bytes)
{
    unsigned n = file_random(&luck, 3000);
    return n < bytes ? n : bytes;
}

static ssize_t read_some(int fd, void *to, size_t bytes, off_t offset)
{
    size_t n = some(bytes);
    return n == 0 && bytes > 0 ? failing(EINTR) : system_read(fd, to, n, offset);
}

static ssize_t write_some(int fd, const void *from, size_t bytes, off_t offset)
{
    size_t n = some(bytes);
    return n == 0 && bytes > 0 ? failing(EINTR) : system_write(fd, from, n, offset);
}

static ssize_t write_nothing(int fd, const void *from, size_t bytes, off_t offset)
{
    (void)fd, (void)from, (void)bytes, (void)offset;
    return 0;
}

/* ---- accesses ---- */

static MPI_File open_turns(const char *way)
{
    MPI_File f = MPI_FILE_NULL;
    MPI_Info info;
    MPI_Datatype turn;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "romio_cb_write", way));
    CHECK_OK(MPI_Info_set(info, "romio_cb_read", way));
    CHECK_OK(MPI_Info_set(info, "cb_buffer_size", "65536"));
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &f));
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, check_size * (MPI_Aint)sizeof(int), &turn));
    CHECK_OK(MPI_Type_commit(&turn));
    CHECK_OK(MPI_File_set_view(f, check_rank * (MPI_Offset)sizeof(int), MPI_INT, turn, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_Type_free(&turn));
    CHECK_OK(MPI_Info_free(&info));
    return f;
}

enum { FORMS = 4 };

static int access_so(MPI_File f, bool write, int form)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status *none = MPI_STATUS_IGNORE;
    int code;
    switch (form) {
    case 0:
        return write ? MPI_File_write_at_all(f, 0, data, N, MPI_INT, none)
                     : MPI_File_read_at_all(f, 0, data, N, MPI_INT, none);
    case 1:
        code = write ? MPI_File_iwrite_at_all(f, 0, data, N, MPI_INT, &request)
                     : MPI_File_iread_at_all(f, 0, data, N, MPI_INT, &request);
        return code ? code : MPI_Wait(&request, none);
    case 2:
        code = write ? MPI_File_write_at_all_begin(f, 0, data, N, MPI_INT)
                     : MPI_File_read_at_all_begin(f, 0, data, N, MPI_INT);
        if (code)
            return code;
        return write ? MPI_File_write_at_all_end(f, data, none) : MPI_File_read_at_all_end(f, data, none);
    default:
        CHECK_OK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
        return write ? MPI_File_write_ordered(f, data, N, MPI_INT, none)
                     : MPI_File_read_ordered(f, data, N, MPI_INT, none);
    }
}

static void check_works(MPI_File f)
{
    for (int i = 0; i < N; i++)
        data[i] = check_value(check_rank, i);
    CHECK_OK(access_so(f, true, 0));
    MPI_Barrier(MPI_COMM_WORLD);
    check_wipe(data, sizeof data);
    CHECK_OK(access_so(f, false, 0));
    for (int i = 0; i < N; i++)
        CHECK(data[i] == check_value(check_rank, i));
}

static void check_told(int code, const struct fault *fault, int who)
{
    char rank[40];
    snprintf(rank, sizeof rank, "rank %d", who);
    CHECK_CLASS(code, fault->class);
    CHECK_WORDS(code, fault->words);
    CHECK_WORDS(code, rank);
    CHECK_WORDS(code, name);
}

/* ---- one rank's system fails ---- */

static void check_collective(const char *way, const struct fault *fault, int who)
{
    MPI_File f = open_turns(way);
    MPI_Offset size = 0;
    check_works(f);
    for (int write = 0; write < 2; write++)
        for (int form = 0; form < FORMS; form++) {
            if (who == check_rank)
                break_it(fault->error);
            check_told(access_so(f, write, form), fault, who);
            mend_it();
            MPI_Barrier(MPI_COMM_WORLD);
        }
    if (who == check_rank)
        break_it(fault->error);
    check_told(MPI_File_sync(f), fault, who);
    int code = MPI_File_set_size(f, 4);
    if (who == 0) /* which does it for all */
        check_told(code, fault, 0);
    if (who == check_rank)
        check_told(MPI_File_get_size(f, &size), fault, who);
    mend_it();
    MPI_Barrier(MPI_COMM_WORLD);
    check_works(f);
    if (who == check_rank) {
        failure = fault->error;
        rows.close = fail_call;
    }
    code = MPI_File_close(&f);
    mend_it();
    check_told(code, fault, who);
    CHECK_CLASS(MPI_File_get_size(f, &size), MPI_ERR_FILE); /* it is closed all the same */
}

/* Who has written nothing since the last one asks nothing of the device, and whom it failed asks again. */
static void check_sync(const struct fault *fault)
{
    MPI_File f = open_turns("automatic");
    check_works(f);
    CHECK_OK(MPI_File_sync(f));
    break_it(fault->error);
    CHECK_OK(MPI_File_sync(f));
    mend_it();
    if (check_rank == 0)
        CHECK_OK(MPI_File_write_at(f, 0, data, 1, MPI_INT, MPI_STATUS_IGNORE));
    break_it(fault->error);
    for (int times = 0; times < 2; times++)
        check_told(MPI_File_sync(f), fault, 0);
    mend_it();
    CHECK_OK(MPI_File_sync(f));
    CHECK_OK(MPI_File_close(&f));
}

/* A rank by itself; what it had written counts. */
static void check_alone(const struct fault *fault)
{
    MPI_File f = open_turns("automatic");
    MPI_Request request;
    MPI_Status status;
    int got = -1, code;
    break_it(fault->error);
    check_wipe(&status, sizeof status);
    check_told(MPI_File_write_at(f, 0, data, 100, MPI_INT, &status), fault, check_rank);
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &got));
    CHECK_INT(got, 0);
    check_told(MPI_File_read_at(f, 0, data, 100, MPI_INT, MPI_STATUS_IGNORE), fault, check_rank);
    code = MPI_File_iwrite_at(f, 0, data, 100, MPI_INT, &request);
    check_told(code ? code : MPI_Wait(&request, MPI_STATUS_IGNORE), fault, check_rank);
    code = MPI_File_iread_at(f, 0, data, 100, MPI_INT, &request);
    check_told(code ? code : MPI_Wait(&request, MPI_STATUS_IGNORE), fault, check_rank);
    check_told(MPI_File_write_shared(f, data, 100, MPI_INT, MPI_STATUS_IGNORE), fault, check_rank);
    mend_it();
    MPI_Barrier(MPI_COMM_WORLD);
    check_works(f);
    CHECK_OK(MPI_File_close(&f));
}

/* ---- less than was asked for is no fault; nothing at all is one ---- */

static void check_some(const char *way)
{
    MPI_File f = open_turns(way);
    rows.read = read_some;
    rows.write = write_some;
    for (int form = 0; form < FORMS - 1; form++) {
        for (int i = 0; i < N; i++)
            data[i] = check_value(check_rank, i) + form;
        CHECK_OK(access_so(f, true, form));
        MPI_Barrier(MPI_COMM_WORLD);
        check_wipe(data, sizeof data);
        CHECK_OK(access_so(f, false, form));
        for (int i = 0; i < N; i++)
            CHECK(data[i] == check_value(check_rank, i) + form);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    rows.write = write_nothing;
    CHECK_CLASS(access_so(f, true, 0), MPI_ERR_NO_SPACE);
    mend_it();
    check_works(f);
    CHECK_OK(MPI_File_close(&f));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    file_name(name, "faults");
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        check_alone(&faults[i]);
        check_sync(&faults[i]);
        check_collective("enable", &faults[i], 0); /* an aggregator */
        check_collective("disable", &faults[i], check_size - 1);
    }
    check_some("enable");
    check_some("disable");
    if (check_rank == 0)
        unlink(name);
    return check_end();
}
