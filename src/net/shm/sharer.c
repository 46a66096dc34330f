/* sharer.c - see sharer.h. */
#include "net/shm/sharer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/settings.h"

static struct tf_shm_sharer *sharer_of(const struct tf_peer *peer)
{
    return peer->sharer;
}

/* Valgrind takes memory that nobody but another process has written for uninitialised. */
static bool is_watched(void)
{
    const char *preloaded = getenv("LD_PRELOAD");
    return preloaded && strstr(preloaded, "vgpreload_memcheck");
}

void tf_shm_come(struct tf_shm_line *line)
{
    atomic_store_explicit(&line->unwritten, is_watched(), memory_order_relaxed);
    atomic_store_explicit(&line->pid, (int32_t)getpid(), memory_order_release);
}

static bool may_write(const struct tf_peer *peer)
{
    const struct tf_shm_sharer *sharer = sharer_of(peer);
    return !sharer->no_writes && !atomic_load_explicit(&sharer->line->unwritten, memory_order_relaxed);
}

/* It may have come after we have connected. */
static int pid_of(struct tf_peer *peer)
{
    if (TF_UNLIKELY(!peer->pid))
        peer->pid = atomic_load_explicit(&sharer_of(peer)->line->pid, memory_order_acquire);
    return peer->pid;
}

/* It has slept for long: what opening its pipe costs does not count.  It may be leaving, and closes the end that is
 * read while we are here: opened for reading too, the pipe has a reader as long as we write, and no SIGPIPE ends us. */
void tf_shm_wake(struct tf_peer *peer)
{
    char path[48];
    int number = tf_pause_wake(peer->asleep);
    if (number < 0)
        return;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", pid_of(peer), number);
    int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || write(fd, "", 1) < 0)
        tf_log(2, "cannot wake %s at once: %s", tf_net_name(peer), strerror(errno));
    if (fd >= 0)
        close(fd);
}

/* One copy by the kernel.  Containers may forbid it (seccomp); the first refusal is remembered.  That there is no such
 * process is none: it has died, and this process will be told. */
enum tf_net_outcome tf_shm_read(struct tf_peer *peer, struct tf_net_access *read)
{
    struct iovec here = {read->here, read->bytes}, there = {(void *)(uintptr_t)read->address, read->bytes};
    if (sharer_of(peer)->no_reads)
        return TF_NET_REFUSED;
    ssize_t n = process_vm_readv(pid_of(peer), &here, 1, &there, 1, 0);
    if (n == (ssize_t)read->bytes)
        return TF_NET_DONE;
    if (n < 0 && errno == ESRCH)
        return TF_NET_BUSY;
    sharer_of(peer)->no_reads = true;
    return TF_NET_REFUSED;
}

/* It is let read this process if this one is let read it, mostly: but for programs that nobody may read.  The system
 * looks at that before it finds that nothing is at the address. */
bool tf_shm_is_read_by(struct tf_peer *peer)
{
    struct tf_shm_sharer *sharer = sharer_of(peer);
    char byte;
    struct iovec here = {&byte, 1}, there = {NULL, 1};
    if (TF_LIKELY(sharer->asked))
        return !sharer->unread;
    bool refused = process_vm_readv(pid_of(peer), &here, 1, &there, 1, 0) < 0 && errno != EFAULT;
    if (refused && errno == ESRCH)
        return true;
    sharer->asked = true;
    sharer->unread = refused || prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 1;
    return !sharer->unread;
}

bool tf_shm_write(struct tf_peer *peer, uint64_t address, const void *from, size_t bytes)
{
    struct iovec here = {(void *)(uintptr_t)from, bytes}, there = {(void *)(uintptr_t)address, bytes};
    if (!may_write(peer))
        return false;
    ssize_t n = process_vm_writev(pid_of(peer), &here, 1, &there, 1, 0);
    sharer_of(peer)->no_writes = n != (ssize_t)bytes && !(n < 0 && errno == ESRCH);
    return n == (ssize_t)bytes;
}

static ssize_t move(struct tf_peer *peer, const struct tf_net_rows *r)
{
    return r->write ? process_vm_writev(pid_of(peer), r->here, r->rows_here, r->there, r->rows_there, 0)
                    : process_vm_readv(pid_of(peer), r->here, r->rows_here, r->there, r->rows_there, 0);
}

/* What is short the other one does, if it looks before the call of the system would be over. */
size_t tf_shm_move(struct tf_peer *peer, const struct tf_net_rows *r)
{
    bool *refused = r->write ? &sharer_of(peer)->no_writes : &sharer_of(peer)->no_reads;
    struct tf_errand errand = {.peer = peer, .rows = r};
    if (r->write ? !may_write(peer) : *refused)
        return 0;
    if (tf_errand_run(&errand))
        return errand.bytes;
    ssize_t n = move(peer, r);
    tf_errand_called(&errand);
    *refused = n < 0 && errno != ESRCH;
    return n < 0 ? 0 : (size_t)n;
}

void *tf_shm_map(struct tf_peer *peer, uint64_t address, size_t bytes)
{
    struct tf_shm_sharer *sharer = sharer_of(peer);
    return tf_shm_heap_map(&sharer->heap, &sharer->line->heap, pid_of(peer), address, bytes);
}

/* Where the Yama module restricts who may look into a process (ptrace_scope 1), the others are no descendants of it and
 * need to be let in. */
void tf_shm_allow_readers(void)
{
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    tf_errand_setup();
}
