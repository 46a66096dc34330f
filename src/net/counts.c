/* counts.c - see counts.h. */
#include "net/counts.h"

static const struct tf_net *const nets[] = {
#define TF_NETMOD(name, where) &tf_net_##name,
#include "net/netmods.def"
#undef TF_NETMOD
};
static uint64_t kept[TF_ARRAY_LEN(nets)][TF_NET_COUNTS];

static size_t row_of(const struct tf_net *net)
{
    size_t row = 0;
    while (nets[row] != net)
        row++;
    return row;
}

static uint64_t of_peer(const struct tf_peer *peer, enum tf_net_count which)
{
    switch (which) {
    case TF_NET_SENT:
        return tf_ring_sent(&peer->tx);
    case TF_NET_RECEIVED:
        return tf_ring_taken(&peer->rx);
    case TF_NET_BYTES_SENT:
        return peer->bytes_sent + (peer->tx.ring ? tf_ring_bytes_sent(&peer->tx) : 0);
    case TF_NET_BYTES_RECEIVED:
        return peer->rx.bytes + peer->rx.untold;
    case TF_NET_BYTES_READ:
        return peer->bytes_read;
    default:
        return peer->bytes_written;
    }
}

uint64_t tf_net_count(const struct tf_net *net, enum tf_net_count which)
{
    uint64_t sum = kept[row_of(net)][which];
    for (const struct tf_peer *peer = tf_net_met; peer; peer = peer->next_met)
        if (peer->net == net)
            sum += of_peer(peer, which);
    return sum;
}

void tf_net_count_keep_of(const struct tf_peer *peer)
{
    for (int which = 0; which < TF_NET_COUNTS; which++)
        kept[row_of(peer->net)][which] += of_peer(peer, which);
}

void tf_net_count_keep(void)
{
    for (const struct tf_peer *peer = tf_net_met; peer; peer = peer->next_met)
        if (peer->net != &tf_net_dead)
            tf_net_count_keep_of(peer);
}
