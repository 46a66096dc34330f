/* wire.h - the messages by which data move, and what their headers and payloads hold.
 *
 *     short (eager):        EAGER ------------------------->   header and data in one cell
 *     long (rendezvous):    RTS   ------------------------->   "I have N bytes"
 *                           <------------------------- CTS     the receive is matched: send to id
 *                           DATA DATA DATA ---------------->   chunks, each consumed where it lies
 *     long, read:           RTS   ------------------------->   "I have N bytes at this address; this is the key"
 *                           <- - - - - - - - - - - - -         reads of its memory, see pull.c
 *                           <------------------------- ACK     "I have them"; or CTS, if it cannot read
 *     long, both copy:      RTS   ------------------------->   the same, on one node
 *                           <------------------------- SHARE   "I read from the front, you write from the back":
 * share.h
 *                           <------------------------- ACK
 *     kept without receive: RTS   ---->  - - reads  <---- ACK with TF_FLAG_KEPT, see fetch.h
 *     synchronous, short:   EAGER ---->   <---- ACK
 *     announced, no bytes:  RTS   ---->   <---- ACK
 *     cancelled:            CANCEL --->   <---- CANCELLED      see cancel.c
 *     of a revoked communicator, which waits for an answer:    <---- REFUSED
 *     too many short:       EAGER EAGER EAGER ---->   <---- ENOUGH   announce them;   <---- MORE   no longer: credit.c
 *
 *   kind       tag         context             source              id                  payload
 *   EAGER      the user's  context             source              ticket (*)          the data
 *   RTS        the user's  context             source              id of the send      struct tf_rts
 *   COLL       the step's  context             sequence            fingerprint         the data
 *   COLL_RTS   the step's  context             sequence            id of the send      struct tf_rts
 *   CTS        -           receiver            -                   id of the send      -
 *   DATA       -           -                   word, if VOID       id of the receive   the next chunk
 *   ACK        -           -                   -                   id of the send      -
 *   REFUSED    -           -                   -                   id of the send      -
 *   SHARE      -           -                   -                   id of the send      struct tf_share_offer
 *   CANCEL     -           context             asker               ticket (*)          -
 *   CANCELLED  -           -                   sender, if TAKEN    id of the asker     -
 *   ENOUGH     -           -                   -                   -                   -
 *   MORE       -           -                   -                   -                   -
 *   (*) id of the send with TF_FLAG_SYNC.  The ticket of an RTS is in its struct tf_rts.
 *
 * Who gives a collective up after its data were announced for reading sends a COLL with TF_FINGERPRINT_GIVEN_UP after
 * the COLL_RTS.  Who wants nothing of what was announced answers ACK.
 *
 * Messages of one kind of traffic between two processes match in the order in which they were started.
 */
#ifndef TF_WIRE_H
#define TF_WIRE_H

#include "net/handler.h"

enum {
    TF_FLAG_SYNC = 1,
    TF_FLAG_ECHO = 2,  /* RTS: the result may come back in the memory of the DATA; CTS: it will */
    TF_FLAG_VOID = 4,  /* DATA: the sender gave the collective up, this is not what was to be sent */
    TF_FLAG_TAKEN = 8, /* CANCELLED: the message was there and is gone */
    TF_FLAG_TRY = 8,   /* ACK: send some, to see what copies take (gauge.h) */
    TF_FLAG_TOLD = 16, /* of one that is kept: a probe has told of it */
    TF_FLAG_SLOW = 32, /* ACK: what was read last might better have been sent */
    TF_FLAG_KEPT = 16  /* ACK: it was read and has no receive yet (fetch.h) */
};

/* The payload of RTS and COLL_RTS; the key that the transport's reads need, if any, follows. */
struct tf_rts {
    uint64_t total;
    uint64_t address; /* of the data, if the receiver may read it there; 0: not */
    union {
        uint32_t fingerprint; /* of a collective */
        uint32_t ticket;      /* point-to-point */
    };
};

/* What announces a message is the next kind. */
_Static_assert(TF_MSG_RTS == TF_MSG_EAGER + 1 && TF_MSG_COLL_RTS == TF_MSG_COLL + 1, "kinds.def has them in pairs");

static inline bool tf_header_is_coll(const struct tf_header *h)
{
    return h->kind == TF_MSG_COLL || h->kind == TF_MSG_COLL_RTS;
}

static inline bool tf_header_is_announcement(const struct tf_header *h)
{
    return h->kind == TF_MSG_RTS || h->kind == TF_MSG_COLL_RTS;
}

/* Tags that only the library uses; MPI_ANY_TAG does not match them. */
enum { TF_TAG_INTERNAL = -100 };

#endif
