/* near.h - what the processes of a domain tell each other before a persistent collective between neighbors: whom each
 * exchanges blocks with, once for a communicator, and how long these are, once for a call.
 *
 * It goes by messages of the call itself: they have its number and its fingerprint (near->run), so that who fails
 * before, and gives the call up, is heard of here.
 */
#ifndef TF_NEAR_H
#define TF_NEAR_H

#include "coll/coll.h"

struct tf_plan;
struct tf_run;

/* Of a communicator; zeroed at first. */
struct tf_near {
    struct tf_neighbors domain; /* this process and those of its domain as sources and destinations of each other */
    struct tf_neighbors *lists; /* of these, by rank; NULL: not known yet */
    /* The call that may ask, and its run, while it is initialized; NULL: none. */
    const struct tf_call *call;
    const struct tf_run *run;
    bool asked; /* and whether it did */
};

/* The longest block that any rank of the communicator sends: all learn it. */
int tf_near_bytes(const struct tf_call *call, size_t *bytes);
/* The neighbors of all ranks of this one's domain, by rank, which live as long as the communicator. */
int tf_near_lists(const struct tf_call *call, const struct tf_neighbors **near);
/* Bytes of the parcels of the plan, for which the caller has room. */
int tf_near_sizes(const struct tf_call *call, const struct tf_plan *plan, MPI_Count *bytes);
void tf_near_clear(struct tf_near *near);

#endif
