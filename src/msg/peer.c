/* peer.c - see peer.h. */
#include "msg/peer.h"

#include "base/settings.h"

static uint32_t eager_limit(const struct tf_peer *peer)
{
    uint32_t chunk = tf_net_chunk(peer);
    size_t limit = (size_t)tf_settings.eager_limit;
    return limit && limit < chunk ? (uint32_t)limit : chunk;
}

static void set_up(struct tf_peer *base)
{
    struct tf_msg_peer *peer = tf_msg_peer(base);
    peer->eager = eager_limit(base);
    peer->brief = peer->eager < TF_MSG_BRIEF ? peer->eager : TF_MSG_BRIEF;
    peer->last_out = &peer->first_out;
}

void tf_msg_peers_setup(void)
{
    tf_net_peers_hold(sizeof(struct tf_msg_peer), set_up);
}
