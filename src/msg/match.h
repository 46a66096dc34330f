/* match.h - which message meets which receive: the lists of a communicator, and what is found in them. */
#ifndef TF_MATCH_H
#define TF_MATCH_H

#include "msg/accord.h"
#include "msg/queue.h"
#include "msg/transfer.h"

enum { TF_KEPT_LISTS = 16 };

struct tf_match {
    struct tf_comm *comm;
    uint64_t context;
    int broken;            /* lost.h: an error class, 0: it is whole */
    struct tf_match *next; /* in the table of contexts */
    struct tf_posted posted, coll_posted;
    struct tf_arrived unexpected;
    struct tf_accord accord;                           /* of a communicator that carries collectives */
    uint32_t coll_runs;                                /* nonblocking collectives under way */
    uint32_t coll_kept;                                /* dissents, whether it is broken, and messages in: */
    struct tf_messages coll_unexpected[TF_KEPT_LISTS]; /* by the sender's rank */
};

/* Who calls a collective on the communicator does so in accord with the other ranks. */
static inline struct tf_accord *tf_accord_of(const struct tf_comm *comm)
{
    return &comm->joint->match->accord;
}

/* That of the communicator with that context id; NULL: this process does not have it (yet). */
struct tf_match *tf_match_of(uint64_t context);
/* Each communicator's, in no order. */
void tf_match_each(void (*call)(struct tf_match *match, struct tf_peer *peer), struct tf_peer *peer);
/* One that is not revoked though it is being made of comm; NULL: there is none. */
struct tf_match *tf_match_made_of(const struct tf_comm *comm);
void tf_match_walk(void (*look)(const struct tf_match *match, void *state), void *state);

/* Messages of communicators that this process has not finished creating. */
extern struct tf_messages tf_match_early;
/* Point-to-point messages without a receive, of all communicators; and collectives that were begun on communicators
 * that are gone. */
extern uint32_t tf_match_unexpected;
extern uint64_t tf_match_collectives;

static inline struct tf_messages *tf_match_kept(struct tf_match *match, const struct tf_peer *peer)
{
    return &match->coll_unexpected[peer->rank % TF_KEPT_LISTS];
}

void tf_recv_post(struct tf_recv *recv);      /* point-to-point */
void tf_recv_post_coll(struct tf_recv *recv); /* by peer, sequence and tag */
bool tf_recv_withdraw(struct tf_recv *recv);  /* true if it was not matched yet and is posted no longer */
/* The first message that a receive from source with tag would get; with `take`, out of the queue. */
struct tf_unexpected *tf_match_find(struct tf_comm *comm, int source, int tag, bool take);
void tf_recv_take(struct tf_recv *recv, struct tf_unexpected *message); /* receive that message */
/* A collective's message that came before its receive, or NULL; one that is taken is the caller's to free. */
struct tf_unexpected *tf_match_find_coll(struct tf_comm *comm, const struct tf_peer *peer, uint32_t sequence, int tag,
                                         bool take);

/* A message that the sender wants back and nobody has received goes; *id is what its sender waits by, or 0. */
bool tf_match_take_back(const struct tf_peer *peer, const struct tf_header *cancel, uint32_t *id);

/* MPI_Finalize: what nobody will receive any more shows that ranks have disagreed, or is told (leftover.c). */
int tf_match_leave_all(void);
int tf_leftover_tell(const struct tf_match *match);
/* Of the kept messages, those that have turned out to be stray (accord.h) go. */
void tf_match_sift(struct tf_match *match);
void tf_match_discard_all(struct tf_match *match);                           /* of collectives */
void tf_match_forget(struct tf_match *match, struct tf_unexpected *message); /* point-to-point */
/* The communicator is revoked: of what waits there, or for it to come, nothing will be received. */
void tf_match_refuse(struct tf_match *match) TF_COLD;
void tf_match_refuse_early(uint64_t context) TF_COLD;
/* In the queue of one that is broken there is always a message that no receive gets: whoever posts one looks closely.
 */
static inline bool tf_match_is_stop(const struct tf_unexpected *message)
{
    return message->peer == NULL;
}
/* From now on no receive and no collective of it goes the short way, where nobody looks whether it is broken. */
void tf_match_slow_down(struct tf_match *match) TF_COLD;

void tf_match_setup(void); /* communicators have a match; EAGER, RTS, COLL and COLL_RTS have handlers */

/* ---- credit.c ---- */

/* Data of a message that even a process without memory can keep, where it is a short one or an announcement. */
enum { TF_CREDIT_ALWAYS = 512 };
/* Memory for a message that came before its receive, `length` bytes of data, from where it is counted; NULL: none. */
struct tf_unexpected *tf_credit_take(struct tf_peer *peer, const struct tf_header *header, size_t length);
/* Only its place in the order, which its receive finds. */
struct tf_unexpected *tf_credit_take_lost(struct tf_peer *peer, const struct tf_header *header) TF_COLD;
void tf_credit_give(struct tf_unexpected *message);
/* A message that is not shorter than tx.until_turn: whether it may be sent without asking all the same. */
bool tf_credit_allows(struct tf_peer *peer, size_t total);
void tf_credit_setup(void); /* ENOUGH and MORE have handlers */

#endif
