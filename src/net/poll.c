/* poll.c - messages that have come are handed to their handlers. */
#include "net/net.h"

bool tf_net_poll(struct tf_peer *peer, int limit)
{
    struct tf_cell *cell;
    int n = 0;
    for (; n < limit && (cell = tf_net_peek(peer)); n++) {
        tf_net_arrive(peer, &cell->header, tf_ring_payload(&peer->rx, cell));
        tf_net_release(peer, cell);
    }
    return n > 0;
}

static const struct tf_net *driven;

void tf_net_drive(const struct tf_net *net)
{
    driven = net;
}

bool tf_net_unsent(void)
{
    return driven && driven->unsent && driven->unsent();
}

bool tf_net_poll_all(void)
{
    bool any = false;
    for (struct tf_peer *peer = tf_net_near; peer; peer = peer->next_near)
        any |= tf_net_poll(peer, TF_RING_CELLS);
    if (TF_UNLIKELY(driven != NULL))
        any |= driven->progress();
    return any;
}
