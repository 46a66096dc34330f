/* nodes.h - which processes of the job run on the same node: those that can share memory, and nothing but a network
 * reaches the others.
 *
 * The same boot of the same kernel, and the same namespaces of processes, users and networks: memory is shared through
 * /proc/PID/fd, and a network of its own is what makes a container a host.
 */
#ifndef TF_LAUNCH_NODES_H
#define TF_LAUNCH_NODES_H

#include "base/base.h"

/* Nodes are numbered by their first ranks.  One node, before it is known too: `of` and `place` are NULL. */
extern struct tf_nodes {
    int count;
    int32_t *of;    /* [size] node of each rank */
    int32_t *place; /* [size] how many ranks of the same node are below it */
    int size;       /* ranks on this process's node */
    int first;      /* the lowest of them */
    bool joined;    /* processes have come one by one: they share the launcher's memory, or have a node each */
} tf_nodes;

/* Collective over the job; node_size: so many consecutive ranks of a machine count as a node of their own, 0: all.  Of
 * processes of which one has come before, by tf_launch_nodes_join(), all are as it found them. */
int tf_launch_nodes_open(int node_size);
/* Local.  Where the launcher has memory all processes are on its machine; elsewhere, since nobody knows, each is as if
 * it had a node of its own. */
int tf_launch_nodes_join(void);
void tf_launch_nodes_close(void);
/* The name of this process's node, for those of other jobs too. */
uint64_t tf_launch_nodes_name(void);

static inline int tf_launch_node(int world_rank)
{
    return tf_nodes.of ? tf_nodes.of[world_rank] : 0;
}
static inline int tf_launch_place(int world_rank)
{
    return tf_nodes.place ? tf_nodes.place[world_rank] : world_rank;
}

#endif
