/* fake_net.h - a job of several ranks of which the test is rank 0 by the library and all others by hand: the rings are
 * real, the other side of each is the test.  fake_net.c stands in for net.c.
 */
#ifndef FAKE_NET_H
#define FAKE_NET_H

#include "msg/match.h"
#include "msg/progress.h"
#include "msg/request.h"

enum { FAKE_RANKS = 6, FAKE_CAPACITY = 16 * 1024 };
/* Of each ring of the next job; FAKE_CAPACITY again when that is closed. */
extern uint32_t fake_capacity;

/* MPI_COMM_WORLD of FAKE_RANKS and MPI_COMM_SELF; to be used as a cmocka setup and teardown.  The latter fails if a
 * pool of objects is not empty. */
int fake_job_open(void **state);
int fake_job_close(void **state);

/* What our next reads of the others' memory give, at first TF_NET_REFUSED; how many were taken so far. */
extern enum tf_net_outcome fake_reading;
extern int fake_reads;
/* The others are of another node from now on: reads need the key that comes with an RTS.  Otherwise they share memory
 * with us.  Parts of our memory that are exposed now (none may be left at the end), and whether that is declined. */
void fake_be_remote(void);
extern int fake_exposed;
extern bool fake_hides;
/* Reads that have been started and have not ended; the i-th of them, in their order, ends. */
int fake_pending(void);
void fake_end_read(int i, bool good);
/* The others share memory with us, and we may write theirs (which is ours) or cannot: what our next writes give, at
 * first false; how many were tried, and what is done before each. */
extern bool fake_writes_good;
extern int fake_writes;
extern void (*fake_before_write)(void);
void fake_be_writable(void);
/* From now on each pass of progress has the oldest of them end well. */
void fake_be_driven(bool driven);

struct tf_type *fake_byte(void); /* MPI_BYTE */
/* MPI_Test, which is to succeed. */
bool fake_done(MPI_Request *request);

/* What `rank` does.  Its messages to us: the header's kind, flags, tag, context, source and id count. */
void fake_send(int rank, struct tf_header header, const void *payload, size_t length);
/* The ordinary kinds, on a communicator. */
void fake_eager(int rank, const struct tf_comm *comm, int tag, const void *payload, size_t length);
void fake_rts(int rank, const struct tf_comm *comm, int tag, uint32_t id, struct tf_rts rts);
/* An RTS or COLL_RTS by its header; the key is added. */
void fake_announce(int rank, struct tf_header header, struct tf_rts rts);
/* Our next message to it, false if there is none; the payload (at most FAKE_CAPACITY / 4 bytes) is copied. */
bool fake_next(int rank, struct tf_header *header, void *payload);
/* The same message where it lies, which may be written to (an echo), before it is taken; NULL if there is none. */
void *fake_peek(int rank, struct tf_header *header);
/* Fill the ring to it with empty messages, so that nothing more goes out. */
void fake_clog(int rank);
/* Take all such messages out again. */
void fake_drain(int rank);

#endif
