/* choice.h - what a communicator keeps of its collectives, and how a call gets its algorithm, its plan and its buffers:
 * shared by blocking calls (call.c) and those with a request (nonblocking.c).
 */
#ifndef TF_CHOICE_H
#define TF_CHOICE_H

#include "base/listen.h"
#include "coll/domain.h"
#include "coll/exact.h"
#include "coll/family.h"
#include "coll/near.h"
#include "coll/standing.h"

/* The latest choice for a collective: good for calls of the same kind with low <= bytes < high. */
struct tf_choice {
    const struct tf_plan *plan; /* NULL: none yet; in use in the cache */
    size_t low, high;
    uint32_t algorithm; /* its row of algos.def << 16 | its parameter */
    int root;
    bool inplace, commutative, elementwise;
    unsigned must_give;
};

/* Of one communicator. */
struct tf_colls {
    struct tf_plan_cache *plans;
    struct tf_standings standings; /* of blocking calls */
    struct tf_domains domains;
    struct tf_near near;
    struct tf_choice choices[TF_NCOLL];
    const struct tf_algo *chosen[TF_NCOLL]; /* latest, by any form of the call; NULL: none yet */
    struct tf_exact exact;                  /* of blocking calls */
    struct coll_request *kept;              /* of calls with a request (nonblocking.c), so many: */
    int nkept;
    struct tf_rules *rules; /* the communicator's own, NULL: none; once they are known: */
    bool rules_known;
};

/* An error in words if the call is none that its communicator can have. */
int tf_choice_check(const struct tf_call *call);
/* Whether this process only stands by: its group of an intercommunicator has the root, which is another one. */
static inline bool tf_choice_idle(const struct tf_call *call)
{
    return call->root == MPI_PROC_NULL;
}
/* The root's rank in the joint communicator, -1 where that is unknown, 0 where there is none. */
static inline int tf_choice_root(const struct tf_call *call)
{
    const struct tf_comm *comm = call->comm;
    if (!tf_coll_is_rooted(call->coll))
        return 0;
    if (!comm->remote)
        return call->root;
    if (call->root < 0)
        return call->root == MPI_ROOT ? comm->joint->rank : -1;
    return tf_comm_leads(comm) ? comm->size + call->root : call->root;
}
/* The bytes by which the algorithm is chosen. */
size_t tf_choice_bytes(const struct tf_call *call);
/* Whether the choice holds for the call; and the choice for it, in place of what *c held. */
bool tf_choice_fits(const struct tf_choice *c, const struct tf_call *call, size_t bytes);
int tf_choice_make(const struct tf_call *call, size_t bytes, struct tf_choice *c);
/* The plan for a call with a request, in use in the cache until it is released there, and its algorithm. */
int tf_choice_take(const struct tf_call *call, size_t bytes, const struct tf_plan **plan, uint32_t *algorithm);
uint32_t tf_choice_fingerprint(const struct tf_call *call, size_t bytes, uint32_t algorithm);
struct tf_terms tf_choice_terms(const struct tf_call *call, enum tf_form form, size_t bytes, uint32_t algorithm);
/* What the communicator has chosen: the hints or rules have changed by which it did. */
void tf_choice_forget(struct tf_comm *comm);
/* run->types of an alltoallw. */
static inline bool tf_choice_has_types(const struct tf_call *call)
{
    return call->coll == TF_ALLTOALLW || call->coll == TF_NEIGHBOR_ALLTOALLW;
}
int tf_choice_types(struct tf_run *run, const struct tf_call *call);
static inline void tf_choice_change_types(const struct tf_run *run, const struct tf_call *call,
                                          void (*change)(struct tf_type *type))
{
    if (call->sendtype)
        change(call->sendtype);
    if (call->recvtype)
        change(call->recvtype);
    for (int i = 0; i < run->ntypes && tf_choice_has_types(call); i++)
        if (run->types[i])
            change(run->types[i]);
}
/* The program may free the datatypes and the operator while the call is under way.  That marks them for deallocation,
 * and what uses them ends as if nothing had been freed (MPI-5.0 sections 5.1.9 and 6.9.7). */
static inline void tf_choice_hold(const struct tf_run *run, const struct tf_call *call)
{
    tf_choice_change_types(run, call, tf_type_retain);
    if (call->op)
        tf_op_retain(call->op);
}
static inline void tf_choice_let_go(const struct tf_run *run, const struct tf_call *call)
{
    tf_choice_change_types(run, call, tf_type_release);
    if (call->op)
        tf_op_release(call->op);
}
/* The buffers of the call, for that plan. */
int tf_choice_bind(struct tf_run *run, const struct tf_call *call, const struct tf_plan *plan);

/* Free what the communicator keeps for calls with a request. */
void tf_coll_forget_kept(struct tf_colls *colls);

/* The call of that number ends before it has begun, because of `err`, which is returned: the other ranks, whoever waits
 * for this one, are told.  (Which these are the plan would say, and there may be none.) */
int tf_choice_give_up(struct tf_comm *comm, uint32_t sequence, int err) TF_COLD;

/* Whoever listens hears of the program's own calls: a choice that a call has begun or ended with. */
enum { TF_CHOICE_NEWS = 1u << TF_NEWS_BEGUN | 1u << TF_NEWS_ENDED };
void tf_choice_tell(enum tf_news news, const struct tf_call *call, uint32_t algorithm, uint32_t sequence, int err);
static inline bool tf_choice_is_told(const struct tf_call *call)
{
    return TF_UNLIKELY(tf_listen_to & TF_CHOICE_NEWS) && call->caller == TF_CALLER_USER;
}

/* The number of the next collective. */
static inline uint32_t tf_choice_number(struct tf_comm *comm)
{
    return (uint32_t)comm->joint->coll_seq++ & 0x7fffffff;
}

/* The greatest of all ranks' words. */
struct tf_call tf_coll_max_call(struct tf_comm *comm, enum tf_caller caller, const void *mine, uint64_t *result);

#endif
