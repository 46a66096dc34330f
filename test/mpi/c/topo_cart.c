/* Cartesian topologies: making them, with and without reordering, parts of them, and all that can be asked.
 *
 * np: - 1 2 3 4 6 8 9
 */
#include "nodes.h"

enum { MOST = 3 };

static int wrapped(int c, int n)
{
    return ((c % n) + n) % n;
}

/* The rank at those coordinates, counted out; MPI_PROC_NULL outside. */
static int rank_at(int ndims, const int *dims, const int *periods, const int *coords)
{
    int rank = 0;
    for (int d = 0; d < ndims; d++) {
        if (!periods[d] && (coords[d] < 0 || coords[d] >= dims[d]))
            return MPI_PROC_NULL;
        rank = rank * dims[d] + wrapped(coords[d], dims[d]);
    }
    return rank;
}

static void check_shifts(MPI_Comm comm, int ndims, const int *dims, const int *periods, const int *coords)
{
    static const int disps[] = {0, 1, -1, 2, -3, 7, 1000000007, INT32_MAX, INT32_MIN + 1, INT32_MIN};
    for (int d = 0; d < ndims; d++) {
        for (size_t k = 0; k < sizeof disps / sizeof *disps; k++) {
            int source = -99, dest = -99, at[MOST], rest = (int)((long long)disps[k] % dims[d]);
            bool far = llabs((long long)disps[k]) >= dims[d] && !periods[d];
            CHECK_OK(MPI_Cart_shift(comm, d, disps[k], &source, &dest));
            memcpy(at, coords, sizeof at);
            at[d] = coords[d] + (periods[d] ? rest : disps[k] % 100);
            CHECK_INT(dest, far ? MPI_PROC_NULL : rank_at(ndims, dims, periods, at));
            at[d] = coords[d] - (periods[d] ? rest : disps[k] % 100);
            CHECK_INT(source, far ? MPI_PROC_NULL : rank_at(ndims, dims, periods, at));
        }
    }
}

/* A communicator's grid is that, in all that can be asked. */
static void check_grid(MPI_Comm comm, int ndims, const int *dims, const int *periods)
{
    int rank, size, status, got, volume = 1, d[MOST + 1], p[MOST + 1], c[MOST + 1], at[MOST + 1];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    CHECK_OK(MPI_Topo_test(comm, &status));
    CHECK_INT(status, MPI_CART);
    CHECK_OK(MPI_Cartdim_get(comm, &got));
    CHECK_INT(got, ndims);
    d[ndims] = p[ndims] = c[ndims] = -7; /* not touched */
    CHECK_OK(MPI_Cart_get(comm, ndims + 1, d, p, c));
    CHECK(d[ndims] == -7 && p[ndims] == -7 && c[ndims] == -7);
    for (int i = 0; i < ndims; i++) {
        volume *= dims[i];
        CHECK_INT(d[i], dims[i]);
        CHECK_INT(p[i], periods[i] != 0);
    }
    CHECK_INT(size, volume);
    for (int r = 0; r < size; r++) {
        CHECK_OK(MPI_Cart_coords(comm, r, ndims, at));
        CHECK_INT(rank_at(ndims, dims, periods, at), r);
        CHECK(r != rank || memcmp(at, c, (size_t)ndims * sizeof *at) == 0);
        CHECK_OK(MPI_Cart_rank(comm, at, &got));
        CHECK_INT(got, r);
        for (int i = 0; i < ndims; i++) {
            int there = at[i], far = there + 5 * dims[i];
            at[i] = far;
            if (periods[i]) {
                CHECK_OK(MPI_Cart_rank(comm, at, &got));
                CHECK_INT(got, r);
                at[i] = there - 3 * dims[i];
                CHECK_OK(MPI_Cart_rank(comm, at, &got));
                CHECK_INT(got, r);
            } else {
                CHECK_CLASS(MPI_Cart_rank(comm, at, &got), MPI_ERR_ARG);
                at[i] = -1;
                CHECK_CLASS(MPI_Cart_rank(comm, at, &got), MPI_ERR_ARG);
            }
            at[i] = there;
        }
    }
    check_shifts(comm, ndims, dims, periods, c);
}

/* Edges of the grid between nodes; world[r]: who is rank r. */
static int edges_between_nodes(int ndims, const int *dims, const int *periods, int size, const int *world,
                               const int *node)
{
    int cut = 0, at[MOST] = {0};
    for (int r = 0; r < size; r++) {
        for (int d = ndims - 1, rest = r; d >= 0; rest /= dims[d--])
            at[d] = rest % dims[d];
        for (int d = 0; d < ndims; d++) {
            at[d]++;
            int next = rank_at(ndims, dims, periods, at);
            at[d]--;
            cut += next != MPI_PROC_NULL && node[world[next]] != node[world[r]];
        }
    }
    return cut;
}

static void one_grid(int ndims, const int *dims, const int *periods)
{
    int size = 1, order[NODES_MOST], world[NODES_MOST], node[NODES_MOST], map = -99;
    for (int d = 0; d < ndims; d++)
        size *= dims[d];
    nodes_find(node);
    for (int reorder = 0; reorder < 2; reorder++) {
        MPI_Comm comm = MPI_COMM_WORLD;
        CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, ndims, dims, periods, reorder, &comm));
        CHECK((comm == MPI_COMM_NULL) == (check_rank >= size));
        if (reorder) {
            CHECK_OK(MPI_Cart_map(MPI_COMM_WORLD, ndims, dims, periods, &map));
            CHECK((map == MPI_UNDEFINED) == (comm == MPI_COMM_NULL));
        }
        if (comm == MPI_COMM_NULL)
            continue;
        check_grid(comm, ndims, dims, periods);
        CHECK_OK(MPI_Allgather(&check_rank, 1, MPI_INT, world, 1, MPI_INT, comm));
        for (int r = 0; r < size; r++) {
            order[r] = r;
            CHECK(reorder || world[r] == r);
        }
        CHECK(edges_between_nodes(ndims, dims, periods, size, world, node) <=
              edges_between_nodes(ndims, dims, periods, size, order, node));
        CHECK(!reorder || (map >= 0 && map < size && world[map] == check_rank));
        if (size == 8 && ndims == 2 && dims[0] == 4 && !periods[0] && !periods[1] && reorder &&
            getenv("TREEFOLD_NODE_SIZE") && atoi(getenv("TREEFOLD_NODE_SIZE")) == 4)
            CHECK_INT(edges_between_nodes(ndims, dims, periods, size, world, node), 2);
        CHECK_OK(MPI_Comm_free(&comm));
    }
}

static void grids(void)
{
    int p = check_size;
    for (int rings = 0; rings < 8; rings++) {
        int periods[MOST] = {rings & 1, rings >> 1 & 1, (rings >> 2 & 1) * 5}; /* any number is true */
        one_grid(1, (int[]){p}, periods);
        one_grid(2, (int[]){1, p}, periods);
        one_grid(1, (int[]){(p + 1) / 2}, periods);
        int dims[MOST] = {0};
        CHECK_OK(MPI_Dims_create(p, 2, dims));
        CHECK(dims[0] * dims[1] == p && dims[0] >= dims[1]);
        one_grid(2, dims, periods);
        memset(dims, 0, sizeof dims);
        CHECK_OK(MPI_Dims_create(p, 3, dims));
        one_grid(3, dims, periods);
    }
}

/* All subsets of a grid's dimensions. */
static void parts(void)
{
    int dims[MOST] = {0}, periods[MOST] = {1, 0, 1}, coords[MOST], d[MOST], p[MOST], c[MOST];
    MPI_Comm grid, part;
    CHECK_OK(MPI_Dims_create(check_size, 3, dims));
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid));
    CHECK_OK(MPI_Cart_get(grid, 3, d, p, coords));
    for (int set = 0; set < 8; set++) {
        int remain[MOST], n = 0, sub[MOST], rings[MOST], mine[MOST], sum = 0, wanted = 0, size = 1;
        for (int i = 0; i < MOST; i++) {
            remain[i] = set >> i & 1 ? 3 : 0;
            if (!remain[i])
                continue;
            sub[n] = dims[i];
            size *= dims[i];
            rings[n] = periods[i];
            mine[n++] = coords[i];
        }
        CHECK_OK(MPI_Cart_sub(grid, remain, &part));
        check_grid(part, n, sub, rings);
        CHECK_OK(MPI_Cart_get(part, n, d, p, c));
        CHECK(memcmp(c, mine, (size_t)n * sizeof *c) == 0);
        CHECK_OK(MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, part));
        for (int r = 0; r < check_size; r++) {
            bool with = true;
            CHECK_OK(MPI_Cart_coords(grid, r, 3, c));
            for (int i = 0; i < MOST; i++)
                with = with && (remain[i] || c[i] == coords[i]);
            wanted += with ? r : 0;
        }
        CHECK_INT(sum, wanted);
        if (n == 0) { /* again: what has no dimensions stays so */
            MPI_Comm again;
            CHECK_OK(MPI_Cart_sub(part, NULL, &again));
            check_grid(again, 0, NULL, NULL);
            CHECK_OK(MPI_Comm_free(&again));
        }
        CHECK_OK(MPI_Comm_free(&part));
    }
    CHECK_OK(MPI_Comm_free(&grid));
}

static void no_dimensions(void)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    int n = -1, rank = -1, keep = -7, source, dest;
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &comm));
    CHECK((comm == MPI_COMM_NULL) == (check_rank > 0));
    if (comm == MPI_COMM_NULL)
        return;
    CHECK_OK(MPI_Cartdim_get(comm, &n));
    CHECK_INT(n, 0);
    CHECK_OK(MPI_Cart_rank(comm, NULL, &rank));
    CHECK_INT(rank, 0);
    CHECK_OK(MPI_Cart_get(comm, 1, &keep, &keep, &keep));
    CHECK_OK(MPI_Cart_coords(comm, 0, 0, NULL));
    CHECK_OK(MPI_Cart_coords(comm, 0, 1, &keep));
    CHECK_INT(keep, -7);
    CHECK_CLASS(MPI_Cart_shift(comm, 0, 1, &source, &dest), MPI_ERR_DIMS);
    CHECK_OK(MPI_Comm_free(&comm));
}

/* Who keeps the topology, and who does not. */
static void inherited(void)
{
    int dims[1] = {check_size}, periods[1] = {1}, status, result;
    MPI_Comm grid, other;
    MPI_Request request;
    MPI_Group group;
    CHECK_OK(MPI_Topo_test(MPI_COMM_WORLD, &status));
    CHECK_INT(status, MPI_UNDEFINED);
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid));
    CHECK_OK(MPI_Comm_compare(MPI_COMM_WORLD, grid, &result));
    CHECK_INT(result, MPI_CONGRUENT);
    CHECK_OK(MPI_Comm_dup(grid, &other));
    check_grid(other, 1, dims, periods);
    CHECK_OK(MPI_Comm_free(&other));
    CHECK_OK(MPI_Comm_dup_with_info(grid, MPI_INFO_NULL, &other));
    check_grid(other, 1, dims, periods);
    CHECK_OK(MPI_Comm_free(&other));
    CHECK_OK(MPI_Comm_idup(grid, &other, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_Comm_group(grid, &group);
    CHECK_OK(MPI_Comm_free(&grid)); /* the duplicate has it still */
    check_grid(other, 1, dims, periods);
    CHECK_OK(MPI_Comm_split(other, 0, 0, &grid));
    CHECK_OK(MPI_Topo_test(grid, &status));
    CHECK_INT(status, MPI_UNDEFINED);
    CHECK_OK(MPI_Comm_free(&grid));
    CHECK_OK(MPI_Comm_create(other, group, &grid));
    CHECK_OK(MPI_Topo_test(grid, &status));
    CHECK_INT(status, MPI_UNDEFINED);
    CHECK_OK(MPI_Comm_free(&grid));
    CHECK_OK(MPI_Comm_free(&other));
    CHECK_OK(MPI_Group_free(&group));
}

static void errors(void)
{
    MPI_Comm comm = MPI_COMM_SELF, grid;
    int one[2] = {check_size, 1}, periods[2] = {0, 0}, a[2], b[2], c[2], n;
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, -1, one, periods, 0, &comm), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){0}, periods, 0, &comm), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){1, -1}, periods, 0, &comm), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){check_size + 1}, periods, 0, &comm), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){1 << 30, 1 << 30}, periods, 0, &comm), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 1, NULL, periods, 0, &comm), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 1, one, NULL, 0, &comm), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_NULL, 1, one, periods, 0, &comm), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Cart_map(MPI_COMM_WORLD, 1, (int[]){check_size + 1}, periods, &n), MPI_ERR_DIMS);
    CHECK(comm == MPI_COMM_NULL);
    if (check_size > 1) { /* an error of one, and different grids, are told to all */
        int mine[1] = {check_rank == check_size - 1 ? -1 : 1};
        CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 1, mine, periods, 0, &comm), MPI_ERR_DIMS);
        mine[0] = check_rank == 0 ? 1 : 2;
        CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 1, mine, periods, 0, &comm), MPI_ERR_ARG);
        CHECK(comm == MPI_COMM_NULL);
    }
    CHECK_CLASS(MPI_Cartdim_get(MPI_COMM_WORLD, &n), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Cart_get(MPI_COMM_WORLD, 1, a, b, c), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Cart_rank(MPI_COMM_WORLD, a, &n), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Cart_coords(MPI_COMM_WORLD, 0, 1, a), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Cart_shift(MPI_COMM_WORLD, 0, 1, a, b), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Cart_sub(MPI_COMM_WORLD, a, &comm), MPI_ERR_TOPOLOGY);
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 2, one, periods, 0, &grid));
    CHECK_CLASS(MPI_Graphdims_get(grid, a, b), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Dist_graph_neighbors_count(grid, a, b, c), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Cart_shift(grid, 2, 1, a, b), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_shift(grid, -1, 1, a, b), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_coords(grid, check_size, 2, a), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Cart_coords(grid, -1, 2, a), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Cart_coords(grid, 0, 1, a), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_coords(grid, 0, -1, a), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Cart_get(grid, 1, a, b, c), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_rank(grid, NULL, &n), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_sub(grid, NULL, &comm), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Dims_create(0, 1, a), MPI_ERR_ARG);
    a[0] = 5;
    CHECK_CLASS(MPI_Dims_create(12, 1, a), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Dims_create(12, 1, NULL), MPI_ERR_ARG);
    CHECK_OK(MPI_Comm_free(&grid));
}

static void inter(void)
{
    MPI_Comm half, between, comm;
    int dims[1] = {1}, periods[1] = {0}, status = -1, upper = check_rank % 2;
    if (check_size < 2)
        return;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, upper, 0, &half));
    CHECK_OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - upper, 0, &between));
    CHECK_CLASS(MPI_Cart_create(between, 1, dims, periods, 0, &comm), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Cart_map(between, 1, dims, periods, &status), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Graph_create(between, 1, dims, periods, 0, &comm), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Graph_map(between, 1, dims, periods, &status), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Dist_graph_create(between, 0, dims, dims, dims, dims, MPI_INFO_NULL, 0, &comm), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Dist_graph_create_adjacent(between, 0, dims, dims, 0, dims, dims, MPI_INFO_NULL, 0, &comm),
                MPI_ERR_COMM);
    CHECK_OK(MPI_Topo_test(between, &status));
    CHECK_INT(status, MPI_UNDEFINED);
    CHECK_OK(MPI_Comm_free(&between));
    CHECK_OK(MPI_Comm_free(&half));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    grids();
    parts();
    no_dimensions();
    inherited();
    errors();
    inter();
    return check_end();
}
