/* history.c - the latest calls of a communicator, in a small circle. */
#include "msg/history.h"

#include "msg/fingerprint.h"

static bool is_persistent(uint32_t sequence)
{
    return sequence & TF_SEQUENCE_PERSISTENT;
}

void tf_history_note(struct tf_history *history, uint32_t sequence, const struct tf_terms *terms)
{
    uint32_t last = (history->ncalls - 1) % TF_HISTORY_CALLS;
    if (history->ncalls == 0 || tf_sequence_distance(sequence, history->calls[last].from) > 0) {
        if (history->ncalls == 0 || history->calls[last].terms.fingerprint != terms->fingerprint ||
            history->calls[last].terms.form != terms->form ||
            is_persistent(history->calls[last].from) != is_persistent(sequence)) {
            last = history->ncalls++ % TF_HISTORY_CALLS;
            history->calls[last].from = sequence;
        }
    } else {
        history->calls[last].from = sequence;
    }
    history->calls[last].terms = *terms;
}

bool tf_history_find(const struct tf_history *history, uint32_t sequence, struct tf_terms *terms)
{
    for (uint32_t back = 1; back <= TF_HISTORY_CALLS && back <= history->ncalls; back++) {
        uint32_t i = (history->ncalls - back) % TF_HISTORY_CALLS;
        if (tf_sequence_distance(sequence, history->calls[i].from) < 0)
            continue;
        *terms = history->calls[i].terms;
        if (is_persistent(sequence) != is_persistent(history->calls[i].from))
            terms->fingerprint = TF_FINGERPRINT_OTHER_SERIES;
        return true;
    }
    return false;
}

void tf_history_give_up(struct tf_history *history, uint32_t sequence, uint32_t word)
{
    uint32_t i = history->ngiven_up++ % TF_HISTORY_GIVEN_UP;
    history->given_up[i].sequence = sequence;
    history->given_up[i].word = word;
}

uint32_t tf_history_gave_up(const struct tf_history *history, uint32_t sequence)
{
    for (uint32_t i = 0; i < TF_HISTORY_GIVEN_UP && i < history->ngiven_up; i++)
        if (history->given_up[i].sequence == sequence)
            return history->given_up[i].word;
    return 0;
}
