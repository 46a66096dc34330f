/* share.h - a long message on a node that both of its processes copy: the receiver reads pieces from the front while
 * the sender, which would only wait, writes pieces from the back, until they meet.
 *
 *     piece      0  1  2  3  4  5  6  7
 *     read       x  x  x                       by the receiver
 *     written                      x  x        by the sender, when it sees SHARE; if it does something else, never
 *
 * Whose a piece is says a word of the ring: it is claimed before it is copied.  The sender counts what it has written
 * in the other one.  One message of a ring is shared at a time, the others are read by their receiver alone.
 */
#ifndef TF_SHARE_H
#define TF_SHARE_H

#include "msg/transfer.h"

/* The payload of SHARE. */
struct tf_share_offer {
    uint64_t address, total; /* of the receiver's memory */
    uint64_t piece;          /* bytes; the last one may be shorter */
    uint32_t turn;
};

struct tf_share {
    struct tf_peer *peer; /* NULL: it is not shared, or not any more */
    uint32_t turn, pieces;
    size_t piece, total;
};

/* Offer the sender of that message a part; true: the receiver has to claim what it reads. */
bool tf_share_begin(struct tf_share *share, const struct tf_recv *recv);
/* The next piece from the front is the receiver's; false: there is none left. */
bool tf_share_claim(struct tf_share *share);
/* All that is left is, and nobody copies it. */
void tf_share_claim_all(struct tf_share *share);
/* When nothing is left: whether the sender has copied all that it claimed; from *at on it is there.  Then it is not
 * shared any more. */
bool tf_share_over(struct tf_share *share, size_t *at);

void tf_share_setup(void);

#endif
