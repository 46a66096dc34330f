/* lock.c - passive target synchronization (MPI-5.0 section 12.5.3). */
#include "rma/lock.h"

#include "rma/epoch.h"
#include "rma/op.h"
#include "rma/serve.h"
#include "rma/share.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "msg/progress.h"

/* ---- the target's side: for processes of other nodes, whose tickets this one takes ---- */

static _Atomic uint32_t *reads_of(const struct tf_target *target, bool exclusive)
{
    return exclusive ? NULL : target->reads;
}

static _Atomic uint32_t *own_reads(const struct tf_win *win, bool exclusive)
{
    return reads_of(&win->targets[win->comm->rank], exclusive);
}

static void tell_granted(struct tf_win *win, int rank, bool exclusive)
{
    win->holds_exclusive[rank] = exclusive;
    tf_serve_say(&win->targets[rank], TF_VERB_GRANTED, 0);
}

static bool try_for(struct tf_win *win, const struct tf_win_waiter *waiter)
{
    bool exclusive = waiter->want == TF_WANT_EXCLUSIVE;
    if (waiter->want == TF_WANT_FURTHER ? !tf_share_is_let(win->share)
                                        : !tf_share_try(win->share, waiter->ticket, own_reads(win, exclusive)))
        return false;
    tell_granted(win, waiter->rank, exclusive);
    return true;
}

/* Those who wait, in the order in which they came: one may have to yield to another one behind it. */
static bool grant(struct tf_win *win)
{
    bool moved = false;
    struct tf_win_waiter *waiter, **link = &win->first_waiter;
    while ((waiter = *link)) {
        if (!try_for(win, waiter)) {
            link = &waiter->next;
            continue;
        }
        *link = waiter->next;
        free(waiter);
        moved = true;
    }
    win->last_waiter = link;
    return moved;
}

/* Neighbors give the lock back without a word, so each pass looks. */
static bool look(struct tf_task *task, bool *moved)
{
    struct tf_win *win = TF_CONTAINER(task, struct tf_win, looks);
    *moved |= grant(win);
    return !win->first_waiter;
}

static void looked(struct tf_task *task)
{
    TF_CONTAINER(task, struct tf_win, looks)->watching = false;
}

static void watch(struct tf_win *win)
{
    if (win->watching)
        return;
    win->looks = (struct tf_task){.advance = look, .finished = looked};
    tf_task_add(&win->looks);
    win->watching = true;
}

void tf_lock_rest(struct tf_win *win)
{
    if (win->watching)
        tf_task_remove(&win->looks);
}

void tf_lock_ask(struct tf_win *win, int rank, enum tf_win_want want)
{
    if (want != TF_WANT_EXCLUSIVE && tf_share_read(win->share, own_reads(win, false))) {
        tell_granted(win, rank, false);
        return;
    }
    struct tf_win_waiter waiter = {.rank = rank, .want = want};
    if (want == TF_WANT_FURTHER)
        tf_share_insist(own_reads(win, false));
    else
        waiter.ticket = tf_share_ticket(win->share);
    if (try_for(win, &waiter))
        return;
    struct tf_win_waiter *kept = malloc(sizeof *kept);
    if (!kept)
        tf_fatal(1, "treefold[%d]: no memory for the list of those who wait for the lock of a window", tf_job.rank);
    *kept = waiter;
    *win->last_waiter = kept;
    win->last_waiter = &kept->next;
    watch(win);
}

void tf_lock_return(struct tf_win *win, int rank)
{
    tf_share_return(win->share, own_reads(win, win->holds_exclusive[rank]));
    grant(win);
}

enum { LET_IN = 16, OFFER = 64 };

/* Whoever looks again and again at what others of other nodes are to change must let their messages in: each time where
 * they reach this process's memory by messages alone. */
static uint32_t turn;
static bool is_turn(const struct tf_win *win)
{
    return (++turn & win->others_turn) == 0;
}

void tf_lock_let_in_often(struct tf_win *win, bool often)
{
    win->others_turn = often ? 0 : LET_IN - 1;
}

/* Where processors are shared they, and those of this node, may need its own for that, so every so many turns it is
 * offered, but most who come here often do not wait for anybody; and who only loads and stores hears no other way that
 * a process has died. */
static void pass(uint32_t turns)
{
    bool due = turn % turns == 0;
    if (due && tf_time() - tf_pause_now > TF_SECOND / 10)
        tf_msg_look_soon();
    tf_msg_progress();
    if (due)
        tf_msg_offer();
}

void tf_lock_let_in(const struct tf_win *win)
{
    if (TF_UNLIKELY(is_turn(win)))
        pass(OFFER);
}

/* ---- this process takes the locks of its node, and asks others ---- */

static bool is_granted(const struct tf_target *target)
{
    return target->granted || target->win->nlost > 0;
}

static struct tf_epoch_wait wait_of(const struct tf_target *target)
{
    return (struct tf_epoch_wait){.win = target->win,
                                  .call = "MPI_Win_lock",
                                  .what = "to grant its lock",
                                  .rank = target->rank,
                                  .over = is_granted};
}

/* The target may sleep, and have somebody of another node who waits. */
static void wake_for_others(struct tf_target *target)
{
    if (TF_UNLIKELY(tf_share_is_wanted(target->share)) && target->peer->net)
        tf_net_wake(target->peer);
}

/* One who wants a lock that is not to be had at once. */
struct claim {
    struct tf_share *share;
    _Atomic uint32_t *reads;
    uint32_t ticket, looks;
    enum { IN_TURN, POLITELY, INSISTING } how;
};

/* Who has another lock lets those in who wait already, if that does not take long. */
enum { POLITE_LOOKS = 100 };

static bool claim_try(struct claim *claim)
{
    if (claim->how == IN_TURN)
        return tf_share_try(claim->share, claim->ticket, claim->reads);
    if (claim->how == INSISTING)
        return tf_share_is_let(claim->share);
    if (!tf_share_is_wanted(claim->share) && tf_share_read(claim->share, claim->reads))
        return true;
    if (++claim->looks == POLITE_LOOKS) {
        tf_share_insist(claim->reads);
        claim->how = INSISTING;
    }
    return false;
}

/* Before the processor is offered to others: most hold a lock no longer than it takes to copy something. */
enum { LOOKS = 2000, LOOKS_CROWDED = 20 };

/* False: nobody gets it any more, as one who has died may have held it, or wait before this one. */
static TF_COLD bool claim_wait(struct claim *claim, const struct tf_target *target)
{
    struct tf_epoch_wait wait = wait_of(target);
    uint32_t looks = tf_pause_is_short() ? LOOKS_CROWDED : LOOKS;
    bool held = false;
    tf_await_begin(TF_AWAITS_WINDOW, &wait, NULL);
    for (uint32_t i = 0; !target->win->nlost && !(held = claim_try(claim)); i++) {
        if (tf_pause_look && i % 1000 == 0)
            tf_pause_look();
        if (tf_msg_progress() || i < looks)
            continue;
        tf_lock_leave();
        if (i < 10000)
            sched_yield();
        else
            nanosleep(&(struct timespec){0, 50000}, NULL); /* nobody tells when it is given back */
        tf_lock_enter();
    }
    tf_await_end();
    if (!held && claim->how == INSISTING)
        tf_share_return(claim->share, claim->reads);
    return held;
}

static TF_COLD bool claim_shared(struct tf_target *target, bool further)
{
    struct claim claim = {.share = target->share, .reads = target->reads, .how = further ? POLITELY : IN_TURN};
    if (!further)
        claim.ticket = tf_share_ticket(target->share);
    bool held = claim_wait(&claim, target);
    wake_for_others(target); /* its turn is over already */
    return held;
}

static bool claim_exclusive(struct tf_target *target)
{
    struct claim claim = {.share = target->share, .ticket = tf_share_ticket(target->share)};
    return tf_share_try(target->share, claim.ticket, NULL) || claim_wait(&claim, target);
}

/* The locks that this process has asked for and not given back, of all windows. */
static uint32_t wanted;
/* One of another node that a thread has asked for by MPI_Win_lock; NULL: there is none. */
static struct tf_target *asked;
static pthread_t asked_by;

static bool take_near(struct tf_target *target, bool further)
{
    if (target->lock == MPI_LOCK_EXCLUSIVE)
        return claim_exclusive(target);
    return TF_LIKELY(tf_share_read(target->share, target->reads)) || claim_shared(target, further);
}

static void ask(struct tf_target *target)
{
    bool exclusive = target->lock == MPI_LOCK_EXCLUSIVE, further = wanted > 0;
    target->wanted = true;
    wanted++;
    if (TF_UNLIKELY(target->lost))
        return;
    if (target->share) {
        target->wanted = take_near(target, further);
        wanted -= !target->wanted;
        target->granted = true;
        return;
    }
    tf_net_meet(target->peer);
    tf_serve_say(target, TF_VERB_LOCK, exclusive ? TF_WANT_EXCLUSIVE : further ? TF_WANT_FURTHER : TF_WANT_SHARED);
}

static void wait_granted(struct tf_target *target)
{
    struct tf_epoch_wait wait = wait_of(target);
    tf_epoch_await(&wait, false);
}

static bool is_asked_granted(void *state, bool *moved)
{
    (void)state;
    (void)moved;
    return !asked || is_granted(asked); /* another thread may have given it back */
}

/* What comes after it is asked for when it is held: a program may rely on the order in which it takes locks, and who
 * waits in a queue must not hold what others wait for. */
static TF_COLD void await_asked(void)
{
    struct tf_epoch_wait wait = wait_of(asked);
    if (pthread_equal(asked_by, pthread_self()) && !is_granted(asked))
        tf_await(TF_AWAITS_WINDOW, &wait, is_asked_granted, NULL);
}

static void ask_in_order(struct tf_target *target)
{
    if (TF_UNLIKELY(asked != NULL))
        await_asked();
    if (!target->share && (!asked || is_granted(asked))) {
        asked = target;
        asked_by = pthread_self();
    }
    ask(target);
}

static void take(struct tf_target *target, int type, int assertion)
{
    target->lock = type;
    target->unchecked = (assertion & MPI_MODE_NOCHECK) != 0;
    target->wanted = target->granted = false;
}

static void forget(struct tf_target *target)
{
    wanted -= target->wanted;
    if (TF_UNLIKELY(target == asked))
        asked = NULL;
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
    ask_in_order(target); /* what the program can load from and store to by itself it has locked now */
    return TF_LIKELY(win->nlost == 0) ? MPI_SUCCESS : tf_win_lost(win);
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
    if (TF_UNLIKELY(asked != NULL))
        await_asked();
    win->all = true;
    for (int r = 0; r < win->comm->size; r++) {
        struct tf_target *target = &win->targets[r];
        take(target, MPI_LOCK_SHARED, assertion);
        target->by_all = true;
        if (!target->unchecked && target->share && (target->loads || r == win->comm->rank))
            ask(target);
    }
    return MPI_SUCCESS;
}

void tf_lock_want(struct tf_target *target)
{
    if (target->lock && !target->unchecked && !target->wanted)
        ask(target);
}

bool tf_lock_now(struct tf_target *target)
{
    if (target->share && !target->wanted)
        ask(target);
    return target->granted;
}

/* Whether something may have gone by messages, or be asked for by them, that is not known to be done. */
static bool has_sent(const struct tf_win *win)
{
    return win->sent || win->watches || !win->near || win->nlost > 0;
}

/* Nothing waits to go there any more: it may be given back. */
static void give(struct tf_target *target)
{
    if (target->unchecked || !target->wanted || target->share)
        tf_epoch_mark(target);
    if (target->unchecked || !target->wanted || target->lost) {
        atomic_thread_fence(memory_order_seq_cst);
        return;
    }
    if (target->share) {
        if (target->marked != target->acknowledged)
            tf_epoch_wait_marked(target->win, target->rank);
        tf_share_return(target->share, reads_of(target, target->lock == MPI_LOCK_EXCLUSIVE));
        wake_for_others(target);
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
    tf_lock_let_in(win);
    if (!target->lock || target->by_all)
        return tf_error(MPI_ERR_RMA_SYNC, "rank %d does not hold the lock of rank %d of %s%s", win->comm->rank, rank,
                        tf_win_describe(win),
                        win->all ? " by MPI_Win_lock, but those of all ranks: MPI_Win_unlock_all" : "");
    bool sent = has_sent(win);
    if (sent)
        tf_epoch_wait_answered(win, rank);
    give(target);
    if (sent)
        tf_epoch_wait_marked(win, rank);
    win->locks--;
    if (win->locks == 0)
        win->sent = false;
    forget(target);
    return sent ? tf_epoch_complaint(win) : MPI_SUCCESS;
}

int tf_win_unlock_all(struct tf_win *win)
{
    if (!win->all)
        return tf_error(MPI_ERR_RMA_SYNC, "rank %d has not called MPI_Win_lock_all on %s", win->comm->rank,
                        tf_win_describe(win));
    bool sent = has_sent(win);
    if (sent)
        tf_epoch_wait_answered(win, TF_EPOCH_ALL);
    for (int r = 0; r < win->comm->size && sent; r++)
        if (win->targets[r].share)
            tf_epoch_mark(&win->targets[r]);
    for (int r = 0; r < win->comm->size; r++)
        if (sent || win->targets[r].wanted || win->targets[r].unchecked)
            give(&win->targets[r]);
    if (sent)
        tf_epoch_wait_marked(win, TF_EPOCH_ALL);
    for (int r = 0; r < win->comm->size; r++)
        forget(&win->targets[r]);
    win->all = win->sent = false;
    return sent ? tf_epoch_complaint(win) : MPI_SUCCESS;
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

/* Nothing was sent that is not known to be done, and there is nothing to complain of. */
static __attribute__((noinline)) bool is_quiet(const struct tf_target *target)
{
    bool quiet = !target->dirty && target->marked == target->acknowledged && target->collected == 0 &&
                 target->refused == 0 && target->win->nlost == 0;
    if (quiet)
        atomic_thread_fence(memory_order_seq_cst);
    return quiet;
}

/* Nothing is under way to that target. */
static inline bool is_done(struct tf_target *target)
{
    if (!target->lock || target->first || target->answers || target->win->watches)
        return false;
    if (TF_UNLIKELY(!target->direct))
        return is_quiet(target);
    if (target->stored)
        atomic_thread_fence(memory_order_seq_cst);
    target->stored = false;
    return true;
}

static int flush(struct tf_win *win, int rank, bool local)
{
    int err = check_passive(win, rank);
    if (err)
        return err;
    atomic_thread_fence(memory_order_seq_cst);
    tf_epoch_wait_answered(win, rank);
    if (!local)
        tf_epoch_flush(win, rank);
    return tf_epoch_complaint(win);
}

/* Where there is something to wait for, or it is the turn of messages. */
static __attribute__((noinline)) int flush_rank(struct tf_win *win, int rank, bool local)
{
    int err = tf_win_check_rank(win, "rank", rank);
    if (err || rank == MPI_PROC_NULL)
        return err;
    if (!local && win->targets[rank].held > 0) /* together with what is held */
        tf_epoch_mark(&win->targets[rank]);
    if (!tf_epoch_look_answered(&win->targets[rank]) || turn % LET_IN == 0)
        pass(win->targets[rank].direct ? OFFER : LET_IN); /* a call of the system takes as long as several loads */
    return is_done(&win->targets[rank]) ? MPI_SUCCESS : flush(win, rank, local);
}

static inline bool is_flushed(int rank, struct tf_win *win)
{
    return (unsigned)rank < (unsigned)win->comm->size && !is_turn(win) && is_done(&win->targets[rank]);
}

int tf_win_flush(int rank, struct tf_win *win)
{
    return TF_LIKELY(is_flushed(rank, win)) ? MPI_SUCCESS : flush_rank(win, rank, false);
}

int tf_win_flush_local(int rank, struct tf_win *win)
{
    return TF_LIKELY(is_flushed(rank, win)) ? MPI_SUCCESS : flush_rank(win, rank, true);
}

static int flush_all(struct tf_win *win, bool local)
{
    tf_lock_let_in(win);
    return flush(win, TF_EPOCH_ALL, local);
}

int tf_win_flush_all(struct tf_win *win)
{
    return flush_all(win, false);
}

int tf_win_flush_local_all(struct tf_win *win)
{
    return flush_all(win, true);
}

int tf_win_sync(struct tf_win *win)
{
    tf_lock_let_in(win);
    atomic_thread_fence(memory_order_seq_cst);
    return MPI_SUCCESS;
}
