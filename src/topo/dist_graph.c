/* dist_graph.c - graphs of which each process knows its neighbours (MPI-5.0 section 8.5.4).
 *
 * An edge makes two ends, one at each of its nodes.  MPI_Dist_graph_create is given edges anywhere and sends each end
 * to the process that is its node; MPI_Dist_graph_create_adjacent is given the ends where they belong, and sends them
 * only if ranks are reordered.  The neighbours of a node come in the order in which they were given, those that a lower
 * rank gave first.  Only reordering needs the whole graph, which all processes then gather.
 */
#include "coll/coll.h"
#include "topo/make.h"
#include "topo/place.h"

struct end {
    int node, neighbor, weight;
    int out; /* the edge leaves the node */
};

/* What this process gives, and then what it has. */
struct part {
    struct tf_comm *comm;
    enum tf_caller caller;
    int64_t n;
    struct end *ends;          /* [n], for free() */
    bool adjacent;             /* all are of the node of this rank */
    bool weighted, unweighted; /* what it was given, if there are edges */
    bool unasked;              /* something else than MPI_UNWEIGHTED for no edges */
    int reorder;
};

static struct end *alloc_ends(int64_t n)
{
    return tf_alloc(((size_t)n + 1) * sizeof(struct end), "the edges of a graph");
}

/* ---- what is given ---- */

static int check_rank(const struct tf_comm *comm, const char *name, int64_t i, int rank)
{
    if (rank >= 0 && rank < comm->size)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_RANK, "%s[%lld] is %d; it must be between 0 and %d, the highest rank of %s", name,
                    (long long)i, rank, comm->size - 1, tf_comm_describe(comm));
}

/* Of n edges. */
static int check_weights(struct part *p, const char *name, const int *weights, int64_t n)
{
    if (n == 0) {
        p->unasked |= weights != MPI_UNWEIGHTED;
        return MPI_SUCCESS;
    }
    if (weights == MPI_UNWEIGHTED) {
        p->unweighted = true;
        return MPI_SUCCESS;
    }
    p->weighted = true;
    if (!weights || weights == MPI_WEIGHTS_EMPTY)
        return tf_error(MPI_ERR_ARG, "%s is %s, but there are %lld edges", name,
                        weights ? "MPI_WEIGHTS_EMPTY" : "a null pointer", (long long)n);
    for (int64_t i = 0; i < n; i++) {
        if (weights[i] < 0)
            return tf_error(MPI_ERR_ARG, "%s[%lld] is %d; it must be at least 0", name, (long long)i, weights[i]);
    }
    return MPI_SUCCESS;
}

static int weight_at(const int *weights, int64_t i)
{
    return weights == MPI_UNWEIGHTED ? 1 : weights[i];
}

static int count_edges(const struct tf_comm *comm, int n, const int *sources, const int *degrees, int64_t *edges)
{
    *edges = 0;
    for (int i = 0; i < n; i++) {
        int err = check_rank(comm, "sources", i, sources[i]);
        if (err)
            return err;
        if (degrees[i] < 0)
            return tf_error(MPI_ERR_ARG, "degrees[%d] is %d; it must be at least 0", i, degrees[i]);
        *edges += degrees[i];
    }
    return MPI_SUCCESS;
}

/* The edges from each of n sources. */
static int give(struct part *p, int n, const int *sources, const int *degrees, const int *destinations,
                const int *weights)
{
    int64_t edges, at = 0;
    int err = count_edges(p->comm, n, sources, degrees, &edges);
    if (!err)
        err = check_weights(p, "weights", weights, edges);
    if (!err && edges > 0 && !destinations)
        err = tf_error(MPI_ERR_ARG, "destinations is a null pointer");
    if (!err && !(p->ends = alloc_ends(2 * edges)))
        err = MPI_ERR_NO_MEM;
    for (int i = 0; i < n && !err; i++) {
        for (int k = 0; k < degrees[i] && !err; k++, at++) {
            int from = sources[i], to = destinations[at], weight = weight_at(weights, at);
            err = check_rank(p->comm, "destinations", at, to);
            p->ends[p->n++] = (struct end){from, to, weight, true};
            p->ends[p->n++] = (struct end){to, from, weight, false};
        }
    }
    return err;
}

/* The edges of this process in one direction. */
static int give_adjacent(struct part *p, const char *name, int n, const int *neighbors, const char *name_weights,
                         const int *weights, bool out)
{
    int err = check_weights(p, name_weights, weights, n);
    for (int i = 0; i < n && !err; i++) {
        err = check_rank(p->comm, name, i, neighbors[i]);
        p->ends[p->n++] = (struct end){p->comm->rank, neighbors[i], weight_at(weights, i), out};
    }
    return err;
}

/* ---- what all must know: whether anybody has an error, and how much each gives ---- */

struct offer {
    int64_t edges;
    int err, reorder, weighted, unweighted, unasked;
};

/* Which of the offers has it. */
#define FIND(r, offers, size, member)                                                                                  \
    for (r = 0; r < (size) && !(offers)[r].member; r++)                                                                \
        ;

static int compare_offers(struct part *p, const struct offer *offers, int err)
{
    int size = p->comm->size, wrong, with, without, unasked;
    const char *where = tf_comm_describe(p->comm);
    FIND(wrong, offers, size, err);
    if (err || wrong < size)
        return err ? err
                   : tf_error(offers[wrong].err,
                              "rank %d of %s has an error in this call, so that no process gets "
                              "the new communicator",
                              wrong, where);
    FIND(with, offers, size, weighted);
    FIND(without, offers, size, unweighted);
    if (with < size && without < size)
        return tf_error(MPI_ERR_ARG,
                        "rank %d of %s gives weights and rank %d MPI_UNWEIGHTED; it must be the same for "
                        "all edges",
                        with, where, without);
    for (int r = 1; r < size; r++) {
        if (offers[r].reorder != offers[0].reorder)
            return tf_error(MPI_ERR_ARG, "ranks 0 and %d of %s give different values of reorder", r, where);
    }
    FIND(unasked, offers, size, unasked);
    p->weighted = with < size || (without == size && unasked < size); /* a graph without edges has weights as well */
    return MPI_SUCCESS;
}

/* Collective.  *offers: for free(). */
static int make_offers(struct part *p, int err, struct offer **offers)
{
    struct offer mine = {
        .err = err, .reorder = p->reorder, .weighted = p->weighted, .unweighted = p->unweighted, .unasked = p->unasked};
    for (int64_t i = 0; i < p->n && !err; i++)
        mine.edges += p->ends[i].out;
    *offers = tf_alloc((size_t)p->comm->size * sizeof **offers, "the processes of a graph");
    if (!*offers)
        return tf_coll_give_up(p->comm, MPI_ERR_NO_MEM);
    int failed = tf_coll_allgather_bytes(p->comm, p->caller, &mine, sizeof mine, *offers);
    return failed ? failed : compare_offers(p, *offers, err);
}

/* ---- the library's own exchange of bytes ---- */

static struct tf_counts large(const MPI_Count *array)
{
    return (struct tf_counts){array, true};
}

/* Everybody's edges, in the order of ranks. */
static int gather(const struct part *p, const struct offer *offers, const struct tf_arc *mine, struct tf_arc *all)
{
    int size = p->comm->size;
    struct tf_type *byte = tf_type_find(MPI_BYTE);
    MPI_Count *counts = tf_alloc(2 * (size_t)size * sizeof *counts, "the edges of a graph"), *displs = counts + size;
    if (!counts)
        return tf_coll_give_up(p->comm, MPI_ERR_NO_MEM);
    for (int r = 0; r < size; r++) {
        counts[r] = offers[r].edges * (MPI_Count)sizeof *all;
        displs[r] = r ? displs[r - 1] + counts[r - 1] : 0;
    }
    struct tf_call call = {.coll = TF_ALLGATHERV,
                           .caller = p->caller,
                           .comm = p->comm,
                           .sendbuf = mine,
                           .sendcount = counts[p->comm->rank],
                           .sendtype = byte,
                           .recvbuf = all,
                           .recvcounts = large(counts),
                           .rdispls = large(displs),
                           .recvtype = byte};
    int err = tf_coll_run_own(&call);
    free(counts);
    return err;
}

/* How many bytes each rank gives each other one. */
static int swap_counts(const struct part *p, MPI_Count *send, MPI_Count *receive)
{
    struct tf_type *byte = tf_type_find(MPI_BYTE);
    struct tf_call call = {.coll = TF_ALLTOALL,
                           .caller = p->caller,
                           .comm = p->comm,
                           .sendbuf = send,
                           .sendcount = sizeof *send,
                           .sendtype = byte,
                           .recvbuf = receive,
                           .recvcount = sizeof *receive,
                           .recvtype = byte};
    return tf_coll_run_own(&call);
}

/* Sorted by the rank that gets them, in order otherwise; counts and displacements in bytes. */
static void sort_ends(const struct part *p, const int *owner, struct end *sorted, MPI_Count *counts, MPI_Count *displs)
{
    int size = p->comm->size;
    memset(counts, 0, (size_t)size * sizeof *counts);
    for (int64_t i = 0; i < p->n; i++)
        counts[owner[p->ends[i].node]]++;
    for (int r = 0; r < size; r++)
        displs[r] = r ? displs[r - 1] + counts[r - 1] : 0;
    for (int64_t i = 0; i < p->n; i++)
        sorted[displs[owner[p->ends[i].node]]++] = p->ends[i];
    for (int r = 0; r < size; r++) {
        displs[r] = (displs[r] - counts[r]) * (MPI_Count)sizeof *sorted;
        counts[r] *= (MPI_Count)sizeof *sorted;
    }
}

/* Collective: each end goes to the rank that owns its node. */
static int deliver(struct part *p, const int *owner)
{
    size_t size = (size_t)p->comm->size;
    struct tf_type *byte = tf_type_find(MPI_BYTE);
    MPI_Count total = 0, *numbers = tf_alloc(4 * size * sizeof *numbers, "the edges of a graph");
    struct end *sorted = numbers ? alloc_ends(p->n) : NULL, *came = NULL;
    int err = sorted ? MPI_SUCCESS : tf_coll_give_up(p->comm, MPI_ERR_NO_MEM);
    MPI_Count *send = numbers, *from = numbers + size, *receive = numbers + 2 * size, *to = numbers + 3 * size;
    if (!err) {
        sort_ends(p, owner, sorted, send, from);
        err = swap_counts(p, send, receive);
    }
    for (size_t r = 0; r < size && !err; r++) {
        to[r] = total;
        total += receive[r];
    }
    if (!err && !(came = alloc_ends(total / (MPI_Count)sizeof *came)))
        err = tf_coll_give_up(p->comm, MPI_ERR_NO_MEM);
    if (!err) {
        struct tf_call call = {.coll = TF_ALLTOALLV,
                               .caller = p->caller,
                               .comm = p->comm,
                               .sendbuf = sorted,
                               .sendcounts = large(send),
                               .sdispls = large(from),
                               .sendtype = byte,
                               .recvbuf = came,
                               .recvcounts = large(receive),
                               .rdispls = large(to),
                               .recvtype = byte};
        err = tf_coll_run_own(&call);
    }
    free(numbers);
    free(sorted);
    if (err) {
        free(came);
        return err;
    }
    free(p->ends);
    p->ends = came;
    p->n = total / (MPI_Count)sizeof *came;
    return MPI_SUCCESS;
}

/* ---- which rank is which node ---- */

/* Collective if all have given `reorder`.  *ranks: which rank of the old communicator is each node; NULL: the same. */
static int place(const struct part *p, const struct offer *offers, int **ranks)
{
    int size = p->comm->size, nlevels;
    int64_t narcs = 0, n = 0;
    int32_t *labels;
    int err = tf_topo_levels(p->comm, size, &nlevels, &labels);
    if (err)
        return tf_coll_give_up(p->comm, err);
    if (!labels)
        return MPI_SUCCESS;
    for (int r = 0; r < size; r++)
        narcs += offers[r].edges;
    struct tf_arc *mine = tf_alloc(((size_t)offers[p->comm->rank].edges + 1) * sizeof *mine, "the edges of a graph");
    struct tf_arc *all = tf_alloc(((size_t)narcs + 1) * sizeof *all, "the edges of a graph");
    *ranks = tf_alloc((size_t)size * sizeof **ranks, "the nodes of a graph");
    err = mine && all && *ranks ? MPI_SUCCESS : tf_coll_give_up(p->comm, MPI_ERR_NO_MEM);
    for (int64_t i = 0; i < p->n && !err; i++) {
        if (p->ends[i].out)
            mine[n++] = (struct tf_arc){p->ends[i].node, p->ends[i].neighbor, p->ends[i].weight};
    }
    if (!err)
        err = gather(p, offers, mine, all);
    if (!err)
        err = tf_place_graph(size, narcs, all, labels, *ranks);
    free(mine);
    free(all);
    free(labels);
    return err;
}

/* ---- the topology ---- */

static struct tf_topo *create(const struct part *p)
{
    int64_t degree[2] = {0, 0};
    for (int64_t i = 0; i < p->n; i++)
        degree[p->ends[i].out]++;
    struct tf_topo *topo = NULL;
    if (degree[0] > INT32_MAX || degree[1] > INT32_MAX)
        tf_error(MPI_ERR_NO_MEM, "a node of the graph has more than 2147483647 neighbors");
    else
        topo = tf_topo_create(MPI_DIST_GRAPH, 2 * (degree[0] + degree[1]));
    if (!topo)
        return NULL;
    struct tf_adjacent *a = &topo->adjacent;
    *a = (struct tf_adjacent){.weighted = p->weighted, .sources = topo->numbers};
    a->sourceweights = a->sources + degree[0];
    a->destinations = a->sourceweights + degree[0];
    a->destweights = a->destinations + degree[1];
    for (int64_t i = 0; i < p->n; i++) {
        const struct end *e = &p->ends[i];
        int at = e->out ? a->outdegree++ : a->indegree++;
        (e->out ? a->destinations : a->sources)[at] = e->neighbor;
        (e->out ? a->destweights : a->sourceweights)[at] = e->weight;
    }
    return topo;
}

/* Each end where it belongs, and the topology of this process.  *ranks as place() gives them. */
static int arrange(struct part *p, const struct offer *offers, int **ranks, struct tf_topo **topo)
{
    int size = p->comm->size, err = p->reorder ? place(p, offers, ranks) : MPI_SUCCESS;
    if (!err && (!p->adjacent || *ranks)) {
        int *owner = tf_alloc((size_t)size * sizeof *owner, "the nodes of a graph");
        for (int r = 0; owner && r < size; r++)
            owner[r] = *ranks ? (*ranks)[r] : r;
        err = owner ? deliver(p, owner) : tf_coll_give_up(p->comm, MPI_ERR_NO_MEM);
        free(owner);
    }
    if (err)
        return err;
    *topo = create(p);
    return *topo ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* What both constructors do with what they have been given, or with the error in it. */
static int finish(struct part *p, int err, struct tf_info *info, MPI_Comm *newcomm)
{
    struct tf_making m = {.comm = p->comm, .caller = p->caller, .size = p->comm->size, .info = info, .what = "graphs"};
    struct offer *offers = NULL;
    int *ranks = NULL;
    err = make_offers(p, err, &offers);
    if (!err) {
        err = arrange(p, offers, &ranks, &m.topo);
        m.ranks = ranks;
        err = tf_topo_make(&m, err, newcomm);
    }
    free(ranks);
    free(offers);
    free(p->ends);
    return err;
}

int tf_dist_graph_create(struct tf_comm *comm, int n, const int *sources, const int *degrees, const int *destinations,
                         const int *weights, struct tf_info *info, int reorder, MPI_Comm *newcomm)
{
    struct part p = {.comm = comm, .caller = TF_CALLER_DIST_GRAPH_CREATE, .reorder = reorder != 0};
    int err = tf_topo_check_intra(comm);
    if (err)
        return err;
    return finish(&p, give(&p, n, sources, degrees, destinations, weights), info, newcomm);
}

int tf_dist_graph_create_adjacent(struct tf_comm *comm, int indegree, const int *sources, const int *sourceweights,
                                  int outdegree, const int *destinations, const int *destweights, struct tf_info *info,
                                  int reorder, MPI_Comm *newcomm)
{
    struct part p = {
        .comm = comm, .caller = TF_CALLER_DIST_GRAPH_CREATE_ADJACENT, .adjacent = true, .reorder = reorder != 0};
    int err = tf_topo_check_intra(comm);
    if (err)
        return err;
    p.ends = alloc_ends((int64_t)indegree + outdegree);
    err = p.ends ? give_adjacent(&p, "sources", indegree, sources, "sourceweights", sourceweights, false)
                 : MPI_ERR_NO_MEM;
    if (!err)
        err = give_adjacent(&p, "destinations", outdegree, destinations, "destweights", destweights, true);
    return finish(&p, err, info, newcomm);
}

/* ---- asking ---- */

int tf_dist_graph_neighbors_count(const struct tf_comm *comm, int *indegree, int *outdegree, int *weighted)
{
    const struct tf_topo *topo;
    int err = tf_topo_of(comm, MPI_DIST_GRAPH, &topo);
    if (err)
        return err;
    *indegree = topo->adjacent.indegree;
    *outdegree = topo->adjacent.outdegree;
    *weighted = topo->adjacent.weighted;
    return MPI_SUCCESS;
}

/* The first `most` of n numbers, if the program wants any. */
static void copy(int *to, const int *from, int n, int most)
{
    n = n < most ? n : most;
    if (n > 0)
        memcpy(to, from, (size_t)n * sizeof *to);
}

/* Weights, which the program may not want, or have no room for. */
static void copy_weights(int *to, const int *from, int n, int most)
{
    if (to && to != MPI_UNWEIGHTED && to != MPI_WEIGHTS_EMPTY)
        copy(to, from, n, most);
}

int tf_dist_graph_neighbors(const struct tf_comm *comm, int maxindegree, int *sources, int *sourceweights,
                            int maxoutdegree, int *destinations, int *destweights)
{
    const struct tf_topo *topo;
    int err = tf_topo_of(comm, MPI_DIST_GRAPH, &topo);
    if (err)
        return err;
    const struct tf_adjacent *a = &topo->adjacent;
    copy(sources, a->sources, a->indegree, maxindegree);
    copy(destinations, a->destinations, a->outdegree, maxoutdegree);
    if (a->weighted) {
        copy_weights(sourceweights, a->sourceweights, a->indegree, maxindegree);
        copy_weights(destweights, a->destweights, a->outdegree, maxoutdegree);
    }
    return MPI_SUCCESS;
}
