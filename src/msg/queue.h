/* queue.h - receives that wait for their message, and messages that wait for their receive, each in order of time.
 *
 * A queue is a list, and what is sought in it is mostly the first or near it.  A search that has walked past
 * TF_QUEUE_WALK entries has an index made beside the list (index.h), which stays until the queue is empty:
 *
 *     receives    one index.  A message looks for the four receives that it may meet (its source or any, its tag or
 * any) and takes the earliest of these. messages    one index for each of the four kinds of receives that has made such
 * a search, in which the messages that such a receive cannot tell apart are a group.
 *
 * Where there is no memory for an index the list is walked.
 */
#ifndef TF_QUEUE_H
#define TF_QUEUE_H

#include "base/listen.h"
#include "msg/index.h"
#include "msg/transfer.h"

enum { TF_QUEUE_WALK = 32, TF_QUEUE_KINDS = 4 };

/* MPI_ANY_TAG matches what users sent, not the library's own messages. */
static inline bool tf_queue_fits(int source, int tag, const struct tf_header *h)
{
    return (source == (int)h->source || source == MPI_ANY_SOURCE) &&
           (tag == h->tag || (tag == MPI_ANY_TAG && h->tag >= 0));
}

/* ---- receives ---- */

struct tf_posted {
    struct tf_recv *first, **end;
    struct tf_index *index;
    struct tf_recv **fresh; /* where the receives begin that are not in the index yet: it takes them when it is asked */
    uint32_t kinds;         /* a bit for each kind of receive that is or was in it */
};

/* Receives posted now, of all communicators; to whoever wants to hear it. */
extern uint32_t tf_match_posted;
void tf_posted_tell(void) TF_COLD;

static inline void tf_posted_open(struct tf_posted *posted)
{
    *posted = (struct tf_posted){.end = &posted->first};
}

static inline void tf_posted_append(struct tf_posted *posted, struct tf_recv *recv)
{
    tf_match_posted++;
    recv->next = NULL;
    recv->link = posted->end;
    *posted->end = recv;
    posted->end = &recv->next;
    if (TF_UNLIKELY(tf_listen_to & 1u << TF_NEWS_POSTED))
        tf_posted_tell();
}

static inline void tf_posted_unlink(struct tf_posted *posted, struct tf_recv *recv)
{
    tf_match_posted--;
    *recv->link = recv->next;
    if (recv->next)
        recv->next->link = recv->link;
    else
        posted->end = recv->link;
    recv->link = NULL;
}

/* The first receive that gets the message, out of the queue; NULL: none. */
struct tf_recv *tf_posted_take(struct tf_posted *posted, const struct tf_header *h);
/* The same of a queue of collectives: by peer, sequence and tag. */
struct tf_recv *tf_posted_take_coll(struct tf_posted *posted, const struct tf_peer *peer, const struct tf_header *h);
void tf_posted_withdraw(struct tf_posted *posted, struct tf_recv *recv);

/* The usual case, of which nothing more is to be known: the receive that was posted first is the one. */
static inline struct tf_recv *tf_posted_take_first(struct tf_posted *posted, const struct tf_header *h)
{
    struct tf_recv *first = posted->first;
    if (!first || posted->index || !tf_queue_fits(first->source, first->tag, h))
        return NULL;
    tf_posted_unlink(posted, first);
    return first;
}

/* ---- messages ---- */

/* A message that came before its receive. */
struct tf_unexpected {
    struct tf_unexpected *next, **link; /* in its list */
    struct tf_peer *peer;
    struct tf_header header;
    struct tf_rts facts;
    size_t bytes;                      /* of all this; 0: there was no memory for its data, which are lost */
    uint32_t place[TF_QUEUE_KINDS];    /* in each index of its queue that there is; 0: not there */
    _Alignas(16) unsigned char data[]; /* of an RTS: its key */
};

/* A list alone, for what is never sought by a receive that may have wildcards. */
struct tf_messages {
    struct tf_unexpected *first, **end;
};

struct tf_arrived {
    struct tf_messages list;
    struct tf_index *index[TF_QUEUE_KINDS];
};

static inline void tf_messages_open(struct tf_messages *messages)
{
    *messages = (struct tf_messages){.end = &messages->first};
}
void tf_messages_append(struct tf_messages *messages, struct tf_unexpected *message);
void tf_messages_remove(struct tf_messages *messages, struct tf_unexpected *message);

void tf_arrived_append(struct tf_arrived *arrived, struct tf_unexpected *message);
void tf_arrived_remove(struct tf_arrived *arrived, struct tf_unexpected *message);
/* The same message, of the same source and tag, at another place in memory. */
void tf_arrived_replace(struct tf_arrived *arrived, struct tf_unexpected *old, struct tf_unexpected *message);
/* The first message that a receive from source with tag gets, or NULL. */
struct tf_unexpected *tf_arrived_find(struct tf_arrived *arrived, int source, int tag);
/* That is announced only: one that such a receive could get too, comes soon after it and was not; or it itself. */
struct tf_unexpected *tf_arrived_pass(struct tf_unexpected *announced, int source, int tag);

#endif
