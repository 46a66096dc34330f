/* poll.c - messages that have come are handed to their handlers. */
#include "net/net.h"

/* At most so many cells, and no further one after so many bytes. */
static inline bool take(struct tf_peer *peer, int limit, size_t most)
{
    struct tf_cell *cell;
    size_t bytes = 0;
    int n = 0;
    for (; n < limit && bytes < most && (cell = tf_net_peek(peer)); n++) {
        if (most != SIZE_MAX)
            bytes += cell->header.length;
        tf_net_arrive(peer, &cell->header, tf_ring_payload(&peer->rx, cell));
        tf_net_release(peer, cell);
    }
    return n > 0;
}

bool tf_net_poll(struct tf_peer *peer, int limit)
{
    return take(peer, limit, SIZE_MAX);
}

/* What is long best stays in the ring until it is asked for: a pass takes so many bytes of each peer, and one message
 * more. */
enum { PASS_BYTES = 16 * 1024 };

/* The transport between nodes, that of other jobs, or both; those that there are come first. */
static const struct tf_net *driven[2];

void tf_net_drive(const struct tf_net *net)
{
    if (driven[0] != net)
        driven[driven[0] != NULL] = net;
}

void tf_net_rest(const struct tf_net *net)
{
    if (driven[0] == net)
        driven[0] = driven[1];
    if (!driven[0] || driven[1] == net)
        driven[1] = NULL;
    if (driven[0] == driven[1])
        driven[1] = NULL;
}

bool tf_net_unsent(void)
{
    bool any = false;
    for (int i = 0; i < 2 && driven[i] && !any; i++)
        any = driven[i]->unsent && driven[i]->unsent();
    return any;
}

static TF_COLD bool drive(void)
{
    bool any = driven[0]->progress();
    if (driven[1])
        any |= driven[1]->progress();
    return any;
}

/* Not inline: the registers are for those who have sent nothing, most of them. */
static __attribute__((noinline)) bool take_some(struct tf_peer *peer)
{
    return take(peer, TF_RING_CELLS, PASS_BYTES);
}

bool tf_net_poll_all(void)
{
    bool any = false;
    for (struct tf_peer *peer = tf_net_near; peer; peer = peer->next_near)
        if (TF_UNLIKELY(tf_ring_peek(&peer->rx) != NULL)) /* who is near fills its ring itself, or is dead */
            any |= take_some(peer);
    if (TF_UNLIKELY(driven[0] != NULL))
        any |= drive();
    return any;
}
