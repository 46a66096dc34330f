/* price_state.h - what is known of a call while it is priced; for price.c, which makes steps of plans, and price_run.c,
 * in which time passes.
 */
#ifndef TF_PRICE_STATE_H
#define TF_PRICE_STATE_H

#include "plan/depend.h"
#include "plan/price.h"
#include "plan/queue.h"

#define TF_PRICE_STREAMED 0x80000000u /* in an edge; and more steps than that there cannot be */

struct tf_price_step {
    double ready; /* the latest of what it waits for so far */
    double tail;  /* receive: the last byte is there; send: it has left (before the start: may not leave earlier) */
    int32_t peer;
    float bytes;
    uint32_t tag, first_next;        /* the number among the messages to that peer; the edges to later steps */
    uint32_t depth;                  /* messages in the longest chain that leads here */
    uint32_t waiting : 28, kind : 4; /* what it waits for; of a send that has begun: links that are behind it */
};

struct tf_price_rank {
    double cpu;       /* when the processor is through with all work so far */
    double overheads; /* when it is through with the overheads so far */
    double worked;    /* how long it has worked */
    double end;       /* of the step that ended last so far */
    uint32_t first_step, first_receive;
};

/* Takes one after the other: until when it is taken, how long it was. */
struct tf_price_server {
    double taken, busy;
};

struct tf_price_port {
    struct tf_price_server out, in;
};

/* Ranks are known by their index: the rank, but in a sample (struct tf_price_model) its number in its node. */
struct tf_price {
    struct tf_price_model model;
    struct tf_price_data data;
    int32_t size, first, count, added; /* ranks; of them first to first + count - 1 are added */
    int32_t nodes;
    struct tf_price_rank *ranks; /* [count + 1]: the last ends the others */
    struct tf_price_port *ports; /* [count] of ranks, then `nics` of each node */
    struct tf_price_server *links;
    int64_t nports, nlinks;      /* links of the network, then buses of nodes; of a sample: a node's share of links */
    struct tf_price_step *steps; /* of all ranks, by rank; one more ends the edges */
    size_t nsteps, cap_steps;
    uint32_t *next; /* step, of all ranks' */
    size_t nnext, cap_next;
    uint64_t *receives; /* index of the peer << 32 | step of the rank, ascending within a rank */
    size_t nreceives, cap_receives;
    struct tf_price_span *spans; /* [nsteps] or NULL */
    size_t cap_spans;
    bool keep_spans;
    uint64_t *sends; /* of the rank being added, like receives */
    size_t cap_sends;
    struct tf_depend depend;
    struct tf_queue queue;
    struct tf_price_result result;
};

static inline int32_t tf_price_index(const struct tf_price *price, int32_t rank)
{
    return price->model.sample ? rank % price->count : rank;
}

#endif
