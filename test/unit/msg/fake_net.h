/* fake_net.h - a job of several ranks of which the test is rank 0 by the library and all others by hand: the rings are
 * real, the other side of each is the test.  fake_net.c stands in for net.c.
 */
#ifndef FAKE_NET_H
#define FAKE_NET_H

#include "msg/request.h"

enum { FAKE_RANKS = 4, FAKE_CAPACITY = 16 * 1024 };

/* MPI_COMM_WORLD of FAKE_RANKS and MPI_COMM_SELF; to be used as a cmocka setup and teardown.  The latter fails if a
 * pool of objects is not empty. */
int fake_job_open(void **state);
int fake_job_close(void **state);

/* Whether a rank may read our memory (single copy), and how often one did. */
extern bool fake_readable;
extern int fake_reads;

/* What `rank` does.  Its messages to us: the header's kind, flags, tag, context, source and id count. */
void fake_send(int rank, struct tf_header header, const void *payload, size_t length);
/* The ordinary kinds, on a communicator. */
void fake_eager(int rank, const struct tf_comm *comm, int tag, const void *payload, size_t length);
void fake_rts(int rank, const struct tf_comm *comm, int tag, uint32_t id, struct tf_rts rts);
/* Our next message to it, false if there is none; the payload (at most FAKE_CAPACITY / 4 bytes) is copied. */
bool fake_next(int rank, struct tf_header *header, void *payload);
/* The same message where it lies, which may be written to (an echo), before it is taken; NULL if there is none. */
void *fake_peek(int rank, struct tf_header *header);
/* Fill the ring to it with empty messages, so that nothing more goes out. */
void fake_clog(int rank);
/* Take all such messages out again. */
void fake_drain(int rank);

#endif
