/* await.h - waiting in MPI: passes of progress with pauses in between until something is over, and what it is, for
 * whoever asks why the process stands still (env/why.h).
 *
 * What is waited for is told by three words on the way into a wait, which are looked at when the wait lasts: the
 * objects are the waiter's, and stay until it has ended.
 */
#ifndef TF_AWAIT_H
#define TF_AWAIT_H

#include "base/base.h"

struct tf_comm;
struct tf_pause;
struct tf_peer;
struct tf_request;

enum tf_awaited {
    TF_AWAITS_NOTHING,
    TF_AWAITS_RECV,       /* object: struct tf_recv */
    TF_AWAITS_SEND,       /* struct tf_send */
    TF_AWAITS_REQUEST,    /* struct tf_request */
    TF_AWAITS_ALL,        /* struct tf_await_set */
    TF_AWAITS_ANY,        /* the same */
    TF_AWAITS_PROBE,      /* struct tf_await_probe */
    TF_AWAITS_RUN,        /* struct tf_run, a collective */
    TF_AWAITS_ANSWER,     /* struct tf_peer, of whom an accord has asked what it called */
    TF_AWAITS_BUFFERED,   /* nothing */
    TF_AWAITS_DISCONNECT, /* struct tf_comm */
    TF_AWAITS_PULLED,     /* nothing: messages that are being read */
    TF_AWAITS_LETTER,     /* struct tf_letter_key of construct/letters.h */
    TF_AWAITS_FILE,       /* nothing: operations on a file that is closed */
    TF_AWAITS_LEAVE,      /* nothing: what was sent is on its way */
    TF_AWAITS_WINDOW,     /* struct tf_epoch_wait of rma/epoch.h */
    TF_AWAITS_OTHERS,     /* struct tf_peer, of another job, that is to come to the end too */
    TF_AWAITS_LINE,       /* struct tf_await_line */
};

struct tf_await_set {
    const char *call;
    int count;
    struct tf_request **requests; /* NULL: a null one */
};

/* A process of another job, or the launcher, is to say something. */
struct tf_await_line {
    const char *call, *what; /* "MPI_Comm_accept", "somebody to connect" */
};

struct tf_await_probe {
    const char *call;
    struct tf_comm *comm;
    int source, tag;
};

extern struct tf_awaiting {
    enum tf_awaited what;
    const void *object;
    const void *detail; /* TF_AWAITS_RUN: struct tf_peer, NULL: the graph knows; RECV, SEND, REQUEST: the call's name */
} tf_awaiting;

static inline void tf_await_begin(enum tf_awaited what, const void *object, const void *detail)
{
    tf_awaiting = (struct tf_awaiting){what, object, detail};
}
static inline void tf_await_end(void)
{
    tf_awaiting.what = TF_AWAITS_NOTHING;
}

/* Something has come: other threads whose waits are over are woken (lead.h), and those that wait for whatever comes. */
void tf_await_rouse(void);
/* Handle what that peer has sent, at most so many messages, outside of a pass. */
void tf_await_poll(struct tf_peer *peer, int limit);

/* By who may be making a pass, or is to wait on: a function of the program is called in between, and others may use MPI
 * and lead (tf_lock_lend()). */
struct tf_lent {
    bool lock;
    struct tf_awaiting awaiting;
};
struct tf_lent tf_await_lend(void);
void tf_await_take_back(struct tf_lent lent);

/* tf_pause(), by whoever waits in a loop of its own: in a wait that lasts, others are helped on (fetch.h). */
void tf_await_pause(struct tf_pause *pause);

/* Wait until over() says so, which is asked after each pass, and may move something itself (*moved, then, is true). */
void tf_await(enum tf_awaited what, const void *object, bool (*over)(void *state, bool *moved), void *state);

/* The same of what others write to memory that this process sees: looked at many times before the first pause, as that
 * costs next to nothing. */
void tf_await_seen(enum tf_awaited what, const void *object, bool (*over)(void *state, bool *moved), void *state);

/* Wait until *flag; `peer`, if not NULL, is looked at first and most.  tf_await_begin() comes before. */
void tf_await_flag(const volatile bool *flag, struct tf_peer *peer);

#endif
