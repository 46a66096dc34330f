/* waits.h - what a wait is for: in words, and as the board has it (launch/board.h).
 */
#ifndef TF_WAITS_H
#define TF_WAITS_H

#include "exec/exec.h"
#include "msg/await.h"
#include "msg/request.h"
#include "net/peers.h"

/* ---- waits.c ---- */

/* A line that grows; what does not fit is left out, and `full` says so. */
struct tf_waits_text {
    char *at;
    size_t left;
    bool full;
};
void tf_waits_add(struct tf_waits_text *text, const char *format, ...) TF_PRINTF(2, 3);

/* "MPI_Recv on MPI_COMM_WORLD"; "a message of rank 1 with tag 5". */
void tf_waits_call(struct tf_waits_text *text, const struct tf_awaiting *on);
void tf_waits_what(struct tf_waits_text *text, const struct tf_awaiting *on);
/* What is under way that a program may test for, where it does not wait. */
void tf_waits_pending(struct tf_waits_text *text);
/* A call of that kind in a word or two, at no cost. */
const char *tf_waits_kind(const struct tf_awaiting *on);

/* ---- waits_peers.c ---- */

/* The fields `name` and `peers` of the board. */
void tf_waits_name(struct tf_waits_text *text, const struct tf_awaiting *on);
void tf_waits_peers(struct tf_waits_text *text, const struct tf_awaiting *on);
/* The lines of nonblocking collectives that are under way. */
void tf_waits_runs(struct tf_waits_text *text);

/* ---- for both ---- */

/* Its rank in the job; -1: it is of another one. */
static inline int tf_waits_rank(const struct tf_peer *peer)
{
    int rank;
    return peer && !tf_peers_find(peer, &rank) ? rank : -1;
}

static inline bool tf_waits_open(const struct tf_request *request)
{
    return request && request->active && !request->complete;
}

/* A request that both sends and receives knows its source once it has received. */
static inline bool tf_waits_received(const struct tf_request *request)
{
    return !request->point.from.type || request->source != MPI_ANY_SOURCE;
}

static inline const struct tf_run *tf_waits_run(const struct tf_awaiting *on)
{
    const struct tf_request *request = on->object;
    if (on->what == TF_AWAITS_RUN)
        return on->object;
    return on->what == TF_AWAITS_REQUEST && request->kind->plan ? request->coll.run : NULL;
}

#endif
