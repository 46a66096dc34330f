/* make.h - what the constructors of topologies share: the machine below a communicator, and the last step, in which all
 * processes get the new communicator or none does.
 */
#ifndef TF_TOPO_MAKE_H
#define TF_TOPO_MAKE_H

#include "msg/terms.h"
#include "topo/topo.h"

/* The first n ranks of a communicator as place.h wants the machine: nodes if there are several, otherwise packages and
 * so on, as far as each rank is bound to one.  *labels is for free(), NULL if there is nothing to tell apart, or ranks
 * are to stay (the setting `reorder`). */
int tf_topo_levels(const struct tf_comm *comm, int n, int *nlevels, int32_t **labels);

/* A constructor that needs an intracommunicator has been given another one. */
int tf_topo_check_intra(const struct tf_comm *comm);

struct tf_making {
    struct tf_comm *comm; /* the old one */
    enum tf_caller caller;
    int size;
    const int *ranks; /* [size] of the old communicator, which the new one has in this order; NULL: its first ones */
    struct tf_topo *topo; /* for this process; tf_topo_make() takes it over */
    struct tf_info *info; /* of the new communicator, or NULL */
    uint64_t digest;      /* of what must be the same on all processes, ... */
    const char *what;     /* ... and what that is: "grids" */
};
/* Collective over the old communicator.  err: of what went before on this process; then all get an error, and nothing
 * of *making but the first two members counts. */
int tf_topo_make(const struct tf_making *making, int err, MPI_Comm *newcomm);

/* A digest of numbers, of which `digest`, 0 at first, are the earlier ones. */
uint64_t tf_topo_digest(uint64_t digest, const int *numbers, int64_t n);

#endif
