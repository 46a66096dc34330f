/* Graphs: those that every process knows, and those of which each knows its neighbours, against the edges that all were
 * made of.
 *
 * np: - 1 2 3 4 5 8 9
 */
#include "nodes.h"

enum { EDGES = 400 };

/* Edges of a random graph with repetitions and loops, the same on all. */
struct edge {
    int from, to, weight;
};
static struct edge edges[EDGES];
static int nedges;

static void make_edges(unsigned seed, int nodes, int n)
{
    nedges = n;
    for (int i = 0; i < n; i++) {
        unsigned *s = &seed;
        *s = *s * 1664525u + 1013904223u;
        edges[i].from = (int)(*s >> 10) % nodes;
        *s = *s * 1664525u + 1013904223u;
        edges[i].to = (int)(*s >> 10) % nodes;
        edges[i].weight = (int)(*s >> 4) % 7;
    }
}

static int node[NODES_MOST];

static long long cut(int nodes, const int *world, bool weighted)
{
    long long sum = 0;
    (void)nodes;
    for (int i = 0; i < nedges; i++)
        if (node[world[edges[i].from]] != node[world[edges[i].to]])
            sum += weighted ? edges[i].weight : 1;
    return sum;
}

/* Ranks are kept without reordering; with it no more is between nodes than before. */
static void check_order(MPI_Comm comm, int nodes, int reorder, bool weighted)
{
    int world[NODES_MOST], order[NODES_MOST];
    CHECK_OK(MPI_Allgather(&check_rank, 1, MPI_INT, world, 1, MPI_INT, comm));
    for (int r = 0; r < nodes; r++) {
        order[r] = r;
        CHECK(reorder || world[r] == r);
    }
    CHECK(cut(nodes, world, weighted) <= cut(nodes, order, weighted));
}

/* ---- graphs ---- */

static void check_graph(MPI_Comm comm, int nodes, const int *index, const int *to)
{
    int n, m, status, got_index[NODES_MOST + 1], got[EDGES + 1];
    CHECK_OK(MPI_Topo_test(comm, &status));
    CHECK_INT(status, MPI_GRAPH);
    CHECK_OK(MPI_Graphdims_get(comm, &n, &m));
    CHECK_INT(n, nodes);
    CHECK_INT(m, nedges);
    check_wipe(got, sizeof got);
    CHECK_OK(MPI_Graph_get(comm, nodes + 1, nedges + 1, got_index, got));
    CHECK(memcmp(got_index, index, (size_t)nodes * sizeof *index) == 0);
    CHECK(memcmp(got, to, (size_t)nedges * sizeof *to) == 0);
    for (int r = 0; r < nodes; r++) {
        int first = r ? index[r - 1] : 0;
        CHECK_OK(MPI_Graph_neighbors_count(comm, r, &n));
        CHECK_INT(n, index[r] - first);
        check_wipe(got, sizeof got);
        CHECK_OK(MPI_Graph_neighbors(comm, r, n, got));
        CHECK(memcmp(got, to + first, (size_t)n * sizeof *to) == 0);
        if (n > 0)
            CHECK_CLASS(MPI_Graph_neighbors(comm, r, n - 1, got), MPI_ERR_ARG);
    }
    CHECK_CLASS(MPI_Graph_neighbors_count(comm, nodes, &n), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Graph_neighbors(comm, -1, 1, got), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Graph_get(comm, nodes - 1, nedges, got_index, got), MPI_ERR_ARG);
    if (nedges > 0)
        CHECK_CLASS(MPI_Graph_get(comm, nodes, nedges - 1, got_index, got), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cartdim_get(comm, &n), MPI_ERR_TOPOLOGY);
}

static void graphs(void)
{
    for (int k = 0; k < 12; k++) {
        int nodes = k % 3 == 2 ? (check_size + 1) / 2 : check_size, index[NODES_MOST], to[EDGES], n = 0, map = -99;
        make_edges((unsigned)k, nodes, k == 0 ? 0 : k * 5);
        for (int v = 0; v < nodes; v++) {
            for (int i = 0; i < nedges; i++)
                if (edges[i].from == v)
                    to[n++] = edges[i].to;
            index[v] = n;
        }
        for (int reorder = 0; reorder < 2; reorder++) {
            MPI_Comm comm = MPI_COMM_WORLD, copy;
            int rank;
            CHECK_OK(MPI_Graph_create(MPI_COMM_WORLD, nodes, index, to, reorder, &comm));
            CHECK_OK(MPI_Graph_map(MPI_COMM_WORLD, nodes, index, to, &map));
            CHECK((comm == MPI_COMM_NULL) == (check_rank >= nodes));
            CHECK((map == MPI_UNDEFINED) == (check_rank >= nodes));
            if (comm == MPI_COMM_NULL)
                continue;
            check_graph(comm, nodes, index, to);
            check_order(comm, nodes, reorder, false);
            MPI_Comm_rank(comm, &rank);
            CHECK(!reorder || map == rank);
            CHECK_OK(MPI_Comm_dup(comm, &copy));
            CHECK_OK(MPI_Comm_free(&comm));
            check_graph(copy, nodes, index, to);
            CHECK_OK(MPI_Comm_free(&copy));
        }
    }
}

/* The standard's example: neighbours 1 3, 0, 3, 0 2. */
static void standards_example(void)
{
    static const int index[] = {2, 3, 4, 6}, to[] = {1, 3, 0, 3, 0, 2};
    MPI_Comm comm;
    if (check_size < 4)
        return;
    nedges = 6;
    CHECK_OK(MPI_Graph_create(MPI_COMM_WORLD, 4, index, to, 0, &comm));
    if (comm != MPI_COMM_NULL) {
        check_graph(comm, 4, index, to);
        CHECK_OK(MPI_Comm_free(&comm));
    }
}

static void graph_errors(void)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    int n, m;
    CHECK_OK(MPI_Graph_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &comm));
    CHECK(comm == MPI_COMM_NULL);
    comm = MPI_COMM_SELF;
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, check_size + 1, (int[NODES_MOST]){0}, NULL, 0, &comm), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, -1, (int[]){0}, NULL, 0, &comm), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, 1, (int[]){-1}, NULL, 0, &comm), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, 1, (int[]){1}, NULL, 0, &comm), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, 1, (int[]){1}, (int[]){1}, 0, &comm), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Graph_map(MPI_COMM_WORLD, 1, (int[]){1}, (int[]){-1}, &n), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, 1, NULL, NULL, 0, &comm), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graphdims_get(MPI_COMM_WORLD, &n, &m), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Graph_get(MPI_COMM_WORLD, 1, 1, &n, &m), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Graph_neighbors_count(MPI_COMM_WORLD, 0, &n), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Graph_neighbors(MPI_COMM_WORLD, 0, 1, &n), MPI_ERR_TOPOLOGY);
    CHECK(comm == MPI_COMM_NULL);
}

/* ---- distributed graphs ---- */

struct neighbors {
    int in, out, sources[EDGES], sourceweights[EDGES], destinations[EDGES], destweights[EDGES];
};

/* Those of a node, in the order in which `giver` of each edge gives them. */
static void expected(int v, int givers, struct neighbors *x)
{
    x->in = x->out = 0;
    for (int giver = 0; giver < givers; giver++) {
        for (int i = giver; i < nedges; i += givers) {
            if (edges[i].from == v) {
                x->destinations[x->out] = edges[i].to;
                x->destweights[x->out++] = edges[i].weight;
            }
            if (edges[i].to == v) {
                x->sources[x->in] = edges[i].from;
                x->sourceweights[x->in++] = edges[i].weight;
            }
        }
    }
}

static bool same(const int *a, const int *b, int n)
{
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static void check_dist(MPI_Comm comm, const struct neighbors *x, bool weighted)
{
    static struct neighbors got;
    int status, flag = -1;
    CHECK_OK(MPI_Topo_test(comm, &status));
    CHECK_INT(status, MPI_DIST_GRAPH);
    CHECK_OK(MPI_Dist_graph_neighbors_count(comm, &got.in, &got.out, &flag));
    CHECK_INT(got.in, x->in);
    CHECK_INT(got.out, x->out);
    CHECK_INT(flag, weighted);
    check_wipe(got.sources, sizeof got - offsetof(struct neighbors, sources));
    CHECK_OK(MPI_Dist_graph_neighbors(comm, EDGES, got.sources, got.sourceweights, EDGES, got.destinations,
                                      got.destweights));
    CHECK(same(got.sources, x->sources, x->in));
    CHECK(same(got.destinations, x->destinations, x->out));
    if (weighted) {
        CHECK(same(got.sourceweights, x->sourceweights, x->in));
        CHECK(same(got.destweights, x->destweights, x->out));
    } else {
        CHECK_INT(got.sourceweights[0], (int)0xe5e5e5e5);
    }
    if (x->in > 0 && x->out > 0) { /* only the first ones; no weights */
        check_wipe(got.sources, sizeof got - offsetof(struct neighbors, sources));
        CHECK_OK(MPI_Dist_graph_neighbors(comm, x->in - 1, got.sources, MPI_UNWEIGHTED, x->out - 1, got.destinations,
                                          MPI_UNWEIGHTED));
        CHECK(same(got.sources, x->sources, x->in - 1) && same(got.destinations, x->destinations, x->out - 1));
        CHECK_INT(got.sources[x->in - 1], (int)0xe5e5e5e5);
        CHECK_INT(got.destinations[x->out - 1], (int)0xe5e5e5e5);
    }
}

static void one_dist_graph(int reorder, bool weighted)
{
    static struct neighbors x;
    static int from[EDGES], degree[EDGES], to[EDGES], weight[EDGES];
    int n = 0, rank;
    MPI_Comm comm, copy;
    for (int i = check_rank; i < nedges; i += check_size) { /* everybody gives some edges, of anybody */
        from[n] = edges[i].from;
        degree[n] = 1;
        to[n] = edges[i].to;
        weight[n++] = edges[i].weight;
    }
    int *weights = !weighted ? MPI_UNWEIGHTED : n ? weight : MPI_WEIGHTS_EMPTY;
    CHECK_OK(MPI_Dist_graph_create(MPI_COMM_WORLD, n, from, degree, to, weights, MPI_INFO_NULL, reorder, &comm));
    MPI_Comm_rank(comm, &rank);
    expected(rank, check_size, &x);
    check_dist(comm, &x, weighted);
    check_order(comm, check_size, reorder, weighted);
    CHECK_OK(MPI_Comm_dup(comm, &copy));
    CHECK_OK(MPI_Comm_free(&comm));
    check_dist(copy, &x, weighted);
    CHECK_OK(MPI_Comm_free(&copy));

    expected(check_rank, 1, &x); /* each its own; the order is kept, by whoever takes the node */
    int *sourceweights = !weighted ? MPI_UNWEIGHTED : x.in ? x.sourceweights : MPI_WEIGHTS_EMPTY;
    int *destweights = !weighted ? MPI_UNWEIGHTED : x.out ? x.destweights : MPI_WEIGHTS_EMPTY;
    CHECK_OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, x.in, x.sources, sourceweights, x.out, x.destinations,
                                            destweights, MPI_INFO_NULL, reorder, &comm));
    MPI_Comm_rank(comm, &rank);
    expected(rank, 1, &x);
    check_dist(comm, &x, weighted);
    check_order(comm, check_size, reorder, weighted);
    CHECK_OK(MPI_Comm_free(&comm));
}

static void dist_graphs(void)
{
    for (int k = 0; k < 12; k++) {
        make_edges((unsigned)k + 77, check_size, k == 0 ? 0 : k == 1 ? 1 : k * k * 3);
        for (int form = 0; form < 4; form++)
            one_dist_graph(form & 1, form >> 1);
    }
}

/* Rank 0 alone gives a ring, several edges a source; the hints hold on the new communicator. */
static void all_from_one(void)
{
    int sources[NODES_MOST], degrees[NODES_MOST], destinations[2 * NODES_MOST], p = check_size, n = 0, in, out, flag;
    int got_in[2], got_out[2];
    char value[32] = "";
    MPI_Comm comm;
    MPI_Info info, used;
    for (int r = 0; r < p && check_rank == 0; r++) {
        sources[n] = r;
        degrees[n] = 2;
        destinations[2 * n] = (r + 1) % p;
        destinations[2 * n++ + 1] = (r + p - 1) % p;
    }
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
    CHECK_OK(MPI_Info_set(info, "treefold_reproducible", "fixed"));
    CHECK_OK(MPI_Dist_graph_create(MPI_COMM_WORLD, n, sources, degrees, destinations, MPI_UNWEIGHTED, info, 0, &comm));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Comm_get_info(comm, &used));
    CHECK_OK(MPI_Info_get(used, "treefold_reproducible", 31, value, &flag));
    CHECK(flag && strcmp(value, "fixed") == 0);
    CHECK_OK(MPI_Info_free(&used));
    CHECK_OK(MPI_Dist_graph_neighbors_count(comm, &in, &out, &flag));
    CHECK(in == 2 && out == 2 && !flag);
    CHECK_OK(MPI_Dist_graph_neighbors(comm, 2, got_in, MPI_UNWEIGHTED, 2, got_out, MPI_UNWEIGHTED));
    CHECK(got_out[0] == (check_rank + 1) % p && got_out[1] == (check_rank + p - 1) % p);
    CHECK(got_in[0] + got_in[1] == got_out[0] + got_out[1]);
    CHECK_OK(MPI_Comm_free(&comm));
}

static void dist_errors(void)
{
    MPI_Comm comm = MPI_COMM_SELF;
    int p = check_size, one = 1, zero = 0, minus = -1, weights[1] = {1}, a, b, c;
    CHECK_CLASS(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &p, &one, &zero, weights, MPI_INFO_NULL, 0, &comm),
                MPI_ERR_RANK);
    CHECK_CLASS(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &zero, &one, &minus, weights, MPI_INFO_NULL, 0, &comm),
                MPI_ERR_RANK);
    CHECK_CLASS(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &zero, &minus, &zero, weights, MPI_INFO_NULL, 0, &comm),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &zero, &one, &zero, &minus, MPI_INFO_NULL, 0, &comm),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &zero, &one, &zero, NULL, MPI_INFO_NULL, 0, &comm),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &zero, &one, NULL, weights, MPI_INFO_NULL, 0, &comm),
                MPI_ERR_ARG);
    CHECK_CLASS(
        MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &zero, &one, &zero, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &comm),
        MPI_ERR_ARG);
    CHECK_CLASS(MPI_Dist_graph_create(MPI_COMM_WORLD, -1, &zero, &one, &zero, weights, MPI_INFO_NULL, 0, &comm),
                MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &p, weights, 0, NULL, MPI_WEIGHTS_EMPTY,
                                               MPI_INFO_NULL, 0, &comm),
                MPI_ERR_RANK);
    CHECK_CLASS(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &zero, weights, 1, &zero, MPI_UNWEIGHTED,
                                               MPI_INFO_NULL, 0, &comm),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Dist_graph_neighbors_count(MPI_COMM_WORLD, &a, &b, &c), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Dist_graph_neighbors(MPI_COMM_WORLD, 1, &a, &a, 1, &b, &b), MPI_ERR_TOPOLOGY);
    if (check_size > 1) { /* the error of one is told to all, and so are weights that some give and some do not */
        int mine = check_rank == 1 ? -5 : 0;
        CHECK_CLASS(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &mine, &one, &zero, weights, MPI_INFO_NULL, 0, &comm),
                    MPI_ERR_RANK);
        CHECK_CLASS(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &zero, &one, &zero, check_rank ? weights : MPI_UNWEIGHTED,
                                          MPI_INFO_NULL, 0, &comm),
                    MPI_ERR_ARG);
        CHECK_CLASS(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &zero, &one, &zero, weights, MPI_INFO_NULL,
                                          check_rank == 1, &comm),
                    MPI_ERR_ARG);
    }
    CHECK(comm == MPI_COMM_NULL);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    nodes_find(node);
    graphs();
    standards_example();
    graph_errors();
    dist_graphs();
    all_from_one();
    dist_errors();
    return check_end();
}
