/* place_grid.c - blocks of a grid on nodes.  See place.h.
 *
 *     rank order: 6 edges a node cross        blocks of 2 x 2: 4 edges a node cross
 *       0 0 0 0                                 0 0 1 1
 *       1 1 1 1       (a ring in both           0 0 1 1
 *       2 2 2 2        dimensions: 8)           2 2 3 3
 *       3 3 3 3                                 2 2 3 3
 *
 * The places are put in an order, and the nodes, in which there may be different numbers of ranks, take as many as they
 * need of it one after the other.  Orders tried: the places' own; by blocks of each shape that has as many places as
 * the largest node has ranks; and by bisection, which for numbers without a fitting shape keeps nodes compact.  The
 * order that cuts fewest edges is taken.  Then the same is done for each node's places and the next level.  Costs
 * O(places * dimensions * shapes).
 */
#include "topo/place.h"

enum { MOST_SHAPES = 200 }; /* tried on each level */

struct keyed {
    int64_t key;
    int a, b;
};

struct work {
    const struct tf_grid *grid;
    int size, nlevels;
    const int32_t *labels;
    const int32_t *level; /* of `labels`, at hand */
    int32_t *label;       /* [size] of each place while a cut is measured, otherwise -1 */
    struct keyed *keyed;  /* [size] being sorted */
    int *ordered;         /* [size] ranks by label */
    int *trial, *best;    /* [size] places in an order */
    int64_t least;        /* the edges that the best one cuts */
    bool found;           /* one that is better than what there was */
    int *shape;           /* [ndims] of a block */
    int *low, *length;    /* [ndims] the least coordinates of the places at hand, and how many there are */
    int shapes;           /* tried */
};

static int coordinate(const struct tf_grid *grid, int place, int d)
{
    return place / tf_grid_stride(grid, d) % grid->dims[d];
}

/* ---- edges that are cut ---- */

/* The place after this one in dimension d, or -1. */
static int next_place(int place, int n, int stride, bool ring)
{
    int c = place / stride % n;
    if (c + 1 < n)
        return place + stride;
    return ring && n > 1 ? place - c * stride : -1;
}

static int64_t cut_at(const struct tf_grid *grid, const int32_t *label, int place)
{
    int64_t cut = 0;
    int stride = 1;
    for (int d = grid->ndims - 1; d >= 0; stride *= grid->dims[d--]) {
        int next = next_place(place, grid->dims[d], stride, grid->periods[d]);
        cut += next >= 0 && label[place] >= 0 && label[next] >= 0 && label[next] != label[place];
    }
    return cut;
}

int64_t tf_place_grid_cut(const struct tf_grid *grid, const int32_t *label)
{
    int64_t cut = 0;
    for (int place = 0, size = tf_grid_size(grid); place < size; place++)
        cut += cut_at(grid, label, place);
    return cut;
}

/* Edges between the n places that are cut if ranks[i] takes places[i]. */
static int64_t cut_of(struct work *w, int n, const int *places, const int *ranks)
{
    int64_t cut = 0;
    for (int i = 0; i < n; i++)
        w->label[places[i]] = w->level[ranks[i]];
    for (int i = 0; i < n; i++)
        cut += cut_at(w->grid, w->label, places[i]);
    for (int i = 0; i < n; i++)
        w->label[places[i]] = -1;
    return cut;
}

static void try(struct work *w, int n)
{
    int64_t cut = cut_of(w, n, w->trial, w->ordered);
    if (cut >= w->least)
        return;
    w->least = cut;
    w->found = true;
    memcpy(w->best, w->trial, (size_t)n * sizeof *w->best);
}

/* ---- orders of places ---- */

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->a < y->a ? -1 : x->a > y->a;
}

/* The least coordinate of the places in dimension d, and how many there are up to the greatest. */
static int extent(const struct tf_grid *grid, const int *places, int n, int d, int *low)
{
    int high = 0;
    *low = grid->dims[d];
    for (int i = 0; i < n; i++) {
        int c = coordinate(grid, places[i], d);
        *low = c < *low ? c : *low;
        high = c > high ? c : high;
    }
    return high - *low + 1;
}

/* Blocks of w->shape one after the other, and the places of a block. */
static void try_shape(struct work *w, int n, const int *places)
{
    const struct tf_grid *grid = w->grid;
    for (int i = 0; i < n; i++) {
        int64_t block = 0, within = 0, volume = 1;
        for (int d = 0; d < grid->ndims; d++) {
            int c = coordinate(grid, places[i], d) - w->low[d];
            block = block * ((grid->dims[d] + w->shape[d] - 1) / w->shape[d]) + c / w->shape[d];
            within = within * w->shape[d] + c % w->shape[d];
            volume *= w->shape[d];
        }
        w->keyed[i] = (struct keyed){block * volume + within, places[i], 0};
    }
    qsort(w->keyed, (size_t)n, sizeof *w->keyed, by_key);
    for (int i = 0; i < n; i++)
        w->trial[i] = w->keyed[i].a;
    try(w, n);
}

/* All shapes of `each` places from dimension d on. */
static void try_shapes(struct work *w, int n, const int *places, int d, int each)
{
    if (d == w->grid->ndims) {
        if (each == 1 && w->shapes++ < MOST_SHAPES)
            try_shape(w, n, places);
        return;
    }
    for (int edge = 1; edge <= w->length[d] && edge <= each && w->shapes < MOST_SHAPES; edge++) {
        if (each % edge != 0)
            continue;
        w->shape[d] = edge;
        try_shapes(w, n, places, d + 1, each / edge);
    }
}

/* Cut across the longest dimension into halves of whole nodes, and so on. */
static void bisect(struct work *w, int n, int *places, int each)
{
    if (n <= each)
        return;
    int longest = 0, most = 0, low;
    for (int d = 0; d < w->grid->ndims; d++) {
        int length = extent(w->grid, places, n, d, &low);
        if (length > most) {
            most = length;
            longest = d;
        }
    }
    for (int i = 0; i < n; i++)
        w->keyed[i] = (struct keyed){coordinate(w->grid, places[i], longest), places[i], 0};
    qsort(w->keyed, (size_t)n, sizeof *w->keyed, by_key);
    for (int i = 0; i < n; i++)
        places[i] = w->keyed[i].a;
    int half = (n + each - 1) / each / 2 * each;
    bisect(w, half, places, each);
    bisect(w, n - half, places + half, each);
}

/* ---- one level, then the next one ---- */

/* w->ordered = the ranks by label; returns how many the most frequent label has. */
static int order_ranks(struct work *w, int n, const int *ranks)
{
    int run = 0, most = 0;
    for (int i = 0; i < n; i++)
        w->keyed[i] = (struct keyed){w->level[ranks[i]], ranks[i], 0};
    qsort(w->keyed, (size_t)n, sizeof *w->keyed, by_key);
    for (int i = 0; i < n; i++) {
        w->ordered[i] = w->keyed[i].a;
        run = i > 0 && w->keyed[i].key == w->keyed[i - 1].key ? run + 1 : 1;
        most = run > most ? run : most;
    }
    return most;
}

/* The order of places that cuts fewest edges, if one is better than what there is: both arrays then change. */
static void choose_order(struct work *w, int n, int *places, int *ranks)
{
    int each = order_ranks(w, n, ranks);
    w->least = cut_of(w, n, places, ranks);
    w->found = false;
    w->shapes = 0;
    memcpy(w->trial, places, (size_t)n * sizeof *places);
    try(w, n);
    for (int d = 0; d < w->grid->ndims; d++)
        w->length[d] = extent(w->grid, places, n, d, &w->low[d]);
    try_shapes(w, n, places, 0, each);
    memcpy(w->trial, places, (size_t)n * sizeof *places);
    bisect(w, n, w->trial, each);
    try(w, n);
    if (!w->found)
        return;
    memcpy(places, w->best, (size_t)n * sizeof *places);
    memcpy(ranks, w->ordered, (size_t)n * sizeof *ranks);
}

/* Those of a label one after the other. */
static void sort_pairs(struct work *w, int n, int *places, int *ranks)
{
    for (int i = 0; i < n; i++)
        w->keyed[i] = (struct keyed){w->level[ranks[i]], places[i], ranks[i]};
    qsort(w->keyed, (size_t)n, sizeof *w->keyed, by_key);
    for (int i = 0; i < n; i++) {
        places[i] = w->keyed[i].a;
        ranks[i] = w->keyed[i].b;
    }
}

/* ranks[i] takes places[i], now and afterwards. */
static void arrange(struct work *w, int level, int n, int *places, int *ranks)
{
    if (level == w->nlevels || n < 2)
        return;
    const int32_t *labels = w->level = w->labels + (size_t)level * (size_t)w->size;
    choose_order(w, n, places, ranks);
    sort_pairs(w, n, places, ranks);
    for (int first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && labels[ranks[end]] == labels[ranks[first]];)
            end++;
        arrange(w, level + 1, end - first, places + first, ranks + first);
    }
}

int tf_place_grid(const struct tf_grid *grid, int nlevels, const int32_t *labels, int *ranks)
{
    size_t n = (size_t)tf_grid_size(grid), ndims = (size_t)grid->ndims;
    struct work w = {.grid = grid, .size = (int)n, .nlevels = nlevels, .labels = labels};
    int *numbers = tf_alloc((6 * n + 3 * ndims) * sizeof *numbers, "the places of a grid");
    w.keyed = numbers ? tf_alloc(n * sizeof *w.keyed, "the places of a grid") : NULL;
    if (!w.keyed) {
        free(numbers);
        return MPI_ERR_NO_MEM;
    }
    int *places = numbers, *takers = numbers + n;
    w.ordered = numbers + 2 * n;
    w.trial = numbers + 3 * n;
    w.best = numbers + 4 * n;
    w.label = numbers + 5 * n;
    w.shape = numbers + 6 * n;
    w.low = w.shape + ndims;
    w.length = w.low + ndims;
    for (int i = 0; i < (int)n; i++) {
        places[i] = takers[i] = i;
        w.label[i] = -1;
    }
    arrange(&w, 0, (int)n, places, takers);
    for (size_t i = 0; i < n; i++)
        ranks[places[i]] = takers[i];
    free(w.keyed);
    free(numbers);
    return MPI_SUCCESS;
}
