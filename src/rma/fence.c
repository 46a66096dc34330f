/* fence.c - MPI_Win_fence (MPI-5.0 section 12.5.1): what was called since the last one is done, on all processes.
 *
 *     this process's operations are done         what went by messages is flushed
 *     all processes have come                    no cost but a cache line from each, where they share memory:
 *
 * each writes there the number of the call, and looks until the others have written it.  No message goes,
 * but questions (coll/meet.h) where somebody does not come.  Who goes on wakes those who sleep: the last one to come
 * was awake.  Elsewhere, and if there are many, a barrier.
 */
#include "coll/coll.h"
#include "rma/epoch.h"
#include "rma/share.h"

static int check_fence(const struct tf_win *win)
{
    const char *open = tf_win_epoch(win);
    if (!open)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_RMA_SYNC, "rank %d calls MPI_Win_fence on %s and has %s open", win->comm->rank,
                    tf_win_describe(win), open);
}

struct fence {
    struct tf_epoch_wait wait;
    int err;
};

static bool has_come(const struct tf_target *target)
{
    uint32_t theirs = atomic_load_explicit(&target->share->fences, memory_order_acquire);
    return (int32_t)((theirs - target->win->meet.sequence) << 1) >= 0;
}

static bool awaits(const struct tf_meet *meet, int rank)
{
    return !has_come(&TF_CONTAINER(meet, struct tf_win, meet)->targets[rank]);
}

static bool is_over(void *state, bool *moved)
{
    struct fence *fence = state;
    (void)moved;
    if (tf_epoch_awaited(&fence->wait, &fence->wait.at) == MPI_UNDEFINED)
        return true;
    const struct tf_win *win = fence->wait.win;
    fence->err = TF_UNLIKELY(win->nlost > 0) ? tf_win_lost(win) : tf_meet_look(&fence->wait.win->meet);
    return fence->err != MPI_SUCCESS;
}

static int await_all(struct tf_win *win)
{
    struct fence fence = {.wait = {.win = win,
                                   .call = "MPI_Win_fence",
                                   .what = "to call it",
                                   .called = true,
                                   .rank = TF_EPOCH_ALL,
                                   .over = has_come}};
    if (!is_over(&fence, NULL))
        tf_await_seen(TF_AWAITS_WINDOW, &fence.wait, is_over, &fence);
    return fence.err;
}

static int come_by_memory(struct tf_win *win)
{
    struct tf_share *own = win->targets[win->comm->rank].share;
    win->meet.awaits = awaits;
    tf_meet_begin(&win->meet, win->comm, TF_CALLER_WIN_FENCE);
    atomic_store_explicit(&own->fences, win->meet.sequence, memory_order_release);
    int err = await_all(win);
    for (int r = 0; r < win->comm->size; r++) {
        struct tf_peer *peer = win->targets[r].peer;
        tf_net_meet(peer);
        if (!win->targets[r].lost)
            tf_net_wake(peer);
    }
    return err;
}

static int come(struct tf_win *win)
{
    return win->fences_by_memory ? come_by_memory(win) : tf_coll_barrier(win->comm, TF_CALLER_WIN_FENCE);
}

int tf_win_fence(int assertion, struct tf_win *win)
{
    int err = tf_epoch_check_assert(
        assertion, MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, "MPI_Win_fence");
    if (!err)
        err = check_fence(win);
    if (err)
        return err;
    bool sent = win->sent || win->watches || win->nlost > 0;
    if (sent) {
        tf_epoch_wait_answered(win, TF_EPOCH_ALL);
        tf_epoch_flush(win, TF_EPOCH_ALL);
        win->sent = false;
    }
    err = come(win);
    if (err)
        return err;
    win->fenced = !(assertion & MPI_MODE_NOSUCCEED);
    win->used = false;
    return sent ? tf_epoch_complaint(win) : MPI_SUCCESS;
}
