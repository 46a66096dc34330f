/* absent.c - collectives on communicators that this process does not have; see absent.h. */
#include "msg/absent.h"

enum { GONE = 64, TOLD = 16 };

/* ---- given up, on communicators that are gone ---- */

static struct {
    uint64_t context;
    uint32_t sequence, word;
} gone[GONE];
static uint32_t ngone; /* since the beginning */

void tf_absent_leave(uint64_t context, const struct tf_history *history)
{
    for (uint32_t i = 0; i < TF_HISTORY_GIVEN_UP && i < history->ngiven_up; i++) {
        uint32_t at = ngone++ % GONE;
        gone[at].context = context;
        gone[at].sequence = history->given_up[i].sequence;
        gone[at].word = history->given_up[i].word;
    }
}

uint32_t tf_absent_gave_up(uint64_t context, uint32_t sequence)
{
    for (uint32_t i = 0; i < GONE && i < ngone; i++)
        if (gone[i].context == context && gone[i].sequence == sequence)
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
