/* poll.c - messages that have come are handed to msg/. */
#include "net/net.h"

bool tf_net_poll(struct tf_peer *peer, int limit)
{
    struct tf_cell *cell;
    int n = 0;
    for (; n < limit && (cell = tf_net_peek(peer)); n++) {
        tf_msg_arrive(peer, &cell->header, tf_ring_payload(&peer->rx, cell));
        tf_net_release(peer, cell);
    }
    return n > 0;
}

bool tf_net_poll_all(void)
{
    struct tf_peer *peers = tf_net_peer(0);
    bool any = false;
    for (int r = 0; r < tf_world.size; r++)
        any |= tf_net_poll(&peers[r], TF_RING_CELLS);
    return any;
}
