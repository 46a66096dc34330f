/* fake.h - what communicators need of the layers around them, so that one process can play every rank of a job.
 *
 * fake_rank(r, p) makes this process rank r of p: MPI_COMM_WORLD and MPI_COMM_SELF are set up anew.  A test plays the
 * ranks one after the other; what an earlier rank has broadcast or sent is kept for the later ones.
 */
#ifndef TF_FAKE_H
#define TF_FAKE_H

#include "comm/comm.h"

void fake_rank(int rank, int size);
void fake_leave(void); /* tears the communicators down */

/* What rank r gives to the next allgather, `bytes` long; NULL: ends that. */
extern const void *(*fake_allgather)(int rank);

extern int fake_matches, fake_colls; /* how many exist */
extern int fake_sends;               /* messages sent so far */

/* Completes the duplication that tf_coll_max_then() has begun. */
int fake_complete(void);

#endif
