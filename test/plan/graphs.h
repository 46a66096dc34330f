/* graphs.h - topologies on which the collectives between neighbors are proved. */
#ifndef TEST_PLAN_GRAPHS_H
#define TEST_PLAN_GRAPHS_H

#include "plan/plan.h"

struct graphs {
    int32_t size;
    struct tf_neighbors *neighbors; /* [size] */
    int32_t *ranks;                 /* what they point to */
};

/* The topology of that number, from 0, on that many ranks: grids of up to four dimensions of every extent, rings or
 * not, and random graphs, with loops, edges that are there several times, and ranks that have none.  False: there is
 * none of that number.  `words` says what it is. */
bool graphs_make(struct graphs *graphs, int32_t size, int number, char *words, size_t capacity);
void graphs_free(struct graphs *graphs);

#endif
