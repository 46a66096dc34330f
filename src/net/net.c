/* net.c - the peers of this process, and the choice of a transport for each. */
#include "net/net.h"

#include "base/settings.h"
#include "launch/nodes.h"

static struct tf_peer *peers;

static const struct tf_net *const netmods[] = {
#define TF_NETMOD(name, what) &tf_net_##name,
#include "net/netmods.def"
#undef TF_NETMOD
};

struct tf_peer *tf_net_peer(int world_rank)
{
    return &peers[world_rank];
}

void tf_net_processors(int world_rank, struct tf_processors *set)
{
    peers[world_rank].net->processors(world_rank, set);
}

int tf_net_local_size(void)
{
    return tf_nodes.size;
}

int tf_net_node(int world_rank)
{
    return tf_launch_node(world_rank);
}

static uint32_t eager_limit(const struct tf_peer *peer)
{
    uint32_t chunk = tf_net_chunk(peer);
    size_t limit = (size_t)tf_settings.eager_limit;
    return limit && limit < chunk ? (uint32_t)limit : chunk;
}

static int connect_peer(int rank)
{
    struct tf_peer *peer = &peers[rank];
    peer->rank = rank;
    peer->last_out = &peer->first_out;
    for (size_t i = 0; i < TF_ARRAY_LEN(netmods); i++) {
        if (netmods[i]->reaches(rank)) {
            peer->net = netmods[i];
            int err = peer->net->connect(peer);
            peer->eager = eager_limit(peer);
            return err;
        }
    }
    return tf_error(MPI_ERR_OTHER, "no transport reaches rank %d", rank);
}

int tf_net_open(void)
{
    int err = MPI_SUCCESS;
    peers = calloc((size_t)tf_world.size, sizeof *peers);
    if (!peers)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate the table of %d peers", tf_world.size);
    err = tf_launch_nodes_open(strcmp(tf_settings.net, "tcp") == 0);
    for (size_t i = 0; i < TF_ARRAY_LEN(netmods) && !err; i++)
        err = netmods[i]->open();
    for (int r = 0; r < tf_world.size && !err; r++)
        err = connect_peer(r);
    if (err)
        tf_net_close();
    else
        tf_wait_setup();
    return err;
}

void tf_net_close(void)
{
    for (size_t i = 0; i < TF_ARRAY_LEN(netmods); i++)
        netmods[i]->close();
    tf_launch_nodes_close();
    free(peers);
    peers = NULL;
}
