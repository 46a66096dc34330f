/* rings.c - two rings in private memory for each process of another node that is met. */
#include "net/remote/remote.h"

#include <sys/mman.h>

static struct pair {
    struct pair *next;
    void *at;
} * pairs;
static uint32_t capacity;

static size_t pair_bytes(void)
{
    return 2 * tf_ring_bytes(capacity);
}

void tf_remote_rings_open(uint32_t bytes)
{
    capacity = bytes;
}

void tf_remote_rings_close(void)
{
    while (pairs) {
        struct pair *next = pairs->next;
        munmap(pairs->at, pair_bytes());
        free(pairs);
        pairs = next;
    }
}

static unsigned char *map_pair(void)
{
    struct pair *pair = malloc(sizeof *pair);
    if (!pair)
        return NULL;
    void *at = mmap(NULL, pair_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
        free(pair);
        return NULL;
    }
    *pair = (struct pair){pairs, at};
    pairs = pair;
    return at;
}

int tf_remote_rings_make(struct tf_peer *peer)
{
    static _Atomic uint32_t always = TF_ASLEEP;
    unsigned char *at = map_pair();
    if (!at)
        return tf_error(MPI_ERR_NO_MEM, "there are no %zu bytes of addresses for its rings", pair_bytes());
    peer->tx.ring = (struct tf_ring *)at;
    peer->rx.ring = (struct tf_ring *)(at + tf_ring_bytes(capacity));
    peer->tx.capacity = peer->rx.capacity = capacity;
    peer->asleep = &always;
    return MPI_SUCCESS;
}
