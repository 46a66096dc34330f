/* wire.h - the messages of the protocols, and the objects that send and receive them.  Used by msg/ and exec/.
 *
 *     short (eager):        EAGER ------------------------->   header and data in one cell
 *     long (rendezvous):    RTS   ------------------------->   "I have N bytes"
 *                           <------------------------- CTS     the receive is matched: send to id
 *                           DATA DATA DATA ---------------->   chunks, each consumed where it lies
 *     long, read:           RTS   ------------------------->   "I have N bytes at this address; this is the key"
 *                           <- - - - - - - - - - - - -         reads of its memory, see pull.c
 *                           <------------------------- ACK     "I have them"; or CTS, if it cannot read
 *     synchronous, short:   EAGER ---->   <---- ACK
 *     cancelled:            CANCEL --->   <---- CANCELLED      see cancel.c
 *
 *   kind       tag         context         source              id             payload
 *   EAGER      the user's  communicator's  rank of the sender  number (*)     the data
 *   RTS        the user's  communicator's  rank of the sender  sender's       struct tf_rts
 *   COLL       the step's  communicator's  collective's number fingerprint    the data
 *   COLL_RTS   the step's  communicator's  collective's number sender's       struct tf_rts
 *   CTS        -           receiver's id   -                   sender's       -
 *   DATA       -           -               -                   receiver's     the next chunk
 *   ACK        -           -               -                   sender's       -
 *   CANCEL     -           communicator's  sender's            number (*)     -
 *   CANCELLED  -           -               that of the send    sender's       -
 *   (*) by which it can be cancelled; sender's with TF_FLAG_SYNC.  That of an RTS is in its struct tf_rts.
 *
 * Who gives a collective up after its data were announced for reading sends a COLL with TF_FINGERPRINT_GIVEN_UP after
 * the COLL_RTS.
 *
 * Messages of one kind of traffic between two processes match in the order in which they were started.
 */
#ifndef TF_WIRE_H
#define TF_WIRE_H

#include "base/memory.h"
#include "comm/comm.h"
#include "msg/history.h"
#include "net/net.h"
#include "net/waiting.h"
#include "type/type.h"

enum tf_message_kind {
    TF_MSG_EAGER = 1,
    TF_MSG_RTS,
    TF_MSG_COLL,
    TF_MSG_COLL_RTS,
    TF_MSG_CTS,
    TF_MSG_DATA,
    TF_MSG_ACK,
    TF_MSG_ASK, /* mismatch.h */
    TF_MSG_DIFFERS,
    TF_MSG_CANCEL, /* cancel.c */
    TF_MSG_CANCELLED,
};
enum {
    TF_FLAG_SYNC = 1,
    TF_FLAG_ECHO = 2,  /* RTS: the result may come back in the memory of the DATA; CTS: it will */
    TF_FLAG_VOID = 4,  /* DATA: the sender gave the collective up, this is not what was to be sent */
    TF_FLAG_TAKEN = 8, /* CANCELLED: the message was there and is gone */
};

/* The payload of RTS and COLL_RTS; the key that the transport's reads need, if any, follows. */
struct tf_rts {
    uint64_t total;
    uint64_t address;     /* of the data, if the receiver may read it there; 0: not */
    uint32_t fingerprint; /* point-to-point: the number */
};

/* Tags that only the library uses; MPI_ANY_TAG does not match them. */
enum { TF_TAG_INTERNAL = -100 };

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
    size_t position;      /* of the first byte to send in the packed stream of (buf, count, type) */
    size_t total;         /* bytes to send */
    size_t available;     /* of these, ready to be sent: less than total while an earlier step still produces them */
    size_t unit;          /* chunks are multiples of it */
    uint32_t fingerprint; /* collectives; point-to-point: the number by which it can be cancelled, or 0 */
    void (*done)(struct tf_send *send);
    /* If an echo is asked for: the peer declines, or a piece of the result is back.  `echo` tells which. */
    bool echo;
    bool given_up; /* nothing is left to be sent but as many bytes */
    void (*declined)(struct tf_send *send);
    void (*returned)(struct tf_send *send, const void *data, size_t at, size_t length);

    size_t sent, collected;
    uint32_t id, receiver_id;
    bool offered; /* the receiver may read it, and has not answered yet */
    void *hold;   /* of net->expose() meanwhile */
};

/* A message to come.  The owner fills the first part and keeps it where it is until done(). */
struct tf_recv {
    struct tf_out out;    /* the CTS or ACK that answers */
    struct tf_comm *comm; /* NULL: nobody minds any more what comes */
    int source, tag;      /* point-to-point: rank or MPI_ANY_SOURCE, tag or MPI_ANY_TAG; collectives: the step's tag */
    struct tf_peer *peer; /* collectives: the sender; point-to-point: the sender once matched */
    bool direct; /* the bytes end up unchanged at buf and may be read there; the sink then finds them in their place */
    bool pull;   /* reading is worth it even if this processor has to do it */
    size_t unit; /* the sink gets multiples of it, and the rest at the end */
    uint32_t sequence, fingerprint; /* collectives: the number and what must agree, fingerprint.h */
    const struct tf_type *type;     /* NULL: plain bytes at buf */
    char *buf;
    MPI_Count count;
    size_t position, capacity; /* in the packed stream; bytes */
    /* Takes the next `length` bytes; recv->received of them came before.  NULL: they are put into buf. */
    void (*sink)(struct tf_recv *recv, void *data, size_t length);
    void (*met)(struct tf_recv *recv); /* collectives: its message is there, or at least announced */
    void (*done)(struct tf_recv *recv);
    bool echo; /* the sink can put the result in the place of the data; after the meeting: it is to do so */

    struct tf_recv *next, **link; /* in the list of posted receives; link is NULL when it is not there */
    size_t total, received;       /* bytes of the message; of these, consumed */
    int matched_source, matched_tag;
    int error;
    bool collective;
    uint32_t id, sender_id;
};

/* A message that came before its receive. */
struct tf_unexpected {
    struct tf_unexpected *next;
    struct tf_peer *peer;
    struct tf_header header;
    struct tf_rts facts;
    _Alignas(16) unsigned char data[]; /* of an RTS: its key */
};

enum { TF_KEPT_LISTS = 16, TF_STRANGERS = 8 };

/* Another rank's call that is not ours of the same number (mismatch.h). */
struct tf_stranger {
    struct tf_peer *peer;
    uint32_t sequence, fingerprint;
};

struct tf_match {
    struct tf_comm *comm;
    uint64_t context;
    struct tf_match *next; /* in the table of contexts */
    struct tf_recv *posted, **posted_end;
    struct tf_unexpected *unexpected, **unexpected_end;
    struct tf_recv *coll_posted, **coll_posted_end;
    struct tf_history history;
    uint32_t coll_runs; /* nonblocking collectives under way */
    int nstrangers;
    struct tf_stranger strangers[TF_STRANGERS];
    uint32_t coll_kept; /* strangers, and messages in: */
    struct tf_kept {
        struct tf_unexpected *first, **end;
    } coll_unexpected[TF_KEPT_LISTS]; /* by the sender's rank */
};

/* Receives posted now, of all communicators. */
extern uint32_t tf_match_posted;

static inline struct tf_kept *tf_match_kept(struct tf_match *match, const struct tf_peer *peer)
{
    return &match->coll_unexpected[peer->rank % TF_KEPT_LISTS];
}

/* out.c */
void tf_out_submit(struct tf_peer *peer, struct tf_out *out); /* push now if nobody waits before it, else in turn */
bool tf_out_push_all(void);                                   /* true if anything moved */
bool tf_out_idle(void);
bool tf_out_say(struct tf_peer *peer, const struct tf_header *header); /* a header alone; false: no memory */
void tf_send_start(struct tf_send *send);
void tf_send_more(struct tf_send *send, size_t available); /* more of it has become available */
void tf_send_give_up(struct tf_send *send); /* a collective's: its data are not there any more, but it has to end */
void tf_send_cleared(const struct tf_header *cts);
void tf_send_acknowledged(const struct tf_header *ack);
void tf_send_end(struct tf_send *send); /* one with an id; done() */
/* The point-to-point message of that number, taken out of the queue if it has not left yet; else NULL. */
struct tf_send *tf_send_withdraw(struct tf_peer *peer, uint64_t context, uint32_t number);
bool tf_send_is_short_synchronous(const struct tf_send *send);        /* one that was started */
void tf_recv_answer(struct tf_recv *recv, enum tf_message_kind kind); /* CTS, or ACK after which it is done */

/* id.c: small numbers for objects that a message names */
uint32_t tf_id_take(void *object); /* 0: no memory */
void *tf_id_object(uint32_t id);
void tf_id_give(uint32_t id);
bool tf_id_any(void); /* whether any message waits for an answer */

/* match.c */
void tf_recv_post(struct tf_recv *recv);      /* point-to-point */
void tf_recv_post_coll(struct tf_recv *recv); /* by peer, sequence and tag */
bool tf_recv_withdraw(struct tf_recv *recv);  /* true if it was not matched yet and is posted no longer */
/* The first message that a receive from source with tag would get; with `take`, out of the queue. */
struct tf_unexpected *tf_match_find(struct tf_comm *comm, int source, int tag, bool take);
void tf_recv_take(struct tf_recv *recv, struct tf_unexpected *message); /* receive that message */
void tf_recv_consume(struct tf_recv *recv, void *data, size_t length);  /* the next bytes of it have come */
/* A collective's message that came before its receive, or NULL; one that is taken is the caller's to free. */
struct tf_unexpected *tf_match_find_coll(struct tf_comm *comm, const struct tf_peer *peer, uint32_t sequence, int tag,
                                         bool take);

/* A message that the sender wants back and nobody has received goes; *id is what its sender waits by, or 0. */
bool tf_match_take_back(const struct tf_peer *peer, const struct tf_header *cancel, uint32_t *id);

/* MPI_Finalize: what nobody will receive any more shows that ranks have disagreed. */
int tf_match_leave_all(void);
/* Of the kept messages, those that have turned out to be stray (mismatch.h) go. */
void tf_match_sift(struct tf_match *match);
void tf_match_discard_all(struct tf_match *match); /* of collectives */

/* pull.c */
/* The message of that RTS, which says where it may be read, has met its receive: read it and answer ACK, or, where that
 * cannot be done, CTS. */
void tf_pull_start(struct tf_recv *recv, const struct tf_header *rts, const struct tf_rts *facts, const void *key);
/* Its sender gave the collective up; false: no such message is being read. */
bool tf_pull_revoke(const struct tf_peer *peer, const struct tf_header *message);
/* No more of it is read.  True: what was asked for before still comes, and recv->buf must stay until done(). */
bool tf_pull_leave(const struct tf_recv *recv);
void tf_pull_settle(void); /* wait until nothing is being read any more */

/* cancel.c */
uint32_t tf_cancel_number(void);
void tf_cancel_hear(struct tf_peer *peer, const struct tf_header *cancel);
void tf_cancel_answered(const struct tf_header *answer);

/* progress.c */
bool tf_msg_progress(void); /* one pass over everything; true if anything moved */
/* A pass, and a pause if nothing moved: the body of every waiting loop.  tf_wait_reset() follows the loop. */
static inline void tf_msg_step(struct tf_wait *wait)
{
    if (tf_msg_progress())
        tf_wait_reset(wait);
    else
        tf_wait_pause(wait);
}
/* Wait until *flag, making progress (tf_waiting_begin() comes before); `peer`, if not NULL, is looked at first and
 * most. */
void tf_msg_wait(const volatile bool *flag, struct tf_peer *peer);

/* Something that wants to be advanced in every pass until advance() says (true) that it is at its end; then, out of the
 * list, finished() is called and may free it. */
struct tf_task {
    struct tf_task *next, **link;
    bool (*advance)(struct tf_task *task, bool *moved);
    void (*finished)(struct tf_task *task);
};
void tf_task_add(struct tf_task *task);

/* Whether something depends on this process looking at it: a task, a posted receive, a message on its way. */
bool tf_msg_under_way(void);

/* Operations under way that may call a function of the program, an operator. */
extern uint32_t tf_msg_callbacks;

#endif
