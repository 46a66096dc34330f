/* bine.h - the binomial tree along the meetings of swing.h, whose edges are shorter than those of the usual one.
 *
 *     p = 8, root 0     distance 3: 0-3     distance 1: 0-7, 3-4     distance 1: 0-1, 3-2, 4-5, 7-6
 *
 * A rank's edge to its parent is the meeting of the first round in whose bit it differs from the root, its children are
 * those it meets in earlier rounds.  For any root ranks are counted from it; where p is no power of two, the extra
 * ranks are leaves below the rank they are folded into.  ceil(log2 p) levels.  De Sensi and others, "Bine trees:
 * enhancing collective operations by optimizing communication locality", arXiv 2508.17311, SC 2025.
 */
#ifndef TF_BINE_H
#define TF_BINE_H

#include "plan/plan.h"

#define TF_BINE_MAX_CHILDREN 32

struct tf_bine {
    int parent;                                 /* -1 at the root */
    int nchildren, child[TF_BINE_MAX_CHILDREN]; /* smallest subtree first */
};

struct tf_bine tf_algo_bine(const struct tf_shape *shape);

#endif
