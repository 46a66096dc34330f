/* active.c - active target synchronization: fences, and post, start, complete, wait (MPI-5.0 sections 12.5.1, 12.5.2).
 *
 * POST and COMPLETE are counted per process and not acknowledged: COMPLETE comes behind all operations of its epoch, so
 * when it is there they are done.
 */
#include "coll/coll.h"
#include "comm/group.h"
#include "msg/progress.h"
#include "rma/epoch.h"
#include "rma/op.h"
#include "rma/serve.h"

/* ---- fence ---- */

static int check_fence(const struct tf_win *win)
{
    const char *open = tf_win_epoch(win);
    if (!open)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_RMA_SYNC, "rank %d calls MPI_Win_fence on %s and has %s open", win->comm->rank,
                    tf_win_describe(win), open);
}

int tf_win_fence(int assertion, struct tf_win *win)
{
    int err = tf_epoch_check_assert(
        assertion, MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, "MPI_Win_fence");
    if (!err)
        err = check_fence(win);
    if (err)
        return err;
    tf_epoch_wait_answered(win, TF_EPOCH_ALL);
    tf_epoch_flush(win, TF_EPOCH_ALL);
    err = tf_coll_barrier(win->comm, TF_CALLER_WIN_FENCE);
    if (err)
        return err;
    win->fenced = !(assertion & MPI_MODE_NOSUCCEED);
    win->used = false;
    return tf_epoch_complaint(win);
}

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

/* ---- access: start and complete ---- */

static void start(struct tf_target *target)
{
    target->started = true;
}

static bool is_posted(void *state, bool *moved)
{
    struct tf_win *win = state;
    (void)moved;
    for (int i = 0; i < win->started->size; i++)
        if (win->targets[tf_group_rank_of(win->group, win->started->processes[i])].posts == 0)
            return false;
    return true;
}

static void use_post(struct tf_target *target)
{
    target->posts--;
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
        if (!is_posted(win, NULL))
            tf_await(TF_AWAITS_WINDOW, win, is_posted, win);
        for_each(win, group, use_post);
    }
    return MPI_SUCCESS;
}

static void complete(struct tf_target *target)
{
    tf_net_meet(target->peer);
    target->started = false;
    target->dirty = false;
    tf_serve_say(target, TF_VERB_COMPLETE, 0);
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

static bool is_complete(void *state, bool *moved)
{
    struct tf_win *win = state;
    (void)moved;
    for (int i = 0; i < win->posted->size; i++)
        if (win->targets[tf_group_rank_of(win->group, win->posted->processes[i])].completes == 0)
            return false;
    return true;
}

static void use_complete(struct tf_target *target)
{
    target->completes--;
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
    if (!is_complete(win, NULL))
        tf_await(TF_AWAITS_WINDOW, win, is_complete, win);
    end_exposure(win);
    return MPI_SUCCESS;
}

int tf_win_test(struct tf_win *win, int *flag)
{
    int err = check_posted(win);
    if (err)
        return err;
    tf_msg_progress();
    *flag = is_complete(win, NULL);
    if (*flag)
        end_exposure(win);
    return MPI_SUCCESS;
}
