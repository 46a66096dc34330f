/* history.h - which collective this process called on a communicator under which number, as far as it is remembered.
 *
 * A run of equal calls is one entry, so that the repeated call (`again` of coll/call.c) notes nothing.  Numbers are
 * those of the wire: 31 bits, and one that tells persistent operations.
 */
#ifndef TF_HISTORY_H
#define TF_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

enum { TF_HISTORY_CALLS = 16, TF_HISTORY_GIVEN_UP = 8 };
#define TF_SEQUENCE_PERSISTENT 0x80000000u

struct tf_history {
    struct {
        uint32_t from, fingerprint;
    } calls[TF_HISTORY_CALLS];
    uint32_t ncalls; /* since the beginning */
    uint32_t given_up[TF_HISTORY_GIVEN_UP];
    uint32_t ngiven_up;
};

/* From that number on, until something else is noted, the calls have this fingerprint. */
void tf_history_note(struct tf_history *history, uint32_t sequence, uint32_t fingerprint);
/* The fingerprint of the call of that number, which was made or made ready; false: forgotten.  Where one of the two is
 * persistent and the other is not: TF_FINGERPRINT_OTHER_SERIES. */
bool tf_history_find(const struct tf_history *history, uint32_t sequence, uint32_t *fingerprint);
/* The call was given up, and whatever comes for it comes too late.  Persistent operations may be started again. */
void tf_history_give_up(struct tf_history *history, uint32_t sequence);
bool tf_history_gave_up(const struct tf_history *history, uint32_t sequence);

#endif
