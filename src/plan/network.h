/* network.h - networks between nodes: how many links lie between two nodes, and which ones.
 *
 * Nodes are numbered from 0 and filled with adjacent ranks.  A route is minimal and depends on its two ends alone:
 *
 *   crossbar   no links: all nodes at one switch that never blocks
 *   fat tree   switches of `ports` ports in `levels` levels.  A switch of the lowest level has up = ports / (taper + 1)
 *              ports upwards and the others to nodes, one of a middle level half each way, one of the highest all
 *              downwards.  Up to the lowest common ancestor and down; which ways up is destination modulo ways
 * (D-mod-K: Zahavi, "D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat trees",
 *              CCIT report 776, 2010)
 *   dragonfly  `groups` of `routers` routers, each with `hosts` nodes and `global` links to other groups; a link
 * between any two routers of a group, and as many between any two groups as there are links for.  To the router with a
 * link to the destination's group, across, and to the destination's router; of several links between two groups, by the
 * destination's router (Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA 2008)
 *   torus      a node at each place of `dims`; dimension by dimension, the shorter way round
 *
 * Adaptive routing spreads better than this where routes collide; so it is the worse of what a machine does.
 */
#ifndef TF_NETWORK_H
#define TF_NETWORK_H

#include "base/base.h"

enum tf_topology { TF_CROSSBAR, TF_FAT_TREE, TF_DRAGONFLY, TF_TORUS, TF_NLEVELSLOGIES };
enum { TF_TORUS_DIMS = 6 };

struct tf_network {
    enum tf_topology topology;
    int32_t levels, ports; /* fat tree */
    double taper;          /* of a switch at the nodes: ports to nodes by ports upwards */
    int32_t groups, routers, hosts, global;
    int32_t ndims, dims[TF_TORUS_DIMS];
};

const char *tf_network_topology(enum tf_topology topology); /* "fat-tree" */
/* MPI_SUCCESS, or MPI_ERR_ARG where its numbers make no network, or none of so many nodes: in words. */
int tf_network_check(const struct tf_network *network, int32_t nodes);
/* The nodes it has room for. */
int64_t tf_network_room(const struct tf_network *network);
/* Links that a job on nodes 0 to nodes - 1 can meet; they are numbered from 0. */
int64_t tf_network_links(const struct tf_network *network, int32_t nodes);
/* The k-th link on the way between two of these nodes, from 0; -1: the way has k links.  A message passes one switch
 * more than links. */
int64_t tf_network_link(const struct tf_network *network, int32_t nodes, int32_t from, int32_t to, int32_t k);
/* What a link is, in words: "link 3 up from switch 5 of level 1". */
const char *tf_network_name(const struct tf_network *network, int32_t nodes, int64_t link, char *text, size_t n);
/* The number of links on the way. */
int32_t tf_network_hops(const struct tf_network *network, int32_t nodes, int32_t from, int32_t to);
/* If each node sends to the one that is as far from it as `to` is from `from`: how many of these messages the busiest
 * link on the way carries, about; at least 1. */
double tf_network_sharing(const struct tf_network *network, int32_t nodes, int32_t from, int32_t to);

#endif
