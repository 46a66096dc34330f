/* survive.h - going on after a failure: what the procedures do by which a program finds out who has died, gives a
 * communicator up on all its processes, agrees with the others who are left, and makes a communicator of them.
 *
 * They work whether or not the communicator is broken or revoked.
 */
#ifndef TF_SURVIVE_H
#define TF_SURVIVE_H

#include "comm/comm.h"

/* revoke.c.  Local: returns at once, and all other processes hear of it, even if this one dies. */
int tf_comm_revoke(struct tf_comm *comm);
int tf_comm_is_revoked(const struct tf_comm *comm, int *flag);

/* failed.c.  Local.  Processes of both groups of an intercommunicator, in the order in which this process has learned
 * that they have died; those acknowledged are the first of them. */
int tf_comm_get_failed(const struct tf_comm *comm, MPI_Group *failedgrp);
int tf_comm_ack_failed(struct tf_comm *comm, int num_to_ack, int *num_acked);
int tf_comm_failure_ack(struct tf_comm *comm);
int tf_comm_failure_get_acked(const struct tf_comm *comm, MPI_Group *failedgrp);

/* agree.c.  *flag, at the end: the bits that all have set who took part; of an intercommunicator, all of the other
 * group.  MPIX_ERR_PROC_FAILED, on all: somebody died before, and not all had acknowledged that; *flag holds all the
 * same. */
int tf_comm_agree(struct tf_comm *comm, int *flag);
int tf_comm_iagree(struct tf_comm *comm, int *flag, MPI_Request *request);

/* shrink.c.  All processes of the communicator who live get the same one of those who live. */
int tf_comm_shrink(struct tf_comm *comm, MPI_Comm *newcomm);
int tf_comm_ishrink(struct tf_comm *comm, MPI_Comm *newcomm, MPI_Request *request);

void tf_survive_setup(void);

#endif
