/* mismatch.c - asking, answering and remembering where ranks disagree.
 *
 * Nothing is reported falsely: a stranger is either a call whose fingerprint is not that of ours under the same number,
 * both known for certain, or hearsay (the peer is in MPI_Finalize, or gave the call up).  Messages do not overtake each
 * other, so hearsay from a peer whose message is still awaited is certain too, and is dropped where it is not.
 */
#include "msg/mismatch.h"

#include "msg/fingerprint.h"

/* ---- strangers ---- */

bool tf_mismatch_is_hearsay(const struct tf_stranger *stranger)
{
    return stranger->fingerprint == TF_FINGERPRINT_FINALIZE || stranger->fingerprint == TF_FINGERPRINT_GIVEN_UP;
}

static void note(struct tf_match *match, struct tf_peer *peer, uint32_t sequence, uint32_t fingerprint)
{
    for (int i = 0; i < match->nstrangers; i++)
        if (match->strangers[i].peer == peer && match->strangers[i].sequence == sequence)
            return;
    if (match->nstrangers == TF_STRANGERS)
        return;
    match->strangers[match->nstrangers++] = (struct tf_stranger){peer, sequence, fingerprint};
    match->coll_kept++;
}

void tf_mismatch_forget(struct tf_match *match, int i)
{
    match->strangers[i] = match->strangers[--match->nstrangers];
    match->coll_kept--;
}

int tf_mismatch_report(struct tf_match *match, int i, uint32_t mine)
{
    struct tf_stranger stranger = match->strangers[i];
    tf_history_find(&match->history, stranger.sequence, &mine);
    tf_mismatch_forget(match, i);
    return tf_fingerprint_mismatch(match->comm, mine, 0, stranger.peer, stranger.fingerprint, 0);
}

static bool started(const struct tf_match *match, uint32_t sequence)
{
    return (int32_t)((match->comm->coll_seq - sequence) << 1) > 0;
}

bool tf_mismatch_is_stray(struct tf_match *match, struct tf_peer *peer, uint32_t sequence, uint32_t fingerprint)
{
    uint32_t mine;
    if (!started(match, sequence))
        return false;
    if (tf_history_gave_up(&match->history, sequence))
        return true;
    if (!tf_history_find(&match->history, sequence, &mine) || mine == fingerprint)
        return false;
    note(match, peer, sequence, fingerprint);
    return true;
}

void tf_mismatch_give_up(struct tf_match *match, uint32_t sequence)
{
    tf_history_give_up(&match->history, sequence);
    for (int i = match->nstrangers; i-- > 0;)
        if (match->strangers[i].sequence == sequence)
            tf_mismatch_forget(match, i);
    tf_match_sift(match);
}

/* All of it goes; the first is reported. */
static int report_stranger(struct tf_match *match, uint32_t mine)
{
    int err = MPI_SUCCESS;
    while (match->nstrangers > 0) {
        int last = match->nstrangers - 1;
        if (!err && !tf_mismatch_is_hearsay(&match->strangers[last]))
            err = tf_mismatch_report(match, last, mine);
        else
            tf_mismatch_forget(match, last);
    }
    return err;
}

static int report_message(struct tf_match *match, uint32_t instead)
{
    int err = MPI_SUCCESS;
    for (int i = 0; i < TF_KEPT_LISTS && !err; i++)
        for (struct tf_unexpected *m = match->coll_unexpected[i].first; m && !err; m = m->next)
            if (!started(match, m->header.source))
                err = tf_fingerprint_mismatch(match->comm, instead, 0, m->peer, m->facts.fingerprint, 0);
    if (err)
        tf_match_discard_all(match);
    return err;
}

int tf_mismatch_left(struct tf_match *match, uint32_t instead)
{
    if (TF_LIKELY(match->coll_kept == 0))
        return MPI_SUCCESS;
    tf_match_sift(match);
    int err = report_stranger(match, instead);
    return err ? err : report_message(match, instead);
}

/* ---- asking ---- */

/* Without memory nothing is said, and asked again later. */
static void say(struct tf_peer *peer, enum tf_message_kind kind, uint64_t context, uint32_t sequence,
                uint32_t fingerprint, int tag)
{
    tf_out_say(peer, &(struct tf_header){
                         .kind = (uint8_t)kind, .tag = tag, .context = context, .source = sequence, .id = fingerprint});
}

void tf_mismatch_ask(struct tf_comm *comm, struct tf_peer *peer, uint32_t sequence, uint32_t fingerprint)
{
    tf_log(2, "asks rank %d of the job about collective %u of %s", peer->rank, sequence & ~TF_SEQUENCE_PERSISTENT,
           tf_comm_describe(comm));
    say(peer, TF_MSG_ASK, comm->context, sequence, fingerprint, 0);
}

void tf_mismatch_decline(struct tf_comm *comm, struct tf_peer *peer, uint32_t sequence, int tag)
{
    say(peer, TF_MSG_COLL, comm->context, sequence, TF_FINGERPRINT_GIVEN_UP, tag);
}

/* Whether the call that the peer waits in is not ours: what ours is. */
static bool differs(struct tf_match *match, struct tf_peer *peer, const struct tf_header *ask, uint32_t *mine)
{
    if (!match || !started(match, ask->source)) {
        *mine = TF_FINGERPRINT_FINALIZE;
        return tf_world.finalizing;
    }
    if (tf_history_gave_up(&match->history, ask->source)) {
        *mine = TF_FINGERPRINT_GIVEN_UP;
        return true;
    }
    if (!tf_history_find(&match->history, ask->source, mine) || *mine == ask->id)
        return false;
    note(match, peer, ask->source, ask->id);
    return true;
}

void tf_mismatch_hear(struct tf_match *match, struct tf_peer *peer, const struct tf_header *h)
{
    uint32_t mine;
    if (h->kind == TF_MSG_DIFFERS) {
        if (match && !tf_history_gave_up(&match->history, h->source))
            note(match, peer, h->source, h->id);
    } else if (differs(match, peer, h, &mine)) {
        say(peer, TF_MSG_DIFFERS, h->context, h->source, mine, 0);
    }
}
