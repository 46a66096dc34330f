/* beside.h - a process of another job that runs on the same node: two rings in memory that both see.
 *
 *     the side that connects                                the side that accepts
 *     memory with two rings, offered   ---- tcp/hello.c -->  opens it: both go on beside each other
 *                                                            it cannot: both go on by TCP
 *
 * Two processes meet over TCP, and only those that talk: each pair that does has memory of its own, without a name,
 * which is gone when both have let go of it.  Before, nothing can be sent: the private ring is shut (ring.h).  The
 * connection stays, and carries nothing: it ends when either process does, which the other so hears at once.
 */
#ifndef TF_BESIDE_H
#define TF_BESIDE_H

#include "net/net.h"

/* What travels between them. */
struct tf_beside_offer {
    int32_t file; /* of the process that offers; -1: none */
    uint32_t layout;
    uint64_t device, inode, bytes;
};
struct tf_beside_pair;

/* Whether this process may share memory with those of other jobs, and is ready for it: as its card says. */
bool tf_beside_ready(void);
/* Memory for this process and that peer, NULL: the offer says that there is none. */
struct tf_beside_pair *tf_beside_make(const struct tf_peer *peer, int pid, struct tf_beside_offer *offer);
/* That which the process has offered; NULL: it cannot be opened here, or is not understood. */
struct tf_beside_pair *tf_beside_open(const struct tf_peer *peer, int pid, const struct tf_beside_offer *offer);
/* One that did not come into use; NULL is nothing. */
void tf_beside_drop(struct tf_beside_pair *pair);
/* Both have it: from now on the peer, which was met and has got nothing and sent nothing yet, goes by it.  hang_up()
 * ends the connection when they part. */
void tf_beside_begin(struct tf_beside_pair *pair, struct tf_peer *peer, void (*hang_up)(void *line), void *line);
/* No communicator has that peer any more: what was kept of one that has died goes. */
void tf_beside_forget(const struct tf_peer *peer);

#endif
