/* syscalls.h - the system's calls on files as a table, so that a test can be a file system that the machine lacks.
 *
 * The library finds this program's functions before those of the C library.  A row that is NULL is the system's own.
 * Threads of the library call them too.
 */
#ifndef SYSCALLS_H
#define SYSCALLS_H

#define _GNU_SOURCE
#include "files.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>

static struct {
    int (*open)(const char *path, int flags, mode_t mode);
    int (*close)(int fd);
    ssize_t (*read)(int fd, void *data, size_t bytes, off_t offset);
    ssize_t (*write)(int fd, const void *data, size_t bytes, off_t offset);
    int (*lock)(int fd, const struct flock *lock);
    int (*sync)(int fd);
    int (*stat)(int fd, struct stat *known);
    int (*resize)(int fd, off_t size);
    int (*reserve)(int fd, off_t offset, off_t bytes);
    int (*get)(int fd, const char *name, void *value, size_t bytes);
    int (*set)(int fd, const char *name, const void *value, size_t bytes);
    long magic; /* of the file system; 0: its own */
} rows;

static inline ssize_t system_read(int fd, void *data, size_t bytes, off_t offset)
{
    return syscall(SYS_pread64, fd, data, bytes, offset);
}

static inline ssize_t system_write(int fd, const void *data, size_t bytes, off_t offset)
{
    return syscall(SYS_pwrite64, fd, data, bytes, offset);
}

static inline int failing(int error)
{
    errno = error;
    return -1;
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return rows.open ? rows.open(path, flags, mode) : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int close(int fd)
{
    int failed = rows.close ? rows.close(fd) : 0, reason = errno;
    int result = (int)syscall(SYS_close, fd);
    errno = failed ? reason : errno;
    return failed ? failed : result;
}

ssize_t pread(int fd, void *data, size_t bytes, off_t offset)
{
    return rows.read ? rows.read(fd, data, bytes, offset) : system_read(fd, data, bytes, offset);
}

/* What is read in a way of the test's is not in the system's cache. */
ssize_t preadv2(int fd, const struct iovec *pieces, int n, off_t offset, int flags)
{
    return rows.read ? failing(EOPNOTSUPP) : syscall(SYS_preadv2, fd, pieces, n, offset, 0L, flags);
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
    return rows.write ? rows.write(fd, data, bytes, offset) : system_write(fd, data, bytes, offset);
}

int fcntl(int fd, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (command == F_OFD_SETLKW && rows.lock)
        return rows.lock(fd, argument);
    return (int)syscall(SYS_fcntl, fd, command, argument);
}

int fsync(int fd)
{
    return rows.sync ? rows.sync(fd) : (int)syscall(SYS_fsync, fd);
}

int fstat(int fd, struct stat *known)
{
    return rows.stat ? rows.stat(fd, known) : (int)syscall(SYS_fstat, fd, known);
}

int ftruncate(int fd, off_t size)
{
    return rows.resize ? rows.resize(fd, size) : (int)syscall(SYS_ftruncate, fd, size);
}

static inline int system_reserve(int fd, off_t offset, off_t bytes)
{
    return (int)syscall(SYS_fallocate, fd, 0, offset, bytes);
}

/* What is written in a way of the test's does not go through memory. */
int fallocate(int fd, int mode, off_t offset, off_t bytes)
{
    if (rows.reserve)
        return rows.reserve(fd, offset, bytes);
    return rows.write ? failing(EOPNOTSUPP) : (int)syscall(SYS_fallocate, fd, mode, offset, bytes);
}

static inline int told(int result, struct statfs *known)
{
    if (result == 0 && rows.magic)
        known->f_type = rows.magic;
    return result;
}

int fstatfs(int fd, struct statfs *known)
{
    return told((int)syscall(SYS_fstatfs, fd, known), known);
}

int statfs(const char *path, struct statfs *known)
{
    return told((int)syscall(SYS_statfs, path, known), known);
}

ssize_t fgetxattr(int fd, const char *name, void *value, size_t bytes)
{
    return rows.get ? rows.get(fd, name, value, bytes) : syscall(SYS_fgetxattr, fd, name, value, bytes);
}

int fsetxattr(int fd, const char *name, const void *value, size_t bytes, int flags)
{
    return rows.set ? rows.set(fd, name, value, bytes) : (int)syscall(SYS_fsetxattr, fd, name, value, bytes, flags);
}

#endif
