/* rings.c - two rings in private memory for each process that is met and shares none with this one. */
#include "net/remote/remote.h"

#include <sys/mman.h>

static struct pair {
    struct pair *next;
    void *at;
    size_t bytes;
} * pairs;

static void *map(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static unsigned char *map_pair(size_t bytes)
{
    struct pair *pair = malloc(sizeof *pair);
    void *at = pair ? map(bytes) : NULL;
    if (!at) {
        free(pair);
        return NULL;
    }
    *pair = (struct pair){pairs, at, bytes};
    pairs = pair;
    return at;
}

int tf_remote_rings_make(struct tf_peer *peer, uint32_t capacity)
{
    static _Atomic uint32_t always = TF_ASLEEP;
    size_t bytes = 2 * tf_ring_bytes(capacity);
    unsigned char *at = map_pair(bytes);
    if (!at)
        return tf_error(MPI_ERR_NO_MEM, "there are no %zu bytes of addresses for its rings", bytes);
    peer->tx.ring = (struct tf_ring *)at;
    peer->rx.ring = (struct tf_ring *)(at + tf_ring_bytes(capacity));
    peer->tx.capacity = peer->rx.capacity = capacity;
    peer->asleep = &always;
    tf_ring_shut(&peer->tx);
    return MPI_SUCCESS;
}

static void drop(struct pair **place)
{
    struct pair *pair = *place;
    *place = pair->next;
    munmap(pair->at, pair->bytes);
    free(pair);
}

void tf_remote_rings_drop(const struct tf_peer *peer)
{
    struct pair **place = &pairs;
    while (*place && (*place)->at != (void *)peer->tx.ring)
        place = &(*place)->next;
    if (*place)
        drop(place);
}

void tf_remote_rings_close(void)
{
    while (pairs)
        drop(&pairs);
}
