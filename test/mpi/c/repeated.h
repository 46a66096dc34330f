/* repeated.h - long vectors in little memory. */
#ifndef REPEATED_H
#define REPEATED_H

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* Addresses without memory as yet; NULL if there are none. */
static inline void *repeated_room(size_t bytes)
{
    void *m = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m != MAP_FAILED)
        return m;
    perror("mmap");
    return NULL;
}

/* One piece of memory, whole pages long, that is mapped over and over, so that `bytes` take no more than that. */
static inline uint8_t *repeated(size_t bytes, size_t period)
{
    uint8_t *m = repeated_room(bytes + period);
    int fd = memfd_create("repeated", 0);
    if (!m || fd < 0 || ftruncate(fd, (off_t)period) != 0)
        return NULL;
    for (size_t at = 0; at < bytes; at += period)
        if (mmap(m + at, period, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != m + at)
            return NULL;
    close(fd);
    return m;
}

#endif
