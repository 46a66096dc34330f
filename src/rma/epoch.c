/* epoch.c - see epoch.h. */
#include "rma/epoch.h"

#include "comm/group.h"
#include "msg/await.h"
#include "rma/lock.h"
#include "rma/op.h"
#include "rma/serve.h"
#include "rma/watch.h"

/* ---- may it be called? ---- */

int tf_epoch_check_assert(int assertion, int allowed, const char *procedure)
{
    if (!(assertion & ~allowed))
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_ASSERT, "assert is %#x, of which %#x is no assertion that %s takes", (unsigned)assertion,
                    (unsigned)(assertion & ~allowed), procedure);
}

static TF_COLD int no_epoch(const struct tf_win *win, int rank)
{
    const char *state = "no epoch is open there; MPI_Win_fence, _start, _lock or _lock_all comes first";
    if (win->started)
        state = "which is not in the group of its MPI_Win_start";
    else if (win->locks > 0)
        state = "whose lock it does not hold";
    return tf_error(MPI_ERR_RMA_SYNC, "on %s, from rank %d for rank %d: %s", tf_win_describe(win), win->comm->rank,
                    rank, state);
}

static TF_COLD int not_passive(const struct tf_win *win, int rank)
{
    return tf_error(MPI_ERR_RMA_SYNC,
                    "on %s, from rank %d for rank %d, in an epoch of %s; operations with requests are for epochs of "
                    "MPI_Win_lock and _lock_all only",
                    tf_win_describe(win), win->comm->rank, rank, win->started ? "MPI_Win_start" : "MPI_Win_fence");
}

int tf_epoch_check(struct tf_win *win, int rank, bool passive)
{
    struct tf_target *target = &win->targets[rank];
    if (target->lock) {
        tf_lock_want(target);
        return MPI_SUCCESS;
    }
    if (!target->started && !win->fenced)
        return no_epoch(win, rank);
    if (passive)
        return not_passive(win, rank);
    if (!target->started) {
        if (win->started || win->locks > 0)
            return no_epoch(win, rank);
        win->used = true;
    }
    return MPI_SUCCESS;
}

int tf_epoch_enter_passive(struct tf_win *win)
{
    if (win->no_locks)
        return tf_error(MPI_ERR_RMA_SYNC, "%s was made with the hint no_locks", tf_win_describe(win));
    if (win->started)
        return tf_error(MPI_ERR_RMA_SYNC, "rank %d has not called MPI_Win_complete on %s since MPI_Win_start",
                        win->comm->rank, tf_win_describe(win));
    if (win->fenced && win->used)
        return tf_error(MPI_ERR_RMA_SYNC,
                        "rank %d has called operations on %s since MPI_Win_fence; another one ends their epoch",
                        win->comm->rank, tf_win_describe(win));
    win->fenced = false;
    return MPI_SUCCESS;
}

/* ---- waiting ---- */

static int size_of(const struct tf_epoch_wait *wait)
{
    return wait->group ? wait->group->size : wait->rank == TF_EPOCH_ALL ? wait->win->comm->size : 1;
}

static int rank_of(const struct tf_epoch_wait *wait, int at)
{
    if (wait->group)
        return tf_group_rank_of(wait->win->group, wait->group->processes[at]);
    return wait->rank == TF_EPOCH_ALL ? at : wait->rank;
}

int tf_epoch_awaited(const struct tf_epoch_wait *wait, int *at)
{
    for (int n = size_of(wait); *at < n; ++*at) {
        int rank = rank_of(wait, *at);
        if (!wait->over(&wait->win->targets[rank]))
            return rank;
    }
    return MPI_UNDEFINED;
}

static bool is_over(void *state, bool *moved)
{
    struct tf_epoch_wait *wait = state;
    (void)moved;
    return tf_epoch_awaited(wait, &wait->at) == MPI_UNDEFINED;
}

void tf_epoch_await(struct tf_epoch_wait *wait, bool seen)
{
    if (is_over(wait, NULL))
        return;
    (seen ? tf_await_seen : tf_await)(TF_AWAITS_WINDOW, wait, is_over, wait);
}

static void wait_for(struct tf_win *win, int rank, bool (*over)(const struct tf_target *target))
{
    struct tf_epoch_wait wait = {
        .win = win, .call = "one-sided communication", .what = "to answer", .rank = rank, .over = over};
    tf_epoch_await(&wait, false);
}

/* A neighbor that is in MPI answers before so many looks. */
enum { LOOKS_FOR_ANSWERS = 400 };

bool tf_epoch_look_answered(const struct tf_target *target)
{
    if (target->answers == 0 || target->first || target->collected || target->peer->net->fill)
        return false;
    uint32_t looks = tf_pause_spin < LOOKS_FOR_ANSWERS ? tf_pause_spin : LOOKS_FOR_ANSWERS;
    for (uint32_t i = 0; i < looks && target->answers > 0; i++)
        tf_await_poll(target->peer, 1);
    return target->answers == 0;
}

void tf_epoch_wait_answered(struct tf_win *win, int rank)
{
    const struct tf_epoch_wait all = {.win = win, .rank = rank};
    for (int at = 0; at < size_of(&all); at++)
        tf_epoch_look_answered(&win->targets[rank_of(&all, at)]);
    wait_for(win, rank, tf_op_answered);
    if (TF_UNLIKELY(win->watches))
        tf_watch_tell(win, rank);
}

static bool is_marked(const struct tf_target *target)
{
    return target->marked == target->acknowledged;
}

void tf_epoch_mark(struct tf_target *target)
{
    if (!target->dirty)
        return;
    target->dirty = false;
    if (target->lost)
        return;
    tf_serve_say(target, TF_VERB_MARK, ++target->marked);
}

void tf_epoch_wait_marked(struct tf_win *win, int rank)
{
    wait_for(win, rank, is_marked);
}

void tf_epoch_flush(struct tf_win *win, int rank)
{
    int first = rank == TF_EPOCH_ALL ? 0 : rank, last = rank == TF_EPOCH_ALL ? win->comm->size - 1 : rank;
    for (int r = first; r <= last; r++)
        tf_epoch_mark(&win->targets[r]);
    tf_epoch_wait_marked(win, rank);
}

int tf_epoch_complaint(struct tf_win *win)
{
    if (TF_UNLIKELY(win->nlost > 0))
        return tf_win_lost(win);
    for (int r = 0; r < win->comm->size; r++) {
        struct tf_target *target = &win->targets[r];
        if (TF_LIKELY(target->refused == 0))
            continue;
        int err = tf_error(MPI_ERR_RMA_RANGE, "rank %d could not do %u operation%s (or parts of one) of rank %d: %s", r,
                           target->refused, target->refused == 1 ? "" : "s", win->comm->rank,
                           target->words ? target->words : "no memory for its words");
        free(target->words);
        target->words = NULL;
        target->refused = 0;
        return err;
    }
    return MPI_SUCCESS;
}
