/* topo.h - virtual topologies (MPI-5.0 chapter 8): grids, graphs and distributed graphs of the processes of a
 * communicator.
 *
 * A topology is an object that does not change.  A communicator holds a reference; a duplicate of the communicator
 * holds another one, and no other constructor passes it on.  Arguments are in MPI's order.  Constructors are
 * collective: all processes get the new communicator, or an error.
 */
#ifndef TF_TOPO_H
#define TF_TOPO_H

#include "comm/comm.h"
#include "plan/neighbors.h"
#include "topo/grid.h"

struct tf_graph {
    int nnodes;
    int *index; /* [nnodes] where the neighbours of the next node begin */
    int *edges; /* [index[nnodes - 1]] */
};

/* One process's part of a distributed graph. */
struct tf_adjacent {
    int indegree, outdegree;
    bool weighted;
    int *sources, *sourceweights;    /* [indegree] */
    int *destinations, *destweights; /* [outdegree] */
};

struct tf_topo {
    int refs;
    int kind;                      /* which of these: MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH */
    bool has_neighbors;            /* those of this process are known: */
    struct tf_neighbors neighbors; /* (neighbors.c) */
    union {
        struct tf_grid grid;
        struct tf_graph graph;
        struct tf_adjacent adjacent;
    };
    int numbers[]; /* what they point to */
};

void tf_topo_setup(void); /* communicators may have one, comm->topo */

/* With room for that many numbers, and one reference; NULL: no memory, recorded. */
struct tf_topo *tf_topo_create(int kind, int64_t numbers);
struct tf_topo *tf_topo_create_grid(int ndims, const int *dims, const int *periods);
struct tf_topo *tf_topo_retain(struct tf_topo *topo); /* NULL stays NULL */
void tf_topo_release(struct tf_topo *topo);
/* The topology of a communicator, which must be of that kind; else MPI_ERR_TOPOLOGY. */
int tf_topo_of(const struct tf_comm *comm, int kind, const struct tf_topo **topo);

/* The neighbors of this process in the communicator's topology, for coll/, which calls it where there is one. */
int tf_topo_neighbors(const struct tf_comm *comm, const struct tf_neighbors **neighbors);
/* How many neighbors this process receives from, and sends to, in a neighborhood collective; 0 without a topology. */
int tf_topo_indegree(const struct tf_comm *comm);
int tf_topo_outdegree(const struct tf_comm *comm);

int tf_topo_test(const struct tf_comm *comm, int *status);
int tf_dims_create(int nnodes, int ndims, int *dims);

int tf_cart_create(struct tf_comm *comm, int ndims, const int *dims, const int *periods, int reorder,
                   MPI_Comm *newcomm);
int tf_cart_sub(struct tf_comm *comm, const int *remain_dims, MPI_Comm *newcomm);
int tf_cart_map(const struct tf_comm *comm, int ndims, const int *dims, const int *periods, int *newrank);
int tf_cartdim_get(const struct tf_comm *comm, int *ndims);
int tf_cart_get(const struct tf_comm *comm, int maxdims, int *dims, int *periods, int *coords);
int tf_cart_coords(const struct tf_comm *comm, int rank, int maxdims, int *coords);
int tf_cart_rank(const struct tf_comm *comm, const int *coords, int *rank);
int tf_cart_shift(const struct tf_comm *comm, int direction, int disp, int *rank_source, int *rank_dest);

int tf_graph_create(struct tf_comm *comm, int nnodes, const int *index, const int *edges, int reorder,
                    MPI_Comm *newcomm);
int tf_graph_map(const struct tf_comm *comm, int nnodes, const int *index, const int *edges, int *newrank);
int tf_graphdims_get(const struct tf_comm *comm, int *nnodes, int *nedges);
int tf_graph_get(const struct tf_comm *comm, int maxindex, int maxedges, int *index, int *edges);
int tf_graph_neighbors_count(const struct tf_comm *comm, int rank, int *nneighbors);
int tf_graph_neighbors(const struct tf_comm *comm, int rank, int maxneighbors, int *neighbors);

/* Weights may be MPI_UNWEIGHTED and, where there are no edges, MPI_WEIGHTS_EMPTY; info NULL. */
int tf_dist_graph_create(struct tf_comm *comm, int n, const int *sources, const int *degrees, const int *destinations,
                         const int *weights, struct tf_info *info, int reorder, MPI_Comm *newcomm);
int tf_dist_graph_create_adjacent(struct tf_comm *comm, int indegree, const int *sources, const int *sourceweights,
                                  int outdegree, const int *destinations, const int *destweights, struct tf_info *info,
                                  int reorder, MPI_Comm *newcomm);
int tf_dist_graph_neighbors_count(const struct tf_comm *comm, int *indegree, int *outdegree, int *weighted);
int tf_dist_graph_neighbors(const struct tf_comm *comm, int maxindegree, int *sources, int *sourceweights,
                            int maxoutdegree, int *destinations, int *destweights);

#endif
