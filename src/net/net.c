/* net.c - the peers of this process, and the choice of a transport for each. */
#include "net/net.h"

#include <sys/sysinfo.h>

#include "base/settings.h"
#include "launch/nodes.h"
#include "net/between.h"

struct tf_peer *tf_net_peers, *tf_net_near;

static const struct tf_net *between; /* nodes; NULL: there is only one */

struct tf_peer *tf_net_peer(int world_rank)
{
    return &tf_net_peers[world_rank];
}

void tf_net_processors(int world_rank, struct tf_processors *set)
{
    *set = (struct tf_processors){0};
    if (tf_net_peers[world_rank].net->processors)
        tf_net_peers[world_rank].net->processors(world_rank, set);
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

static const struct tf_net *transport_to(int rank)
{
    if (rank == tf_job.rank)
        return &tf_net_self;
    return tf_launch_node(rank) == tf_launch_node(tf_job.rank) ? &tf_net_shm : between;
}

static int connect_peer(int rank)
{
    struct tf_peer *peer = &tf_net_peers[rank];
    peer->rank = rank;
    peer->last_out = &peer->first_out;
    peer->net = transport_to(rank);
    int err = peer->net->connect(peer);
    peer->eager = eager_limit(peer);
    if (!peer->net->fill) {
        peer->next_near = tf_net_near;
        tf_net_near = peer;
    }
    return err;
}

static int open_transports(void)
{
    int err = tf_net_self.open();
    if (!err)
        err = tf_net_shm.open();
    if (!err && tf_nodes.count > 1)
        err = tf_between_choose(&between);
    if (!err && between)
        err = between->open();
    return err;
}

int tf_net_open(void)
{
    tf_net_peers = calloc((size_t)tf_job.size, sizeof *tf_net_peers);
    if (!tf_net_peers)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate the table of %d peers", tf_job.size);
    int err = tf_launch_nodes_open((int)tf_settings.node_size);
    if (!err)
        err = open_transports();
    for (int r = tf_job.size; r-- > 0 && !err;)
        err = connect_peer(r);
    /* Shared memory, which would know, was told that they are not on one machine. */
    if (tf_settings.node_size > 0 && tf_job.size > get_nprocs())
        tf_pause_crowded = true;
    if (err)
        tf_net_close();
    else
        tf_pause_setup();
    return err;
}

void tf_net_close(void)
{
    if (between)
        between->close();
    tf_net_shm.close();
    tf_net_self.close();
    tf_launch_nodes_close();
    free(tf_net_peers);
    tf_net_peers = tf_net_near = NULL;
    between = NULL;
}
