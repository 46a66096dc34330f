/* pages.c - see pages.h. */
#define _GNU_SOURCE /* madvise */
#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

bool tf_pages_map(void *at, size_t bytes)
{
    size_t before = (uintptr_t)at % (size_t)sysconf(_SC_PAGESIZE);
    return madvise((char *)at - before, before + bytes, MADV_POPULATE_WRITE) == 0;
}
