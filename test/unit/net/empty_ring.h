/* empty_ring.h - a ring for tests, which free() it. */
#ifndef EMPTY_RING_H
#define EMPTY_RING_H

#include "net/ring.h"

static inline struct tf_ring *empty_ring(uint32_t capacity)
{
    struct tf_ring *ring = aligned_alloc(TF_CACHE_LINE, tf_ring_bytes(capacity));
    memset(ring, 0, tf_ring_bytes(capacity));
    return ring;
}

#endif
