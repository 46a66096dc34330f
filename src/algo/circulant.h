/* circulant.h - rounds between ranks at one distance, the same for all, that halve what is left and work for any
 * number of ranks.
 *
 *     p = 5     left     5   3   2   1
 *               round    distance 3: 2 blocks    distance 2: 1 block    distance 1: 1 block
 *
 * Rank r counts blocks from its own: r, r+1, ... (modulo p).  Of the n blocks left it gives those from ceil(n/2) on to
 * the rank at that distance above, whose first ones they are, and takes as many for its own first ones from the rank
 * below.  Backwards, and with blocks coming from above, the same rounds gather.  ceil(log2 p) rounds, p - 1 blocks each
 * way.  Traff, "Optimal, non-pipelined reduce-scatter and allreduce algorithms", arXiv 2410.14234.
 */
#ifndef TF_CIRCULANT_H
#define TF_CIRCULANT_H

#include "plan/plan.h"

#define TF_CIRCULANT_MAX_ROUNDS 32

/* left[0] = p > left[1] > ... > left[rounds] = 1; returns rounds. */
static inline int tf_algo_circulant_rounds(int p, int left[TF_CIRCULANT_MAX_ROUNDS + 1])
{
    int rounds = 0;

    for (left[0] = p; left[rounds] > 1; rounds++)
        left[rounds + 1] = left[rounds] - left[rounds] / 2;
    return rounds;
}

/* A run of blocks that may go past the last one and on from block 0 is one message or two, the same on both sides. */
static inline struct tf_ref tf_algo_run(const struct tf_plan *plan, int buffer, int first, int count)
{
    int p = plan->nblocks;

    return tf_blocks(buffer, first, count < p - first ? count : p - first);
}

static inline struct tf_ref tf_algo_run_rest(const struct tf_plan *plan, int buffer, int first, int count)
{
    return tf_blocks(buffer, 0, count - tf_algo_run(plan, buffer, first, count).count);
}

void tf_algo_run_send(struct tf_plan *plan, int peer, int buffer, int first, int count);
void tf_algo_run_recv(struct tf_plan *plan, int peer, int buffer, int first, int count);

/* Every rank has its block in TF_OUTPUT; gather all there. */
void tf_algo_circulant_gather(struct tf_plan *plan, int rank);

#endif
