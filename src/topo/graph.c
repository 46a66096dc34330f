/* graph.c - graphs that every process knows as a whole (MPI-5.0 sections 8.5.3 and 8.5.5).
 *
 * An edge is listed at the node where it begins; it may be listed several times, lead back to its node, and need not be
 * listed at its other end.
 */
#include "topo/make.h"
#include "topo/place.h"

static int first_edge(const int *index, int node)
{
    return node > 0 ? index[node - 1] : 0;
}

/* ---- making one ---- */

static int check_graph(const struct tf_comm *comm, int nnodes, const int *index, const int *edges)
{
    if (nnodes < 0 || nnodes > comm->size)
        return tf_error(MPI_ERR_ARG, "nnodes is %d; it must be between 0 and %d, the size of %s", nnodes, comm->size,
                        tf_comm_describe(comm));
    for (int i = 0; i < nnodes; i++) {
        if (index[i] < first_edge(index, i))
            return tf_error(MPI_ERR_ARG, "index[%d] is %d; it must be at least %d, the number of edges before it", i,
                            index[i], first_edge(index, i));
    }
    int nedges = first_edge(index, nnodes);
    if (nedges > 0 && !edges)
        return tf_error(MPI_ERR_ARG, "edges is a null pointer");
    for (int i = 0; i < nedges; i++) {
        if (edges[i] < 0 || edges[i] >= nnodes)
            return tf_error(MPI_ERR_RANK, "edges[%d] is %d; it must be between 0 and %d, the last node", i, edges[i],
                            nnodes - 1);
    }
    return MPI_SUCCESS;
}

static struct tf_topo *create(int nnodes, const int *index, const int *edges)
{
    int nedges = first_edge(index, nnodes);
    struct tf_topo *topo = tf_topo_create(MPI_GRAPH, (int64_t)nnodes + nedges);
    if (!topo)
        return NULL;
    topo->graph = (struct tf_graph){.nnodes = nnodes, .index = topo->numbers, .edges = topo->numbers + nnodes};
    if (nnodes > 0)
        memcpy(topo->graph.index, index, (size_t)nnodes * sizeof *index);
    if (nedges > 0)
        memcpy(topo->graph.edges, edges, (size_t)nedges * sizeof *edges);
    return topo;
}

/* *ranks: which rank of comm is each node, for free(); NULL: that of the same number. */
static int place(const struct tf_comm *comm, const struct tf_graph *graph, int **ranks)
{
    int n = graph->nnodes, nedges = first_edge(graph->index, n), nlevels;
    int32_t *labels;
    int err = tf_topo_levels(comm, n, &nlevels, &labels);
    if (err || !labels)
        return err;
    struct tf_arc *arcs = tf_alloc(((size_t)nedges + 1) * sizeof *arcs, "the edges of a graph");
    *ranks = arcs ? tf_alloc((size_t)n * sizeof **ranks, "the nodes of a graph") : NULL;
    for (int v = 0; v < n && *ranks; v++) {
        for (int i = first_edge(graph->index, v); i < graph->index[v]; i++)
            arcs[i] = (struct tf_arc){v, graph->edges[i], 1};
    }
    err = *ranks ? tf_place_graph(n, nedges, arcs, labels, *ranks) : MPI_ERR_NO_MEM;
    free(arcs);
    free(labels);
    return err;
}

int tf_graph_create(struct tf_comm *comm, int nnodes, const int *index, const int *edges, int reorder,
                    MPI_Comm *newcomm)
{
    struct tf_making m = {.comm = comm, .caller = TF_CALLER_GRAPH_CREATE, .size = nnodes, .what = "graphs"};
    int *ranks = NULL, rest[2] = {nnodes, reorder != 0};
    int err = tf_topo_check_intra(comm);
    if (err)
        return err;
    err = check_graph(comm, nnodes, index, edges);
    if (!err) {
        m.topo = create(nnodes, index, edges);
        err = m.topo ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    if (!err && reorder && nnodes > 0)
        err = place(comm, &m.topo->graph, &ranks);
    if (!err) {
        m.ranks = ranks;
        m.digest =
            tf_topo_digest(tf_topo_digest(0, rest, 2), m.topo->numbers, (int64_t)nnodes + first_edge(index, nnodes));
    }
    err = tf_topo_make(&m, err, newcomm);
    free(ranks);
    return err;
}

int tf_graph_map(const struct tf_comm *comm, int nnodes, const int *index, const int *edges, int *newrank)
{
    int *ranks = NULL, found = MPI_UNDEFINED;
    int err = tf_topo_check_intra(comm);
    if (!err)
        err = check_graph(comm, nnodes, index, edges);
    if (err)
        return err;
    struct tf_topo *topo = create(nnodes, index, edges);
    err = !topo ? MPI_ERR_NO_MEM : nnodes > 0 ? place(comm, &topo->graph, &ranks) : MPI_SUCCESS;
    for (int i = 0; i < nnodes && !err; i++) {
        if ((ranks ? ranks[i] : i) == comm->rank)
            found = i;
    }
    if (!err)
        *newrank = found;
    free(ranks);
    tf_topo_release(topo);
    return err;
}

/* ---- asking ---- */

int tf_graphdims_get(const struct tf_comm *comm, int *nnodes, int *nedges)
{
    const struct tf_topo *topo;
    int err = tf_topo_of(comm, MPI_GRAPH, &topo);
    if (err)
        return err;
    *nnodes = topo->graph.nnodes;
    *nedges = first_edge(topo->graph.index, topo->graph.nnodes);
    return MPI_SUCCESS;
}

int tf_graph_get(const struct tf_comm *comm, int maxindex, int maxedges, int *index, int *edges)
{
    const struct tf_topo *topo;
    int nnodes, nedges;
    int err = tf_topo_of(comm, MPI_GRAPH, &topo);
    if (err || (err = tf_graphdims_get(comm, &nnodes, &nedges)))
        return err;
    if (maxindex < nnodes)
        return tf_error(MPI_ERR_ARG, "maxindex is %d; the graph has %d nodes", maxindex, nnodes);
    if (maxedges < nedges)
        return tf_error(MPI_ERR_ARG, "maxedges is %d; the graph has %d edges", maxedges, nedges);
    if (nnodes > 0)
        memcpy(index, topo->graph.index, (size_t)nnodes * sizeof *index);
    if (nedges > 0)
        memcpy(edges, topo->graph.edges, (size_t)nedges * sizeof *edges);
    return MPI_SUCCESS;
}

/* *first is where the neighbours of the rank are, of which there are *n. */
static int neighbors(const struct tf_comm *comm, int rank, const int **first, int *n)
{
    const struct tf_topo *topo;
    int err = tf_topo_of(comm, MPI_GRAPH, &topo);
    if (err)
        return err;
    const struct tf_graph *graph = &topo->graph;
    if (rank < 0 || rank >= graph->nnodes)
        return tf_error(MPI_ERR_RANK, "rank is %d; it must be between 0 and %d, the highest rank of %s", rank,
                        graph->nnodes - 1, tf_comm_describe(comm));
    *first = graph->edges + first_edge(graph->index, rank);
    *n = graph->index[rank] - first_edge(graph->index, rank);
    return MPI_SUCCESS;
}

int tf_graph_neighbors_count(const struct tf_comm *comm, int rank, int *nneighbors)
{
    const int *first;
    return neighbors(comm, rank, &first, nneighbors);
}

int tf_graph_neighbors(const struct tf_comm *comm, int rank, int maxneighbors, int *out)
{
    const int *first;
    int n;
    int err = neighbors(comm, rank, &first, &n);
    if (!err && maxneighbors < n)
        err = tf_error(MPI_ERR_ARG, "maxneighbors is %d; rank %d has %d neighbors", maxneighbors, rank, n);
    if (!err && n > 0)
        memcpy(out, first, (size_t)n * sizeof *out);
    return err;
}
