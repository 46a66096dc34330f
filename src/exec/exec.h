/* exec.h - the executor: runs a plan on the buffers of one call.
 *
 * One run has two gears.  In order: each step is finished before the next begins, straight on the cells of the rings;
 * right for short messages, where the whole collective is a few cache lines.  Graph: every step whose dependencies are
 * met is under way at once and long messages are pipelined chunk by chunk; right for everything else, and for
 * nonblocking calls that have to wait.  A call begins in order and changes gear where a step asks for it.
 */
#ifndef TF_EXEC_H
#define TF_EXEC_H

#include "algo/algo.h"
#include "base/memory.h"
#include "comm/comm.h"
#include "msg/peer.h"
#include "msg/progress.h"
#include "msg/terms.h"
#include "op/binned.h"
#include "op/op.h"

/* How the blocks of one buffer lie in memory.  Blocks of the collective's vector are numbered from 0 and have
 *     EVEN      [b*count/nblocks, (b+1)*count/nblocks)       UNIFORM  count        VARYING  counts[b]
 * elements; a buffer holds those from number `first` on, in order, or (with displs) each at its displacement. */
struct tf_bound {
    char *base;
    enum tf_memory memory;      /* where base lies */
    const struct tf_type *type; /* NULL: elements are `stride` plain bytes */
    ptrdiff_t stride;           /* from an element to the next, bytes */
    size_t unit;                /* bytes of an element in a message */
    enum tf_layout layout;
    bool bytewise; /* EVEN over the packed bytes of `count` elements of a type with gaps (bcast) */
    uint8_t skew;  /* of a user-defined operator's: where their first byte lies after what is aligned, modulo a line */
    int32_t first;
    ptrdiff_t block; /* bytes of each block if it is UNIFORM and plain, 0: another or nothing */
    MPI_Count count;
    struct tf_counts counts; /* VARYING with displacements */
    struct tf_counts displs;
    struct tf_type *const *types; /* VARYING, alltoallw: a type for each block, displacements in bytes */
};

/* A reference resolved: `bytes` of the packed stream, from `position`, of `count` elements at buf. */
struct tf_span {
    const struct tf_type *type; /* NULL: plain bytes at buf, position 0 */
    char *buf;
    MPI_Count count;
    size_t position, bytes;
    enum tf_memory memory; /* where buf lies */
};

struct tf_step_state;

/* What runs work in that are never under way at the same time: it is kept from run to run. */
struct tf_room {
    void *scratch; /* the scratch buffers of a plan */
    size_t scratch_cap;
    struct tf_step_state *states; /* [cap_states], of the graph gear */
    uint32_t cap_states;
    uint32_t age; /* grows as the scratch becomes another, or what is bound is not to be run again for other reasons */
};

struct tf_run {
    const struct tf_plan *plan;
    struct tf_comm *comm;
    uint32_t sequence, fingerprint; /* of the call: its number, and what must agree */
    const struct tf_op *op;         /* reductions */
    struct tf_type *optype;
    tf_kernel *kernel; /* NULL: a user-defined operator */
    size_t unit;       /* bytes of an element to the kernel */
    bool whole;        /* a user-defined operator gets the whole vector of a step in one call */
    bool apart;     /* a user-defined operator is called without the lock: nothing of a ring may be in hand meanwhile */
    bool lies_well; /* elements in a message lie as a user-defined operator knows them: no gaps, aligned */
    struct tf_binned_form exact; /* parts > 0: what is combined at once is summed exactly */
    struct tf_bound bound[TF_NBUFFERS];
    struct tf_room *room;
    bool plain;         /* every buffer holds the whole EVEN vector as plain bytes in memory of the host: */
    size_t plain_bytes; /* so many */
    MPI_Count *prefix;  /* VARYING: [nblocks + 1] elements before each block; NULL where not needed */
    size_t prefix_cap;
    const MPI_Count *parcels; /* bytes of those of the plan, where it has some */
    struct tf_type *
        *types; /* alltoallw: [ntypes] of the blocks sent, NULL where not significant, then those received */
    struct tf_type *const *received_types;
    int ntypes;
    bool types_kept;   /* they are those of every run */
    size_t longest;    /* message that goes by the first gear, bytes */
    uint32_t position; /* steps before it are done */
    int error;
    uint32_t given_up; /* after an error: what the other ranks are told, see fingerprint.h */
    bool done;
    bool blocking;
    uint32_t reading;      /* of an abandoned run: reads into its buffers, or out of them, that it has to wait for */
    struct tf_terms terms; /* of the call, in full */
    int64_t asked;         /* when the peers waited for were last asked what they call, or the wait began; 0: neither */

    bool dirty;                   /* graph gear: something has changed since the last look */
    struct tf_step_state *states; /* those of the room, once it is open */
    struct tf_task task;
};

/* A run that cannot end well, be it that the ranks disagree, that there is no memory or that another rank says so, ends
 * with an error, and whoever waits for its messages is told: none is sent that holds anything but what it should. */

/* The run of that task, which is under way; NULL: the task is something else. */
const struct tf_run *tf_exec_run_of(const struct tf_task *task);
/* The operator of that run; where it is called apart, others may have the lock meanwhile, and leave the run alone. */
void tf_exec_call(struct tf_run *run, void *in, void *inout, MPI_Count count);
/* Run to the end; run->blocking is set. */
int tf_exec_run(struct tf_run *run);
/* Start, and leave the rest to tf_msg_progress(); `finished` is called with &run->task at the end (perhaps before this
 * returns) and may free the run.  It is not called if this returns an error. */
int tf_exec_begin(struct tf_run *run, void (*finished)(struct tf_task *task));
/* Free what a run keeps, and what a room does. */
void tf_run_clear(struct tf_run *run);
void tf_room_clear(struct tf_room *room);

/* Shorter messages are not worth an echo or a single copy: these are slower to begin. */
enum { TF_ECHO_LEAST = TF_MSG_BRIEF, TF_PULL_LEAST = 64 * 1024 };

/* The gears (inorder.c, graph.c). */
bool tf_exec_in_order(struct tf_run *run);     /* true: the run has ended; false: continue by the graph */
int tf_exec_graph_reserve(struct tf_run *run); /* the memory that it takes, MPI_ERR_NO_MEM */
int tf_exec_graph_open(struct tf_run *run);
bool tf_exec_graph_advance(struct tf_run *run);
void tf_exec_graph_abandon(struct tf_run *run); /* run->error ends it; what is under way ends without it */
void tf_exec_graph_clear(struct tf_room *room);
/* Whether it waits for a message of that peer; ask those it waits for what they call. */
bool tf_exec_graph_awaits(const struct tf_run *run, const struct tf_peer *peer);
/* The first step from number *at on that waits for a peer, NULL: there is no more; *at becomes that of the next. */
const struct tf_step *tf_exec_graph_waits(const struct tf_run *run, uint32_t *at);
void tf_exec_graph_ask(const struct tf_run *run);
/* In each turn of waiting: ask now and then.  peer: for whom it waits; NULL: the graph knows. */
void tf_run_ask(struct tf_run *run, struct tf_peer *peer);
/* The run is to end with that error; theirs: the fingerprint of the message that it was found in, else run's own. */
void tf_run_fail(struct tf_run *run, int err, uint32_t theirs) TF_COLD;
/* It ends now: what comes for it is discarded. */
void tf_run_close(struct tf_run *run) TF_COLD;
/* And who will wait for the message of that step is told. */
void tf_run_decline(const struct tf_run *run, const struct tf_step *step);
void tf_run_decline_rest(struct tf_run *run) TF_COLD; /* close, where no step from run->position on has begun */
/* Whether other ranks have made another call under our number, or (a blocking call looks) under an earlier one: then
 * the run fails.  peer: for whom it waits; NULL: the graph knows. */
bool tf_run_look_for_dissents(struct tf_run *run, const struct tf_peer *peer);

/* step.c: what both gears do with data */
struct tf_span tf_run_resolve_slow(const struct tf_run *run, struct tf_ref ref);
/* Elements of `nblocks` blocks of the vector from block `first` on (numbers wrap at the last). */
MPI_Count tf_run_elements(const struct tf_run *run, const struct tf_bound *bound, int32_t first, int32_t nblocks);
/* Elements of the operator's type in a span of a reduction. */
static inline MPI_Count tf_span_elements(const struct tf_run *run, const struct tf_span *span)
{
    return span->type ? span->count : (MPI_Count)(span->bytes / run->unit);
}
void tf_span_read(const struct tf_span *span, size_t from, void *to, size_t length);
void tf_span_write(const struct tf_span *span, size_t from, const void *data, size_t length);
/* `src` is not longer. */
void tf_span_copy(const struct tf_span *dst, const struct tf_span *src);
/* Whether the operator may be given parts of a vector. */
static inline bool tf_run_in_parts(const struct tf_run *run)
{
    return run->kernel || !run->whole;
}

/* user.c: user-defined operators.  A message on its way to one is laid out in an operand if it does not lie well: */
struct tf_operand {
    void *memory;       /* NULL: it is combined where it lies */
    char *base;         /* of a vector of the operator's type; an address as the user's are */
    size_t room;        /* bytes of packed elements that it takes */
    size_t filled;      /* of these, here */
    MPI_Count combined; /* elements, before these */
};
/* For a message of `count` elements in chunks of at most so many bytes.  MPI_ERR_NO_MEM. */
int tf_operand_open(struct tf_operand *operand, const struct tf_run *run, MPI_Count count, size_t chunk);
void tf_operand_close(struct tf_operand *operand);
/* The next bytes of the message are combined, dst = src op incoming or the other way round, as far as they are whole
 * elements; of the whole vector, when all of it is here.  `at`: bytes of it that came before; data may be overwritten.
 * Returns how many bytes of dst are there. */
size_t tf_operand_take(struct tf_operand *operand, struct tf_run *run, const struct tf_step *step,
                       const struct tf_span *src, const struct tf_span *dst, size_t at, void *data, size_t length);
/* Where the operator is called apart: the message is kept as it comes, all of it, and combined when no message is in
 * hand; more of it may come meanwhile, and end the step with an error. */
int tf_operand_open_apart(struct tf_operand *operand, const struct tf_run *run, MPI_Count count);
void tf_operand_keep(struct tf_operand *operand, const struct tf_run *run, const void *data, size_t length);
void tf_operand_combine(struct tf_operand *operand, struct tf_run *run, const struct tf_step *step,
                        const struct tf_span *src, const struct tf_span *dst);
/* Where the bytes of a dense type come to. */
static inline char *tf_operand_place(const struct tf_operand *operand, const struct tf_run *run)
{
    return operand->base + run->optype->true_lb;
}
/* A message that is here as a whole; an error is the run's. */
int tf_run_apply(struct tf_run *run, const struct tf_step *step, const struct tf_span *src, const struct tf_span *dst,
                 void *data);
/* dst = src op dst, or dst op src; dst = the blocks of src combined. */
int tf_run_reduce_user(struct tf_run *run, enum tf_side side, const struct tf_span *src, const struct tf_span *dst);
void tf_run_combine_user(struct tf_run *run, const struct tf_span *src, const struct tf_span *dst, int32_t operands);
/* A COPY or REDUCE step. */
int tf_run_local_step(struct tf_run *run, const struct tf_step *step);

/* The usual cases are resolved inline: the whole vector as plain bytes of the host, and plain blocks of one size. */
static inline struct tf_span tf_run_resolve(const struct tf_run *run, struct tf_ref ref)
{
    if (TF_LIKELY(run->plain && ref.count == run->plan->nblocks))
        return (struct tf_span){NULL, run->bound[ref.buffer].base, 0, 0, run->plain_bytes, TF_MEMORY_HOST};
    const struct tf_bound *b = ref.count ? &run->bound[ref.buffer] : NULL; /* a signal has no buffer */
    if (b && b->block)
        return (struct tf_span){NULL, b->base + ref.first * b->block, ref.count * b->count,
                                0,    (size_t)(ref.count * b->block), b->memory};
    return tf_run_resolve_slow(run, ref);
}

/* dst = src op incoming for `bytes` of plain elements by a kernel. */
static inline void tf_run_combine(const struct tf_run *run, enum tf_side side, const char *src, char *dst,
                                  const void *incoming, size_t bytes)
{
    size_t n = bytes / run->unit;
    if (side == TF_LEFT)
        run->kernel(dst, incoming, src, n);
    else
        run->kernel(dst, src, incoming, n);
}

/* ---- the plan cache (cache.c) ---- */
struct tf_plan_cache;
/* Of plans that run on that communicator: their peers meet. */
struct tf_plan_cache *tf_plan_cache_create(struct tf_comm *comm);
void tf_plan_cache_destroy(struct tf_plan_cache *cache);
/* The plan of that algorithm for that shape, built if it is not there.  It stays valid until tf_plan_cache_release();
 * NULL: no memory. */
const struct tf_plan *tf_plan_cache_get(struct tf_plan_cache *cache, const struct tf_algo *algo,
                                        const struct tf_shape *shape);
extern uint64_t tf_plan_cache_built; /* plans, in all caches */
/* It stays valid until it is released once more. */
void tf_plan_cache_hold(struct tf_plan_cache *cache, const struct tf_plan *plan);
void tf_plan_cache_release(struct tf_plan_cache *cache, const struct tf_plan *plan);

#endif
