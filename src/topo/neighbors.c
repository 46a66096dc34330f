/* neighbors.c - with whom a process exchanges in the neighborhood collectives (MPI-5.0 section 8.6), in which order.
 *
 *     grid               in each dimension the lower neighbor, then the upper one, at the distance 1
 *     graph              MPI_Graph_neighbors: each sends to, and receives from, all of them
 *     distributed graph  MPI_Dist_graph_neighbors: destinations and sources
 *
 * In a graph each edge carries a message both ways, so there has to be one back for each; every process knows the whole
 * graph, so all of them say so if there is not.
 */
#include "topo/topo.h"

/* ---- grids ---- */

static int32_t next_to(const struct tf_grid *grid, int rank, int d, int step)
{
    int stride = tf_grid_stride(grid, d), at = rank / stride % grid->dims[d], to = at + step;
    if (grid->periods[d])
        to = tf_grid_wrap(to, grid->dims[d]);
    return to < 0 || to >= grid->dims[d] ? MPI_PROC_NULL : rank + (to - at) * stride;
}

static void of_grid(struct tf_topo *topo, int rank)
{
    const struct tf_grid *grid = &topo->grid;
    int n = 2 * grid->ndims;
    int32_t *ranks = grid->periods + grid->ndims;
    for (int i = 0; i < n; i++)
        ranks[i] = next_to(grid, rank, i / 2, i % 2 ? 1 : -1);
    topo->neighbors = (struct tf_neighbors){n, n, ranks, ranks, true};
}

/* ---- graphs ---- */

static int first_edge(const struct tf_graph *graph, int node)
{
    return node > 0 ? graph->index[node - 1] : 0;
}

static int by_ends(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* All edges, from where to where, sorted; or the other way round. */
static void sort_edges(const struct tf_graph *graph, bool back, int (*edges)[2])
{
    for (int v = 0; v < graph->nnodes; v++)
        for (int i = first_edge(graph, v); i < graph->index[v]; i++) {
            edges[i][back] = v;
            edges[i][!back] = graph->edges[i];
        }
    qsort(edges, (size_t)first_edge(graph, graph->nnodes), sizeof *edges, by_ends);
}

static int check_symmetry(const struct tf_comm *comm, const struct tf_graph *graph)
{
    int n = first_edge(graph, graph->nnodes), at = 0, err = MPI_SUCCESS;
    int(*there)[2] = tf_alloc(2 * ((size_t)n + 1) * sizeof *there, "the edges of a graph"), (*back)[2] = there + n;
    if (!there)
        return MPI_ERR_NO_MEM;
    sort_edges(graph, false, there);
    sort_edges(graph, true, back);
    while (at < n && by_ends(there[at], back[at]) == 0)
        at++;
    if (at < n) {
        const int *single = by_ends(there[at], back[at]) < 0 ? there[at] : back[at];
        bool forth = single == there[at];
        err = tf_error(MPI_ERR_TOPOLOGY,
                       "%s has a graph topology with more edges from rank %d to rank %d than back; neighborhood "
                       "collectives need one for each",
                       tf_comm_describe(comm), single[!forth], single[forth]);
    }
    free(there);
    return err;
}

static int of_graph(const struct tf_comm *comm, struct tf_topo *topo)
{
    const struct tf_graph *graph = &topo->graph;
    int first = first_edge(graph, comm->rank), n = graph->index[comm->rank] - first;
    topo->neighbors = (struct tf_neighbors){n, n, graph->edges + first, graph->edges + first, false};
    return check_symmetry(comm, graph);
}

/* ---- all of them ---- */

int tf_topo_neighbors(const struct tf_comm *comm, const struct tf_neighbors **neighbors)
{
    struct tf_topo *topo = comm->topo;
    int err = MPI_SUCCESS;
    if (!topo->has_neighbors) {
        const struct tf_adjacent *a = &topo->adjacent;
        if (topo->kind == MPI_CART)
            of_grid(topo, comm->rank);
        else if (topo->kind == MPI_GRAPH)
            err = of_graph(comm, topo);
        else
            topo->neighbors = (struct tf_neighbors){a->indegree, a->outdegree, a->sources, a->destinations, false};
        topo->has_neighbors = !err;
    }
    *neighbors = &topo->neighbors;
    return err;
}

int tf_topo_indegree(const struct tf_comm *comm)
{
    const struct tf_neighbors *neighbors;
    return comm->topo && !tf_topo_neighbors(comm, &neighbors) ? neighbors->indegree : 0;
}

int tf_topo_outdegree(const struct tf_comm *comm)
{
    const struct tf_neighbors *neighbors;
    return comm->topo && !tf_topo_neighbors(comm, &neighbors) ? neighbors->outdegree : 0;
}
