/* memory.c - see memory.h. */
#include "rma/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limit.h"
#include "base/settings.h"
#include "heap/heap.h"
#include "net/shm/shm.h"
#include "rma/share.h"

enum { PAGE = 4096 };

bool tf_memory_same_node(const struct tf_win *win, int rank1, int rank2)
{
    return tf_net_node(win->group->processes[rank1]) == tf_net_node(win->group->processes[rank2]);
}

int tf_memory_leader(const struct tf_win *win, int rank)
{
    int leader = 0;
    while (!tf_memory_same_node(win, leader, rank))
        leader++;
    return leader;
}

static size_t up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

size_t tf_memory_lay_out(const struct tf_win *win, bool data, bool together, size_t alignment,
                         struct tf_memory_place *places)
{
    size_t end, unit = alignment < PAGE ? PAGE : alignment;
    int near = 0;
    for (int r = 0; r < win->comm->size; r++)
        if (tf_memory_same_node(win, r, win->comm->rank))
            places[r].share = (size_t)near++ * sizeof(struct tf_share);
    end = up(tf_share_bytes(near), unit);
    for (int r = 0; r < win->comm->size && data; r++)
        if (tf_memory_same_node(win, r, win->comm->rank)) {
            end = together ? end : up(end, unit);
            places[r].data = end;
            end += win->targets[r].size;
        }
    return end;
}

bool tf_memory_heaps(void)
{
    return tf_settings.shared_heap && !tf_shm_makes_files();
}

/* ---- a mapping of its own ---- */

static int map(struct tf_segment *memory, int fd, size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return tf_error(MPI_ERR_NO_MEM, "cannot map %zu bytes of shared memory for a window: %s", bytes,
                        strerror(errno));
    *memory = (struct tf_segment){at, bytes, TF_SEGMENT_MAPPED};
    return MPI_SUCCESS;
}

static int make(char *name, size_t n)
{
    static unsigned number;
    if (tf_shm_makes_files()) {
        snprintf(name, n, "/treefold-win-%d-%u", (int)getpid(), number++);
        return shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    }
    int fd = memfd_create("treefold-window", MFD_CLOEXEC);
    snprintf(name, n, "/proc/%d/fd/%d", (int)getpid(), fd);
    return fd;
}

static bool is_file(const char *name)
{
    return strncmp(name, "/proc/", 6) != 0;
}

static int create_mapped(struct tf_segment *memory, size_t bytes, struct tf_memory_fact *fact, int *fd)
{
    int err = MPI_SUCCESS;
    *fd = make(fact->name, sizeof fact->name);
    if (*fd >= 0)
        err = tf_limit_grow(*fd, bytes) || fchmod(*fd, 0600) ? errno : 0;
    if (*fd >= 0 && !err && is_file(fact->name))
        err = posix_fallocate(*fd, 0, (off_t)bytes);
    if (*fd < 0 || err)
        err = tf_error(MPI_ERR_NO_MEM, "cannot make %zu bytes of shared memory for a window: %s", bytes,
                       tf_limit_words(*fd < 0 ? errno : err));
    if (!err)
        err = map(memory, *fd, bytes);
    if (!err) {
        struct stat about;
        fstat(*fd, &about);
        fact->cookie = (uint64_t)about.st_ino ^ (uint64_t)about.st_dev << 32;
        return MPI_SUCCESS;
    }
    tf_memory_close(fact, *fd);
    *fd = -1;
    fact->name[0] = '\0';
    return err;
}

static int open_mapped(struct tf_segment *memory, size_t bytes, const struct tf_memory_fact *fact)
{
    struct stat about;
    int fd = is_file(fact->name) ? shm_open(fact->name, O_RDWR | O_CLOEXEC, 0) : open(fact->name, O_RDWR | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &about)) {
        int reason = errno;
        if (fd >= 0)
            close(fd);
        return tf_error(MPI_ERR_RMA_SHARED, "cannot open the shared memory %s of a window: %s; %s", fact->name,
                        strerror(reason),
                        is_file(fact->name) ? "the processes of a machine must see the same /dev/shm"
                                            : "if /proc is restricted, set TREEFOLD_SHM_BACKING=file");
    }
    int err = MPI_SUCCESS;
    if (((uint64_t)about.st_ino ^ (uint64_t)about.st_dev << 32) != fact->cookie)
        err = tf_error(MPI_ERR_RMA_SHARED, "%s is not the shared memory of this window", fact->name);
    if (!err)
        err = map(memory, fd, bytes);
    close(fd);
    return err;
}

void tf_memory_close(const struct tf_memory_fact *fact, int fd)
{
    if (fd < 0)
        return;
    if (is_file(fact->name))
        shm_unlink(fact->name);
    close(fd);
}

/* ---- a block of a heap, or else a mapping ---- */

/* It lies in the heap: nothing is recorded if it does not. */
static bool take_block(struct tf_segment *memory, size_t bytes)
{
    char *at = tf_heap_take(bytes, PAGE);
    if (at)
        *memory = (struct tf_segment){at, bytes, TF_SEGMENT_BLOCK};
    return at != NULL;
}

int tf_memory_create(const struct tf_win *win, struct tf_segment *memory, size_t bytes, struct tf_memory_fact *fact,
                     int *fd)
{
    *fd = -1;
    if (!tf_memory_heaps() || win->group->mixed || !take_block(memory, bytes))
        return create_mapped(memory, bytes, fact, fd);
    fact->address = (uint64_t)(uintptr_t)memory->at;
    return MPI_SUCCESS;
}

int tf_memory_open(struct tf_segment *memory, size_t bytes, struct tf_peer *first, const struct tf_memory_fact *fact)
{
    if (fact->name[0])
        return open_mapped(memory, bytes, fact);
    if (!fact->address)
        return tf_error(MPI_ERR_NO_MEM, "the first process of this node could not make shared memory for a window");
    tf_net_meet(first);
    void *at = tf_net_map(first, fact->address, bytes);
    if (!at)
        return tf_error(MPI_ERR_RMA_SHARED,
                        "cannot map the memory of %s for a window; if /proc is restricted, set "
                        "TREEFOLD_SHM_BACKING=file",
                        tf_net_name(first));
    *memory = (struct tf_segment){at, bytes, TF_SEGMENT_VIEW};
    return MPI_SUCCESS;
}

void tf_memory_release(struct tf_segment *memory)
{
    if (memory->kind == TF_SEGMENT_MAPPED)
        munmap(memory->at, memory->bytes);
    else if (memory->kind == TF_SEGMENT_BLOCK)
        tf_heap_free(memory->at);
    *memory = (struct tf_segment){0};
}
