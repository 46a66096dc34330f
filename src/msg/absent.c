/* absent.c - collectives on communicators that this process does not have; see absent.h. */
#include "msg/absent.h"

enum { GONE = 64, TOLD = 16 };

/* ---- given up, on communicators that are gone ---- */

static struct {
    uint64_t context;
    uint32_t sequence, word;
    bool all_later; /* numbers from that one on too */
} gone[GONE];
static uint32_t ngone; /* since the beginning */

static void note(uint64_t context, uint32_t sequence, uint32_t word, bool all_later)
{
    uint32_t at = ngone++ % GONE;
    gone[at].context = context;
    gone[at].sequence = sequence;
    gone[at].word = word;
    gone[at].all_later = all_later;
}

void tf_absent_leave(uint64_t context, const struct tf_history *history, uint32_t next)
{
    for (uint32_t i = 0; i < TF_HISTORY_GIVEN_UP && i < history->ngiven_up; i++)
        note(context, history->given_up[i].sequence, history->given_up[i].word, false);
    if (history->ngiven_up > 0)
        note(context, next, history->given_up[(history->ngiven_up - 1) % TF_HISTORY_GIVEN_UP].word, true);
}

/* Persistent operations have a series of their own. */
static bool is_later(uint32_t sequence, uint32_t than)
{
    return !(sequence & TF_SEQUENCE_PERSISTENT) && tf_sequence_distance(sequence, than) > 0;
}

uint32_t tf_absent_gave_up(uint64_t context, uint32_t sequence)
{
    for (uint32_t i = 0; i < GONE && i < ngone; i++)
        if (gone[i].context == context &&
            (gone[i].sequence == sequence || (gone[i].all_later && is_later(sequence, gone[i].sequence))))
            return gone[i].word;
    return 0;
}

/* ---- told, of communicators to come ---- */

static struct {
    struct tf_peer *peer; /* NULL: nothing */
    uint64_t context;
    uint32_t sequence;
    struct tf_terms terms;
} told[TOLD];
static uint32_t ntold; /* since the beginning */

void tf_absent_keep(struct tf_peer *peer, uint64_t context, uint32_t sequence, const struct tf_terms *terms)
{
    uint32_t at = ntold++ % TOLD;
    told[at].peer = peer;
    told[at].context = context;
    told[at].sequence = sequence;
    told[at].terms = *terms;
}

bool tf_absent_take(uint64_t context, struct tf_peer **peer, uint32_t *sequence, struct tf_terms *terms)
{
    for (uint32_t i = 0; i < TOLD && i < ntold; i++)
        if (told[i].peer && told[i].context == context) {
            *peer = told[i].peer;
            *sequence = told[i].sequence;
            *terms = told[i].terms;
            told[i].peer = NULL;
            return true;
        }
    return false;
}

void tf_absent_setup(void)
{
    ngone = ntold = 0;
}
