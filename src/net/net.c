/* net.c - meeting peers, and the choice of a transport for each. */
#include "net/net.h"
#include "net/counts.h"

#include <stdio.h>
#include <sys/sysinfo.h>

#include "base/own.h"
#include "base/settings.h"
#include "launch/launch.h"
#include "launch/nodes.h"
#include "net/between.h"
#include "net/failure.h"
#include "net/others.h"
#include "net/peers.h"
#include "net/process.h"
#include "net/remote/remote.h"
#include "net/shm/shm.h"

struct tf_peer *tf_net_met, *tf_net_near;

static const struct tf_net *between; /* nodes; NULL: there is only one */

/* How far the network reaches: to this process; to those of the job that have come; to all, and they have. */
static enum extent { NOWHERE, BROKEN, SELF, JOINED, JOB } extent;

static const struct tf_net *transport_to(int rank)
{
    if (rank == tf_job.rank)
        return &tf_net_self;
    return tf_launch_node(rank) == tf_launch_node(tf_job.rank) ? &tf_net_shm : between;
}

void tf_net_processors(int process, struct tf_processors *set)
{
    const struct tf_net *net = process < tf_job.size ? transport_to(process) : NULL;
    *set = (struct tf_processors){0};
    if (net && net->processors)
        net->processors(process, set);
}

enum tf_net_company tf_net_company;

int tf_net_local_size(void)
{
    return tf_nodes.size;
}

int tf_net_node(int process)
{
    return process < tf_job.size ? tf_launch_node(process) : tf_others_node(process);
}

/* ---- meeting ---- */

void tf_net_change(struct tf_peer *peer, const struct tf_net *net)
{
    peer->net = net;
    if (!net->fill) {
        peer->next_near = tf_net_near;
        tf_net_near = peer;
    }
}

static int meet(struct tf_peer *peer)
{
    int rank, job = tf_peers_find(peer, &rank);
    const struct tf_net *net = peer->failed ? &tf_net_dead : job ? tf_peers_net(job) : transport_to(rank);
    peer->rank = rank;
    int err = net->connect(peer);
    if (err)
        return err;
    tf_net_change(peer, net);
    tf_peers_set_up(peer);
    peer->next_met = tf_net_met;
    tf_net_met = peer;
    return MPI_SUCCESS;
}

void tf_net_introduce(struct tf_peer *peer)
{
    int err = meet(peer);
    if (err)
        tf_fatal(1, "treefold[%d]: %s cannot be reached: %s", tf_job.rank, tf_net_name(peer), tf_error_text(err));
}

const char *tf_net_name(const struct tf_peer *peer)
{
    _Static_assert(TF_CARD_JOB + 40 <= TF_OWN_BYTES, "it fits into a piece");
    char *name = tf_own(TF_OWN_PEER);
    const struct tf_card *card = tf_others_card_of(peer);
    if (card)
        snprintf(name, TF_OWN_BYTES, "rank %d of job %s", card->process.rank, card->job);
    else
        snprintf(name, TF_OWN_BYTES, "rank %d", peer->rank);
    return name;
}

/* Those of this node may send at any time, and every pass of progress looks at them.  This process has met itself, and
 * its own word may lie elsewhere now. */
static int meet_node(void)
{
    int err = MPI_SUCCESS;
    for (int r = tf_job.size; r-- > 0 && !err;)
        if (r != tf_job.rank && transport_to(r) != between)
            err = meet(tf_net_peer(r));
    tf_net_peer(tf_job.rank)->asleep = tf_pause_asleep;
    /* Shared memory, which would know, was told that they are not on one machine. */
    if (tf_settings.node_size > 0 && tf_job.size > get_nprocs())
        tf_pause_crowded = true;
    tf_net_company = tf_pause_crowded ? TF_NET_SHARING : tf_nodes.size > 2 ? TF_NET_MANY : TF_NET_TWO;
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
        tf_process_drop_job(tf_process_job(*first, &(int){0}));
    tf_failure_again();
    return err;
}

/* ---- opening and closing ---- */

/* What nobody has to agree upon. */
static int open_alone(void)
{
    int err = tf_peers_add(tf_job.size, NULL);
    if (!err)
        err = tf_net_self.open();
    return err ? err : meet(tf_net_peer(tf_job.rank));
}

static int open_transports(void)
{
    if (tf_nodes.joined && tf_nodes.count == 1)
        return tf_shm_join();
    if (tf_nodes.joined) /* what carries messages cannot be agreed upon: that which is always there */
        return (between = &tf_net_tcp)->open();
    int err = tf_net_shm.open();
    if (!err && tf_nodes.count > 1)
        err = tf_between_choose(&between);
    if (!err && between)
        err = between->open();
    return err;
}

static int join(void)
{
    int err = tf_launch_nodes_join();
    if (!err)
        err = open_transports();
    return err ? err : meet_node();
}

/* Whether processes may come one by one. */
static bool one_by_one(void)
{
    if (tf_launch_has_memory())
        return tf_settings.node_size == 0;
    return tf_launch_shows() && (strcmp(tf_settings.net, "auto") == 0 || strcmp(tf_settings.net, "tcp") == 0);
}

static int open_job(void)
{
    bool was_joined = tf_nodes.joined;
    int err = tf_launch_nodes_open((int)tf_settings.node_size);
    if (!err && !was_joined)
        err = open_transports();
    if (!err && !was_joined)
        err = meet_node();
    if (!err && tf_nodes.joined) /* what they are is in their lines */
        err = tf_launch_barrier();
    return err;
}

/* The end of a way to open the network, on which `err` was met. */
static int reach(enum extent wanted, int err)
{
    extent = err ? BROKEN : wanted;
    if (!err) {
        tf_pause_setup();
        tf_failure_open();
    }
    return err;
}

static int check_broken(void)
{
    if (extent == BROKEN)
        return tf_error(MPI_ERR_OTHER, "the network of the job could not be opened before");
    return MPI_SUCCESS;
}

int tf_net_open_self(void)
{
    return extent == NOWHERE ? reach(SELF, open_alone()) : check_broken();
}

int tf_net_open(void)
{
    int err = tf_net_open_self();
    if (err || extent == JOB)
        return err;
    return reach(JOB, open_job());
}

int tf_net_join(bool all)
{
    int err = tf_net_open_self();
    if (err || extent == JOB)
        return err;
    bool local = tf_launch_has_memory(); /* so that it makes no difference whether others come too */
    if (tf_job.size == 1 || !one_by_one() || (all && !local))
        return tf_net_open();
    return extent == JOINED ? MPI_SUCCESS : reach(JOINED, join());
}

bool tf_net_has_come(int process)
{
    char name[TF_ADDRESS_NAME];
    if (extent == JOB || tf_nodes.count == 1 || process == tf_job.rank || process >= tf_job.size)
        return true;
    tf_address_name(process, name);
    return tf_net_peer(process)->link || tf_launch_has(process, name);
}

bool tf_net_asks(void)
{
    return extent == JOINED && tf_nodes.count > 1;
}

bool tf_net_is_open(void)
{
    return extent >= JOINED;
}

void tf_net_close(void)
{
    tf_net_count_keep();
    if (between != &tf_net_tcp)
        tf_net_tcp.close();
    if (between)
        between->close();
    tf_net_beside.close();
    tf_net_shm.close();
    tf_net_self.close();
    tf_failure_close();
    tf_launch_nodes_close();
    tf_remote_rings_close();
    tf_others_close();
    tf_peers_close();
    tf_process_forget_jobs();
    tf_net_met = tf_net_near = NULL;
    between = NULL;
    extent = NOWHERE;
}
