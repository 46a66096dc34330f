/* place_graph.c - neighbours in a graph on one node.  See place.h.
 *
 * Greedy growth: a node begins with the first place that nobody has, and takes, until all of its ranks have one, the
 * place that is bound most strongly to those it has (of several the first).  The answer counts only where it cuts less
 * than rank order.  Costs O(arcs + places * the places that border on a node).
 */
#include "topo/place.h"

struct growth {
    int n;
    int64_t *first; /* [n + 1] where the neighbours of a place begin, in both directions */
    int *to, *weight;
    int32_t *label; /* [n] of a place; -1: nobody has it */
    int64_t *bond;  /* [n] to the node that grows */
    int *border;    /* places that border on it */
    int nborder;
    bool *listed; /* [n] in border[] */
};

int64_t tf_place_graph_cut(int64_t narcs, const struct tf_arc *arcs, const int32_t *labels, const int *ranks)
{
    int64_t cut = 0;
    for (int64_t i = 0; i < narcs; i++) {
        if (labels[ranks[arcs[i].from]] != labels[ranks[arcs[i].to]])
            cut += arcs[i].weight;
    }
    return cut;
}

static void add_neighbor(struct growth *g, int64_t *next, int from, int to, int weight)
{
    int64_t at = next[from]++;
    g->to[at] = to;
    g->weight[at] = weight;
}

/* The neighbours of each place; `next`: [n], scratch. */
static void list_neighbors(struct growth *g, int64_t narcs, const struct tf_arc *arcs, int64_t *next)
{
    memset(g->first, 0, ((size_t)g->n + 1) * sizeof *g->first);
    for (int64_t i = 0; i < narcs; i++) {
        g->first[arcs[i].from + 1]++;
        g->first[arcs[i].to + 1]++;
    }
    for (int v = 0; v < g->n; v++) {
        g->first[v + 1] += g->first[v];
        next[v] = g->first[v];
    }
    for (int64_t i = 0; i < narcs; i++) {
        add_neighbor(g, next, arcs[i].from, arcs[i].to, arcs[i].weight);
        add_neighbor(g, next, arcs[i].to, arcs[i].from, arcs[i].weight);
    }
}

static void take(struct growth *g, int place, int32_t label)
{
    g->label[place] = label;
    for (int64_t i = g->first[place]; i < g->first[place + 1]; i++) {
        int v = g->to[i];
        if (g->label[v] >= 0)
            continue;
        if (!g->listed[v])
            g->border[g->nborder++] = v;
        g->listed[v] = true;
        g->bond[v] += g->weight[i];
    }
}

/* The place that is bound most strongly, removed from the border; -1: there is none. */
static int strongest(struct growth *g)
{
    int best = -1;
    for (int i = 0; i < g->nborder; i++) {
        int v = g->border[i], u = best < 0 ? v : g->border[best];
        if (best < 0 || g->bond[v] > g->bond[u] || (g->bond[v] == g->bond[u] && v < u))
            best = i;
    }
    if (best < 0)
        return -1;
    int place = g->border[best];
    g->border[best] = g->border[--g->nborder];
    return place;
}

/* room[label]: how many ranks the node has. */
static void grow(struct growth *g, int nlabels, const int *room)
{
    int untaken = 0;
    for (int label = 0; label < nlabels; label++) {
        for (int i = 0; i < room[label]; i++) {
            int place = strongest(g);
            while (place < 0 && g->label[untaken] >= 0)
                untaken++;
            take(g, place < 0 ? untaken : place, label);
        }
        while (g->nborder > 0) {
            int v = g->border[--g->nborder];
            g->bond[v] = 0;
            g->listed[v] = false;
        }
    }
}

/* Each node's ranks take its places, in order. */
static void hand_out(const struct growth *g, const int32_t *labels, int *next, int *ranks)
{
    /* next[label]: from where on to look for a rank of the node */
    memset(next, 0, (size_t)g->n * sizeof *next);
    for (int v = 0; v < g->n; v++) {
        int32_t label = g->label[v];
        while (labels[next[label]] != label)
            next[label]++;
        ranks[v] = next[label]++;
    }
}

static void free_growth(struct growth *g)
{
    free(g->first);
    free(g->to);
    free(g->label);
    free(g->listed);
}

static int alloc_growth(struct growth *g, int64_t narcs)
{
    const char *what = "the places of a graph";
    size_t n = (size_t)g->n, m = (size_t)narcs;
    g->first = tf_alloc((2 * n + 1) * sizeof *g->first, what);
    g->to = tf_alloc((4 * m + 1) * sizeof *g->to, what);
    g->label = tf_alloc(2 * n * sizeof *g->label, what);
    g->listed = tf_alloc(n * sizeof *g->listed, what);
    if (!g->first || !g->to || !g->label || !g->listed)
        return MPI_ERR_NO_MEM;
    g->bond = g->first + n + 1;
    g->weight = g->to + 2 * m;
    g->border = (int *)g->label + n;
    return MPI_SUCCESS;
}

int tf_place_graph(int n, int64_t narcs, const struct tf_arc *arcs, const int32_t *labels, int *ranks)
{
    struct growth g = {.n = n};
    int nlabels = 0, err = alloc_growth(&g, narcs);
    int *room = err ? NULL : tf_alloc(2 * (size_t)n * sizeof *room, "the places of a graph");
    if (!room) {
        free_growth(&g);
        return MPI_ERR_NO_MEM;
    }
    memset(room, 0, (size_t)n * sizeof *room);
    for (int r = 0; r < n; r++) {
        ranks[r] = r;
        room[labels[r]]++;
        nlabels = labels[r] >= nlabels ? labels[r] + 1 : nlabels;
        g.label[r] = -1;
        g.listed[r] = false;
    }
    list_neighbors(&g, narcs, arcs, g.bond);
    memset(g.bond, 0, (size_t)n * sizeof *g.bond);
    int64_t cut = tf_place_graph_cut(narcs, arcs, labels, ranks);
    grow(&g, nlabels, room);
    hand_out(&g, labels, room + n, ranks);
    if (tf_place_graph_cut(narcs, arcs, labels, ranks) >= cut) {
        for (int r = 0; r < n; r++)
            ranks[r] = r;
    }
    free(room);
    free_growth(&g);
    return MPI_SUCCESS;
}
