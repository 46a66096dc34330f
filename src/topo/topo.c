/* topo.c - topologies as objects, and of which kind a communicator's is. */
#include "topo/topo.h"

#include "coll/coll.h"
#include "comm/part.h"

struct tf_topo *tf_topo_create(int kind, int64_t numbers)
{
    struct tf_topo *topo = tf_alloc(sizeof *topo + (size_t)numbers * sizeof *topo->numbers, "a topology");
    if (topo)
        *topo = (struct tf_topo){.refs = 1, .kind = kind};
    return topo;
}

struct tf_topo *tf_topo_create_grid(int ndims, const int *dims, const int *periods)
{
    struct tf_topo *topo = tf_topo_create(MPI_CART, 4 * (int64_t)ndims); /* neighbors.c has the second half */
    if (!topo)
        return NULL;
    topo->grid = (struct tf_grid){.ndims = ndims, .dims = topo->numbers, .periods = topo->numbers + ndims};
    for (int d = 0; d < ndims; d++) {
        topo->grid.dims[d] = dims[d];
        topo->grid.periods[d] = periods[d] != 0;
    }
    return topo;
}

struct tf_topo *tf_topo_retain(struct tf_topo *topo)
{
    if (topo)
        topo->refs++;
    return topo;
}

void tf_topo_release(struct tf_topo *topo)
{
    if (topo && --topo->refs == 0)
        free(topo);
}

static void copy(struct tf_comm *comm, const struct tf_comm *from)
{
    comm->topo = tf_topo_retain(from->topo);
}

static void destroy(struct tf_comm *comm)
{
    tf_topo_release(comm->topo);
}

void tf_topo_setup(void)
{
    static const struct tf_part part = {.copy = copy, .destroy = destroy};
    tf_part_hang(TF_PART_TOPO, &part);
    tf_coll_set_finder(tf_topo_neighbors);
}

int tf_topo_test(const struct tf_comm *comm, int *status)
{
    *status = comm->topo ? comm->topo->kind : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static const char *describe(const struct tf_topo *topo)
{
    return !topo                     ? "no topology"
           : topo->kind == MPI_CART  ? "a Cartesian topology"
           : topo->kind == MPI_GRAPH ? "a graph topology"
                                     : "a distributed graph topology";
}

int tf_topo_of(const struct tf_comm *comm, int kind, const struct tf_topo **topo)
{
    if (comm->topo && comm->topo->kind == kind) {
        *topo = comm->topo;
        return MPI_SUCCESS;
    }
    struct tf_topo needed = {.kind = kind};
    return tf_error(MPI_ERR_TOPOLOGY, "%s has %s; this procedure needs %s", tf_comm_describe(comm),
                    describe(comm->topo), describe(&needed));
}
