/* connect.h - an intercommunicator with those at the other end of a line. */
#ifndef TF_CONNECT_H
#define TF_CONNECT_H

#include "comm/comm.h"
#include "msg/terms.h"

/* Whether comm and root can be those of such a call. */
int tf_connect_check(const struct tf_comm *comm, int root);
/* Collective over comm.  At the root: the line, which is closed, or `err` if there is none. */
int tf_connect_line(struct tf_comm *comm, int root, enum tf_caller caller, int fd, int err, MPI_Comm *newcomm);

#endif
