/* history.h - which collective this process called on a communicator under which number, as far as it is remembered.
 *
 * A run of equal calls is one entry, so that the repeated call notes nothing.  Numbers are those of the wire: 31 bits,
 * and one that tells persistent operations.
 */
#ifndef TF_HISTORY_H
#define TF_HISTORY_H

#include "msg/terms.h"

enum { TF_HISTORY_CALLS = 16, TF_HISTORY_GIVEN_UP = 8 };
#define TF_SEQUENCE_PERSISTENT 0x80000000u

struct tf_history {
    struct {
        uint32_t from;
        struct tf_terms terms; /* the latest of the run: its fingerprint is that of all */
    } calls[TF_HISTORY_CALLS];
    uint32_t ncalls; /* since the beginning */
    struct {
        uint32_t sequence, word;
    } given_up[TF_HISTORY_GIVEN_UP];
    uint32_t ngiven_up;
};

/* How far number a is after number b: both have 31 bits, and go round. */
static inline int32_t tf_sequence_distance(uint32_t a, uint32_t b)
{
    return (int32_t)((a - b) << 1) >> 1;
}

/* From that number on, until something else is noted, the calls have this fingerprint. */
void tf_history_note(struct tf_history *history, uint32_t sequence, const struct tf_terms *terms);
/* The call of that number, which was made or made ready; false: forgotten.  Where one of the two is persistent and the
 * other is not, its fingerprint is TF_FINGERPRINT_OTHER_SERIES. */
bool tf_history_find(const struct tf_history *history, uint32_t sequence, struct tf_terms *terms);
/* The call was given up, as that word says (fingerprint.h), and whatever comes for it comes too late.  A persistent
 * operation is not started again after that. */
void tf_history_give_up(struct tf_history *history, uint32_t sequence, uint32_t word);
uint32_t tf_history_gave_up(const struct tf_history *history, uint32_t sequence); /* the word; 0: it did not */

#endif
