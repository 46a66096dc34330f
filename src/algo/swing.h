/* swing.h - rounds of meetings at distances 1, -1, 3, -5, 11, ...: each rank swings from one side of itself to the
 * other, even ranks one way and odd ranks the other.
 *
 *     p = 8     round 0     0-1  2-3  4-5  6-7
 *               round 1     7-0  1-2  3-4  5-6
 *               round 2     0-3  2-5  4-7  6-1
 *
 * Like the hypercube of recursive doubling: after all rounds every rank has met, through others, each other one by one
 * way only.  But the distance d(k) = (1 - (-2)^(k+1)) / 3 of round k is two thirds of the 2^k of recursive doubling, so
 * that fewer links of a torus or a tapered network are crossed.  For powers of two.  De Sensi, Bonato, Saam, Hoefler,
 * "Swing: short-cutting rings for higher bandwidth allreduce", arXiv 2401.09356, NSDI 2024.
 *
 * All distances from round k on are equal modulo 2^(k+1).  So if an odd rank r counts as the even number r - d(last), a
 * meeting in round k changes the bit 2^(k+1) of this number and none below it, and in the last round only whether
 * the rank is odd.  `bits` puts these in the order of the rounds: partners in round k differ in bit k of `bits`, and
 * have the lower bits in common.
 */
#ifndef TF_SWING_H
#define TF_SWING_H

#include "base/base.h"

struct tf_swing {
    int rank, size; /* size: a power of two */
    int rounds;     /* log2 of size */
    int bits;       /* 0 for rank 0 */
};

struct tf_swing tf_algo_swing(int rank, int size);
/* Whom this rank meets in that round. */
int tf_algo_swing_peer(const struct tf_swing *swing, int round);

#endif
