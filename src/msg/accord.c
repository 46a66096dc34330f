/* accord.c - asking, answering and remembering where ranks disagree.
 *
 * Nothing is reported falsely: a dissent is either a call whose fingerprint is not that of ours under the same number,
 * both known for certain, or hearsay (the peer is in MPI_Finalize, or gave the call up).  Messages do not overtake each
 * other, so hearsay from a peer whose message is still awaited is certain too, and is dropped where it is not.
 */
#include "msg/accord.h"

#include "base/listen.h"
#include "base/settings.h"
#include "msg/absent.h"
#include "msg/await.h"
#include "msg/fingerprint.h"
#include "msg/match.h"
#include "msg/transfer.h"

static struct tf_match *match_of(struct tf_accord *accord)
{
    return TF_CONTAINER(accord, struct tf_match, accord);
}

/* NULL: this process does not know the communicator. */
static struct tf_accord *accord_at(uint64_t context)
{
    struct tf_match *match = tf_match_of(context);
    return match ? &match->accord : NULL;
}

static int rank_of(const struct tf_comm *comm, const struct tf_peer *peer)
{
    for (int r = 0; r < comm->npeers; r++)
        if (comm->peers[r] == peer)
            return r;
    return MPI_UNDEFINED;
}

/* Without memory nothing is said, and asked again later. */
static void say(struct tf_peer *peer, enum tf_message_kind kind, uint64_t context, uint32_t sequence,
                uint32_t fingerprint, const struct tf_terms *terms)
{
    struct tf_header header = {.kind = (uint8_t)kind,
                               .length = terms ? sizeof *terms : 0,
                               .context = context,
                               .sequence = sequence,
                               .fingerprint = fingerprint};
    tf_out_say(peer, &header, terms);
}

/* ---- questions ---- */

struct tf_question {
    uint32_t asker, sequence; /* the call that waits for it, and the one that it is about */
    struct tf_peer *peer;
    struct tf_terms mine, theirs;
    size_t expected, came;
    bool answered;
    int64_t since;
};

/* In words, with what is known by now. */
static int tell(struct tf_accord *accord, const struct tf_question *q)
{
    const struct tf_comm *comm = match_of(accord)->comm;
    tf_listen_tell(TF_NEWS_MISMATCH, comm->obj.handle, q->sequence, rank_of(comm, q->peer));
    return tf_terms_disagree(comm, &q->mine, q->expected, rank_of(comm, q->peer), &q->theirs, q->came);
}

/* Whether the peer can say more than its fingerprint does, and may still be there. */
static bool is_worth_asking(const struct tf_accord *accord, const struct tf_question *q)
{
    bool calls = !tf_terms_instead(&q->theirs) && !tf_terms_instead(&q->mine);
    return calls && q->theirs.form == TF_FORM_UNKNOWN && !accord->question && !tf_job.leaving &&
           tf_settings.mismatch_after > 0 && q->peer->rank != tf_job.rank;
}

/* An error with what is known now; the rest is asked for. */
static int disagree(struct tf_accord *accord, struct tf_question about)
{
    struct tf_question *q = is_worth_asking(accord, &about) ? malloc(sizeof *q) : NULL;
    if (q) {
        about.since = tf_time();
        *q = about;
        accord->question = q;
        say(q->peer, TF_MSG_QUESTION, match_of(accord)->context, q->sequence, 0, NULL);
    }
    return tell(accord, &about);
}

int tf_accord_mismatch(const struct tf_comm *comm, uint32_t sequence, uint32_t mine, size_t expected,
                       struct tf_peer *peer, uint32_t theirs, size_t came)
{
    struct tf_accord *accord = tf_accord_of(comm);
    struct tf_question about = {.asker = sequence,
                                .sequence = sequence,
                                .peer = peer,
                                .theirs = tf_fingerprint_terms(theirs),
                                .expected = expected,
                                .came = came};
    if (!tf_history_find(&accord->history, sequence, &about.mine) || about.mine.fingerprint != mine)
        about.mine = tf_fingerprint_terms(mine);
    return disagree(accord, about);
}

static void end_question(struct tf_accord *accord)
{
    free(accord->question);
    accord->question = NULL;
}

bool tf_accord_is_settled(struct tf_accord *accord, uint32_t sequence)
{
    struct tf_question *q = accord->question;
    if (!q || q->asker != sequence)
        return true;
    if (!q->answered && tf_time() - q->since < tf_settings.mismatch_after * TF_MILLISECOND)
        return false;
    tell(accord, q);
    end_question(accord);
    return true;
}

struct settling {
    struct tf_accord *accord;
    uint32_t sequence;
};

static bool is_settled(void *state, bool *moved)
{
    const struct settling *s = state;
    (void)moved;
    return tf_accord_is_settled(s->accord, s->sequence);
}

void tf_accord_settle(struct tf_accord *accord, uint32_t sequence)
{
    struct settling settling = {accord, sequence};
    if (!tf_accord_is_settled(accord, sequence))
        tf_await(TF_AWAITS_ANSWER, accord->question->peer, is_settled, &settling);
}

static void hear_answer(struct tf_peer *peer, const struct tf_header *h, void *payload)
{
    const struct tf_accord *accord = accord_at(h->context);
    struct tf_question *q = accord ? accord->question : NULL;
    if (!q || q->peer != peer || q->sequence != h->sequence)
        return;
    if (h->length == sizeof q->theirs)
        memcpy(&q->theirs, payload, sizeof q->theirs);
    q->answered = true;
}

static void hear_question(struct tf_peer *peer, const struct tf_header *h, void *payload)
{
    (void)payload;
    const struct tf_accord *accord = accord_at(h->context);
    struct tf_terms terms;
    bool known = accord && tf_history_find(&accord->history, h->sequence, &terms);
    say(peer, TF_MSG_ANSWER, h->context, h->sequence, 0, known ? &terms : NULL);
}

/* ---- dissents ---- */

static bool is_hearsay(const struct tf_dissent *dissent)
{
    return dissent->terms.fingerprint == TF_FINGERPRINT_FINALIZE ||
           tf_fingerprint_is_given_up(dissent->terms.fingerprint);
}

/* False: there is no room for one more. */
static bool add(struct tf_accord *accord, struct tf_peer *peer, uint32_t sequence, const struct tf_terms *terms)
{
    for (int i = 0; i < accord->ndissents; i++)
        if (accord->dissents[i].peer == peer && accord->dissents[i].sequence == sequence)
            return true;
    if (accord->ndissents == TF_DISSENTS)
        return false;
    accord->dissents[accord->ndissents++] = (struct tf_dissent){peer, sequence, *terms};
    match_of(accord)->coll_kept++;
    return true;
}

bool tf_accord_note_lost(struct tf_accord *accord, struct tf_peer *peer, uint32_t sequence)
{
    struct tf_terms terms =
        tf_fingerprint_terms(tf_fingerprint_give_up(MPI_ERR_NO_MEM, match_of(accord)->comm->rank, 0, 0));
    return add(accord, peer, sequence, &terms);
}

static void forget(struct tf_accord *accord, int i)
{
    accord->dissents[i] = accord->dissents[--accord->ndissents];
    match_of(accord)->coll_kept--;
}

/* Dissent i becomes an error of the call of number `asker`, and is forgotten.  `mine`: what our call of the dissent's
 * number was, if it is not remembered. */
static int report(struct tf_accord *accord, int i, uint32_t asker, const struct tf_terms *mine)
{
    struct tf_dissent dissent = accord->dissents[i];
    struct tf_question about = {
        .asker = asker, .sequence = dissent.sequence, .peer = dissent.peer, .mine = *mine, .theirs = dissent.terms};
    tf_history_find(&accord->history, dissent.sequence, &about.mine);
    forget(accord, i);
    return disagree(accord, about);
}

/* An earlier call, too, is reported by a later one that blocks, if none that may report it itself is under way; what
 * another rank says of a later one waits for that. */
static bool concerns(const struct tf_accord_call *call, const struct tf_dissent *dissent)
{
    if (dissent->sequence != call->sequence)
        return call->blocking && tf_sequence_distance(call->sequence, dissent->sequence) > 0;
    return !is_hearsay(dissent) || call->awaits(call, dissent->peer);
}

int tf_accord_look(struct tf_accord *accord, const struct tf_accord_call *call, uint32_t *theirs)
{
    tf_match_sift(match_of(accord));
    for (int i = accord->ndissents; i-- > 0;) {
        const struct tf_dissent *dissent = &accord->dissents[i];
        if (!concerns(call, dissent))
            continue;
        if (dissent->sequence == call->sequence || !is_hearsay(dissent)) {
            *theirs = dissent->terms.fingerprint;
            return report(accord, i, call->sequence, call->terms);
        }
        forget(accord, i);
    }
    return MPI_SUCCESS;
}

static bool started(struct tf_accord *accord, uint32_t sequence)
{
    return tf_sequence_distance((uint32_t)match_of(accord)->comm->coll_seq, sequence) > 0;
}

bool tf_accord_is_stray(struct tf_accord *accord, struct tf_peer *peer, uint32_t sequence, uint32_t fingerprint)
{
    struct tf_terms mine, theirs = tf_fingerprint_terms(fingerprint);
    if (!started(accord, sequence))
        return false;
    if (tf_history_gave_up(&accord->history, sequence))
        return true;
    if (!tf_history_find(&accord->history, sequence, &mine) || mine.fingerprint == fingerprint)
        return false;
    add(accord, peer, sequence, &theirs);
    return true;
}

void tf_accord_give_up(struct tf_accord *accord, uint32_t sequence, uint32_t word)
{
    tf_history_give_up(&accord->history, sequence, word);
    for (int i = accord->ndissents; i-- > 0;)
        if (accord->dissents[i].sequence == sequence)
            forget(accord, i);
    tf_match_sift(match_of(accord));
}

/* All of it goes; the first is reported. */
static int report_dissent(struct tf_accord *accord, const struct tf_terms *instead)
{
    int err = MPI_SUCCESS;
    while (accord->ndissents > 0) {
        int last = accord->ndissents - 1;
        uint32_t sequence = accord->dissents[last].sequence;
        if (err || is_hearsay(&accord->dissents[last])) {
            forget(accord, last);
        } else {
            err = report(accord, last, sequence, instead);
            tf_accord_settle(accord, sequence);
        }
    }
    return err;
}

/* In MPI_Finalize its sender has gone on without us, and so does every library: a word, as of messages (leftover.c). */
static bool is_left_behind(const struct tf_unexpected *m, uint32_t instead)
{
    return instead == TF_FINGERPRINT_FINALIZE && !tf_strict() && !tf_header_is_announcement(&m->header);
}

static void mention(const struct tf_comm *comm, const struct tf_unexpected *m)
{
    struct tf_terms theirs = tf_fingerprint_terms(m->facts.fingerprint);
    char name[100];
    tf_terms_name(&theirs, name, sizeof name);
    tf_log(0, "MPI_Finalize: rank %d has called %s on %s, rank %d never has", rank_of(comm, m->peer), name,
           tf_comm_describe(comm), comm->rank);
}

static int report_message(struct tf_accord *accord, uint32_t instead)
{
    struct tf_match *match = match_of(accord);
    const struct tf_unexpected *left = NULL;
    int err = MPI_SUCCESS;
    for (int i = 0; i < TF_KEPT_LISTS && !err; i++)
        for (struct tf_unexpected *m = match->coll_unexpected[i].first; m && !err; m = m->next) {
            if (started(accord, m->header.sequence))
                continue;
            if (!is_left_behind(m, instead))
                err = tf_accord_mismatch(match->comm, m->header.sequence, instead, 0, m->peer, m->facts.fingerprint, 0);
            else if (!left)
                left = m;
        }
    if (!err && left)
        mention(match->comm, left);
    if (err || left)
        tf_match_discard_all(match);
    return err;
}

int tf_accord_left(struct tf_accord *accord, uint32_t instead)
{
    if (TF_LIKELY(match_of(accord)->coll_kept == 0) || match_of(accord)->broken)
        return MPI_SUCCESS;
    struct tf_terms terms = tf_fingerprint_terms(instead);
    tf_match_sift(match_of(accord));
    int err = report_dissent(accord, &terms);
    return err ? err : report_message(accord, instead);
}

/* ---- asking ---- */

void tf_accord_ask(struct tf_accord *accord, struct tf_peer *peer, uint32_t sequence, const struct tf_terms *terms)
{
    const struct tf_comm *comm = match_of(accord)->comm;
    tf_log(2, "asks rank %d of the job about collective %u of %s", peer->rank, sequence & ~TF_SEQUENCE_PERSISTENT,
           tf_comm_describe(comm));
    say(peer, TF_MSG_ASK, comm->context, sequence, terms->fingerprint, terms);
}

void tf_accord_decline(struct tf_accord *accord, struct tf_peer *peer, uint32_t sequence, int tag, uint32_t word)
{
    struct tf_header header = {.kind = TF_MSG_COLL,
                               .tag = tag,
                               .context = match_of(accord)->context,
                               .sequence = sequence,
                               .fingerprint = word};
    tf_out_say(peer, &header, NULL);
}

void tf_accord_tell_all(struct tf_accord *accord, uint32_t sequence, uint32_t word)
{
    const struct tf_comm *comm = match_of(accord)->comm;
    for (int r = 0; r < comm->size; r++)
        if (r != comm->rank)
            say(comm->peers[r], TF_MSG_DIFFERS, comm->context, sequence, word, NULL);
}

/* Whether the call that the peer waits in, with these terms, is not ours: what ours is. */
static bool differs(struct tf_accord *accord, struct tf_peer *peer, const struct tf_header *ask,
                    const struct tf_terms *theirs, struct tf_terms *mine)
{
    uint32_t word =
        accord ? tf_history_gave_up(&accord->history, ask->sequence) : tf_absent_gave_up(ask->context, ask->sequence);
    if (word) {
        *mine = tf_fingerprint_terms(word);
        return true;
    }
    if (!accord || !started(accord, ask->sequence)) {
        *mine = tf_fingerprint_terms(TF_FINGERPRINT_FINALIZE);
        return tf_job.leaving;
    }
    if (!tf_history_find(&accord->history, ask->sequence, mine) || mine->fingerprint == ask->fingerprint)
        return false;
    add(accord, peer, ask->sequence, theirs);
    return true;
}

static struct tf_terms terms_of(const struct tf_header *h, const void *payload)
{
    struct tf_terms terms = tf_fingerprint_terms(h->fingerprint);
    if (h->length == sizeof terms)
        memcpy(&terms, payload, sizeof terms);
    return terms;
}

static void hear_ask(struct tf_peer *peer, const struct tf_header *h, void *payload)
{
    struct tf_terms mine, theirs = terms_of(h, payload);
    if (differs(accord_at(h->context), peer, h, &theirs, &mine))
        say(peer, TF_MSG_DIFFERS, h->context, h->sequence, mine.fingerprint, &mine);
}

static void hear_differs(struct tf_peer *peer, const struct tf_header *h, void *payload)
{
    struct tf_accord *accord = accord_at(h->context);
    struct tf_terms theirs = terms_of(h, payload);
    if (!accord)
        tf_absent_keep(peer, h->context, h->sequence, &theirs);
    else if (!tf_history_gave_up(&accord->history, h->sequence))
        add(accord, peer, h->sequence, &theirs);
}

/* ---- the life of the communicator ---- */

void tf_accord_open(struct tf_accord *accord)
{
    struct tf_peer *peer;
    uint32_t sequence;
    struct tf_terms terms;
    while (tf_absent_take(match_of(accord)->context, &peer, &sequence, &terms))
        add(accord, peer, sequence, &terms);
}

void tf_accord_close(struct tf_accord *accord)
{
    end_question(accord);
    tf_absent_leave(match_of(accord)->context, &accord->history, (uint32_t)match_of(accord)->comm->coll_seq);
}

void tf_accord_setup(void)
{
    tf_absent_setup();
    tf_net_handle(TF_MSG_ASK, hear_ask);
    tf_net_handle(TF_MSG_DIFFERS, hear_differs);
    tf_net_handle(TF_MSG_QUESTION, hear_question);
    tf_net_handle(TF_MSG_ANSWER, hear_answer);
}
