/* sharer.h - a process that shares memory with this one, of whatever job: how it is woken, and what is done with its
 * memory.
 *
 * It says of itself in a line, which lies where both see it.  With one of this job that is the segment of its rings
 * (shm.c), with one of another job the memory of the two (beside/).
 */
#ifndef TF_SHM_SHARER_H
#define TF_SHM_SHARER_H

#include "net/net.h"
#include "net/shm/errand.h"
#include "net/shm/heaps.h"

struct tf_shm_line {
    _Alignas(TF_CACHE_LINE) _Atomic uint32_t asleep;
    _Atomic int32_t pid;    /* 0: it has not come yet */
    _Atomic bool unwritten; /* it wants nobody to write into its memory by the system */
    struct tf_shm_heap heap;
};

/* This process has come. */
void tf_shm_come(struct tf_shm_line *line);

/* peer->sharer. */
struct tf_shm_sharer {
    struct tf_shm_line *line;
    struct tf_shm_view heap;
    bool no_reads, no_writes; /* were refused */
    bool asked, unread;       /* the system, whether they would be; this process's memory is not read by it */
    bool in_vain;             /* errand.h: the last errand was, whose cell has this number */
    uint32_t errand;
    struct tf_errand_price prices[TF_ERRAND_CLASSES];
};

/* What a transport does (net.h). */
void tf_shm_wake(struct tf_peer *peer);
enum tf_net_outcome tf_shm_read(struct tf_peer *peer, struct tf_net_access *read);
bool tf_shm_is_read_by(struct tf_peer *peer);
bool tf_shm_write(struct tf_peer *peer, uint64_t address, const void *from, size_t bytes);
size_t tf_shm_move(struct tf_peer *peer, const struct tf_net_rows *rows);
void *tf_shm_map(struct tf_peer *peer, uint64_t address, size_t bytes);

/* Others that run as the same user may read and write this process's memory, or ask it to. */
void tf_shm_allow_readers(void);

#endif
