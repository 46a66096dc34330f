/* domain.h - which ranks of a communicator are close to each other, for algorithms of two levels. */
#ifndef TF_DOMAIN_H
#define TF_DOMAIN_H

#include "comm/comm.h"
#include "machine/machine.h"

/* A communicator's; zeroed at first. */
struct tf_domains {
    bool known;
    int32_t *of; /* [size] the domain of each rank, below size; NULL: there is one level */
};

/* Fills *domains the first time, or MPI_ERR_NO_MEM.  Without a message: all ranks come to the same answer, from the
 * setting `domains`, or from what all have told about their processors at the start and the machine's topology. */
int tf_coll_domains(const struct tf_comm *comm, struct tf_domains *domains);
void tf_coll_domains_clear(struct tf_domains *domains);

/* Which object of a level each of the first n ranks is bound to; false: one is bound to none. */
bool tf_domain_by_level(const struct tf_comm *comm, int n, enum tf_machine_level level, int32_t *of);
/* Numbers of any kind become 0, 1, 2, ... in the order in which they first appear; returns how many there are, of which
 * `seen` has room for. */
int tf_domain_renumber(int32_t *of, int n, int32_t *seen);

#endif
