/* pattern.h - what several generators share: own contribution, segments, folding to a power of two, the exchange that
 * never overwrites what it is sending. */
#ifndef TF_PATTERN_H
#define TF_PATTERN_H

#include "plan/plan.h"

/* The buffer that holds this rank's contribution where in place it stands in TF_OUTPUT. */
static inline int tf_algo_own(const struct tf_shape *shape)
{
    return shape->inplace ? TF_OUTPUT : TF_INPUT;
}

/* How a reduce_scatter that needs a peer opens: in place the buffers alias; true if this rank is alone, its result
 * being there then. */
bool tf_algo_reduce_scatter_alone(struct tf_plan *plan, const struct tf_shape *shape);

/* dst = src unless they are the same blocks. */
void tf_algo_move(struct tf_plan *plan, struct tf_ref src, struct tf_ref dst);

/* Into how many segments a pipelined algorithm cuts the vector: the parameter, where one is given. */
static inline int tf_algo_segments(const struct tf_shape *shape)
{
    return shape->parameter > 0 ? shape->parameter : 16;
}

static inline enum tf_side tf_algo_side(int peer, int rank)
{
    return peer < rank ? TF_LEFT : TF_RIGHT;
}

/* Folding p ranks to the largest power of two: of the first 2 * extra ranks, adjacent pairs share one core member.
 *
 *     p = 6    ranks  0   1   2   3   4   5
 *     extra 2  core   0 <-'   1 <-'   2   3
 *
 * Core order is rank order, so folding keeps it.  The member of a pair is its even rank, or the root where it is in it.
 */
struct tf_fold {
    int core, extra; /* members (a power of two), folded pairs */
    int member;      /* this rank's number among the members, -1 if it is folded into its partner */
    int partner;     /* the other rank of this rank's pair, -1 if it is in none */
};

struct tf_fold tf_algo_fold(int rank, int size, int root);
int tf_algo_fold_rank(const struct tf_fold *fold, int member, int root); /* the rank of a member */
/* The ranks that member `m` stands for begin there; member `core` begins at the size. */
static inline int tf_algo_fold_first(const struct tf_fold *fold, int m)
{
    return m < fold->extra ? 2 * m : m + fold->extra;
}

/* A vector that is combined again and again while its last value may still be on its way to a peer, so each new value
 * goes to another buffer and the last to TF_OUTPUT: with every send synchronous, overwriting what is being sent would
 * make two ranks wait for each other.  No value is copied unless one single exchange is in place. */
struct tf_relay {
    int at;      /* the buffer that holds the current value */
    int left;    /* values still to come */
    int temp[2]; /* 0: not created yet */
};

/* Where the next value is to be written; makes it the current one. */
int tf_algo_relay_next(struct tf_plan *plan, struct tf_relay *relay);

/* The two rounds with the farthest member, the last of halving and the first of spreading, are an echo: steps `first`
 * and `first` + 1 are the SEND and RECV_REDUCE, `first` + 2 and 3 the SEND and RECV. */
static inline void tf_algo_echo(struct tf_plan *plan, uint32_t first)
{
    tf_plan_echo(plan, first, first + 3);
    tf_plan_echo(plan, first + 1, first + 2);
}

/* Recursive halving with doubling distance over the members: rounds of exchanging halves with members 1, 2, 4, ...
 * away, which keeps rank order.  On entry the vector (core blocks) is in `at`; on return one block is combined, in
 * `home` (in `at` where there is one member); its number is returned. */
int tf_algo_halve(struct tf_plan *plan, const struct tf_fold *fold, int root, int at, int home);

#endif
