/* plan.h - the plan language: what one rank does in one collective call, as a graph of steps over symbolic buffers.
 *
 * A plan is written as a *sequential program*: a generator emits steps in an order that would be right if each step
 * finished before the next began.  The builder derives the graph: a step depends on an earlier one only if the blocks
 * they touch conflict (read after write, write after read, write after write).  A signal, a message without data, is
 * for order alone: what is sent after it was received waits for it, and it is sent when all that was received before it
 * is there.  The executor runs whatever is ready.
 *
 * The collective's vector is cut into `nblocks` blocks numbered from 0; a reference names a buffer and a run of blocks
 * and never an address or a count, so a plan is valid for every count, datatype and operator and can be cached.
 * How many elements a block has is the *layout* of the buffer, known when the plan runs (see plan/collective.h).
 *
 *   buffer     meaning
 *   TF_INPUT   what this rank contributes (the send buffer; in place: the same memory as TF_OUTPUT where the standard
 *              says so - the generator is told `inplace` and must then not name TF_INPUT at all)
 *   TF_OUTPUT  where the result goes
 *   TF_TEMP0.. scratch the executor provides for the run
 *
 * Pure: nothing here does input or output or knows of processes.  See check.h for the prover.
 */
#ifndef TF_PLAN_H
#define TF_PLAN_H

#include "base/base.h"
#include "plan/neighbors.h"

enum tf_buffer { TF_INPUT, TF_OUTPUT, TF_TEMP0, TF_TEMP1, TF_TEMP2, TF_TEMP3, TF_TEMP4, TF_TEMP5, TF_NBUFFERS };

enum tf_step_kind {
    TF_SEND,         /* send src to peer */
    TF_RECV,         /* receive from peer into dst */
    TF_RECV_REDUCE,  /* dst = src op incoming, or incoming op src (see side); src may be dst */
    TF_REDUCE_LOCAL, /* dst = src op dst, or dst op src (see side) */
    TF_COPY,         /* dst = src; local */
    TF_COMBINE,      /* dst, one block = the blocks of src combined in their order, all at once */
};

/* Where the operand that is not already at home stands: the incoming data (RECV_REDUCE) or src (REDUCE_LOCAL).
 * Operators are applied in rank order: the operand of the lower ranks is on the left. */
enum tf_side { TF_LEFT, TF_RIGHT };

struct tf_ref {
    int32_t buffer; /* enum tf_buffer */
    int32_t first;  /* first block, in the numbering of the buffer */
    int32_t count;  /* blocks, contiguous; 0: no data at all, a bare signal */
};

#define TF_NO_REF ((struct tf_ref){-1, 0, 0})

struct tf_step {
    uint8_t kind, side;
    int32_t peer; /* rank in the communicator (through both groups of an intercommunicator), -1 for local steps */
    int32_t tag;  /* k for the k-th message of this plan to (from) that peer, from 0; set by the builder */
    struct tf_ref src, dst;
    uint32_t first_dep, ndeps; /* into plan->deps */
    uint32_t echo;             /* the other step of an echo, a later one; 0: none.  See tf_plan_echo() */
};

/* An edge to an earlier step.  `streamed`: a send that reads exactly the blocks that the earlier step writes may follow
 * it chunk by chunk. */
struct tf_dep {
    uint32_t step : 31;
    uint32_t streamed : 1;
};

/* A scratch buffer: `nblocks` blocks; block j is as large as block (first + j) % modulus of the collective's vector,
 * or, if they are alike, as block `first`. */
struct tf_temp {
    int32_t nblocks, first;
    bool alike;
};

/* A block of the vector where there is none that all ranks have in common, between neighbors: what a rank of this
 * one's domain sends as that number, or receives as that. */
struct tf_parcel {
    int32_t rank;
    bool received;
    int32_t number;
};

struct tf_plan {
    int32_t nblocks; /* the vector is cut into that many blocks */
    int32_t ntemps;
    bool alias;
    int32_t origin; /* while it is built: peers are counted from this rank */
    bool pull; /* long messages that are combined had better be read out of the sender's memory than sent in chunks */
    struct tf_temp temps[TF_NBUFFERS - TF_TEMP0];
    struct tf_parcel *parcels; /* [nblocks], or NULL */
    uint32_t nsteps, ndeps;
    struct tf_step *steps;
    struct tf_dep *deps;
    uint32_t cap_steps; /* while it is built */
    int error;          /* MPI_ERR_NO_MEM sticks: generators need not check each call */
};

struct tf_levels_table;

/* What a generator is told.  Everything a plan depends on is here. */
struct tf_shape {
    int32_t rank, size;
    int32_t root;      /* 0 where the collective has none */
    bool inplace;      /* this rank's MPI_IN_PLACE */
    bool commutes;     /* the operator is commutative: the generator may choose any order it proves */
    int32_t parameter; /* of the algorithm: radix, segments or window (struct tf_algo_parameter); 0: its default */
    /* An intercommunicator: ranks 0..first-1 are those of its first group, first..size-1 those of the second; root is
     * -1 on ranks that have no part in the call.  0: an intracommunicator. */
    int32_t first;
    /* [size] which ranks are close to each other, the same array on all ranks: those of one domain (a package, a node)
     * have one number, 0 <= domain[rank] < size.  NULL: all are. */
    const int32_t *domain;
    const struct tf_levels_table
        *levels; /* what follows from that, found once for all ranks (algo/levels.h), or NULL */
    const struct tf_neighbors *neighbors; /* of this rank; NULL where the collective does not go by them */
    const struct tf_neighbors *near; /* those of each rank of this one's domain, by rank; NULL: not known, or no use */
};

/* The ranks of this rank's group, begin..begin+size-1, and of the other one. */
struct tf_groups {
    int32_t begin, size, other_begin, other_size;
};

static inline struct tf_groups tf_plan_groups(int32_t rank, int32_t first, int32_t size)
{
    return rank < first ? (struct tf_groups){0, first, first, size - first}
                        : (struct tf_groups){first, size - first, 0, first};
}

typedef void tf_algo_generate(struct tf_plan *plan, const struct tf_shape *shape);

/* ---- the builder: begin, emit in sequential order, finish ---- */
struct tf_plan *tf_plan_create(void); /* one block; NULL: no memory */
void tf_plan_destroy(struct tf_plan *plan);
void tf_plan_blocks(struct tf_plan *plan, int32_t nblocks);   /* first of all: cut the vector into that many blocks */
bool tf_plan_parcels(struct tf_plan *plan, int32_t nparcels); /* instead: parcels, to be filled; false: no memory */
void tf_plan_alias(struct tf_plan *plan); /* TF_INPUT and TF_OUTPUT overlap (reduce_scatter in place): a write to
                                             TF_OUTPUT destroys all of TF_INPUT */
void tf_plan_origin(struct tf_plan *plan, int32_t rank); /* peers named from now on are counted from that rank */
void tf_plan_pull(struct tf_plan *plan);                 /* see struct tf_plan */
int32_t tf_plan_temp(struct tf_plan *plan, int32_t first, int32_t nblocks); /* returns its enum tf_buffer */
int32_t tf_plan_temp_alike(struct tf_plan *plan, int32_t block, int32_t nblocks);
void tf_plan_send(struct tf_plan *plan, int peer, struct tf_ref src);
void tf_plan_recv(struct tf_plan *plan, int peer, struct tf_ref dst);
void tf_plan_recv_reduce(struct tf_plan *plan, int peer, enum tf_side incoming, struct tf_ref src, struct tf_ref dst);
void tf_plan_reduce(struct tf_plan *plan, enum tf_side side, struct tf_ref src, struct tf_ref dst);
void tf_plan_combine(struct tf_plan *plan, struct tf_ref src, struct tf_ref dst); /* the operator goes by elements */
void tf_plan_copy(struct tf_plan *plan, struct tf_ref src, struct tf_ref dst);
/* Mark an echo: what is sent is combined by the peer and comes straight back, so the result may travel in the memory of
 * the message.  On one side `first` is the SEND and `second` the RECV of the same blocks from the same peer; on the
 * other side `first` is the RECV_REDUCE and `second` the SEND of its result.  Both sides mark it or neither. */
void tf_plan_echo(struct tf_plan *plan, uint32_t first, uint32_t second);
void tf_plan_append(struct tf_plan *plan, struct tf_step step); /* a step as it is, but for its tag and dependencies */
int tf_plan_finish(struct tf_plan *plan); /* derives tags and dependencies; MPI_SUCCESS or MPI_ERR_NO_MEM */

static inline struct tf_ref tf_blocks(int buffer, int first, int count)
{
    return (struct tf_ref){buffer, first, count};
}

#endif
