/* region.c - see region.h.
 *
 * A memfd has no name, so nothing is left behind whatever end the process takes, and it has memory only where it was
 * written.  It is mapped shared and without any rights, which what comes into use is given then.  Otherwise the system
 * would fill all of it where a program locks its memory (mlockall) and when it writes a core, and so would a search for
 * leaks (valgrind's memcheck).
 *
 * The owner never uses the file's number again, since a program may have closed it and have another file there.
 */
#include "heap/region.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "heap/heap.h"

/* All heaps of a node fit into what half the addresses of a process are. */
static const size_t MOST_OF_NODE = (size_t)64 << 40;
static const size_t LEAST = (size_t)16 << 20;

struct tf_heap tf_heap;

static size_t used;      /* bytes, of whole pages */
static size_t reachable; /* bytes that may be read and written */

/* Where a program is compiled with AddressSanitizer its search for leaks looks at what lies in the heap too; but not at
 * what grew by so much at once, which is data, and whose holes would be filled by looking. */
static const size_t SEARCHED = (size_t)1 << 30;
void __lsan_register_root_region(const void *at, size_t bytes) __attribute__((weak));

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t limit_of(int resource)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY ? SIZE_MAX : (size_t)limit.rlim_cur;
}

/* As much as the machine has memory, if the heaps of the node's other processes can be mapped beside it. */
static size_t choose_bytes(size_t sharers)
{
    struct sysinfo machine;
    size_t bytes = sysinfo(&machine) ? LEAST : (size_t)machine.totalram * machine.mem_unit;
    bytes = least_of(bytes, MOST_OF_NODE / sharers);
    bytes = least_of(bytes, limit_of(RLIMIT_AS) / (4 * (sharers + 1)));
    bytes = least_of(bytes, limit_of(RLIMIT_FSIZE));
    return bytes & ~((size_t)TF_REGION_HUGE - 1);
}

static int make_file(size_t bytes)
{
    int file = memfd_create("treefold-heap", MFD_CLOEXEC);
    if (file < 0 || (!ftruncate(file, (off_t)bytes) && !fchmod(file, 0600)))
        return file;
    close(file);
    return -1;
}

/* Whoever makes a child by another way than fork() does not share the memory with it either. */
char *tf_region_map(int file, size_t bytes)
{
    size_t more = bytes + TF_REGION_HUGE;
    char *at = mmap(NULL, more, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    size_t before = -(uintptr_t)at & (TF_REGION_HUGE - 1);
    char *base = at + before;
    if (before > 0)
        munmap(at, before);
    munmap(base + bytes, TF_REGION_HUGE - before);
    if (mmap(base, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED &&
        !madvise(base, bytes, MADV_DONTFORK)) {
        madvise(base, bytes, MADV_DONTDUMP);
        return base;
    }
    int reason = errno;
    munmap(base, bytes);
    errno = reason;
    return NULL;
}

bool tf_region_reach(char *base, size_t *reach, size_t end)
{
    size_t upto = (end + TF_REGION_HUGE - 1) & ~((size_t)TF_REGION_HUGE - 1);
    if (upto <= *reach)
        return true;
    if (mprotect(base + *reach, upto - *reach, PROT_READ | PROT_WRITE))
        return false;
    *reach = upto;
    return true;
}

static bool is_ours(int file)
{
    struct stat facts;
    return !fstat(file, &facts) && facts.st_dev == tf_heap.device && facts.st_ino == tf_heap.inode;
}

/* What was not in use stays reserved, so that nothing else comes to lie there. */
void tf_region_copy(void)
{
    mmap(tf_heap.base, tf_heap.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    if (used == 0 || !is_ours(tf_heap.file))
        return;
    mmap(tf_heap.base, used, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, tf_heap.file, 0);
    close(tf_heap.file);
}

/* ---- opening ---- */

static bool try(size_t bytes)
{
    struct stat facts;
    int file = make_file(bytes);
    char *base = file >= 0 && !fstat(file, &facts) ? tf_region_map(file, bytes) : NULL;
    if (!base) {
        int reason = errno;
        if (file >= 0)
            close(file);
        errno = reason;
        return false;
    }
    tf_heap.base = base;
    tf_heap.file = file;
    tf_heap.device = facts.st_dev;
    tf_heap.inode = facts.st_ino;
    atomic_store_explicit(&tf_heap.bytes, bytes, memory_order_release);
    return true;
}

bool tf_region_open(size_t sharers, const char **reason)
{
    size_t bytes = choose_bytes(sharers);
    errno = 0;
    while (bytes >= LEAST && !try(bytes))
        bytes = bytes / 2 & ~((size_t)TF_REGION_HUGE - 1);
    if (tf_heap.bytes > 0)
        return true;
    *reason = errno ? strerror(errno) : "the limits of addresses or of file sizes are too low";
    return false;
}

/* ---- use ---- */

bool tf_region_use(size_t bytes)
{
    size_t page = (size_t)1 << 16, before = used, reached = reachable;
    if (bytes <= used)
        return true;
    if (!tf_region_reach(tf_heap.base, &reachable, bytes))
        return false;
    if (reachable > reached)
        madvise(tf_heap.base + reached, reachable - reached, MADV_DODUMP);
    used = least_of((bytes + page - 1) & ~(page - 1), tf_heap.bytes);
    if (__lsan_register_root_region && used - before < SEARCHED)
        __lsan_register_root_region(tf_heap.base + before, used - before);
    return true;
}

/* The pages that lie in it as a whole; 0: none. */
static size_t whole_pages(size_t *offset, size_t bytes, size_t page)
{
    size_t end = (*offset + bytes) & ~(page - 1);
    *offset = (*offset + page - 1) & ~(page - 1);
    return *offset < end ? end - *offset : 0;
}

void tf_region_advise(size_t offset, size_t bytes)
{
    bytes = whole_pages(&offset, bytes, TF_REGION_HUGE);
    if (bytes > 0)
        madvise(tf_heap.base + offset, bytes, MADV_HUGEPAGE);
}

/* Emulators of processors say that they have done what they leave out: so the first time it is looked at. */
static bool give_back(char *first, size_t bytes)
{
    static bool believed;
    volatile char *look = first;
    if (!believed)
        *look = 1;
    if (madvise(first, bytes, MADV_REMOVE))
        return false;
    believed = believed || *look == 0;
    return believed;
}

bool tf_region_release(size_t offset, size_t bytes)
{
    char *at = tf_heap.base + offset, *end = at + bytes;
    size_t pages = whole_pages(&offset, bytes, (size_t)sysconf(_SC_PAGESIZE));
    char *first = pages > 0 ? tf_heap.base + offset : end;
    if (pages > 0 && !give_back(first, pages))
        return false;
    memset(at, 0, (size_t)(first - at));
    memset(first + pages, 0, (size_t)(end - first) - pages);
    return true;
}
