/* self.c - messages of a process to itself: a ring in private memory. */
#include "net/net.h"

#include <sched.h>

enum { SELF_CAPACITY = 64 * 1024 };

static struct tf_ring *ring;
static struct tf_processors processors;

static int self_open(void)
{
    _Static_assert(sizeof processors == sizeof(cpu_set_t), "one bit a processor");
    sched_getaffinity(0, sizeof processors, (cpu_set_t *)&processors);
    return MPI_SUCCESS;
}

static void self_close(void)
{
    free(ring);
    ring = NULL;
}

static int self_connect(struct tf_peer *peer)
{
    ring = aligned_alloc(TF_CACHE_LINE, tf_ring_bytes(SELF_CAPACITY));
    if (!ring)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate the ring of %d bytes for messages to oneself", SELF_CAPACITY);
    memset(ring, 0, sizeof *ring);
    peer->tx.ring = peer->rx.ring = ring;
    peer->tx.capacity = peer->rx.capacity = SELF_CAPACITY;
    peer->asleep = tf_pause_asleep;
    return MPI_SUCCESS;
}

static void self_wake(struct tf_peer *peer)
{
    tf_pause_wake(peer->asleep);
}

static enum tf_net_outcome self_read(struct tf_peer *peer, struct tf_net_access *read)
{
    (void)peer;
    memmove(read->here, (const void *)(uintptr_t)read->address, read->bytes);
    return TF_NET_DONE;
}

static void self_processors(int world_rank, struct tf_processors *set)
{
    (void)world_rank;
    *set = processors;
}

const struct tf_net tf_net_self = {
    .name = "self",
    .what = "messages of a process to itself, through private memory",
    .open = self_open,
    .close = self_close,
    .connect = self_connect,
    .wake = self_wake,
    .shared = true,
    .read = self_read,
    .processors = self_processors,
};
