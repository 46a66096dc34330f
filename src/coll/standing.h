/* standing.h - the calls that a communicator has had: one that comes again, with the same arguments but for its
 * addresses, runs on what the first was bound to.  Those with a request: nonblocking.c.
 *
 * Programs repeat a few calls in turn: a barrier and a reduction, two sums of different lengths, broadcasts by one root
 * after the other.  To choose, to bind and to say what the call is to others takes twice as long as the call.
 */
#ifndef TF_STANDING_H
#define TF_STANDING_H

#include "coll/coll.h"
#include "exec/exec.h"

enum { TF_STANDING = 16 };

struct tf_standing {
    struct tf_run run;        /* its terms are those of the call */
    uint32_t age;             /* the room's as it was bound: it stands for as long as that is the same */
    uint32_t told_by_address; /* the same if its objects are predefined, else 0 */
    struct tf_call call;
    bool in_place;                   /* what it sends */
    size_t bytes;                    /* by which the algorithm was chosen: */
    uint32_t algorithm;              /* its row of algos.def << 16 | its parameter */
    uint64_t op, sendtype, recvtype; /* the numbers of the objects, which may have freed ones' addresses */
    const struct tf_plan *plan;      /* in use in the cache, NULL: none */
};

/* The blocking ones of one communicator; in use one at a time, so they share the room. */
struct tf_standings {
    struct tf_room room;
    struct tf_standing *of[TF_NCOLL]; /* the latest of its kind */
    const struct tf_standing *noted;  /* whose terms the accord has since the latest call, NULL: another's */
    struct tf_standing *all[TF_STANDING], first;
    unsigned turn;
};

void tf_standings_open(struct tf_standings *standings);
void tf_standings_close(struct tf_standings *standings, struct tf_plan_cache *plans);

/* It stands for nothing any more, and is bound for nothing; and needs no plan. */
static inline void tf_standing_reset(struct tf_standing *standing)
{
    standing->age = standing->told_by_address = 0;
    standing->run.op = NULL;
    standing->run.kernel = NULL;
}
void tf_standing_drop_plan(struct tf_standing *standing, struct tf_plan_cache *plans);

/* The run is bound for standing->call, by which it is known from now on.  Whether it may be run again for others. */
bool tf_standing_know(struct tf_standing *standing);
/* Whether it is known by such a call. */
bool tf_standing_is(const struct tf_standing *standing, const struct tf_call *call);
/* The only things that are others than in the call it was bound for. */
static inline void tf_standing_place(struct tf_standing *standing, const struct tf_call *call)
{
    standing->run.bound[TF_INPUT].base = (char *)call->sendbuf;
    standing->run.bound[TF_OUTPUT].base = call->recvbuf;
}

/* The one that fits the call, which is the latest from now on; NULL: none does. */
struct tf_standing *tf_standing_find(struct tf_standings *standings, const struct tf_call *call);
/* One to be bound for another call by that plan: each in turn gives its place up to it. */
struct tf_standing *tf_standing_take(struct tf_standings *standings, struct tf_plan_cache *plans,
                                     const struct tf_plan *plan);
/* It is bound for the call: from now on it stands, if it may. */
void tf_standing_keep(struct tf_standings *standings, struct tf_standing *standing, const struct tf_call *call);

/* Nothing stands any more. */
static inline void tf_standings_end(struct tf_standings *standings)
{
    standings->room.age++;
}

static inline bool tf_standing_same_data(const struct tf_standing *s, const struct tf_call *call)
{
    return s->call.recvcount == call->recvcount && s->call.op == call->op && s->call.recvtype == call->recvtype &&
           s->call.root == call->root && s->in_place == (call->sendbuf == MPI_IN_PLACE) &&
           tf_memory_is_host(call->sendbuf) && tf_memory_is_host(call->recvbuf);
}

static inline bool tf_standing_same_array(struct tf_counts a, struct tf_counts b)
{
    return a.array == b.array && a.large == b.large;
}

/* The rest of a call that moves data.  What is in the arrays is read when the plan runs. */
static inline bool tf_standing_same_move(const struct tf_call *a, const struct tf_call *b)
{
    return a->sendcount == b->sendcount && a->sendtype == b->sendtype &&
           (a->recvbuf == MPI_IN_PLACE) == (b->recvbuf == MPI_IN_PLACE) &&
           tf_standing_same_array(a->recvcounts, b->recvcounts) && tf_standing_same_array(a->rdispls, b->rdispls) &&
           tf_standing_same_array(a->sendcounts, b->sendcounts) && tf_standing_same_array(a->sdispls, b->sdispls);
}

/* Whether the latest of its kind fits the call, as far as addresses tell. */
static inline bool tf_standing_fits(const struct tf_standings *standings, const struct tf_standing *s,
                                    const struct tf_call *call)
{
    return s->told_by_address == standings->room.age && tf_standing_same_data(s, call) &&
           (call->op || tf_standing_same_move(&s->call, call));
}

#endif
