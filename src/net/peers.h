/* peers.h - the table of peers: for each job an array, by rank, that never moves.
 *
 *     this job      | 0 | 1 | 2 | ...                    | size - 1 |      comm->peers[] and others point into them
 *     another one   | 0 | 1 | ...  | size - 1 |
 *
 * It is address space.  A page of it becomes memory when something is written there, which is when a peer is met; read
 * before, it is the page of zeros that all share.  So a peer that is never met costs nothing, and one that is a page,
 * or two where it lies across their border.  Its place tells who it is: nothing has to be written for that either.
 */
#ifndef TF_PEERS_H
#define TF_PEERS_H

#include "net/net.h"

/* One more array, of so many peers; those of another job are met by that transport. */
int tf_peers_add(int size, const struct tf_net *net);
void tf_peers_close(void);
void tf_peers_drop(int job); /* the array of that job, of whom nobody is met any more; later ones count one less */
/* The job of that peer as process.h counts them, and its rank there; MPI_UNDEFINED: it is in no array. */
int tf_peers_find(const struct tf_peer *peer, int *rank);
const struct tf_net *tf_peers_net(int job); /* its transport; NULL: it is this job */
/* They have said all to each other, and are as if they had never met. */
void tf_peers_part(struct tf_peer *peer);
/* The peer's rings are ready. */
void tf_peers_set_up(struct tf_peer *peer);

#endif
