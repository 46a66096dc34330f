/* neighbors.h - topologies for the tests of neighborhood collectives, and which edge is which in them, found out from
 * what MPI tells of grids and from all ranks' lists of neighbors.
 */
#ifndef NEIGHBORS_H
#define NEIGHBORS_H

#include "check.h"

enum { DEGREE_MOST = 60 };

struct neighbors {
    MPI_Comm comm;
    int rank, in, out;
    int sources[DEGREE_MOST], destinations[DEGREE_MOST]; /* may be MPI_PROC_NULL */
    int edge[DEGREE_MOST];                               /* by which of its slots each source sends */
};

/* In a grid what goes up comes from below. */
static inline void neighbors_of_grid(struct neighbors *n)
{
    int ndims = 0;
    MPI_Cartdim_get(n->comm, &ndims);
    n->in = n->out = 2 * ndims;
    for (int d = 0; d < ndims; d++) {
        MPI_Cart_shift(n->comm, d, 1, &n->sources[2 * d], &n->sources[2 * d + 1]);
        n->edge[2 * d] = 2 * d + 1;
        n->edge[2 * d + 1] = 2 * d;
    }
    memcpy(n->destinations, n->sources, sizeof n->sources);
}

/* In a graph the first edge from a rank to another is the first of both, and so on. */
static inline void neighbors_find_edges(struct neighbors *n)
{
    int size = 0, mine[DEGREE_MOST + 1], *all;
    MPI_Comm_size(n->comm, &size);
    all = malloc((size_t)size * sizeof mine);
    mine[DEGREE_MOST] = n->out;
    memcpy(mine, n->destinations, sizeof n->destinations);
    CHECK_OK(MPI_Allgather(mine, DEGREE_MOST + 1, MPI_INT, all, DEGREE_MOST + 1, MPI_INT, n->comm));
    for (int j = 0; j < n->in; j++) {
        const int *theirs = all + (size_t)n->sources[j] * (DEGREE_MOST + 1);
        int before = 0, k = 0;
        for (int i = 0; i < j; i++)
            before += n->sources[i] == n->sources[j];
        for (; k < theirs[DEGREE_MOST] && (theirs[k] != n->rank || before-- > 0); k++)
            ;
        CHECK(k < theirs[DEGREE_MOST]);
        n->edge[j] = k;
    }
    free(all);
}

/* That of a communicator with a topology. */
static inline void neighbors_find(MPI_Comm comm, struct neighbors *n)
{
    int kind = MPI_UNDEFINED, weighted;
    *n = (struct neighbors){.comm = comm};
    MPI_Comm_rank(comm, &n->rank);
    MPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        neighbors_of_grid(n);
        return;
    }
    if (kind == MPI_GRAPH) {
        MPI_Graph_neighbors_count(comm, n->rank, &n->in);
        MPI_Graph_neighbors(comm, n->rank, n->in, n->sources);
        n->out = n->in;
        memcpy(n->destinations, n->sources, sizeof n->sources);
    } else {
        MPI_Dist_graph_neighbors_count(comm, &n->in, &n->out, &weighted);
        MPI_Dist_graph_neighbors(comm, n->in, n->sources, MPI_UNWEIGHTED, n->out, n->destinations, MPI_UNWEIGHTED);
    }
    neighbors_find_edges(n);
}

/* ---- topologies of all ranks: one of each number from 0, MPI_COMM_NULL at the end ---- */

enum { NEIGHBORS_GRIDS = 10, NEIGHBORS_DIST = 8, NEIGHBORS_GRAPHS = 3 };

/* Of `size` ranks: rings and lines of one, two and three dimensions, with dimensions of 1 and 2. */
static inline MPI_Comm neighbors_grid(int number, int size)
{
    int half = size % 2 == 0 ? size / 2 : size, dims[4] = {1, 1, 1, 1}, periods[4], n;
    static const int kinds[NEIGHBORS_GRIDS][6] = {/* how many dimensions, then of each: 0 all, 1, 2 two, 3 the rest */
                                                  {1, 0},       {1, 0},          {2, 2, 3}, {2, 2, 3}, {3, 1, 2, 3},
                                                  {3, 2, 1, 3}, {4, 1, 1, 2, 3}, {2, 0, 1}, {0},       {2, 1, 1}};
    static const int rings[NEIGHBORS_GRIDS] = {1, 0, 3, 1, 7, 5, 15, 3, 0, 3};
    MPI_Comm comm = MPI_COMM_NULL;
    n = kinds[number][0];
    for (int d = 0; d < n; d++) {
        int kind = kinds[number][d + 1];
        dims[d] = kind == 0 ? size : kind == 1 ? 1 : kind == 2 ? (half < size ? 2 : 1) : half;
        periods[d] = rings[number] >> d & 1;
    }
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, n, dims, periods, number % 2, &comm));
    return comm;
}

static inline int neighbors_random(unsigned *seed, int below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (int)(*seed >> 10) % below;
}

/* With repetitions, loops, and ranks without any edge; the same edges on all ranks, each given by where it begins. */
static inline MPI_Comm neighbors_dist_graph(int number, int size)
{
    int degree = 0, to[DEGREE_MOST], active = number % 3 == 1 ? size / 2 + 1 : size;
    int n = number == 0 ? 0 : number == 1 ? 1 : 3 * active;
    unsigned seed = (unsigned)number + 5;
    MPI_Comm comm = MPI_COMM_NULL;
    for (int i = 0; i < n; i++) {
        int from = neighbors_random(&seed, active), target = neighbors_random(&seed, active);
        if (from == check_rank && degree < DEGREE_MOST / 2)
            to[degree++] = target;
    }
    CHECK_OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &check_rank, &degree, to, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   number % 2, &comm));
    return comm;
}

/* Symmetric: a ring whose edges are there twice, a star, and pairs that leave the last rank alone. */
static inline MPI_Comm neighbors_graph(int number, int size)
{
    int index[64], edges[64 * 4], n = 0;
    MPI_Comm comm = MPI_COMM_NULL;
    for (int r = 0; r < size; r++) {
        for (int i = 0; i < 4 && number == 0; i++)
            edges[n++] = (r + (i % 2 ? 1 : size - 1)) % size;
        for (int i = 1; i < size && number == 1 && r == 0; i++)
            edges[n++] = i;
        if (number == 1 && r > 0)
            edges[n++] = 0;
        if (number == 2 && (r ^ 1) < size)
            edges[n++] = r ^ 1;
        index[r] = n;
    }
    CHECK_OK(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm));
    return comm;
}

static inline MPI_Comm neighbors_topology(int number)
{
    if (number < NEIGHBORS_GRIDS)
        return neighbors_grid(number, check_size);
    number -= NEIGHBORS_GRIDS;
    if (number < NEIGHBORS_DIST)
        return neighbors_dist_graph(number, check_size);
    number -= NEIGHBORS_DIST;
    return number < NEIGHBORS_GRAPHS ? neighbors_graph(number, check_size) : MPI_COMM_NULL;
}

enum { NEIGHBORS_TOPOLOGIES = NEIGHBORS_GRIDS + NEIGHBORS_DIST + NEIGHBORS_GRAPHS };

#endif
