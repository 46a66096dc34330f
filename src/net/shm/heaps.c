/* heaps.c - see heaps.h.
 *
 * A heap is opened as the memory of the rings is, through /proc/PID/fd.  Its owner may have closed the file since,
 * which a program that becomes a daemon does, so the inode tells whether it is still that one.
 */
#include "net/shm/heaps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heap/heap.h"
#include "heap/region.h"

/* All that the heap's lock keeps from being told meanwhile (tf_heap_listen). */
static struct tf_shm_teller *tellers;

static void tell(void)
{
    for (const struct tf_shm_teller *teller = tellers; teller; teller = teller->next) {
        teller->at->base = (uintptr_t)tf_heap.base;
        teller->at->device = tf_heap.device;
        teller->at->inode = tf_heap.inode;
        teller->at->file = tf_heap.file;
        atomic_store_explicit(&teller->at->bytes, tf_heap.bytes, memory_order_release);
    }
}

void tf_shm_heap_begin(struct tf_shm_teller *teller, struct tf_shm_heap *at)
{
    tf_heap_listen(NULL);
    *teller = (struct tf_shm_teller){at, tellers};
    tellers = teller;
    tf_heap_listen(tell);
}

void tf_shm_heap_end(struct tf_shm_teller *teller)
{
    struct tf_shm_teller **place = &tellers;
    tf_heap_listen(NULL);
    while (*place && *place != teller)
        place = &(*place)->next;
    if (*place)
        *place = teller->next;
    tf_heap_listen(tellers ? tell : NULL);
}

static int open_file(int pid, const struct tf_shm_heap *theirs)
{
    char path[48];
    struct stat facts;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, theirs->file);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0 || (!fstat(file, &facts) && facts.st_dev == theirs->device && facts.st_ino == theirs->inode))
        return file;
    close(file);
    errno = ESTALE;
    return -1;
}

/* Once: what is refused will be refused again. */
static TF_COLD void look_at(struct tf_shm_view *view, int pid, const struct tf_shm_heap *theirs)
{
    int file = open_file(pid, theirs);
    view->base = theirs->base;
    view->bytes = theirs->bytes;
    view->at = file >= 0 ? tf_region_map(file, view->bytes) : NULL;
    view->refused = !view->at;
    if (view->refused)
        tf_log(1, "cannot map the memory that process %d shares: %s; its messages go other ways", pid, strerror(errno));
    if (file >= 0)
        close(file);
}

void *tf_shm_heap_map(struct tf_shm_view *view, struct tf_shm_heap *theirs, int pid, uint64_t address, size_t bytes)
{
    if (atomic_load_explicit(&theirs->bytes, memory_order_acquire) == 0)
        return NULL;
    if (!view->at && !view->refused)
        look_at(view, pid, theirs);
    uint64_t offset = address - view->base;
    if (TF_LIKELY(offset < view->reach && bytes <= view->reach - offset))
        return view->at + offset;
    return view->at && offset < view->bytes && bytes <= view->bytes - offset &&
                   tf_region_reach(view->at, &view->reach, offset + bytes)
               ? view->at + offset
               : NULL;
}

void tf_shm_heap_unmap(struct tf_shm_view *view)
{
    if (view->at)
        munmap(view->at, view->bytes);
    *view = (struct tf_shm_view){0};
}
