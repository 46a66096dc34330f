/* place.h - which rank takes which place of a topology, so that few of its edges cross between nodes.  Pure.
 *
 * The machine is one or more levels, from the outermost in; labels[level * n + rank] says to which of the level's
 * objects (nodes, or packages, or caches) the rank belongs: 0, 1, 2, ... in the order in which they first appear.  The
 * answer is a permutation, ranks[place], the same whoever asks.  On the outermost level no more edges cross than if
 * each rank took the place of its own number: where nothing better is found that is the answer.
 */
#ifndef TF_PLACE_H
#define TF_PLACE_H

#include "topo/grid.h"

int tf_place_grid(const struct tf_grid *grid, int nlevels, const int32_t *labels, int *ranks);
/* Edges of the grid between places of other labels; label[place] below 0: the place does not count. */
int64_t tf_place_grid_cut(const struct tf_grid *grid, const int32_t *label);

struct tf_arc {
    int from, to, weight; /* at least 0 */
};

/* Of a graph of n places; of one level only. */
int tf_place_graph(int n, int64_t narcs, const struct tf_arc *arcs, const int32_t *labels, int *ranks);
/* The weight of the arcs between places of other labels. */
int64_t tf_place_graph_cut(int64_t narcs, const struct tf_arc *arcs, const int32_t *labels, const int *ranks);

#endif
