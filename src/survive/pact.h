/* pact.h - agreement: all processes of a communicator who live come to the same decision, whoever dies meanwhile.
 *
 *     each            VOTE(k) ------------->  the lowest rank that lives, as far as it knows: it decides when all who
 *                                             live have voted
 *     it              DECISION(k) --------->  everybody
 *     the next one    ASK(k) -------------->  if a lower rank has died: may it have decided already?  Who knows the
 *                                             decision answers with it, and who learns it later passes it on
 *
 * Who votes for the next one has taken in all that those before have sent, as these are dead and buried: it will never
 * hear of another decision.  So the next one decides anew only when nobody who lives knows of one.  Who has ended an
 * agreement is not asked for an older one: the next one ended only because all had voted in it, that is, ended the one
 * before.  The last decision is kept also for communicators that are gone.
 *
 * An agreement costs two messages for each process.  A communicator has one under way at a time, others wait.
 */
#ifndef TF_PACT_H
#define TF_PACT_H

#include "comm/comm.h"
#include "survive/sheet.h"

struct tf_pact_op {
    struct tf_pact_op *next;
    enum tf_sheet_kind kind;
    int lower; /* ranks of the group with the lower ones */
    struct tf_sheet vote;
    /* Called at the start of each round: what this process says; NULL: as it is. */
    void (*prepare)(struct tf_pact_op *op);
    /* It has been decided, and this process knows of all whom the decision says to have died.  True: that is the end,
     * and the operation may be gone; false: there is to be another round. */
    bool (*decided)(struct tf_pact_op *op, const struct tf_sheet *decision);
};

/* How many ranks of the joint communicator are of the group with the lower ones. */
static inline int tf_pact_lower(const struct tf_comm *comm)
{
    return comm->remote && !tf_comm_leads(comm) ? comm->npeers : comm->size;
}
/* The communicator is ready to agree: comm->joint->pact is there.  MPI_ERR_NO_MEM. */
int tf_pact_open(struct tf_comm *comm);
/* Begin, after those that were begun before. */
void tf_pact_begin(struct tf_comm *comm, struct tf_pact_op *op);

void tf_pact_start(struct tf_comm *comm);
void tf_pact_destroy(struct tf_comm *comm);
void tf_pact_setup(void);

#endif
