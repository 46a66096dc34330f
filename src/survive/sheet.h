/* sheet.h - what one process says in an agreement, or what has been decided: numbers, and a list of ranks of any
 * length, which travels as several messages.
 */
#ifndef TF_SHEET_H
#define TF_SHEET_H

#include "net/net.h"

enum tf_sheet_kind { TF_SHEET_AGREE = 1, TF_SHEET_SHRINK };
enum tf_sheet_what { TF_SHEET_VOTE = 1, TF_SHEET_ASK, TF_SHEET_DECISION };

struct tf_sheet {
    uint32_t number; /* of the agreement on that communicator, from 1; 0: nothing has been said yet */
    uint8_t what, kind;
    bool whole;       /* all of the list is there */
    int sender;       /* rank */
    int from;         /* a decision that is an error: whose fault it is */
    int class;        /* a decision: an error, or 0 */
    int flag[2];      /* a vote: the first; a decision: of the group with the lower ranks and of the other one */
    uint64_t context; /* a decision: for a new communicator */
    int n, room;
    int *ranks; /* [n] in ascending order */
};

/* False: no memory, recorded. */
bool tf_sheet_add(struct tf_sheet *sheet, int rank);
bool tf_sheet_has(const struct tf_sheet *sheet, int rank);
/* It says nothing any more; the memory of its list stays, or goes. */
void tf_sheet_clear(struct tf_sheet *sheet);
void tf_sheet_free(struct tf_sheet *sheet);

/* It goes to the peer, as messages of kind PACT. */
void tf_sheet_send(const struct tf_sheet *sheet, uint64_t context, struct tf_peer *peer);
/* The next of these messages is added to what the sheet says so far. */
void tf_sheet_take(struct tf_sheet *sheet, const void *payload);
/* What it is. */
struct tf_sheet_head {
    enum tf_sheet_what what;
    uint32_t number;
    int sender;
    bool last; /* of its sheet */
};
struct tf_sheet_head tf_sheet_head(const void *payload);
/* How long it is. */
enum { TF_SHEET_BYTES = 72 };

#endif
