/* port.h - ports: where processes of other jobs connect (MPI-5.0 section 11.9).
 *
 *     treefold-port:TOKEN:PORT,HOST,ADDRESS,ADDRESS...
 *
 * The name of a port tells where its process listens, and a token of 128 random bits.  Both sides prove that they have
 * it before anything else is looked at, by a hash of it and of what each side has said first, so that a proof is good
 * for one connection.  Who proves nothing is turned away sooner or later, and waits meanwhile with no more than some
 * dozens of its kind.
 */
#ifndef TF_PORT_H
#define TF_PORT_H

#include "comm/comm.h"
#include "launch/launch.h"
#include "msg/await.h"

/* The first of those that connect to that port of this process: *fd, to be closed by the caller.  `awaited` says who is
 * waited for, which ends once a process of comm has died or comm is revoked; and for those of a job that was spawned,
 * if that is not NULL, once the first of them has ended. */
int tf_port_accept(const struct tf_comm *comm, const char *name, const struct tf_await_line *awaited,
                   struct tf_launch_spawned *spawned, int *fd);
/* Connect to a port; waits until it is accepted, for so many seconds, as long as comm is whole. */
int tf_port_connect(const struct tf_comm *comm, const char *name, const struct tf_await_line *awaited, double seconds,
                    int *fd);
/* Whether that is the name of a port that this process has opened: MPI_ERR_PORT if not. */
int tf_port_check(const char *name);

#endif
