/* meet.h - a receive and its message: what only match.c needs of it; transfer.h has what others do. */
#ifndef TF_MEET_H
#define TF_MEET_H

#include "msg/transfer.h"

/* What a message announces, or what came (with a fingerprint or a ticket); what is left of the payload is the data, or
 * the key of an announcement. */
static inline void *tf_header_facts(const struct tf_header *h, void *payload, bool announced, struct tf_rts *facts)
{
    *facts = (struct tf_rts){.total = h->length, .fingerprint = h->fingerprint};
    if (!announced)
        return payload;
    memcpy(facts, payload, sizeof *facts);
    return (char *)payload + sizeof *facts;
}

/* The message is for the receive, which is posted no longer: its data are taken, or it is answered. */
void tf_recv_meet(struct tf_recv *recv, struct tf_peer *peer, const struct tf_header *h, const struct tf_rts *facts,
                  void *payload);

void tf_meet_setup(void); /* DATA has a handler */

#endif
