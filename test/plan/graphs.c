/* graphs.c - topologies for the prover.  Neighbors are found from coordinates and from a list of edges, otherwise than
 * src/topo/ does it. */
#include "graphs.h"

#include <stdio.h>

enum { MOST_DIMS = 4, RANDOM = 12, MOST_GRIDS = 4096 };

static bool allocate(struct graphs *g, int32_t size, size_t numbers)
{
    g->size = size;
    g->neighbors = calloc((size_t)size, sizeof *g->neighbors);
    g->ranks = malloc((numbers + 1) * sizeof *g->ranks);
    return g->neighbors && g->ranks;
}

void graphs_free(struct graphs *g)
{
    free(g->neighbors);
    free(g->ranks);
}

/* ---- grids ---- */

struct dims {
    int n, extent[MOST_DIMS], ring[MOST_DIMS];
};

/* Whether the grid of that number has `size` ranks: the number counts extents, and which dimensions are rings. */
static bool find_dims(struct dims *d, int32_t size, int number)
{
    for (d->n = 0; d->n <= MOST_DIMS; d->n++) {
        int shapes = 1, product = 1;
        for (int i = 0; i < d->n; i++)
            shapes *= size < 6 ? 2 * size : 12; /* extents 1..size, or 1..5 and what is left */
        if (number >= shapes) {
            number -= shapes;
            continue;
        }
        for (int i = 0, rest = number; i < d->n; i++) {
            int extents = size < 6 ? size : 6;
            d->ring[i] = rest % 2;
            d->extent[i] = rest / 2 % extents + 1;
            if (d->extent[i] == 6)
                d->extent[i] = size / product;
            product *= d->extent[i];
            rest /= 2 * extents;
        }
        return product == size;
    }
    return false;
}

static int32_t rank_at(const struct dims *d, const int *at)
{
    int32_t rank = 0;
    for (int i = 0; i < d->n; i++)
        rank = rank * d->extent[i] + at[i];
    return rank;
}

/* The neighbors of the rank there. */
static void set_rank(const struct dims *d, struct graphs *g, int *at)
{
    int32_t rank = rank_at(d, at), *to = g->ranks + 2 * d->n * (size_t)rank;
    for (int k = 0; k < 2 * d->n; k++) {
        int was = at[k / 2], is = was + (k % 2 ? 1 : -1), n = d->extent[k / 2];
        at[k / 2] = (is + n) % n;
        to[k] = (is < 0 || is >= n) && !d->ring[k / 2] ? -1 : rank_at(d, at);
        at[k / 2] = was;
    }
    g->neighbors[rank] = (struct tf_neighbors){2 * d->n, 2 * d->n, to, to, true};
}

/* All ranks, those from dimension i on. */
static void go(const struct dims *d, struct graphs *g, int *at, int i)
{
    if (i >= d->n || i >= MOST_DIMS) {
        set_rank(d, g, at);
        return;
    }
    for (at[i] = 0; at[i] < d->extent[i]; at[i]++)
        go(d, g, at, i + 1);
}

static bool make_grid(struct graphs *g, int32_t size, const struct dims *d, char *words, size_t capacity)
{
    int at[MOST_DIMS + 1], used = snprintf(words, capacity, "grid");
    if (!allocate(g, size, (size_t)size * 2 * MOST_DIMS))
        return false;
    for (int i = 0; i < d->n; i++)
        used += snprintf(words + used, capacity - (size_t)used, " %d%s", d->extent[i], d->ring[i] ? "o" : "");
    go(d, g, at, 0);
    return true;
}

/* ---- random graphs ---- */

static bool make_random(struct graphs *g, int32_t size, int number, char *words, size_t capacity)
{
    int32_t nedges = number == 0 ? 0 : number == 1 ? 1 : size * (number % 4 + 1), used = 0;
    int32_t active = number % 3 == 2 ? size / 2 + 1 : size; /* the others have no edges */
    uint32_t random = (uint32_t)(number * 7919 + size);
    int32_t(*edges)[2] = malloc(((size_t)nedges + 1) * sizeof *edges);
    if (!edges || !allocate(g, size, 2 * (size_t)nedges))
        return false;
    for (int32_t i = 0; i < nedges; i++)
        for (int end = 0; end < 2; end++) {
            random = random * 1664525u + 1013904223u;
            edges[i][end] = (int32_t)(random >> 10) % active;
        }
    for (int32_t r = 0; r < size; r++)
        for (int in = 0; in < 2; in++) {
            int32_t begin = used;
            for (int32_t i = 0; i < nedges; i++)
                if (edges[i][in] == r)
                    g->ranks[used++] = edges[i][!in];
            *(in ? &g->neighbors[r].sources : &g->neighbors[r].destinations) = g->ranks + begin;
            *(in ? &g->neighbors[r].indegree : &g->neighbors[r].outdegree) = used - begin;
        }
    free(edges);
    snprintf(words, capacity, "random graph %d of %d edges", number, nedges);
    return true;
}

bool graphs_make(struct graphs *g, int32_t size, int number, char *words, size_t capacity)
{
    static struct { /* where the search for a grid goes on: they are asked for in turn */
        int32_t size;
        int number, i;
    } next;
    struct dims dims;
    *g = (struct graphs){0};
    if (number < RANDOM)
        return make_random(g, size, number, words, capacity);
    if (next.size != size || next.number > number) {
        next.size = size;
        next.number = RANDOM;
        next.i = 0;
    }
    while (next.i < MOST_GRIDS)
        if (find_dims(&dims, size, next.i++) && next.number++ == number)
            return make_grid(g, size, &dims, words, capacity);
    return false;
}
