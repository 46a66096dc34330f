/* active.c - active target synchronization of some: post, start, complete, wait (MPI-5.0 section 12.5.2).
 *
 * Posts and completes are counted per process and not acknowledged.  A neighbor counts in memory that both see
 * (share.h), others, and who has sent operations by messages, say POST or COMPLETE: this comes behind all operations of
 * its epoch, so when it is there they are done.  An epoch of two processes begins when the last one has ended, so there
 * is never one of a kind behind another one that went the other way.
 */
#include "comm/group.h"
#include "msg/progress.h"
#include "rma/epoch.h"
#include "rma/op.h"
#include "rma/serve.h"
#include "rma/share.h"

/* ---- the targets of a group ---- */

/* Calls that for each member; MPI_ERR_GROUP, and nothing called, if one is not in the window. */
static int for_each(struct tf_win *win, const struct tf_group *group, void (*call)(struct tf_target *target))
{
    for (int i = 0; i < group->size && !call; i++)
        if (tf_group_rank_of(win->group, group->processes[i]) == MPI_UNDEFINED)
            return tf_error(MPI_ERR_GROUP, "group holds rank %d of the job, which is not in %s", group->processes[i],
                            tf_win_describe(win));
    for (int i = 0; i < group->size && call; i++)
        call(&win->targets[tf_group_rank_of(win->group, group->processes[i])]);
    return MPI_SUCCESS;
}

static int check_members(struct tf_win *win, const struct tf_group *group)
{
    return for_each(win, group, NULL);
}

/* ---- posts and completes ---- */

static uint32_t posts(const struct tf_target *target)
{
    uint32_t seen = target->hears ? atomic_load_explicit(&target->hears->posts, memory_order_acquire) : 0;
    return target->posts + seen;
}

static uint32_t completes(const struct tf_target *target)
{
    uint32_t seen = target->hears ? atomic_load_explicit(&target->hears->completes, memory_order_acquire) : 0;
    return target->completes + seen;
}

static void count(struct tf_target *target, _Atomic uint32_t *word)
{
    atomic_store_explicit(word, atomic_load_explicit(word, memory_order_relaxed) + 1, memory_order_release);
    tf_net_wake(target->peer);
}

/* ---- access: start and complete ---- */

static void start(struct tf_target *target)
{
    target->started = true;
}

/* Who knows already of one who has died may not come any more. */
static bool is_posted(const struct tf_target *target)
{
    return posts(target) > 0 || target->win->nlost > 0;
}

static void await_posts(struct tf_win *win)
{
    struct tf_epoch_wait wait = {.win = win,
                                 .call = "MPI_Win_start",
                                 .what = "to call MPI_Win_post",
                                 .called = true,
                                 .group = win->started,
                                 .over = is_posted};
    tf_epoch_await(&wait, true);
}

static void use_post(struct tf_target *target)
{
    target->posts -= posts(target) > 0; /* or it is gone */
}

static int check_start(struct tf_win *win)
{
    if (win->started)
        return tf_error(MPI_ERR_RMA_SYNC,
                        "rank %d has called MPI_Win_start on %s already; MPI_Win_complete comes first", win->comm->rank,
                        tf_win_describe(win));
    if (win->all || win->locks > 0)
        return tf_error(MPI_ERR_RMA_SYNC, "rank %d calls MPI_Win_start on %s and holds %s", win->comm->rank,
                        tf_win_describe(win), win->all ? "the locks of all ranks" : "a lock");
    if (win->fenced && win->used)
        return tf_error(MPI_ERR_RMA_SYNC,
                        "rank %d has called operations on %s since MPI_Win_fence; another one ends their epoch",
                        win->comm->rank, tf_win_describe(win));
    return MPI_SUCCESS;
}

int tf_win_start(struct tf_group *group, int assertion, struct tf_win *win)
{
    int err = tf_epoch_check_assert(assertion, MPI_MODE_NOCHECK, "MPI_Win_start");
    if (!err)
        err = check_start(win);
    if (!err)
        err = check_members(win, group);
    if (err)
        return err;
    win->fenced = false;
    tf_group_retain(group);
    win->started = group;
    for_each(win, group, start);
    if (!(assertion & MPI_MODE_NOCHECK)) {
        await_posts(win);
        for_each(win, group, use_post);
    }
    return TF_LIKELY(win->nlost == 0) ? MPI_SUCCESS : tf_win_lost(win);
}

static void complete(struct tf_target *target)
{
    tf_net_meet(target->peer);
    target->started = false;
    if (target->tells && !target->dirty)
        count(target, &target->tells->completes);
    else
        tf_serve_say(target, TF_VERB_COMPLETE, 0);
    target->dirty = false;
}

int tf_win_complete(struct tf_win *win)
{
    if (!win->started)
        return tf_error(MPI_ERR_RMA_SYNC, "rank %d has not called MPI_Win_start on %s", win->comm->rank,
                        tf_win_describe(win));
    tf_epoch_wait_answered(win, TF_EPOCH_ALL);
    for_each(win, win->started, complete);
    tf_group_release(win->started);
    win->started = NULL;
    return tf_epoch_complaint(win);
}

/* ---- exposure: post and wait ---- */

static void post(struct tf_target *target)
{
    tf_net_meet(target->peer);
    if (target->tells)
        count(target, &target->tells->posts);
    else
        tf_serve_say(target, TF_VERB_POST, 0);
}

int tf_win_post(struct tf_group *group, int assertion, struct tf_win *win)
{
    int err = tf_epoch_check_assert(assertion, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT, "MPI_Win_post");
    if (!err && win->posted)
        err = tf_error(MPI_ERR_RMA_SYNC, "rank %d has called MPI_Win_post on %s already; MPI_Win_wait comes first",
                       win->comm->rank, tf_win_describe(win));
    if (!err && win->fenced && win->used)
        err = tf_error(MPI_ERR_RMA_SYNC,
                       "rank %d has called operations on %s since MPI_Win_fence; another one ends their epoch",
                       win->comm->rank, tf_win_describe(win));
    if (!err)
        err = check_members(win, group);
    if (err)
        return err;
    if (!win->started)
        win->fenced = false;
    tf_group_retain(group);
    win->posted = group;
    if (!(assertion & MPI_MODE_NOCHECK))
        for_each(win, group, post);
    return MPI_SUCCESS;
}

static bool is_complete(const struct tf_target *target)
{
    return completes(target) > 0 || target->win->nlost > 0;
}

static struct tf_epoch_wait wait_for_completes(struct tf_win *win)
{
    return (struct tf_epoch_wait){.win = win,
                                  .call = "MPI_Win_wait",
                                  .what = "to call MPI_Win_complete",
                                  .called = true,
                                  .group = win->posted,
                                  .over = is_complete};
}

static void use_complete(struct tf_target *target)
{
    target->completes -= completes(target) > 0;
}

static int check_posted(const struct tf_win *win)
{
    if (win->posted)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_RMA_SYNC, "rank %d has not called MPI_Win_post on %s", win->comm->rank,
                    tf_win_describe(win));
}

static void end_exposure(struct tf_win *win)
{
    for_each(win, win->posted, use_complete);
    tf_group_release(win->posted);
    win->posted = NULL;
}

int tf_win_wait(struct tf_win *win)
{
    int err = check_posted(win);
    if (err)
        return err;
    struct tf_epoch_wait wait = wait_for_completes(win);
    tf_epoch_await(&wait, true);
    end_exposure(win);
    return TF_LIKELY(win->nlost == 0) ? MPI_SUCCESS : tf_win_lost(win);
}

int tf_win_test(struct tf_win *win, int *flag)
{
    int err = check_posted(win);
    if (err)
        return err;
    tf_msg_glance();
    struct tf_epoch_wait wait = wait_for_completes(win);
    *flag = tf_epoch_awaited(&wait, &wait.at) == MPI_UNDEFINED;
    if (*flag)
        end_exposure(win);
    return TF_LIKELY(win->nlost == 0) ? MPI_SUCCESS : tf_win_lost(win);
}
