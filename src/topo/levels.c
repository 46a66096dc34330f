/* levels.c - the machine below the ranks of a communicator, in the words of place.h.
 *
 * All ranks come to the same answer without a message: from what they have told about their nodes at the start and, if
 * they are on one node, from that node's hardware.
 */
#include "base/settings.h"
#include "coll/domain.h"
#include "net/net.h"
#include "topo/make.h"

/* Whether a level of that many objects tells ranks apart. */
static bool tells(int objects, int n)
{
    return objects > 1 && objects < n;
}

int tf_topo_levels(const struct tf_comm *comm, int n, int *nlevels, int32_t **labels)
{
    *nlevels = 0;
    *labels = NULL;
    if (!tf_settings.reorder)
        return MPI_SUCCESS;
    int32_t *of = tf_alloc((TF_NLEVELS + 1) * (size_t)n * sizeof *of, "the nodes of the ranks of a topology");
    if (!of)
        return MPI_ERR_NO_MEM;
    for (int r = 0; r < n; r++)
        of[r] = tf_net_node(comm->group->processes[r]);
    int nodes = tf_domain_renumber(of, n, of + n);
    if (nodes > 1)
        *nlevels = tells(nodes, n);
    for (int level = 0; level < TF_NLEVELS && nodes == 1; level++) {
        int32_t *here = of + (size_t)*nlevels * (size_t)n;
        if (tf_domain_by_level(comm, n, level, here) && tells(tf_domain_renumber(here, n, here + n), n))
            ++*nlevels;
    }
    if (*nlevels > 0)
        *labels = of;
    else
        free(of);
    return MPI_SUCCESS;
}
