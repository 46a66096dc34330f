/* A file whose hosts keep copies, as NFS clients do of data and sizes, until a lock is taken or the file is opened; and
 * locks that are not to be had.  This program is such a client for each of its ranks.
 *
 * np: 1 2 4
 * only: treefold
 */
#include "syscalls.h"

#include <pthread.h>

enum { NFS = 0x6969, MOST = 1 << 18, N = 4000 };

/* ---- a client: what it has read it does not read again, what it has written it tells when it must ---- */

static struct {
    pthread_mutex_t mutex;
    const char *name;
    int fd;
    bool valid; /* the copy; bytes that are dirty are in any case */
    off_t size;
    char copy[MOST], dirty[MOST];
    int locks, refuse; /* an errno for locks, or 0 */
} client = {.mutex = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

static void tell_server(void)
{
    for (off_t i = 0, end; i < MOST; i = end) {
        for (end = i + 1; end < MOST && client.dirty[end] == client.dirty[i];)
            end++;
        if (client.dirty[i])
            CHECK(system_write(client.fd, client.copy + i, (size_t)(end - i), i) == end - i);
    }
    memset(client.dirty, 0, sizeof client.dirty);
}

static void ask_server(void)
{
    static char found[MOST];
    struct stat known;
    if (client.valid)
        return;
    ssize_t n = system_read(client.fd, found, MOST, 0);
    CHECK(n >= 0 && syscall(SYS_fstat, client.fd, &known) == 0);
    client.size = known.st_size;
    for (off_t i = 0; i < MOST; i++)
        if (client.dirty[i])
            client.size = i < client.size ? client.size : i + 1;
        else
            client.copy[i] = i < n ? found[i] : 0;
    client.valid = true;
}

static int nfs_open(const char *path, int flags, mode_t mode)
{
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (client.name && strcmp(path, client.name) == 0) {
        client.fd = fd;
        client.valid = false;
        memset(client.dirty, 0, sizeof client.dirty);
    }
    return fd;
}

static int nfs_close(int fd)
{
    if (fd == client.fd) {
        tell_server();
        client.fd = -1;
    }
    return 0;
}

static ssize_t nfs_read(int fd, void *data, size_t bytes, off_t offset)
{
    if (fd != client.fd)
        return system_read(fd, data, bytes, offset);
    pthread_mutex_lock(&client.mutex);
    ask_server();
    off_t n = client.size > offset ? client.size - offset : 0;
    n = n < (off_t)bytes ? n : (off_t)bytes;
    if (n > 0)
        memcpy(data, client.copy + offset, (size_t)n);
    pthread_mutex_unlock(&client.mutex);
    return n;
}

static ssize_t nfs_write(int fd, const void *data, size_t bytes, off_t offset)
{
    if (fd != client.fd)
        return system_write(fd, data, bytes, offset);
    pthread_mutex_lock(&client.mutex);
    CHECK(offset + (off_t)bytes <= MOST);
    memcpy(client.copy + offset, data, bytes);
    memset(client.dirty + offset, 1, bytes);
    client.size = client.size > offset + (off_t)bytes ? client.size : offset + (off_t)bytes;
    pthread_mutex_unlock(&client.mutex);
    return (ssize_t)bytes;
}

static int nfs_lock(int fd, const struct flock *lock)
{
    if (client.refuse)
        return failing(client.refuse);
    if (fd != client.fd)
        return (int)syscall(SYS_fcntl, fd, F_OFD_SETLKW, lock);
    pthread_mutex_lock(&client.mutex);
    tell_server();
    pthread_mutex_unlock(&client.mutex);
    int result = (int)syscall(SYS_fcntl, fd, F_OFD_SETLKW, lock);
    pthread_mutex_lock(&client.mutex);
    client.locks += lock->l_type != F_UNLCK;
    client.valid = client.valid && lock->l_type == F_UNLCK;
    pthread_mutex_unlock(&client.mutex);
    return result;
}

static int nfs_sync(int fd)
{
    if (fd == client.fd) {
        pthread_mutex_lock(&client.mutex);
        tell_server();
        pthread_mutex_unlock(&client.mutex);
    }
    return 0;
}

static int nfs_stat(int fd, struct stat *known)
{
    int result = (int)syscall(SYS_fstat, fd, known);
    if (fd != client.fd)
        return result;
    pthread_mutex_lock(&client.mutex);
    ask_server();
    known->st_size = client.size;
    pthread_mutex_unlock(&client.mutex);
    return result;
}

static int nfs_resize(int fd, off_t size)
{
    nfs_sync(fd);
    client.valid = client.valid && fd != client.fd;
    return (int)syscall(SYS_ftruncate, fd, size);
}

static void mount_nfs(const char *name)
{
    client.name = name;
    rows.magic = NFS;
    rows.open = nfs_open;
    rows.close = nfs_close;
    rows.read = nfs_read;
    rows.write = nfs_write;
    rows.lock = nfs_lock;
    rows.sync = nfs_sync;
    rows.stat = nfs_stat;
    rows.resize = nfs_resize;
}

/* ---- what is written is seen where MPI says so ---- */

static int data[N];

static MPI_File open_turns(const char *name, const char *way, const char *sieve)
{
    MPI_File f = MPI_FILE_NULL;
    MPI_Info info;
    MPI_Datatype turn;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "romio_cb_write", way));
    CHECK_OK(MPI_Info_set(info, "romio_cb_read", way));
    CHECK_OK(MPI_Info_set(info, "romio_ds_write", sieve));
    CHECK_OK(MPI_Info_set(info, "ind_wr_buffer_size", "1000"));
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &f));
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, check_size * (MPI_Aint)sizeof(int), &turn));
    CHECK_OK(MPI_Type_commit(&turn));
    CHECK_OK(MPI_File_set_view(f, check_rank * (MPI_Offset)sizeof(int), MPI_INT, turn, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_Type_free(&turn));
    CHECK_OK(MPI_Info_free(&info));
    return f;
}

static void view_all(MPI_File f)
{
    CHECK_OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
}

static int read_one(MPI_File f, MPI_Offset at)
{
    int value = -1;
    CHECK_OK(MPI_File_read_at(f, at, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    return value;
}

static void sync_all(MPI_File f)
{
    CHECK_OK(MPI_File_sync(f));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_sync(f));
}

/* One writes, all read: without a sync, which shows that there are copies, and with one. */
static void check_sync(const char *name)
{
    MPI_File f = open_turns(name, "disable", "disable");
    MPI_Offset size = -1;
    view_all(f);
    for (int who = 0; who < check_size; who++) {
        int old = who ? 100 + who : 0, value = 101 + who;
        read_one(f, 0);
        MPI_Barrier(MPI_COMM_WORLD);
        if (who == check_rank) {
            CHECK_OK(MPI_File_write_at(f, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
            CHECK_OK(MPI_File_write_at(f, 10 + who, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (who != check_rank && who > 0)
            CHECK_INT(read_one(f, 0), old);
        sync_all(f);
        CHECK_INT(read_one(f, 0), value);
        CHECK_OK(MPI_File_get_size(f, &size));
        CHECK_INT(size, (11 + who) * (int)sizeof(int));
    }
    CHECK_OK(MPI_File_close(&f));
}

/* In atomic mode at once; the requests too. */
static void check_atomic(const char *name)
{
    MPI_File f = open_turns(name, "disable", "disable");
    view_all(f);
    CHECK_OK(MPI_File_set_atomicity(f, 1));
    for (int turn = 0; turn < 3 * check_size; turn++) {
        int value = 1000 + turn, got = -1;
        MPI_Request request;
        client.locks = 0;
        if (turn % check_size == check_rank) {
            CHECK_OK(MPI_File_iwrite_at(f, turn % 7, &value, 1, MPI_INT, &request));
            CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        }
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_OK(MPI_File_iread_at(f, turn % 7, &got, 1, MPI_INT, &request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_INT(got, value);
        CHECK_INT(read_one(f, turn % 7), value);
        CHECK(client.locks >= 2);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    CHECK_OK(MPI_File_close(&f));
}

/* Together; and each for itself, which reads and writes what others have between, under a lock. */
static void check_together(const char *name, const char *way, const char *sieve)
{
    MPI_File f = open_turns(name, way, sieve);
    for (int i = 0; i < N; i++)
        data[i] = check_value(check_rank, i);
    CHECK_OK(MPI_File_write_at_all(f, 0, data, N, MPI_INT, MPI_STATUS_IGNORE));
    sync_all(f);
    check_wipe(data, sizeof data);
    CHECK_OK(MPI_File_read_at_all(f, 0, data, N, MPI_INT, MPI_STATUS_IGNORE));
    for (int i = 0; i < N; i++)
        CHECK(data[i] == check_value(check_rank, i));
    view_all(f);
    for (int r = 0; r < check_size; r++)
        CHECK_INT(read_one(f, 37 * check_size + r), check_value(r, 37));
    CHECK_OK(MPI_File_close(&f));
    f = open_turns(name, way, sieve);
    check_wipe(data, sizeof data);
    CHECK_OK(MPI_File_read_at_all(f, 0, data, N, MPI_INT, MPI_STATUS_IGNORE));
    for (int i = 0; i < N; i++)
        CHECK(data[i] == check_value(check_rank, i));
    CHECK_OK(MPI_File_set_size(f, 0));
    CHECK_OK(MPI_File_close(&f));
}

/* ---- no locks ---- */

static void check_refused(const char *name, int reason, int class, const char *words)
{
    int value = 3, code;
    MPI_Offset size;
    client.refuse = reason;
    MPI_File f = open_turns(name, "disable", "enable");
    CHECK_OK(MPI_File_write_at(f, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE)); /* which needs none */
    CHECK_OK(MPI_File_sync(f));
    CHECK_OK(MPI_File_get_size(f, &size));
    if (check_size > 1) { /* there is something to sieve */
        code = MPI_File_write_at(f, 0, data, 10, MPI_INT, MPI_STATUS_IGNORE);
        CHECK_CLASS(code, class);
        CHECK_WORDS(code, words);
        CHECK_WORDS(code, "cannot lock");
    }
    CHECK_OK(MPI_File_set_atomicity(f, 1));
    code = MPI_File_write_at(f, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    CHECK_CLASS(code, class);
    CHECK_WORDS(code, words);
    code = MPI_File_read_at_all(f, 0, data, 10, MPI_INT, MPI_STATUS_IGNORE);
    CHECK_CLASS(code, class);
    CHECK_WORDS(code, "atomic mode");
    client.refuse = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_write_at_all(f, 0, data, 10, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&f));
}

int main(int argc, char **argv)
{
    char name[FILE_NAME];
    check_start(&argc, &argv);
    file_name(name, "nfs");
    mount_nfs(name);
    check_sync(name);
    check_atomic(name);
    check_together(name, "enable", "disable");
    check_together(name, "disable", "disable");
    check_together(name, "disable", "enable");
    check_refused(name, ENOLCK, MPI_ERR_UNSUPPORTED_OPERATION, "no locks available");
    check_refused(name, EIO, MPI_ERR_IO, "input/output error");
    rows.open = NULL;
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0)
        unlink(name);
    return check_end();
}
