/* neighbors.h - the edges of a topology as one of its ranks sees them. */
#ifndef TF_PLAN_NEIGHBORS_H
#define TF_PLAN_NEIGHBORS_H

#include "base/base.h"

/* With whom one rank of a topology exchanges: ranks, or less than 0 where a grid has nobody, each as often as there are
 * edges.  Each of its destinations has it among its sources, as often. */
struct tf_neighbors {
    int32_t indegree, outdegree;
    const int32_t *sources, *destinations;
    /* Which of several edges from one rank to another is which: the k-th of the destinations is the k-th of the
     * sources; but in a grid, where neighbors are the lower and the upper one in each dimension, what goes up comes
     * from below.
     */
    bool grid;
};

#endif
