/* net.c - meeting peers, and the choice of a transport for each. */
#include "net/net.h"
#include "net/counts.h"

#include <sys/sysinfo.h>

#include "base/settings.h"
#include "launch/nodes.h"
#include "net/between.h"
#include "net/peers.h"
#include "net/process.h"

struct tf_peer *tf_net_met, *tf_net_near;

static const struct tf_net *between; /* nodes; NULL: there is only one */

static const struct tf_net *transport_to(int rank)
{
    if (rank == tf_job.rank)
        return &tf_net_self;
    return tf_launch_node(rank) == tf_launch_node(tf_job.rank) ? &tf_net_shm : between;
}

void tf_net_processors(int world_rank, struct tf_processors *set)
{
    const struct tf_net *net = transport_to(world_rank);
    *set = (struct tf_processors){0};
    if (net->processors)
        net->processors(world_rank, set);
}

int tf_net_local_size(void)
{
    return tf_nodes.size;
}

int tf_net_node(int process)
{
    return process < tf_job.size ? tf_launch_node(process) : tf_nodes.count + process - tf_job.size;
}

/* ---- meeting ---- */

static int meet(struct tf_peer *peer)
{
    const struct tf_net *net = tf_peers_find(peer, &peer->rank);
    peer->net = net ? net : transport_to(peer->rank);
    int err = peer->net->connect(peer);
    if (err)
        return err;
    tf_peers_set_up(peer);
    peer->next_met = tf_net_met;
    tf_net_met = peer;
    if (!peer->net->fill) {
        peer->next_near = tf_net_near;
        tf_net_near = peer;
    }
    return MPI_SUCCESS;
}

void tf_net_introduce(struct tf_peer *peer)
{
    int err = meet(peer);
    if (err)
        tf_fatal(1, "treefold[%d]: rank %d of the job cannot be reached: %s", tf_job.rank, peer->rank,
                 tf_error_text(err));
}

/* Those of this node may send at any time, and every pass of progress looks at them. */
static int meet_node(void)
{
    int err = MPI_SUCCESS;
    for (int r = tf_job.size; r-- > 0 && !err;)
        if (transport_to(r) != between)
            err = meet(tf_net_peer(r));
    return err;
}

int tf_net_add_job(uint64_t job, int size, const struct tf_net *net, int *first)
{
    struct tf_process root = {.job = job};
    *first = tf_process_number(&root);
    if (*first != MPI_UNDEFINED)
        return MPI_SUCCESS;
    int err = tf_process_add_job(job, size, first);
    if (err)
        return err;
    err = tf_peers_add(size, net);
    if (err)
        tf_process_drop_job();
    return err;
}

/* ---- opening and closing ---- */

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
    int err = tf_peers_add(tf_job.size, NULL);
    if (!err)
        err = tf_launch_nodes_open((int)tf_settings.node_size);
    if (!err)
        err = open_transports();
    if (!err)
        err = meet_node();
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
    tf_net_count_keep();
    if (between)
        between->close();
    tf_net_shm.close();
    tf_net_self.close();
    tf_launch_nodes_close();
    tf_peers_close();
    tf_process_forget_jobs();
    tf_net_met = tf_net_near = NULL;
    between = NULL;
}
