/* pact_state.h - an agreement under way: pact.c has what this process does about it, hearing.c what it hears of others.
 */
#ifndef TF_PACT_STATE_H
#define TF_PACT_STATE_H

#include "msg/progress.h"
#include "survive/pact.h"

struct tf_pact {
    struct tf_comm *comm; /* the joint one */
    struct tf_task task;
    bool going; /* it is, while there are operations */
    struct tf_pact_op *first, **end;
    bool begun;              /* the first of them */
    bool dirty;              /* something was heard since we looked */
    int failures;            /* that were known then */
    uint32_t number;         /* of the latest that was begun here */
    int judge;               /* to whom this process has said its vote, perhaps itself; -1: nobody */
    int asker;               /* who wants to hear of the decision; -1: nobody */
    struct tf_sheet last;    /* decision */
    struct tf_sheet heard[]; /* by rank: the latest votes, then what each has said to be decided */
};

/* Memory without which nobody knows any more who has died. */
void tf_pact_must(bool there);

static inline bool tf_pact_is_decided(const struct tf_pact *pact)
{
    return pact->last.number == pact->number;
}

/* It says that sheet to one, or to all who live. */
void tf_pact_say(struct tf_pact *pact, struct tf_sheet *sheet, int rank);
void tf_pact_say_to_all(struct tf_pact *pact, struct tf_sheet *sheet);
/* The decision, to the one who wants to hear of it. */
void tf_pact_tell_asker(struct tf_pact *pact);

/* hearing.c: the communicator goes, whose last decision may be asked for yet. */
void tf_pact_remember(struct tf_pact *pact);

#endif
