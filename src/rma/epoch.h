/* epoch.h - which epochs are open on this process, and when what was called in them is done.
 *
 * Active: since a fence; since MPI_Win_start.  Passive: while locks are held.  A fence opens an epoch that is one only
 * if operations follow: without any, whatever else may come after it.
 */
#ifndef TF_EPOCH_H
#define TF_EPOCH_H

#include "msg/await.h"
#include "rma/win.h"

enum { TF_EPOCH_ALL = -100 }; /* all targets */

/* ---- may it be called? ---- */

/* MPI_ERR_ASSERT if there are other bits than `allowed`. */
int tf_epoch_check_assert(int assertion, int allowed, const char *procedure);
/* Whether an operation on that target may be called now; `passive`: with a request. */
int tf_epoch_check(struct tf_win *win, int rank, bool passive);
/* A lock follows. */
int tf_epoch_enter_passive(struct tf_win *win);

/* ---- waiting ---- */

/* A wait of this process, and what it is, for whoever asks (env/waits.h). */
struct tf_epoch_wait {
    struct tf_win *win;
    const char *call;             /* "MPI_Win_start" */
    const char *what;             /* "to call MPI_Win_post" */
    bool called;                  /* a call of the ranks waited for ends it, and nothing else */
    const struct tf_group *group; /* of these processes; NULL: of */
    int rank;                     /* or TF_EPOCH_ALL */
    bool (*over)(const struct tf_target *target);
    int at; /* how many it is over for, at least */
};
/* The next rank from number *at of those on that it waits for; MPI_UNDEFINED: there is none. */
int tf_epoch_awaited(const struct tf_epoch_wait *wait, int *at);
/* Until it is over.  seen: others write to memory what it looks at. */
void tf_epoch_await(struct tf_epoch_wait *wait, bool seen);

/* ---- the same, of one rank or of TF_EPOCH_ALL ---- */

/* Nothing waits to go there, and answers are to come: whether they do, if they are looked for where they come from. */
bool tf_epoch_look_answered(const struct tf_target *target);
/* Until all has gone, and what was asked for has come. */
void tf_epoch_wait_answered(struct tf_win *win, int rank);
/* Ask the target to say when it has done what it was sent, if it was sent anything. */
void tf_epoch_mark(struct tf_target *target);
/* Until it has said so. */
void tf_epoch_wait_marked(struct tf_win *win, int rank);
/* Until all is done there; what has gone has been waited for. */
void tf_epoch_flush(struct tf_win *win, int rank);
/* What targets have refused since the last time, in words. */
int tf_epoch_complaint(struct tf_win *win);

#endif
