/* transfer.h - messages on their way: the objects that send and receive one.  Used by msg/ and exec/. */
#ifndef TF_TRANSFER_H
#define TF_TRANSFER_H

#include "base/memory.h"
#include "comm/comm.h"
#include "msg/peer.h"
#include "msg/wire.h"
#include "type/type.h"

/* Something that waits for room in the ring of a peer.  push() tries to get it out: true when it is done with the queue
 * (the object may then be gone). */
struct tf_out {
    struct tf_out *next;
    bool (*push)(struct tf_peer *peer, struct tf_out *out);
};

/* A message on its way out.  The owner fills the first part and keeps it where it is until done(). */
struct tf_send {
    struct tf_out out;
    struct tf_peer *peer;
    struct tf_header header;    /* kind EAGER or COLL; the protocol makes RTS of it where the message is long */
    const struct tf_type *type; /* NULL: `total` plain bytes at buf */
    const char *buf;
    enum tf_memory memory; /* where buf lies */
    MPI_Count count;
    size_t position;  /* of the first byte to send in the packed stream of (buf, count, type) */
    size_t total;     /* bytes to send */
    size_t available; /* of these, ready to be sent: less than total while an earlier step still produces them */
    size_t unit;      /* chunks are multiples of it */
    union {
        uint32_t fingerprint; /* collectives */
        uint32_t ticket;      /* point-to-point: by which it can be cancelled, or 0 */
    };
    void (*done)(struct tf_send *send);
    /* If an echo is asked for: the peer declines, or a piece of the result is back.  `echo` tells which. */
    bool echo;
    bool given_up; /* nothing is left to be sent but as many bytes */
    bool offered;  /* the receiver may read it, and has not answered yet */
    bool lost;     /* at the end: the receiver has died, or the communicator is revoked */
    void (*declined)(struct tf_send *send);
    void (*returned)(struct tf_send *send, const void *data, size_t at, size_t length);

    size_t sent, collected;
    uint32_t id, receiver_id;
    void *hold; /* of net->expose() meanwhile */
};

/* A message to come.  The owner fills the first part and keeps it where it is until done(). */
struct tf_recv {
    struct tf_out out;    /* the CTS or ACK that answers */
    struct tf_comm *comm; /* NULL: nobody minds any more what comes */
    int source, tag;      /* point-to-point: rank or MPI_ANY_SOURCE, tag or MPI_ANY_TAG; collectives: the step's tag */
    struct tf_peer *peer; /* collectives: the sender; point-to-point: the sender once matched */
    bool direct; /* the bytes end up unchanged at buf and may be read there; the sink then finds them in their place */
    bool pull;   /* reading is worth it even if this processor has to do it */
    bool alters; /* the sink writes over the data that it gets */
    uint32_t place;                 /* in the index of the queue of posted receives, if there is one (queue.h) */
    size_t unit;                    /* the sink gets multiples of it, and the rest at the end */
    uint32_t sequence, fingerprint; /* collectives: the number and what must agree, fingerprint.h; after an error that
                                       of the message */
    const struct tf_type *type;     /* NULL: plain bytes at buf */
    char *buf;
    MPI_Count count;
    size_t position, capacity; /* in the packed stream; bytes */
    /* Takes the next `length` bytes; recv->received of them came before.  NULL: they are put into buf. */
    void (*sink)(struct tf_recv *recv, void *data, size_t length);
    void (*met)(struct tf_recv *recv); /* collectives: its message is there, or at least announced */
    void (*done)(struct tf_recv *recv);
    bool echo;             /* the sink can put the result in the place of the data; after the meeting: it is to do so */
    enum tf_memory memory; /* where buf lies */

    struct tf_recv *next, **link; /* in the list of posted receives; link is NULL when it is not there */
    size_t total, received;       /* bytes of the message; of these, consumed */
    int matched_source, matched_tag;
    int error;
    bool collective;
    uint32_t id, sender_id;
};

/* ---- out.c: what waits for room ---- */

void tf_out_queue(struct tf_peer *peer, struct tf_out *out);
/* Push now if nobody waits before it, else in turn. */
static inline void tf_out_submit(struct tf_peer *peer, struct tf_out *out)
{
    if (tf_msg_peer(peer)->first_out || !out->push(peer, out))
        tf_out_queue(peer, out);
}
void tf_out_submit_first(struct tf_peer *peer, struct tf_out *out); /* in the next pass, before all others */
/* Long messages are pushed in turn with the others: now, and whenever there is more of one or room. */
void tf_out_add_stream(struct tf_peer *peer, struct tf_out *out);
void tf_out_push_streams(struct tf_peer *peer);
bool tf_out_push_all(void); /* true if anything moved */
bool tf_out_idle(void);
/* A message of header->length bytes, at most a chunk; false: no memory. */
bool tf_out_say(struct tf_peer *peer, const struct tf_header *header, const void *payload);
/* The peer has died: all that is on its way there ends. */
void tf_out_lose(struct tf_peer *peer);

/* Of so many processes that share processors the rings stay in the caches; those of more are too large. */
enum { TF_FEW = 6 };

/* ---- send.c ---- */

extern uint32_t tf_send_readers;          /* peers that may read messages of this process, and have not answered yet */
enum { TF_SEND_READERS = 4 };             /* more of them keep all processors, or the system's counters, busy */
void tf_send_start(struct tf_send *send); /* point-to-point */
/* The same, not synchronous, if it can leave this moment, as short ones mostly do: then it is done.  False: nothing has
 * happened. */
bool tf_send_at_once(struct tf_send *send);
/* From so many bytes on messages of a node are read where they lie if their receiver runs at the same time (send.c). */
enum { TF_SEND_RUNNING = 16384 };
/* Of two with a processor each: whether so many bytes of a collective, which might run ahead in the ring, are better
 * read, since the receiver has sent something after it got the last ones: it does not take them out at the same time as
 * the next ones are stored, but waits for both copies. */
bool tf_send_is_awaited(struct tf_peer *peer, size_t bytes);
void tf_send_announce(struct tf_send *send); /* the same, however short: a receiver without memory can keep it */
void tf_send_announce_all(
    struct tf_peer *peer); /* the point-to-point messages that have not left are announced instead */
/* Of a collective, or a part: it is never kept for long.  Unasked, and without an echo: it goes at once if it is not
 * too long, also where it could be read. */
void tf_send_start_coll(struct tf_send *send);
void tf_send_start_unasked(struct tf_send *send);
void tf_send_more(struct tf_send *send, size_t available); /* more of it has become available */
/* A collective's: its data are not there any more, but it has to end.  `word`: TF_FINGERPRINT_GIVEN_UP and why. */
void tf_send_give_up(struct tf_send *send, uint32_t word);
void tf_send_end(struct tf_send *send); /* one with an id; done() */
/* The point-to-point message of that ticket, taken out of the queue if it has not left yet; else NULL. */
struct tf_send *tf_send_withdraw(struct tf_peer *peer, uint64_t context, uint32_t ticket);
bool tf_send_is_short_synchronous(const struct tf_send *send); /* one that was started */
void tf_send_lose_streams(struct tf_msg_peer *peer);           /* it has died */
void tf_send_setup(void);                                      /* CTS, ACK and REFUSED have handlers */

/* ---- meet.c and unwanted.c; which receive meets which message is in match.h ---- */

void tf_recv_answer(struct tf_recv *recv, enum tf_message_kind kind); /* CTS, or ACK after which it is done */
void tf_recv_clear(struct tf_recv *recv); /* CTS; where there is no memory for that, ACK and an error */
/* A message that was not matched, but names its receive, is announced. */
void tf_recv_announced(struct tf_recv *recv, struct tf_peer *peer, const struct tf_header *h, void *payload);
/* Nobody wants what was announced: its sender hears so. */
void tf_recv_decline(struct tf_peer *peer, const struct tf_header *h);

void tf_recv_consume(struct tf_recv *recv, void *data, size_t length); /* the next bytes of it have come */
void tf_recv_void(struct tf_recv *recv, uint32_t word); /* what comes is not what was to be sent, for that reason */

/* ---- id.c: small numbers for objects that a message names ---- */

/* From whom such an object waits for an answer; and what becomes of it if that one has died, the number included. */
struct tf_id_kind {
    const struct tf_peer *(*peer)(const void *object);
    void (*lost)(void *object);
};
uint32_t tf_id_try(void *object, const struct tf_id_kind *kind);  /* 0: no memory, recorded */
uint32_t tf_id_take(void *object, const struct tf_id_kind *kind); /* ends the job if there is none */
void tf_id_lose(const struct tf_peer *peer);                      /* it has died */
void *tf_id_object(uint32_t id);
void tf_id_give(uint32_t id);
bool tf_id_any(void); /* whether any message waits for an answer */

/* ---- pull.c ---- */

extern uint64_t tf_pull_loaded; /* bytes, of the long messages: loaded, and stored by the sender (share.h) */

/* The message of that RTS, which says where it may be read, has met its receive: read it and answer ACK, or, where that
 * cannot be done, CTS.  here: where this process can load from it; NULL: the transport has to read. */
void tf_pull_start(struct tf_recv *recv, const struct tf_header *rts, const struct tf_rts *facts, const void *key,
                   const void *here);
/* Its sender gave the collective up; false: no such message is being read. */
bool tf_pull_revoke(const struct tf_peer *peer, const struct tf_header *message);
/* No more of it is read.  True: what was asked for before still comes, and recv->buf must stay until done(). */
bool tf_pull_leave(const struct tf_recv *recv);
void tf_pull_lose(const struct tf_peer *peer); /* it has died */
bool tf_pull_any(void);                        /* something is being read */
void tf_pull_settle(void);                     /* wait until nothing is being read any more */

#endif
