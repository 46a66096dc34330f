/* domain.h - which ranks of a communicator are close to each other, for algorithms of two levels. */
#ifndef TF_DOMAIN_H
#define TF_DOMAIN_H

#include "comm/comm.h"

/* A communicator's; zeroed at first. */
struct tf_domains {
    bool known;
    int32_t *of; /* [size] the domain of each rank, below size; NULL: there is one level */
};

/* domains->of, found out the first time.  Without a message: all ranks come to the same answer, from the setting
 * `domains`, or from what all have told about their processors at the start and the machine's topology. */
const int32_t *tf_coll_domains(const struct tf_comm *comm, struct tf_domains *domains);
void tf_coll_domains_clear(struct tf_domains *domains);

#endif
