/* symbolic.h - the prover's state: all ranks' blocks and steps of one call.  Between check.c, match.c and symbolic.c.
 */
#ifndef TF_SYMBOLIC_H
#define TF_SYMBOLIC_H

#include "plan/contract.h"
#include "plan/value.h"

struct tf_symbolic_rank {
    const struct tf_plan *plan;
    int32_t extent[TF_NBUFFERS], base[TF_NBUFFERS]; /* blocks of each buffer; where they begin in `cells` */
    uint32_t *cells;                                /* the value of each block */
    uint32_t first;                                 /* number of its step 0 among all ranks' steps */
};

struct tf_event { /* a step of a rank */
    int32_t rank;
    uint32_t step;
    int64_t partner;            /* the event at the message's other end, -1 for local steps */
    uint32_t waiting;           /* dependencies not done */
    uint32_t first_next, nnext; /* the events that depend on it */
    bool done;
};

struct tf_symbolic {
    const struct tf_contract *call;
    struct tf_symbolic_rank *members;
    struct tf_event *events;
    uint32_t nevents;
    uint32_t *next, *ready; /* nready events on a stack */
    uint32_t nready;
    struct tf_values values;
    uint64_t *entered; /* barrier: [nevents * words] ranks known to have entered when an event is done */
    bool fixed;        /* operands must be bracketed as tf_plan_check_fixed() has it */
    char *words;
    size_t capacity;
};

static inline const struct tf_step *tf_symbolic_step(const struct tf_symbolic *c, const struct tf_event *e)
{
    return &c->members[e->rank].plan->steps[e->step];
}

static inline bool tf_symbolic_receives(const struct tf_step *s)
{
    return s->kind == TF_RECV || s->kind == TF_RECV_REDUCE;
}

/* Say what is wrong, with the second in which step; return false. */
bool tf_symbolic_fail(struct tf_symbolic *c, const char *format, ...) TF_PRINTF(2, 3);
bool tf_symbolic_fail_at(struct tf_symbolic *c, const struct tf_event *e, const char *format, ...) TF_PRINTF(3, 4);

/* Find the partner of each event that is one end of a message (match.c). */
bool tf_symbolic_match(struct tf_symbolic *c);
/* Run all events: ready ones in any order with sends that wait, filling the cells; then in order of emission. */
bool tf_symbolic_run(struct tf_symbolic *c);
bool tf_symbolic_run_in_order(struct tf_symbolic *c);

#endif
