/* lost.h - what becomes of messages, receives and collectives when a process has died, or a communicator is revoked.
 *
 *     to one who has died       a send that is begun afterwards, or that waits for an answer, ends with an error
 *     from one who has died     a receive that is posted and names it, or comes later, or whose data are under way
 *     from anybody              a blocking receive ends with an error; a request is raised: it tells of the failure and
 *                               stays active; both until the failure has been acknowledged
 *     a collective              on a communicator with one who has died: it ends, and so does every later one
 *
 * What has come from it before is received as ever.
 */
#ifndef TF_LOST_H
#define TF_LOST_H

#include "msg/transfer.h"
#include "net/failure.h"

struct tf_match;
struct tf_request;

/* The receive ends; MPIX_ERR_PROC_FAILED, recorded in words, is its error; or is noted as such only. */
void tf_lost_fail(struct tf_recv *recv, const struct tf_peer *peer) TF_COLD;
void tf_lost_note(struct tf_recv *recv, const struct tf_peer *peer) TF_COLD;
/* The error, in words, of something on the communicator, or a revoked one, that needs the peer. */
int tf_lost_error(const struct tf_comm *comm, const struct tf_peer *peer) TF_COLD;
/* The error of a point-to-point message that found no receiver. */
int tf_lost_send(const struct tf_send *send) TF_COLD;
/* The same of something that needs all of them, or of a revoked one: what has broken it. */
int tf_lost_broken(const struct tf_comm *comm) TF_COLD;

/* Who is to blame for that error of a collective: one who has died, nobody (revoked), or this process. */
int tf_lost_culprit(const struct tf_comm *comm, int err) TF_COLD;
/* The error of a collective that was told of such a one. */
int tf_lost_told(const struct tf_comm *comm, int culprit) TF_COLD;
/* The error of ranks that do not call the same, where a death explains it, of which one knew when it called and the
 * other did not yet.  MPI_SUCCESS: nobody of comm has died. */
int tf_lost_explains(const struct tf_comm *comm) TF_COLD;

/* From now on nothing that is posted on the communicator and no collective of it comes to an end for that reason: an
 * error class.  What waits ends with it. */
void tf_lost_break(struct tf_match *match, int err);
/* The word that it is revoked, see survive/revoke.h.  Without memory the job ends. */
void tf_lost_say_revoked(const struct tf_comm *comm, struct tf_peer *peer) TF_COLD;
/* A receive is posted on such a communicator and finds no message: it ends, waits, or waits and tells of a failure. */
void tf_lost_post(struct tf_recv *recv) TF_COLD;

/* Failures that matter to the communicator (of both groups of an intercommunicator), and those acknowledged, which are
 * the first ones. */
int tf_lost_count(const struct tf_comm *comm);
int tf_lost_rank(const struct tf_comm *comm, int i); /* of the i-th in comm->joint */
void tf_lost_acknowledge(struct tf_comm *comm, int n);
/* Whether a receive from anybody has to tell of one. */
static inline bool tf_lost_any(const struct tf_comm *comm)
{
    return TF_UNLIKELY(tf_failure_count > 0) && tf_lost_count(comm) > comm->acknowledged;
}
/* The error, in words, of a receive from anybody: of one that is over, or that goes on. */
int tf_lost_wild(const struct tf_comm *comm, int err) TF_COLD;

void tf_lost_setup(void);

#endif
