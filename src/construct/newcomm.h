/* newcomm.h - what the constructors of intracommunicators and intercommunicators share: context ids and hidden tags. */
#ifndef TF_NEWCOMM_H
#define TF_NEWCOMM_H

#include "coll/coll.h"
#include "construct/construct.h"

#include <limits.h>

/* An id that nobody else has, from this process's rank and a counter, and the next number, which an intercommunicator's
 * joint communicator takes; 0 once this process has led as many constructors as it can. */
uint64_t tf_newcomm_context_take(void);
int tf_newcomm_context_check(uint64_t context);

/* Whether all processes of comm have come so far: `err` is of this one, and MPI_SUCCESS is returned if it is on all. */
int tf_newcomm_agree(struct tf_comm *comm, enum tf_caller caller, int err);
/* The end of a constructor: `made` (NULL: this process is not in it), which was prepared, is started and *newcomm its
 * handle; or, after an error, which is returned, it is gone. */
int tf_newcomm_deliver(int err, struct tf_comm *made, uint64_t context, MPI_Comm *newcomm);

/* A duplicate for the library itself, without attributes, hints or topology; err: of what went before on this process.
 */
int tf_newcomm_private(struct tf_comm *comm, enum tf_caller caller, int err, struct tf_comm **made);
/* What has its context now is revoked when that is of which its processes go on to make it: until they have, or have
 * failed to.  Some of them may not even have learned of it. */
void tf_newcomm_follow(struct tf_comm *made, const struct tf_comm *maker);
static inline void tf_newcomm_is_made(struct tf_comm *made)
{
    made->maker = NULL;
}
/* How the leaders of two groups that are to be an intercommunicator talk: both send and receive as much as they say. */
struct tf_meeting {
    int (*exchange)(const struct tf_meeting *meeting, const void *mine, size_t send, void *theirs, size_t receive);
    struct tf_comm *peer_comm; /* for the exchange */
    int remote_leader, tag, fd;
    const struct tf_await_line *other; /* what is waited for at fd */
    bool mixed;                        /* the leaders are of different jobs, or may be */
};
/* The intercommunicator of comm's group and another one.  At the leader: `meeting`, or `err` if there is none. */
int tf_intercomm_build(struct tf_comm *comm, int leader, enum tf_caller caller, const struct tf_meeting *meeting,
                       int err, MPI_Comm *newcomm);
/* cards.c: both groups learn of each other's processes what it takes to reach them; `err` is of what went before.
 * `meeting` at the leader, NULL where it met nobody. */
int tf_newcomm_trade_cards(struct tf_comm *comm, int leader, enum tf_caller caller, const struct tf_meeting *meeting,
                           int remote_size, int err);

/* The handle that the user gets, also before the communicator is started. */
MPI_Comm tf_newcomm_handle(const struct tf_comm *comm);

/* The tag of the library's own messages in a constructor that the user gives a tag; no receive of the user's matches
 * it, and MPI_Intercomm_create and MPI_Comm_create_group do not meet. */
static inline int tf_newcomm_tag(int tag, bool inter)
{
    return -100 - 2 * (tag % (INT_MAX / 2 - 100)) - inter;
}

/* The constructor that has sent or awaits a message of that tag, NULL: it is a user's. */
static inline const char *tf_newcomm_of_tag(int tag)
{
    if (tag > -100)
        return NULL;
    return tag % 2 ? "MPI_Intercomm_create" : "MPI_Comm_create_group";
}

#endif
