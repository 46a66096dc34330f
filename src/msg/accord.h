/* accord.h - ranks that disagree about a collective and would wait for each other, or never notice.
 *
 * Each communicator has an accord: what this process has called on it under which number (history.h), and the dissents
 * that it knows of, other ranks' calls that are not ours of the same number.  Where a message of such a call comes, its
 * fingerprint tells that there is one, and a question, what it is.  Where none comes, who has waited for long asks:
 *
 *     kind      context         sequence              fingerprint   payload
 *     ASK       communicator's  collective's number   fingerprint   its terms   "I wait for you in this call"
 *     DIFFERS   the same        the same              fingerprint   its terms   "I called this instead"; no answer: I
 *                                                                               did not
 *     QUESTION  the same        the same              -             -           "that is not what I call: what is it?"
 *     ANSWER    the same        the same              -             its terms   "this"; no payload: I do not remember
 *
 * A dissent is kept until a call reports it: the one under that number if it is still under way, otherwise a later one,
 * MPI_Comm_free or MPI_Finalize.  A question only makes the words better: who has asked it waits for the answer before
 * it ends with its error, though no longer than the setting `mismatch_after`.  A communicator that only one side has
 * already, or still has, is no reason to say nothing: absent.h.
 */
#ifndef TF_ACCORD_H
#define TF_ACCORD_H

#include "msg/history.h"
#include "net/net.h"

enum { TF_DISSENTS = 8 };

struct tf_dissent {
    struct tf_peer *peer;
    uint32_t sequence;
    struct tf_terms terms;
};

struct tf_question;

/* Part of struct tf_match (match.h), whose count of kept messages includes the dissents: a call looks at one word. */
struct tf_accord {
    struct tf_history history;
    int ndissents;
    struct tf_dissent dissents[TF_DISSENTS];
    struct tf_question *question; /* the one that is open, or NULL */
};

/* The communicator has its context, before which others may already have told of calls; and it ends. */
void tf_accord_open(struct tf_accord *accord);
void tf_accord_close(struct tf_accord *accord);

/* From that number on, until something else is noted, this process's calls have these terms. */
static inline void tf_accord_note(struct tf_accord *accord, uint32_t sequence, const struct tf_terms *terms)
{
    tf_history_note(&accord->history, sequence, terms);
}

/* A message of the call of that number has come from the peer, with `came` bytes where `expected` were: MPI_SUCCESS, or
 * an error that names both calls and both ranks. */
int tf_accord_mismatch(const struct tf_comm *comm, uint32_t sequence, uint32_t mine, size_t expected,
                       struct tf_peer *peer, uint32_t theirs, size_t came) TF_COLD;
static inline int tf_accord_check(const struct tf_comm *comm, uint32_t sequence, uint32_t mine, size_t expected,
                                  struct tf_peer *peer, uint32_t theirs, size_t came)
{
    return TF_LIKELY(mine == theirs) && TF_LIKELY(expected == came)
               ? MPI_SUCCESS
               : tf_accord_mismatch(comm, sequence, mine, expected, peer, theirs, came);
}

/* For a call that ends in an error: whether no answer is waited for any more.  The words of the error are then as good
 * as they get.  Settling waits for that. */
bool tf_accord_is_settled(struct tf_accord *accord, uint32_t sequence);
void tf_accord_settle(struct tf_accord *accord, uint32_t sequence);

/* The peer is asked what it has called under that number. */
void tf_accord_ask(struct tf_accord *accord, struct tf_peer *peer, uint32_t sequence, const struct tf_terms *terms);
/* A call of this process that looks for dissents. */
struct tf_accord_call {
    uint32_t sequence;
    const struct tf_terms *terms;
    bool blocking; /* earlier calls concern it too, as nobody else may report them */
    /* Whether it waits for a message of that peer. */
    bool (*awaits)(const struct tf_accord_call *call, const struct tf_peer *peer);
};
/* The first dissent that concerns the call becomes an error in words, with its fingerprint in *theirs, and is
 * forgotten; or MPI_SUCCESS. */
int tf_accord_look(struct tf_accord *accord, const struct tf_accord_call *call, uint32_t *theirs);
/* Whether a collective's message that no receive waits for is to be discarded, since it comes from another call than
 * ours (which is noted), or for one that was given up. */
bool tf_accord_is_stray(struct tf_accord *accord, struct tf_peer *peer, uint32_t sequence, uint32_t fingerprint);

/* There is no memory to keep a collective's message: the call that will wait for it gives up.  False: no room to note
 * even that. */
bool tf_accord_note_lost(struct tf_accord *accord, struct tf_peer *peer, uint32_t sequence);

/* The call of that number ends without a result, for the reason that `word` (TF_FINGERPRINT_GIVEN_UP) tells.  Other
 * ranks that wait for us in it are told when they ask, or in the place of a message that they wait for, or, where we do
 * not know what they wait for, all of them. */
void tf_accord_give_up(struct tf_accord *accord, uint32_t sequence, uint32_t word);
void tf_accord_decline(struct tf_accord *accord, struct tf_peer *peer, uint32_t sequence, int tag, uint32_t word);
void tf_accord_tell_all(struct tf_accord *accord, uint32_t sequence, uint32_t word);

/* The communicator ends: what was never reported, and messages for calls that this process never made, since it calls
 * this instead.  The first of them becomes an error, all are forgotten; what MPI_Finalize finds of the latter is told,
 * and no error unless calls are checked strictly. */
int tf_accord_left(struct tf_accord *accord, uint32_t instead);

void tf_accord_setup(void); /* the messages above have handlers */

#endif
