/* rendezvous.h - which partitioned send belongs to which partitioned receive.
 *
 *     sender     MPI_Psend_init   OFFER ------>    "I shall send: so many partitions, so many bytes"
 *                MPI_Request_free WITHDRAW --->    it was never started
 *     receiver   MPI_Start        <------ GRANT    "the buffer is yours", at each start
 *     sender     MPI_Pready       PART ------->    partitions that lie side by side, short
 *                                 PART_RTS --->    long: goes on as an RTS does (msg/wire.h)
 *
 *   kind       tag              context      source              id                   payload
 *   OFFER      the user's       context      source              handle of the send   struct tf_offering
 *   WITHDRAW   the user's       context      source              handle of the send   -
 *   GRANT      -                receiver     -                   handle of the send   -
 *   PART       first partition  receiver     parts: how many     -                    the data
 *   PART_RTS   first partition  receiver     parts: how many     id of the message    struct tf_rts
 *   (receiver: the handle of the receive's request)
 *
 * They match in the order of the *_init calls with the same communicator, source and tag; those that were freed without
 * having been started do not count.  Two are bound to each other when the receive is first started.  Handles name the
 * requests, so that what comes for one that is gone is seen to be late.
 */
#ifndef TF_RENDEZVOUS_H
#define TF_RENDEZVOUS_H

#include "msg/wire.h"

_Static_assert(TF_MSG_PART_RTS == TF_MSG_PART + 1, "as wire.h has it");

struct tf_precv;
struct tf_place;

/* The payload of OFFER. */
struct tf_offering {
    uint64_t bytes;
    uint64_t partitions;
};

/* What a process is to send to this one. */
struct tf_offer {
    struct tf_offer *next;
    struct tf_peer *peer;
    uint32_t id; /* of the send */
    struct tf_offering what;
    struct tf_precv *receive; /* bound to it */
};

/* A receive is waited for there from its initialization on; false: no memory, recorded. */
bool tf_rendezvous_enter(struct tf_precv *receive, uint64_t context);
void tf_rendezvous_leave(struct tf_precv *receive); /* it goes, and its offer with it */
/* It is started and not bound: tf_precv_meet() is called now or when its offer comes. */
void tf_rendezvous_want(struct tf_precv *receive);

void tf_rendezvous_setup(void); /* OFFER and WITHDRAW have handlers */

#endif
