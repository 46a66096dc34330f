/* neighbors.c - with whom the collectives between neighbors are.  Topologies are of topo/, above, which says so. */
#include "coll/coll.h"

static tf_coll_finder *find;

void tf_coll_set_finder(tf_coll_finder *finder)
{
    find = finder;
}

int tf_coll_neighbors(const struct tf_comm *comm, const struct tf_neighbors **neighbors)
{
    if (comm->topo)
        return find(comm, neighbors);
    return tf_error(MPI_ERR_TOPOLOGY, "%s has no topology; a neighborhood collective needs one",
                    tf_comm_describe(comm));
}
