/* lock.c - passive target synchronization (MPI-5.0 section 12.5.3). */
#include "rma/lock.h"

#include "rma/epoch.h"
#include "rma/op.h"
#include "rma/serve.h"

/* ---- the target's side ---- */

static bool is_free(const struct tf_win *win, bool exclusive)
{
    return !win->writer && !(exclusive && win->readers > 0);
}

static void grant(struct tf_win *win, int rank, bool exclusive)
{
    if (exclusive)
        win->writer = true;
    else
        win->readers++;
    tf_serve_say(&win->targets[rank], TF_VERB_GRANTED, 0);
}

void tf_lock_ask(struct tf_win *win, int rank, bool exclusive)
{
    if (!win->first_waiter && is_free(win, exclusive)) {
        grant(win, rank, exclusive);
        return;
    }
    struct tf_win_waiter *waiter = malloc(sizeof *waiter);
    if (!waiter)
        tf_fatal(1, "treefold[%d]: no memory for the list of those who wait for the lock of a window", tf_job.rank);
    *waiter = (struct tf_win_waiter){.rank = rank, .exclusive = exclusive};
    *win->last_waiter = waiter;
    win->last_waiter = &waiter->next;
}

void tf_lock_return(struct tf_win *win)
{
    if (win->writer)
        win->writer = false;
    else
        win->readers--;
    while (win->first_waiter && is_free(win, win->first_waiter->exclusive)) {
        struct tf_win_waiter *waiter = win->first_waiter;
        win->first_waiter = waiter->next;
        if (!win->first_waiter)
            win->last_waiter = &win->first_waiter;
        grant(win, waiter->rank, waiter->exclusive);
        free(waiter);
    }
}

/* ---- this process asks others ---- */

static bool is_granted(void *state, bool *moved)
{
    (void)moved;
    const struct tf_target *target = state;
    return target->granted;
}

static void ask(struct tf_target *target)
{
    tf_net_meet(target->peer);
    target->wanted = true;
    tf_serve_say(target, TF_VERB_LOCK, target->lock == MPI_LOCK_EXCLUSIVE);
}

static void wait_granted(struct tf_target *target)
{
    if (!target->granted)
        tf_await(TF_AWAITS_WINDOW, target->win, is_granted, target);
}

/* Whose memory the program can load from and store to by itself it must have locked when the call returns. */
static bool is_near(const struct tf_target *target)
{
    return !target->peer->net || target->peer->net->shared;
}

static void take(struct tf_target *target, int type, int assertion)
{
    target->lock = type;
    target->unchecked = (assertion & MPI_MODE_NOCHECK) != 0;
    target->wanted = target->granted = false;
}

static void forget(struct tf_target *target)
{
    target->lock = 0;
    target->by_all = target->unchecked = target->wanted = target->granted = false;
}

int tf_win_lock(int lock_type, int rank, int assertion, struct tf_win *win)
{
    if (lock_type != MPI_LOCK_SHARED && lock_type != MPI_LOCK_EXCLUSIVE)
        return tf_error(MPI_ERR_LOCKTYPE, "lock_type is %d; it must be MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE",
                        lock_type);
    int err = tf_epoch_check_assert(assertion, MPI_MODE_NOCHECK, "MPI_Win_lock");
    if (!err)
        err = tf_win_check_rank(win, "rank", rank);
    if (!err)
        err = tf_epoch_enter_passive(win);
    if (err)
        return err;
    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    struct tf_target *target = &win->targets[rank];
    if (target->lock)
        return tf_error(MPI_ERR_RMA_SYNC,
                        "rank %d holds the lock of rank %d of %s already; it must call MPI_Win_unlock first",
                        win->comm->rank, rank, tf_win_describe(win));
    if (win->all)
        return tf_error(MPI_ERR_RMA_SYNC,
                        "rank %d holds the locks of all ranks of %s; it must call MPI_Win_unlock_all first",
                        win->comm->rank, tf_win_describe(win));
    take(target, lock_type, assertion);
    win->locks++;
    if (target->unchecked)
        return MPI_SUCCESS;
    ask(target);
    if (is_near(target))
        wait_granted(target);
    return MPI_SUCCESS;
}

int tf_win_lock_all(int assertion, struct tf_win *win)
{
    int err = tf_epoch_check_assert(assertion, MPI_MODE_NOCHECK, "MPI_Win_lock_all");
    if (!err)
        err = tf_epoch_enter_passive(win);
    if (err)
        return err;
    if (win->all || win->locks > 0)
        return tf_error(MPI_ERR_RMA_SYNC, "rank %d holds %s of %s already", win->comm->rank,
                        win->all ? "the locks of all ranks" : "a lock", tf_win_describe(win));
    win->all = true;
    for (int r = 0; r < win->comm->size; r++) {
        struct tf_target *target = &win->targets[r];
        take(target, MPI_LOCK_SHARED, assertion);
        target->by_all = true;
        if (!target->unchecked && is_near(target))
            ask(target);
    }
    for (int r = 0; r < win->comm->size; r++)
        if (win->targets[r].wanted)
            wait_granted(&win->targets[r]);
    return MPI_SUCCESS;
}

void tf_lock_want(struct tf_target *target)
{
    if (target->lock && !target->unchecked && !target->wanted)
        ask(target);
}

/* Nothing waits to go there any more: it may be given back. */
static void give(struct tf_target *target)
{
    if (target->unchecked || !target->wanted) {
        tf_epoch_mark(target);
        return;
    }
    wait_granted(target);
    target->marked++;
    tf_serve_say(target, TF_VERB_UNLOCK, target->marked);
}

int tf_win_unlock(int rank, struct tf_win *win)
{
    int err = tf_win_check_rank(win, "rank", rank);
    if (err || rank == MPI_PROC_NULL)
        return err;
    struct tf_target *target = &win->targets[rank];
    if (!target->lock || target->by_all)
        return tf_error(MPI_ERR_RMA_SYNC, "rank %d does not hold the lock of rank %d of %s%s", win->comm->rank, rank,
                        tf_win_describe(win),
                        win->all ? " by MPI_Win_lock, but those of all ranks: MPI_Win_unlock_all" : "");
    tf_epoch_wait_answered(win, rank);
    give(target);
    tf_epoch_wait_marked(win, rank);
    win->locks--;
    forget(target);
    return tf_epoch_complaint(win);
}

int tf_win_unlock_all(struct tf_win *win)
{
    if (!win->all)
        return tf_error(MPI_ERR_RMA_SYNC, "rank %d has not called MPI_Win_lock_all on %s", win->comm->rank,
                        tf_win_describe(win));
    tf_epoch_wait_answered(win, TF_EPOCH_ALL);
    for (int r = 0; r < win->comm->size; r++)
        give(&win->targets[r]);
    tf_epoch_wait_marked(win, TF_EPOCH_ALL);
    for (int r = 0; r < win->comm->size; r++)
        forget(&win->targets[r]);
    win->all = false;
    return tf_epoch_complaint(win);
}

/* ---- flush ---- */

static int check_passive(const struct tf_win *win, int rank)
{
    if (win->all || (rank == TF_EPOCH_ALL ? win->locks > 0 : win->targets[rank].lock != 0))
        return MPI_SUCCESS;
    if (rank == TF_EPOCH_ALL)
        return tf_error(MPI_ERR_RMA_SYNC, "rank %d holds no lock of %s; MPI_Win_lock or _lock_all comes first",
                        win->comm->rank, tf_win_describe(win));
    return tf_error(MPI_ERR_RMA_SYNC,
                    "rank %d does not hold the lock of rank %d of %s; MPI_Win_lock or _lock_all comes first",
                    win->comm->rank, rank, tf_win_describe(win));
}

static int flush(struct tf_win *win, int rank, bool local)
{
    int err = check_passive(win, rank);
    if (err)
        return err;
    tf_epoch_wait_answered(win, rank);
    if (!local)
        tf_epoch_flush(win, rank);
    return tf_epoch_complaint(win);
}

static int flush_rank(struct tf_win *win, int rank, bool local)
{
    int err = tf_win_check_rank(win, "rank", rank);
    return err || rank == MPI_PROC_NULL ? err : flush(win, rank, local);
}

int tf_win_flush(int rank, struct tf_win *win)
{
    return flush_rank(win, rank, false);
}

int tf_win_flush_local(int rank, struct tf_win *win)
{
    return flush_rank(win, rank, true);
}

int tf_win_flush_all(struct tf_win *win)
{
    return flush(win, TF_EPOCH_ALL, false);
}

int tf_win_flush_local_all(struct tf_win *win)
{
    return flush(win, TF_EPOCH_ALL, true);
}

int tf_win_sync(struct tf_win *win)
{
    (void)win;
    atomic_thread_fence(memory_order_seq_cst);
    return MPI_SUCCESS;
}
