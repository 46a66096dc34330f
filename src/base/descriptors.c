/* descriptors.c - see descriptors.h. */
#include "config.h"

#include "base/descriptors.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436 /* on every processor */
#endif

/* What getdents64(2) tells of each. */
struct entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

/* -1: that is none. */
static int number_of(const char *name)
{
    int number = 0;
    for (; *name >= '0' && *name <= '9'; name++)
        number = 10 * number + *name - '0';
    return *name ? -1 : number;
}

static void close_listed(int list, int first)
{
    _Alignas(struct entry) char entries[2048];
    long length;
    while ((length = syscall(SYS_getdents64, list, entries, sizeof entries)) > 0)
        for (long at = 0; at < length; at += ((struct entry *)(entries + at))->length) {
            int number = number_of(((struct entry *)(entries + at))->name);
            if (number >= first && number != list)
                close(number);
        }
}

/* Linux can do it since 5.9. */
void tf_descriptors_close_from(int first)
{
    enum { MANY = 65536 };
    if (syscall(SYS_close_range, first, ~0u, 0) == 0)
        return;
    close(first); /* there is room for one */
    int list = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (list >= 0) {
        close_listed(list, first);
        close(list);
        return;
    }
    for (int number = first; number < MANY; number++)
        close(number);
}
