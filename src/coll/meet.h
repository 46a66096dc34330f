/* meet.h - a meeting: a collective of the library's own in which ranks tell each other that they have come by other
 * means than messages.
 *
 * It is one of the communicator's calls all the same: it has its number, the accord (msg/accord.h) knows it, and who
 * waits for long asks those that have not come what they call.
 */
#ifndef TF_MEET_H
#define TF_MEET_H

#include "msg/terms.h"

struct tf_meet {
    struct tf_comm *comm;
    uint32_t sequence;
    struct tf_terms terms;
    int64_t asked; /* when, or when the wait began; 0: neither */
    /* The caller's: whether that rank has not come. */
    bool (*awaits)(const struct tf_meet *meet, int rank);
};

/* This process comes, in the place of `caller`. */
void tf_meet_begin(struct tf_meet *meet, struct tf_comm *comm, enum tf_caller caller);
/* In each turn of waiting: an error in words if somebody that it waits for has called something else. */
int tf_meet_look(struct tf_meet *meet);

#endif
