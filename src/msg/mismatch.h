/* mismatch.h - ranks that disagree about a collective and would wait for each other, or never notice.
 *
 * Where a message of the other call comes, its fingerprint tells (fingerprint.h).  Where none comes, who has waited for
 * long asks:
 *
 *     kind      context         source                id
 *     ASK       communicator's  collective's number   fingerprint     "I wait for you in this call"
 *     DIFFERS   the same        the same              fingerprint     "I called this instead"; no answer: I did not
 *
 * What is found out is noted with the communicator as a stranger, until a call reports it: the one under that number
 * if it is still under way, otherwise a later one, MPI_Comm_free or MPI_Finalize.
 */
#ifndef TF_MISMATCH_H
#define TF_MISMATCH_H

#include "msg/wire.h"

void tf_mismatch_ask(struct tf_comm *comm, struct tf_peer *peer, uint32_t sequence, uint32_t fingerprint);
/* An ASK or a DIFFERS; match NULL: this process does not know the communicator. */
void tf_mismatch_hear(struct tf_match *match, struct tf_peer *peer, const struct tf_header *header);

/* Whether a collective's message that no receive waits for is to be discarded, since it comes from another call than
 * ours (which is noted), or for one that was given up. */
bool tf_mismatch_is_stray(struct tf_match *match, struct tf_peer *peer, uint32_t sequence, uint32_t fingerprint);
/* A stranger says that the peer will never come, which is so only as long as its message is awaited. */
bool tf_mismatch_is_hearsay(const struct tf_stranger *stranger);
/* Stranger i becomes an error in words, and is forgotten.  `mine`: our call's fingerprint if it is not remembered. */
int tf_mismatch_report(struct tf_match *match, int i, uint32_t mine);
void tf_mismatch_forget(struct tf_match *match, int i);
/* The call of that number ends without a result; other ranks that wait for us in it are told when they ask, or in the
 * place of a message that they wait for. */
void tf_mismatch_give_up(struct tf_match *match, uint32_t sequence);
void tf_mismatch_decline(struct tf_comm *comm, struct tf_peer *peer, uint32_t sequence, int tag);
/* The communicator ends: what was never reported, and messages for calls that this process never made, since it calls
 * this instead.  The first of them becomes an error, all are forgotten. */
int tf_mismatch_left(struct tf_match *match, uint32_t instead);

#endif
