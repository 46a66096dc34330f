/* dead.c - the way to a process that has died: whatever is said to it is taken, at once, and nothing ever comes back.
 *
 * It has rings like everybody, in private memory, so nobody who sends has to look whether it lives.
 */
#include "net/remote/remote.h"

enum { CAPACITY = 512 * 1024 /* of one that was never met; what nobody writes is no memory */ };

static int give_rings(struct tf_peer *peer)
{
    int err = tf_remote_rings_make(peer, CAPACITY);
    if (!err)
        tf_ring_open(&peer->tx);
    return err;
}

/* Who sends comes by its slow way (tx.until_turn), where it is looked whether the receiver lives. */
static void swallow(struct tf_peer *peer)
{
    atomic_store_explicit(&peer->tx.ring->consumed, peer->tx.sent, memory_order_relaxed);
    peer->tx.until_turn = 0;
}

static struct tf_cell *fill(struct tf_peer *peer)
{
    (void)peer;
    return NULL;
}

static enum tf_net_outcome refuse_read(struct tf_peer *peer, struct tf_net_access *read)
{
    (void)peer, (void)read;
    return TF_NET_REFUSED;
}

const struct tf_net tf_net_dead = {
    .name = "dead",
    .what = "processes that have died",
    .connect = give_rings,
    .part = NULL,
    .wake = swallow,
    .fill = fill,
    .read = refuse_read,
};
