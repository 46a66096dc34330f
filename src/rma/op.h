/* op.h - one-sided operations on their way: what the program called, and how much of it has gone and come.
 *
 * Operations to one target go in the order in which they were called, and those that are messages are done in it.  Each
 * of these is pieces: see wire.h.  Those that cannot go now, as the ring is full, or too much has been asked for, or
 * the target's lock has not been granted, wait in the target's queue, which a task looks at in passes of progress.
 */
#ifndef TF_RMA_OP_H
#define TF_RMA_OP_H

#include "op/op.h"
#include "rma/apply.h"
#include "rma/win.h"
#include "rma/wire.h"

struct tf_request;

/* One side of an operation: a buffer of this process. */
struct tf_win_side {
    void *buf;
    MPI_Count count;
    struct tf_type *type;
};

struct tf_win_op {
    struct tf_win_op *next;
    struct tf_target *target;
    enum tf_verb verb;            /* PUT, GET, COMBINE or SWAP */
    struct tf_win_side from;      /* what is sent; COMBINE with MPI_NO_OP: nothing */
    struct tf_win_side into;      /* what comes back goes there; .type NULL: nothing comes back */
    struct tf_win_side compare;   /* SWAP */
    struct tf_apply at;           /* the target's memory, and what is done there */
    struct tf_type *type;         /* of the target, if it has to be described; a reference */
    size_t total, sent, received; /* bytes of the packed stream */
    size_t announced;             /* piece.c: up to there they go bare */
    uint32_t id;                  /* by which answers name it */
    struct tf_request *request;   /* or NULL */
    bool kept;                    /* it is not on the caller's stack */
    bool by_network;              /* region.h: the network does it, in no order, and says when it is done */
    struct tf_transfer *transfer; /* of it; NULL: none */
    void *description;            /* of `type`, while it is being told */
    size_t description_bytes, described;
    uint32_t slot;
};

/* Operations to one target that are kept, or not answered: some megabytes.  Who calls more waits for the target, for
 * its lock too, for which MPI_Win_lock might have waited already (MPI-5.0 section 12.5.3). */
enum { TF_OPS_KEPT = 1 << 14 };

/* Begin it; `op` may be on the stack: what cannot go at once is copied, and holds references to its datatypes. */
int tf_op_begin(const struct tf_win_op *op);
/* It goes by messages, in order behind what waits, when there is a pass. */
void tf_op_queue(const struct tf_win_op *op);
/* Push what waits to go to that target; false: no room. */
void tf_op_push(struct tf_target *target);
/* A pass of progress looks at that target. */
void tf_op_busy(struct tf_target *target);
/* The next bytes of what was there before, for one of them; and where they are wanted, or NULL. */
void tf_op_answer(uint32_t id, const void *data, size_t length);
void *tf_op_landing(uint32_t id);
/* `bytes` of that operation (0: one that nothing of comes back) could not be done, for that reason. */
void tf_op_refused(struct tf_target *target, uint32_t id, size_t bytes, const char *words, size_t length);

/* The network has done so much of it, or could not: it may have ended. */
void tf_op_transferred(struct tf_win_op *op, size_t bytes, bool good);

/* The target has died: nothing goes there, and nothing comes. */
void tf_op_lose(struct tf_target *target);
/* The window goes, and no pass pushes its operations any more. */
void tf_op_rest(struct tf_win *win);

/* Whether nothing waits to go there, and all that has gone there is answered. */
static inline bool tf_op_answered(const struct tf_target *target)
{
    return !target->first && target->answers == 0 && target->collected == 0;
}

#endif
