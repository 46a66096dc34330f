/* line.h - a line between two processes that have no communicator yet: a connected socket, on which both say as much as
 * they hear.
 *
 * All waits are passes of progress: other messages of this process go on meanwhile.
 */
#ifndef TF_LINE_H
#define TF_LINE_H

#include "comm/comm.h"
#include "msg/await.h"

/* Send and receive so many bytes, both at once; `awaited` says for what.  MPI_ERR_OTHER where the other side
 * hangs up; tf_lost_broken() once a process of comm has died or it is revoked. */
int tf_line_exchange(const struct tf_comm *comm, int fd, const struct tf_await_line *awaited, const void *mine,
                     size_t send, void *theirs, size_t receive);

#endif
