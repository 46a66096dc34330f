/* limit.c - growing a file of memory within the process's limit. */
#include "base/limit.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int tf_limit_grow(int fd, size_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur) {
        errno = EFBIG;
        return -1;
    }
    return ftruncate(fd, (off_t)bytes);
}

const char *tf_limit_words(int error)
{
    return error == EFBIG ? "the limit on the size of files (ulimit -f) is lower" : strerror(error);
}
