/* disk.c - the bytes of a file, by calls of the system: as many as it takes, since Linux moves at most 2,147,479,552
 * bytes in one, may move fewer, and may be interrupted.
 *
 * Locks belong to the open file, not to the process, so that two opens of one process exclude each other too.
 */
#define _GNU_SOURCE /* preadv2 */
#include "file/system.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static const size_t MOST = (size_t)1 << 30; /* in one call */

/* ---- a limit of the process on the size of files: an error, not a signal that ends the program ---- */

void tf_disk_hush(const struct tf_file *file, struct tf_hush *hush)
{
    sigset_t limit;
    if (!file->limited)
        return;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &limit, &hush->before);
}

void tf_disk_unhush(const struct tf_file *file, const struct tf_hush *hush)
{
    sigset_t limit;
    int reason = errno;
    if (!file->limited)
        return;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    if (!sigismember(&hush->before, SIGXFSZ))
        sigtimedwait(&limit, NULL, &(struct timespec){0, 0});
    pthread_sigmask(SIG_SETMASK, &hush->before, NULL);
    errno = reason;
}

static ssize_t write_some(const struct tf_file *file, const void *data, size_t bytes, off_t offset)
{
    struct tf_hush hush;
    tf_disk_hush(file, &hush);
    ssize_t n = pwrite(file->fd, data, bytes, offset);
    tf_disk_unhush(file, &hush);
    return n;
}

/* ---- moving ---- */

static TF_COLD int failed(const struct tf_file *file, bool write, size_t moved, size_t bytes, MPI_Offset offset)
{
    return tf_file_error(file->path, errno, "rank %d %s %zu of %zu bytes at offset %lld", file->comm->rank,
                         write ? "wrote" : "read", moved, bytes, (long long)offset);
}

int tf_disk_read(const struct tf_file *file, MPI_Offset offset, void *data, size_t bytes, size_t *moved)
{
    for (*moved = 0; *moved < bytes;) {
        size_t most = bytes - *moved < MOST ? bytes - *moved : MOST;
        ssize_t n = pread(file->fd, (char *)data + *moved, most, (off_t)(offset + (MPI_Offset)*moved));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return failed(file, false, *moved, bytes, offset);
        if (n == 0)
            break;
        *moved += (size_t)n;
    }
    return MPI_SUCCESS;
}

bool tf_disk_read_cached(const struct tf_file *file, MPI_Offset offset, void *data, size_t bytes)
{
#ifdef RWF_NOWAIT
    struct iovec piece = {data, bytes};
    int how = file->system->memory ? 0 : RWF_NOWAIT;
    return preadv2(file->fd, &piece, 1, (off_t)offset, how) == (ssize_t)bytes;
#else /* a C library that has no preadv2 */
    (void)file, (void)offset, (void)data, (void)bytes;
    return false;
#endif
}

int tf_disk_write(struct tf_file *file, MPI_Offset offset, const void *data, size_t bytes, size_t *moved)
{
    file->unsynced = true;
    for (*moved = 0; *moved < bytes;) {
        size_t most = bytes - *moved < MOST ? bytes - *moved : MOST;
        ssize_t n = write_some(file, (const char *)data + *moved, most, (off_t)(offset + (MPI_Offset)*moved));
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENOSPC;
        if (n <= 0)
            return failed(file, true, *moved, bytes, offset);
        *moved += (size_t)n;
    }
    return MPI_SUCCESS;
}

/* ---- locks ---- */

static int set_lock(const struct tf_file *file, short type, MPI_Offset offset, MPI_Offset bytes)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)offset, .l_len = (off_t)bytes};
    int result;
    do
        result = fcntl(file->fd, F_OFD_SETLKW, &lock);
    while (result < 0 && errno == EINTR);
    return result;
}

int tf_disk_lock(const struct tf_file *file, MPI_Offset offset, MPI_Offset bytes, bool exclusive)
{
    if (bytes == 0 || set_lock(file, exclusive ? F_WRLCK : F_RDLCK, offset, bytes) == 0)
        return MPI_SUCCESS;
    return tf_file_error(file->path, errno,
                         "rank %d cannot lock %lld bytes at offset %lld, which atomic mode and data sieving need",
                         file->comm->rank, (long long)bytes, (long long)offset);
}

void tf_disk_unlock(const struct tf_file *file, MPI_Offset offset, MPI_Offset bytes)
{
    if (bytes > 0)
        set_lock(file, F_UNLCK, offset, bytes);
}

/* ---- size ---- */

int tf_disk_size(const struct tf_file *file, MPI_Offset *size)
{
    struct stat known;
    if (fstat(file->fd, &known) < 0)
        return tf_file_error(file->path, errno, "rank %d cannot tell its size", file->comm->rank);
    *size = known.st_size;
    return MPI_SUCCESS;
}

void tf_disk_advise(const struct tf_file *file)
{
    int styles = file->hints.styles, advice = POSIX_FADV_NORMAL;
    if (styles & TF_STYLE_SEQUENTIAL)
        advice = POSIX_FADV_SEQUENTIAL;
    if (styles & (TF_STYLE_RANDOM | TF_STYLE_REVERSE_SEQUENTIAL))
        advice = POSIX_FADV_RANDOM;
    (void)!posix_fadvise(file->fd, 0, 0, advice);
    if (styles & TF_STYLE_READ_ONCE)
        (void)!posix_fadvise(file->fd, 0, 0, POSIX_FADV_NOREUSE);
}

/* A lock that is taken has a client ask the server for what is new. */
void tf_disk_refresh(const struct tf_file *file)
{
    if (!file->system->copies)
        return;
    if (set_lock(file, file->readable ? F_RDLCK : F_WRLCK, 0, 1) == 0)
        set_lock(file, F_UNLCK, 0, 1);
    else
        tf_log(1, "%s: no lock, so copies on this host may be old (%s)", file->path, strerror(errno));
}
