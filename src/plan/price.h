/* price.h - what a collective call costs under a LogGP model, by the plans of all its ranks.
 *
 * The machine: each rank has a processor, a port out and a port in, and does on each what comes first in time.
 *
 *     sender     |--o--|
 *                      |==== (m-1)G ====|--g--|       the port out is taken
 *                       \                \
 *                        L                L
 *                         \                \
 *     receiver             |==== (m-1)G ====|--g--|   the port in is taken
 *                                           |--o--|-- m r --|
 *
 * A message of m bytes costs its sender o, travels L, passes both ports at G a byte, g apart, and costs its receiver o,
 * and r a byte where it is combined: o + L + (m-1)G + o if nobody waits.  A signal counts as one byte.  Local steps
 * cost r or c a byte.  A step may begin when the steps it depends on have ended (depend.h), whatever their order in
 * the plan, as in the executor's graph; sends do not wait for their receives.
 *
 * Messages longer than a chunk are combined chunk by chunk as they arrive, and a streamed send begins when the first
 * chunk of what it passes on is there, and ends a chunk after the last.  A processor that combines or copies looks
 * after sends and receives between two chunks.
 *
 * In a network (network.h) the ranks of a node share its ports, L is the way to a switch and from one, and each switch
 * adds its own latency.  A message goes from link to link as soon as its head may, and takes each for m times the
 * link's G; it waits where a link is taken, without stopping those behind it on the links it has passed.  Messages
 * within a node take turns on its memory bus.
 *
 * A sample: where each node does the same as all others, as in a ring, what a rank sends to some node is what it gets
 * from another at the same time, so the ranks of one node suffice.  Links are shared as if all nodes sent that far at
 * once (tf_network_sharing()).
 *
 * Alexandrov, Ionescu, Schauser, Scheiman, "LogGP: incorporating long messages into the LogP model", SPAA 1995.
 */
#ifndef TF_PRICE_H
#define TF_PRICE_H

#include "plan/collective.h"
#include "plan/network.h"
#include "plan/plan.h"

struct tf_price_model {
    double latency, overhead, gap;                       /* L, o, g: seconds */
    double gap_per_byte, reduce_per_byte, copy_per_byte; /* G, r, c: seconds a byte */
    size_t chunk;                                        /* bytes */
    /* [ranks] as in tf_shape; messages within a domain have L, o, g and G of their own.  NULL: one level, without
     * these. */
    const int32_t *domain;
    double local_latency, local_overhead, local_gap, local_gap_per_byte;
    /* The domains are nodes 0, 1, ... of adjacent ranks, in a network.  NULL: there is none between the ranks' ports.
     */
    const struct tf_network *network;
    int32_t nics; /* ports of a node to the network, which its ranks share */
    double hop_latency, link_gap_per_byte, bus_per_byte;
    /* Only the ranks of one node are added, that many, and stand for those of all; 0: all ranks are. */
    int32_t sample;
};

/* The data: `count` elements of `unit` bytes, in the whole vector (bcast, reduce, allreduce, scan, exscan, and
 * reduce_scatter between groups, which cut it differently) or in each block (all others; the v forms with all counts
 * alike). */
struct tf_price_data {
    enum tf_coll coll;
    MPI_Count count;
    size_t unit;
};

struct tf_price_each { /* of a quantity that each rank has */
    uint64_t max, total;
    int32_t rank; /* the first that has the most */
};

struct tf_price_busy { /* of what is busiest of a kind: for how long, and the number of its rank, node or link */
    double busy;
    int64_t which;
};

struct tf_price_result {
    int32_t size;
    double last, first, mean; /* seconds until the last rank ends, the first one, and on average */
    int32_t last_rank;
    uint32_t rounds; /* messages in the longest chain of which each waits for the one before */
    struct tf_price_each steps, messages, sent, received, combined, copied, scratch; /* messages sent; others: bytes */
    struct tf_price_busy processor, port, nic, bus, link; /* a rank's, a rank's, a node's, a node's; the network's */
};

/* A step in time, in seconds; see the picture. */
struct tf_price_span {
    uint8_t kind; /* enum tf_step_kind */
    int32_t peer; /* -1: a local step, or one without data, that takes no time */
    uint64_t bytes;
    double start, overhead, busy; /* the processor begins, is through with o, is free again */
    double end;                   /* the step has ended */
    double leaves, left;          /* send: the first byte is in the port out, the last has left it */
    double arrives, arrived;      /* send: the same at the receiver's port in */
};

struct tf_price;

/* `spans`: keep each step's times, for drawing.  NULL: no memory. */
struct tf_price *tf_price_create(const struct tf_price_model *model, const struct tf_price_data *data, int32_t size,
                                 bool spans);
/* The first rank that is to be added: 0, but in a sample. */
int32_t tf_price_first(const struct tf_price *price);
/* The plan of the next rank; emitted suffices, it need not be finished.  It is not needed afterwards: what
 * is kept are about 50 bytes a step. */
int tf_price_add(struct tf_price *price, const struct tf_plan *plan);
/* Once all ranks are there, once.  MPI_ERR_INTERN if a message has no receive, or a step waits for ever: in words. */
int tf_price_run(struct tf_price *price, struct tf_price_result *result);
const struct tf_price_model *tf_price_model_of(const struct tf_price *price);
/* The steps of a rank in the order of its plan. */
const struct tf_price_span *tf_price_spans(const struct tf_price *price, int32_t rank, uint32_t *count);
void tf_price_destroy(struct tf_price *price);

#endif
