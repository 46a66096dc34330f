/* hearing.c - what this process hears in an agreement, of communicators that it has, has not yet, or has no more. */
#include "msg/match.h"
#include "net/handler.h"
#include "survive/pact_state.h"

/* ---- on a communicator that is there ---- */

static void hear_vote(struct tf_pact *pact, int rank)
{
    const struct tf_sheet *vote = &pact->heard[rank];
    if (!vote->whole)
        return;
    pact->dirty = true;
    if (vote->number == pact->last.number && pact->last.whole)
        tf_pact_say(pact, &pact->last, rank);
}

/* One who decides instead of one who has died passes on what it has heard. */
static void hear_decision(struct tf_pact *pact, struct tf_sheet *heard)
{
    if (!heard->whole || tf_pact_is_decided(pact) || heard->number != pact->number)
        return;
    struct tf_sheet before = pact->last;
    pact->last = *heard;
    *heard = before;
    tf_sheet_clear(heard);
    pact->dirty = true;
    if (pact->judge == pact->comm->rank)
        tf_pact_say_to_all(pact, &pact->last);
    tf_pact_tell_asker(pact);
}

static void hear_question(struct tf_pact *pact, struct tf_sheet_head question)
{
    if (question.number == pact->last.number)
        tf_pact_say(pact, &pact->last, question.sender);
    else if (question.sender > pact->asker) /* the word of a lower one, who has died, may come after it */
        pact->asker = question.sender;
}

static void hear(struct tf_pact *pact, const void *payload)
{
    struct tf_sheet_head head = tf_sheet_head(payload);
    struct tf_sheet *vote = &pact->heard[head.sender], *decision = vote + pact->comm->size;
    switch (head.what) {
    case TF_SHEET_VOTE:
        tf_sheet_take(vote, payload);
        hear_vote(pact, head.sender);
        break;
    case TF_SHEET_ASK:
        hear_question(pact, head);
        break;
    case TF_SHEET_DECISION:
        tf_sheet_take(decision, payload);
        hear_decision(pact, decision);
        break;
    }
}

/* ---- elsewhere ---- */

/* The word of a process that is not there yet waits for the communicator. */
struct early {
    struct early *next;
    uint64_t context;
    struct tf_peer *peer;
    char payload[TF_SHEET_BYTES];
};
static struct early *early, **end_of_early = &early;

/* The last decisions on communicators that are gone. */
enum { GONE = 64 };
static struct {
    uint64_t context;
    struct tf_sheet last;
} gone[GONE];
static uint32_t ngone; /* since the beginning */

static bool answer_for_gone(struct tf_peer *peer, uint64_t context, const void *payload)
{
    struct tf_sheet_head head = tf_sheet_head(payload);
    for (uint32_t i = 0; i < GONE && i < ngone; i++) {
        if (gone[i].context != context)
            continue;
        if (head.last && head.what != TF_SHEET_DECISION && head.number == gone[i].last.number)
            tf_sheet_send(&gone[i].last, context, peer);
        return true;
    }
    return false;
}

static void keep(struct tf_peer *peer, uint64_t context, const void *payload)
{
    struct early *word = malloc(sizeof *word);
    tf_pact_must(word);
    *word = (struct early){.context = context, .peer = peer};
    memcpy(word->payload, payload, sizeof word->payload);
    *end_of_early = word;
    end_of_early = &word->next;
}

static void hear_message(struct tf_peer *peer, const struct tf_header *header, void *payload)
{
    struct tf_match *match = tf_match_of(header->context);
    if (match) {
        tf_pact_must(tf_pact_open(match->comm) == MPI_SUCCESS);
        hear(match->comm->pact, payload);
    } else if (!answer_for_gone(peer, header->context, payload))
        keep(peer, header->context, payload);
}

void tf_pact_start(struct tf_comm *comm)
{
    for (struct early **place = &early; *place;) {
        struct early *word = *place;
        if (word->context != comm->context) {
            place = &word->next;
            continue;
        }
        *place = word->next;
        if (!*place)
            end_of_early = place;
        tf_pact_must(tf_pact_open(comm) == MPI_SUCCESS);
        hear(comm->pact, word->payload);
        free(word);
    }
}

void tf_pact_remember(struct tf_pact *pact)
{
    uint32_t at = ngone++ % GONE;
    tf_sheet_free(&gone[at].last);
    gone[at].context = pact->comm->context;
    gone[at].last = pact->last;
    pact->last.ranks = NULL;
}

void tf_pact_setup(void)
{
    tf_net_handle(TF_MSG_PACT, hear_message);
}
