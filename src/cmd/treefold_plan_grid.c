/* treefold_plan_grid.c - treefold plan --grid: the neighbors in a grid of processes, and how many of its edges cross
 * between domains (nodes), before and after MPI_Cart_create has reordered the ranks.
 */
#include <stdio.h>

#include "cmd/treefold.h"
#include "topo/place.h"

/* The rank that has the place after (before) one in dimension d, -1: none. */
static int32_t next_to(const struct tf_plan_request *q, const int *ranks, int place, int d, int step)
{
    const struct tf_grid *grid = &q->grid;
    int stride = tf_grid_stride(grid, d), at = place / stride % grid->dims[d], to = at + step;
    if (grid->periods[d])
        to = tf_grid_wrap(to, grid->dims[d]);
    return to < 0 || to >= grid->dims[d] ? -1 : ranks[place + (to - at) * stride];
}

static void *allocate(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    if (!memory)
        tf_cmd_plan_refuse("there is no memory for a grid of %zu processes", n);
    return memory;
}

static void set_neighbors(struct tf_plan_request *q, const int *ranks)
{
    int n = q->call.size, degree = 2 * q->grid.ndims;
    struct tf_neighbors *neighbors = allocate((size_t)n, sizeof *neighbors + (size_t)degree * sizeof(int32_t));
    int32_t *list = (int32_t *)(neighbors + n);
    for (int place = 0; place < n; place++, list += degree) {
        for (int i = 0; i < degree; i++)
            list[i] = next_to(q, ranks, place, i / 2, i % 2 ? 1 : -1);
        neighbors[ranks[place]] = (struct tf_neighbors){degree, degree, list, list, true};
    }
    q->call.neighbors = neighbors;
    if (q->call.domain && !tf_contract_set_near(&q->call))
        tf_cmd_plan_refuse("there is no memory for a grid of %d processes", n);
}

static long long crossing(const struct tf_plan_request *q, const int *ranks)
{
    int32_t *label = allocate((size_t)q->call.size, sizeof *label);
    for (int place = 0; place < q->call.size; place++)
        label[place] = q->call.domain[ranks[place]];
    long long cut = tf_place_grid_cut(&q->grid, label);
    free(label);
    return cut;
}

static void print_edges(const struct tf_plan_request *q, const int *order, const int *placed)
{
    char shape[128] = "";
    for (int d = 0; d < q->grid.ndims; d++)
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%s%d", d ? "x" : "", q->grid.dims[d]);
    printf("Grid of %s%s: %lld edges between %s in rank order, %lld after reordering\n", shape,
           *q->grid.periods ? " in rings" : "", crossing(q, order), q->model.network ? "nodes" : "domains",
           crossing(q, placed));
}

void tf_cmd_plan_grid(struct tf_plan_request *q)
{
    int *order = allocate((size_t)q->call.size, sizeof *order),
        *placed = allocate((size_t)q->call.size, sizeof *placed);
    for (int r = 0; r < q->call.size; r++)
        order[r] = placed[r] = r;
    if (q->call.domain) {
        int error = tf_place_grid(&q->grid, 1, q->call.domain, placed);
        if (error)
            tf_cmd_plan_refuse("%s", tf_error_text(error));
        print_edges(q, order, placed);
    }
    if (!q->grid_only)
        set_neighbors(q, q->reorder ? placed : order);
    free(order);
    free(placed);
}

void tf_cmd_plan_grid_free(struct tf_plan_request *q)
{
    free((void *)q->call.near);
    free((void *)q->call.neighbors);
}
