/* call.c - the path of a blocking collective call: as one before that was the same, or a choice, the buffers and a run.
 * Nonblocking and persistent ones: nonblocking.c.
 */
#include "coll/choice.h"
#include "msg/match.h"
#include "net/pause.h"

/* Bound for the call, on *standing; or an error, which the other ranks are told. */
static int prepare(struct tf_colls *colls, const struct tf_call *call, uint32_t sequence, struct tf_standing **standing)
{
    struct tf_choice *c = &colls->choices[call->coll];
    struct tf_standing *s = NULL;
    int err = tf_choice_check(call);
    size_t bytes = err ? 0 : tf_choice_bytes(call);
    if (!err && !tf_choice_fits(c, call, bytes))
        err = tf_choice_make(call, bytes, c);
    if (!err) {
        s = tf_standing_take(&colls->standings, colls->plans, c->plan);
        err = tf_choice_bind(&s->run, call, c->plan);
    }
    if (err)
        return tf_choice_give_up(call->comm, sequence, err);
    s->run.sequence = sequence;
    s->run.terms = tf_choice_terms(call, TF_FORM_BLOCKING, bytes, c->algorithm);
    s->run.fingerprint = s->run.terms.fingerprint;
    s->bytes = bytes;
    s->algorithm = c->algorithm;
    tf_standing_keep(&colls->standings, s, call);
    *standing = s;
    return MPI_SUCCESS;
}

/* From this call on the accord has its terms. */
static inline void note(struct tf_standings *standings, const struct tf_standing *s)
{
    tf_accord_note(tf_accord_of(s->call.comm), s->run.sequence, &s->run.terms);
    standings->noted = s;
}

static __attribute__((noinline)) int run_exact(const struct tf_call *call)
{
    struct tf_exact *exact = &call->comm->colls->exact;
    struct tf_call wide;
    int err = tf_exact_prepare(exact, call, &wide);
    if (err)
        return tf_coll_give_up(call->comm, err);
    tf_exact_open(exact);
    err = tf_coll_run(&wide);
    if (!err)
        tf_exact_close(exact);
    return err;
}

/* The next call, too, is to come by here. */
static TF_COLD int run_told(struct tf_standing *s, const struct tf_call *call)
{
    uint32_t sequence = s->run.sequence;
    tf_choice_tell(TF_NEWS_BEGUN, call, s->algorithm, sequence, MPI_SUCCESS);
    int err = tf_exec_run(&s->run);
    tf_choice_tell(TF_NEWS_ENDED, call, s->algorithm, sequence, err);
    tf_standing_reset(s);
    return err;
}

/* While it waits the lock is let go, and another thread may free what it was called with. */
static TF_COLD int run_held(struct tf_standing *s, const struct tf_call *call)
{
    tf_choice_hold(&s->run, call);
    int err = tf_choice_is_told(call) ? run_told(s, call) : tf_exec_run(&s->run);
    tf_choice_let_go(&s->run, call);
    return err;
}

static inline void bind_again(struct tf_standing *s, const struct tf_call *call)
{
    s->run.sequence = tf_choice_number(call->comm);
    tf_standing_place(s, call);
}

static inline int run_bound(struct tf_standing *s, const struct tf_call *call)
{
    if (TF_UNLIKELY(tf_library.locking))
        return run_held(s, call);
    return TF_UNLIKELY(tf_choice_is_told(call)) ? run_told(s, call) : tf_exec_run(&s->run);
}

static int run_anew(struct tf_colls *colls, const struct tf_call *call);

static __attribute__((noinline)) int run_first(struct tf_colls *colls, const struct tf_call *call)
{
    struct tf_standing *s = NULL;
    struct tf_call whole;
    if (tf_coll_sends_less(call, &whole))
        return run_anew(colls, &whole);
    if (call->comm->order == TF_ORDER_EXACT && tf_exact_widens(call))
        return run_exact(call);
    int err = prepare(colls, call, tf_choice_number(call->comm), &s);
    if (err)
        return err;
    note(&colls->standings, s);
    return run_bound(s, call);
}

static __attribute__((noinline)) int run_anew(struct tf_colls *colls, const struct tf_call *call)
{
    struct tf_standing *s = tf_standing_find(&colls->standings, call);
    if (TF_UNLIKELY(!s))
        return run_first(colls, call);
    bind_again(s, call);
    if (TF_UNLIKELY(colls->standings.noted != s))
        note(&colls->standings, s);
    return run_bound(s, call);
}

/* Who comes last to a barrier behind, say, a reduction to a root would be the first to begin the next one, and wait in
 * it for those that share his processor; so they go first. */
static __attribute__((noinline)) int run_barrier(struct tf_run *run)
{
    int64_t paused = tf_pause_now;
    int err = tf_exec_run(run);
    if (tf_pause_now == paused)
        tf_pause_after_others();
    return err;
}

static __attribute__((noinline)) int run_other(struct tf_standings *standings, struct tf_standing *s)
{
    const struct tf_standing *last = standings->noted;
    note(standings, s);
    bool parts = s->call.coll == TF_BARRIER && last && tf_coll_is_one_way(last->call.coll);
    return parts ? run_barrier(&s->run) : tf_exec_run(&s->run);
}

int tf_coll_run(const struct tf_call *call)
{
    struct tf_colls *colls = call->comm->colls;
    struct tf_standing *s = colls->standings.of[call->coll];
    if (TF_UNLIKELY(!tf_standing_fits(&colls->standings, s, call)))
        return run_anew(colls, call);
    bind_again(s, call);
    return TF_UNLIKELY(colls->standings.noted != s) ? run_other(&colls->standings, s) : tf_exec_run(&s->run);
}

/* ---- the library's own ---- */

int tf_coll_run_own(const struct tf_call *call)
{
    return run_anew(call->comm->colls, call);
}

int tf_coll_give_up(struct tf_comm *comm, int err)
{
    return tf_choice_give_up(comm, tf_choice_number(comm), err);
}

struct tf_call tf_coll_max_call(struct tf_comm *comm, enum tf_caller caller, const void *mine, uint64_t *result)
{
    return (struct tf_call){.coll = TF_ALLREDUCE,
                            .caller = caller,
                            .comm = comm,
                            .sendbuf = mine,
                            .recvbuf = result,
                            .recvcount = 1,
                            .recvtype = tf_type_find(MPI_UINT64_T),
                            .op = tf_op_find(MPI_MAX)};
}

int tf_coll_max(struct tf_comm *comm, enum tf_caller caller, uint64_t mine, uint64_t *result)
{
    struct tf_call call = tf_coll_max_call(comm, caller, &mine, result);
    return tf_coll_run_own(&call);
}

int tf_coll_bcast_bytes(struct tf_comm *comm, enum tf_caller caller, void *buffer, size_t bytes, int root)
{
    struct tf_call call = {.coll = TF_BCAST,
                           .caller = caller,
                           .comm = comm,
                           .root = root,
                           .recvbuf = buffer,
                           .recvcount = (MPI_Count)bytes,
                           .recvtype = tf_type_find(MPI_BYTE)};
    return tf_coll_run_own(&call);
}

int tf_coll_allgather_bytes(struct tf_comm *comm, enum tf_caller caller, const void *mine, size_t bytes, void *all)
{
    struct tf_type *byte = tf_type_find(MPI_BYTE);
    struct tf_call call = {.coll = TF_ALLGATHER,
                           .caller = caller,
                           .comm = comm,
                           .sendbuf = mine,
                           .recvbuf = all,
                           .sendcount = (MPI_Count)bytes,
                           .recvcount = (MPI_Count)bytes,
                           .sendtype = byte,
                           .recvtype = byte};
    return tf_coll_run_own(&call);
}

int tf_coll_barrier(struct tf_comm *comm, enum tf_caller caller)
{
    struct tf_call call = {.coll = TF_BARRIER, .caller = caller, .comm = comm};
    return tf_coll_run_own(&call);
}
