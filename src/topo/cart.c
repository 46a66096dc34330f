/* cart.c - Cartesian topologies (MPI-5.0 sections 8.5.1, 8.5.5 to 8.5.8). */
#include "topo/make.h"
#include "topo/place.h"

/* ---- making one ---- */

static int check_grid(const struct tf_comm *comm, int ndims, const int *dims)
{
    int64_t size = 1;
    if (ndims < 0)
        return tf_error(MPI_ERR_DIMS, "ndims is %d; it must be at least 0", ndims);
    for (int d = 0; d < ndims; d++) {
        if (dims[d] < 1)
            return tf_error(MPI_ERR_DIMS, "dims[%d] is %d; it must be at least 1", d, dims[d]);
        size *= dims[d];
        if (size > comm->size)
            return tf_error(MPI_ERR_DIMS, "dims[0] to dims[%d] make a grid of %lld processes; %s has %d", d,
                            (long long)size, tf_comm_describe(comm), comm->size);
    }
    return MPI_SUCCESS;
}

/* *ranks: which rank of comm takes each position, for free(); NULL: that of the same number. */
static int place(const struct tf_comm *comm, const struct tf_grid *grid, int **ranks)
{
    int n = tf_grid_size(grid), nlevels;
    int32_t *labels;
    int err = tf_topo_levels(comm, n, &nlevels, &labels);
    if (err || !labels)
        return err;
    *ranks = tf_alloc((size_t)n * sizeof **ranks, "the ranks of a grid");
    err = *ranks ? tf_place_grid(grid, nlevels, labels, *ranks) : MPI_ERR_NO_MEM;
    free(labels);
    return err;
}

int tf_cart_create(struct tf_comm *comm, int ndims, const int *dims, const int *periods, int reorder, MPI_Comm *newcomm)
{
    struct tf_making m = {.comm = comm, .caller = TF_CALLER_CART_CREATE, .what = "grids"};
    int *ranks = NULL, rest[2] = {ndims, reorder != 0};
    int err = tf_topo_check_intra(comm);
    if (err)
        return err;
    err = check_grid(comm, ndims, dims);
    if (!err) {
        m.topo = tf_topo_create_grid(ndims, dims, periods);
        err = m.topo ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    if (!err && reorder)
        err = place(comm, &m.topo->grid, &ranks);
    if (!err) {
        m.size = tf_grid_size(&m.topo->grid);
        m.ranks = ranks;
        m.digest = tf_topo_digest(tf_topo_digest(0, rest, 2), m.topo->numbers, 2 * (int64_t)ndims);
    }
    err = tf_topo_make(&m, err, newcomm);
    free(ranks);
    return err;
}

int tf_cart_map(const struct tf_comm *comm, int ndims, const int *dims, const int *periods, int *newrank)
{
    int *ranks = NULL;
    int err = tf_topo_check_intra(comm);
    if (!err)
        err = check_grid(comm, ndims, dims);
    if (err)
        return err;
    struct tf_topo *topo = tf_topo_create_grid(ndims, dims, periods);
    err = topo ? place(comm, &topo->grid, &ranks) : MPI_ERR_NO_MEM;
    int n = err ? 0 : tf_grid_size(&topo->grid), found = MPI_UNDEFINED;
    for (int i = 0; i < n; i++) {
        if ((ranks ? ranks[i] : i) == comm->rank)
            found = i;
    }
    if (!err)
        *newrank = found;
    free(ranks);
    tf_topo_release(topo);
    return err;
}

/* ---- a part of one ---- */

/* The grid of the dimensions that remain, and the ranks of the old one that this process's has. */
static int subgrid(const struct tf_comm *comm, const struct tf_grid *grid, const int *remain, struct tf_making *m,
                   int **ranks)
{
    int n = 0, *numbers = tf_alloc(3 * (size_t)(grid->ndims + 1) * sizeof *numbers, "the dimensions of a grid");
    if (!numbers)
        return MPI_ERR_NO_MEM;
    int *dims = numbers, *periods = numbers + grid->ndims, *strides = periods + grid->ndims, base = comm->rank;
    for (int d = 0; d < grid->ndims; d++) {
        if (!remain[d])
            continue;
        dims[n] = grid->dims[d];
        periods[n] = grid->periods[d];
        strides[n] = tf_grid_stride(grid, d);
        base -= comm->rank / strides[n] % dims[n] * strides[n];
        n++;
    }
    m->topo = tf_topo_create_grid(n, dims, periods);
    m->size = m->topo ? tf_grid_size(&m->topo->grid) : 0;
    *ranks = m->topo ? tf_alloc((size_t)m->size * sizeof **ranks, "the ranks of a grid") : NULL;
    for (int i = 0; *ranks && i < m->size; i++) {
        (*ranks)[i] = base;
        for (int d = n - 1, rest = i; d >= 0; rest /= dims[d--])
            (*ranks)[i] += rest % dims[d] * strides[d];
    }
    m->ranks = *ranks;
    free(numbers);
    return *ranks ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int tf_cart_sub(struct tf_comm *comm, const int *remain_dims, MPI_Comm *newcomm)
{
    const struct tf_topo *topo;
    struct tf_making m = {.comm = comm, .caller = TF_CALLER_CART_SUB, .what = "dimensions to remain"};
    int *ranks = NULL;
    int err = tf_topo_of(comm, MPI_CART, &topo);
    if (err)
        return err;
    int ndims = topo->grid.ndims;
    if (ndims > 0 && !remain_dims)
        err = tf_error(MPI_ERR_ARG, "remain_dims is a null pointer");
    for (int d = 0; d < ndims && !err; d++)
        m.digest = tf_topo_digest(m.digest, &(int){remain_dims[d] != 0}, 1);
    if (!err)
        err = subgrid(comm, &topo->grid, remain_dims, &m, &ranks);
    err = tf_topo_make(&m, err, newcomm);
    free(ranks);
    return err;
}

/* ---- asking ---- */

int tf_cartdim_get(const struct tf_comm *comm, int *ndims)
{
    const struct tf_topo *topo;
    int err = tf_topo_of(comm, MPI_CART, &topo);
    if (!err)
        *ndims = topo->grid.ndims;
    return err;
}

static int check_room(const struct tf_grid *grid, int maxdims)
{
    if (maxdims >= grid->ndims)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_DIMS, "maxdims is %d; the grid has %d dimensions", maxdims, grid->ndims);
}

int tf_cart_get(const struct tf_comm *comm, int maxdims, int *dims, int *periods, int *coords)
{
    const struct tf_topo *topo;
    int err = tf_topo_of(comm, MPI_CART, &topo);
    if (!err)
        err = check_room(&topo->grid, maxdims);
    if (err || topo->grid.ndims == 0)
        return err;
    memcpy(dims, topo->grid.dims, (size_t)topo->grid.ndims * sizeof *dims);
    memcpy(periods, topo->grid.periods, (size_t)topo->grid.ndims * sizeof *periods);
    tf_grid_coords(&topo->grid, comm->rank, coords);
    return MPI_SUCCESS;
}

int tf_cart_coords(const struct tf_comm *comm, int rank, int maxdims, int *coords)
{
    const struct tf_topo *topo;
    int err = tf_topo_of(comm, MPI_CART, &topo);
    if (!err && (rank < 0 || rank >= comm->size))
        err = tf_error(MPI_ERR_RANK, "rank is %d; it must be between 0 and %d, the highest rank of %s", rank,
                       comm->size - 1, tf_comm_describe(comm));
    if (!err)
        err = check_room(&topo->grid, maxdims);
    if (!err)
        tf_grid_coords(&topo->grid, rank, coords);
    return err;
}

int tf_cart_rank(const struct tf_comm *comm, const int *coords, int *rank)
{
    const struct tf_topo *topo;
    int err = tf_topo_of(comm, MPI_CART, &topo), found = 0;
    if (err)
        return err;
    const struct tf_grid *grid = &topo->grid;
    if (grid->ndims > 0 && !coords)
        return tf_error(MPI_ERR_ARG, "coords is a null pointer");
    for (int d = 0; d < grid->ndims; d++) {
        int n = grid->dims[d];
        if (!grid->periods[d] && (coords[d] < 0 || coords[d] >= n))
            return tf_error(MPI_ERR_ARG,
                            "coords[%d] is %d; the dimension is not periodic, so that it must be between 0 "
                            "and %d",
                            d, coords[d], n - 1);
        found = found * n + tf_grid_wrap(coords[d], n);
    }
    *rank = found;
    return MPI_SUCCESS;
}

/* The rank `disp` away in dimension d. */
static int shifted(const struct tf_grid *grid, int rank, int d, long long disp)
{
    int stride = tf_grid_stride(grid, d), n = grid->dims[d], c = rank / stride % n;
    long long to = c + disp;
    if (!grid->periods[d] && (to < 0 || to >= n))
        return MPI_PROC_NULL;
    return rank + (tf_grid_wrap(to, n) - c) * stride;
}

int tf_cart_shift(const struct tf_comm *comm, int direction, int disp, int *rank_source, int *rank_dest)
{
    const struct tf_topo *topo;
    int err = tf_topo_of(comm, MPI_CART, &topo);
    if (err)
        return err;
    if (direction < 0 || direction >= topo->grid.ndims)
        return tf_error(MPI_ERR_DIMS,
                        "direction is %d; it must be at least 0 and less than %d, the number of dimensions", direction,
                        topo->grid.ndims);
    *rank_source = shifted(&topo->grid, comm->rank, direction, -(long long)disp);
    *rank_dest = shifted(&topo->grid, comm->rank, direction, disp);
    return MPI_SUCCESS;
}
