/* rings.c - two rings in private memory for each process of another node. */
#include "net/remote/remote.h"

#include <sys/mman.h>

static unsigned char *memory;
static size_t memory_bytes;
static uint32_t capacity;

int tf_remote_rings_open(uint32_t bytes)
{
    capacity = bytes;
    memory_bytes = 2 * tf_ring_bytes(capacity) * (size_t)tf_job.size;
    void *at = mmap(NULL, memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return tf_error(MPI_ERR_NO_MEM, "cannot reserve %zu bytes of addresses for messages between %d ranks",
                        memory_bytes, tf_job.size);
    memory = at;
    return MPI_SUCCESS;
}

void tf_remote_rings_close(void)
{
    if (memory)
        munmap(memory, memory_bytes);
    memory = NULL;
}

void tf_remote_rings_set_up(struct tf_peer *peer)
{
    static _Atomic uint32_t always = TF_ASLEEP;
    unsigned char *at = memory + 2 * tf_ring_bytes(capacity) * (size_t)peer->rank;
    peer->tx.ring = (struct tf_ring *)at;
    peer->rx.ring = (struct tf_ring *)(at + tf_ring_bytes(capacity));
    peer->tx.capacity = peer->rx.capacity = capacity;
    peer->asleep = &always;
}
