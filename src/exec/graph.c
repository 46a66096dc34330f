/* graph.c - the second gear: every step whose dependencies are met is under way at once.
 *
 *     waiting --(dependencies met)--> active --(message sent, or received and combined)--> done
 *                                            --(no memory, ranks that disagree)----------> failed
 *
 * What depends on a step that failed never begins; the run is abandoned.
 *
 * Long messages move chunk by chunk.  A chunk is combined where it lies in the ring, and a send that is streamed from
 * that step puts it into the next ring at once, while it is still in cache: chains and rings pipeline by themselves.
 *
 * An echo (plan.h) saves half of the cache lines that change hands: the result of a combination is written where the
 * operand lies, in the sender's own ring, and read back by the sender.
 */
#include "exec/exec.h"
#include "msg/match.h"
#include "msg/transfer.h"

enum state { WAITING, ACTIVE, DONE, FAILED };

struct tf_step_state {
    uint8_t state;
    bool came;                       /* the message, to be combined apart */
    bool by_echo;                    /* active, and done when the other step of the echo is */
    int32_t follower, next_follower; /* sends streamed from this step; a list through the sends */
    struct tf_run *run;
    struct tf_span src, dst;
    struct tf_operand operand; /* of a user-defined operator */
    struct remains *remains;   /* of a run that was abandoned */
    union {
        struct tf_send send;
        struct tf_recv recv;
    };
};

/* What a run leaves to its messages under way when it is abandoned: they refer to it, and the last of them frees it. */
struct remains {
    void *scratch;
    int messages;
    struct tf_step_state states[];
};

static const struct tf_step *step_of(const struct tf_step_state *st)
{
    return &st->run->plan->steps[st - st->run->states];
}

static void step_done(struct tf_step_state *st)
{
    st->state = DONE;
    st->run->dirty = true;
}

static TF_COLD void step_failed(struct tf_step_state *st, int err, uint32_t theirs)
{
    st->state = FAILED;
    tf_run_fail(st->run, err, theirs);
}

/* Data that a step produces piece by piece can be sent on piece by piece. */
static bool grows(const struct tf_run *run, const struct tf_step *step)
{
    return step->kind == TF_RECV || (step->kind == TF_RECV_REDUCE && tf_run_in_parts(run));
}

void tf_exec_graph_clear(struct tf_room *room)
{
    if (room->states)
        free(TF_CONTAINER(room->states, struct remains, states));
    room->states = NULL;
    room->cap_states = 0;
}

int tf_exec_graph_reserve(struct tf_run *run)
{
    uint32_t n = run->plan->nsteps;
    struct tf_room *room = run->room;
    if (TF_UNLIKELY(n > room->cap_states)) {
        tf_exec_graph_clear(room);
        struct remains *memory = tf_alloc(sizeof *memory + n * sizeof *room->states, "the steps of a collective");
        if (!memory)
            return MPI_ERR_NO_MEM;
        room->states = memory->states;
        room->cap_states = n;
    }
    run->states = room->states;
    return MPI_SUCCESS;
}

int tf_exec_graph_open(struct tf_run *run)
{
    int err = tf_exec_graph_reserve(run);
    if (err)
        return err;
    for (uint32_t i = 0; i < run->plan->nsteps; i++) {
        struct tf_step_state *st = &run->states[i];
        st->state = i < run->position ? DONE : WAITING;
        st->came = st->by_echo = false;
        st->follower = st->next_follower = -1;
        st->run = run;
        st->operand.memory = NULL;
    }
    run->dirty = true;
    return MPI_SUCCESS;
}

/* Whether all but one of the step's dependencies are done. */
static bool free_but_for(const struct tf_run *run, uint32_t i, uint32_t but)
{
    const struct tf_step *step = &run->plan->steps[i];
    for (uint32_t d = step->first_dep; d < step->first_dep + step->ndeps; d++)
        if (run->plan->deps[d].step != but && run->states[run->plan->deps[d].step].state != DONE)
            return false;
    return true;
}

/* Whether the echo that step i begins can be had: its other step waits for nothing else. */
static bool can_echo(const struct tf_run *run, uint32_t i)
{
    const struct tf_step *step = &run->plan->steps[i];
    return step->echo && tf_run_in_parts(run) && !run->apart &&
           run->unit <= tf_net_chunk(run->comm->peers[step->peer]) && run->states[step->echo].state == WAITING &&
           free_but_for(run, step->echo, i);
}

/* ---- receiving ---- */

enum { PIECE = 4096 }; /* what stays in the first cache between being combined and being put back */

static void combine_and_return(struct tf_step_state *st, size_t at, char *data, size_t length)
{
    const struct tf_run *run = st->run;
    size_t piece = PIECE - PIECE % run->unit;
    for (size_t done = 0; done < length; done += piece) {
        size_t n = length - done < piece ? length - done : piece;
        char *dst = st->dst.buf + at + done;
        tf_run_combine(run, step_of(st)->side, st->src.buf + at + done, dst, data + done, n);
        memcpy(data + done, dst, n);
    }
}

/* Now it is known whether the result goes back by an echo or by a message of its own. */
static void met(struct tf_recv *recv)
{
    struct tf_step_state *st = TF_CONTAINER(recv, struct tf_step_state, recv);
    const struct tf_step *step = step_of(st);
    if (!step->echo)
        return;
    if (recv->echo) {
        st->run->states[step->echo].state = ACTIVE;
        st->run->states[step->echo].by_echo = true;
    }
    st->run->dirty = true;
}

/* Bytes of the step's result. */
static size_t there(const struct tf_step_state *st)
{
    return st->operand.memory ? (size_t)(st->operand.combined * st->run->optype->size) : st->recv.received;
}

static void feed_followers(struct tf_step_state *st, size_t ready)
{
    for (int32_t i = st->follower; i >= 0; i = st->run->states[i].next_follower)
        if (st->run->states[i].state == ACTIVE)
            tf_send_more(&st->run->states[i].send, ready);
}

/* The same for a user-defined operator; bytes of the result that are there. */
static size_t combine_user(struct tf_step_state *st, size_t at, char *data, size_t length)
{
    const struct tf_step *step = step_of(st);
    size_t there = tf_operand_take(&st->operand, st->run, step, &st->src, &st->dst, at, data, length);
    if (st->recv.echo)
        tf_span_read(&st->dst, at, data, length);
    return there;
}

static void sink(struct tf_recv *recv, void *data, size_t length)
{
    struct tf_step_state *st = TF_CONTAINER(recv, struct tf_step_state, recv);
    const struct tf_step *step = step_of(st);
    size_t at = recv->received, there = at + length;
    if (TF_UNLIKELY(recv->error))
        return;
    if (step->kind == TF_RECV)
        tf_span_write(&st->dst, at, data, length);
    else if (!st->run->kernel && st->run->apart) {
        tf_operand_keep(&st->operand, st->run, data, length);
        st->run->dirty = true;
        return;
    } else if (!st->run->kernel)
        there = combine_user(st, at, data, length);
    else if (recv->echo)
        combine_and_return(st, at, data, length);
    else
        tf_run_combine(st->run, step->side, st->src.buf + at, st->dst.buf + at, data, length);
    if (st->follower >= 0 && grows(st->run, step))
        feed_followers(st, there);
}

/* Another thread may be in the midst of it where the operator is called apart. */
static TF_COLD bool is_to_be_combined(struct tf_step_state *st)
{
    if (!st->run->apart)
        tf_operand_close(&st->operand);
    else if (!st->recv.error)
        st->came = st->run->dirty = true;
    return st->came;
}

static void recv_done(struct tf_recv *recv)
{
    struct tf_step_state *st = TF_CONTAINER(recv, struct tf_step_state, recv);
    if (TF_UNLIKELY(st->operand.memory != NULL) && is_to_be_combined(st))
        return;
    if (TF_UNLIKELY(recv->error)) {
        step_failed(st, recv->error, recv->fingerprint);
        return;
    }
    step_done(st);
    if (recv->echo)
        step_done(&st->run->states[step_of(st)->echo]);
    if (st->follower >= 0)
        feed_followers(st, st->dst.bytes);
}

/* What has come for operators that are called apart. */
static TF_COLD void combine_apart(struct tf_run *run)
{
    for (uint32_t i = run->position; i < run->plan->nsteps && !run->error; i++) {
        struct tf_step_state *st = &run->states[i];
        if (st->state != ACTIVE || !st->operand.memory)
            continue;
        tf_operand_combine(&st->operand, run, step_of(st), &st->src, &st->dst);
        if (run->error)
            return;
        feed_followers(st, there(st));
        if (!st->came || there(st) < st->dst.bytes)
            continue;
        tf_operand_close(&st->operand);
        step_done(st);
    }
}

/* Whether the message may be read where its sender has it, and how. */
static void set_reading(struct tf_recv *recv, const struct tf_step_state *st, const struct tf_step *step)
{
    const struct tf_run *run = st->run;
    const struct tf_bound *bound = step->dst.count > 0 ? &run->bound[step->dst.buffer] : NULL;
    bool apart = step->kind == TF_RECV_REDUCE && run->apart, host = apart || st->dst.memory == TF_MEMORY_HOST;
    recv->direct = apart ? run->optype->dense : step->kind == TF_RECV && !st->dst.type && host;
    recv->pull = step->kind == TF_RECV ? recv->direct : run->plan->pull && tf_run_in_parts(run) && host;
    recv->alters = step->kind == TF_RECV_REDUCE && !run->kernel && !st->operand.memory;
    recv->unit = step->kind == TF_RECV_REDUCE && run->kernel ? run->unit : bound ? bound->unit : 1;
}

static int open_operand(struct tf_step_state *st, const struct tf_peer *peer)
{
    MPI_Count count = tf_span_elements(st->run, &st->dst);
    return st->run->apart ? tf_operand_open_apart(&st->operand, st->run, count)
                          : tf_operand_open(&st->operand, st->run, count, tf_net_chunk_from(peer));
}

static int start_recv(struct tf_step_state *st, const struct tf_step *step)
{
    struct tf_run *run = st->run;
    if (step->kind == TF_RECV_REDUCE) {
        st->src = tf_run_resolve(run, step->src);
        if (!run->kernel && open_operand(st, run->comm->peers[step->peer]))
            return MPI_ERR_NO_MEM;
    }
    struct tf_recv *recv = &st->recv;
    recv->comm = run->comm;
    recv->peer = run->comm->peers[step->peer];
    recv->sequence = run->sequence;
    recv->fingerprint = run->fingerprint;
    recv->tag = step->tag;
    recv->type = NULL;
    set_reading(recv, st, step);
    recv->buf = st->dst.buf;
    recv->memory = st->dst.memory;
    if (TF_UNLIKELY(st->operand.memory != NULL) && run->apart) {
        recv->buf = tf_operand_place(&st->operand, run);
        recv->memory = TF_MEMORY_HOST;
    }
    recv->position = 0;
    recv->capacity = st->dst.bytes;
    recv->sink =
        recv->direct && st->follower < 0 && step->kind == TF_RECV ? NULL : sink; /* nobody minds how it comes */
    recv->met = met;
    recv->echo = step->echo && can_echo(run, (uint32_t)(st - run->states));
    recv->done = recv_done;
    recv->total = recv->received = 0;
    recv->error = MPI_SUCCESS;
    tf_recv_post_coll(recv);
    return MPI_SUCCESS;
}

/* ---- sending ---- */

static void send_done(struct tf_send *send)
{
    struct tf_step_state *st = TF_CONTAINER(send, struct tf_step_state, send);
    step_done(st);
    if (send->echo)
        step_done(&st->run->states[step_of(st)->echo]);
}

static void returned(struct tf_send *send, const void *data, size_t at, size_t length)
{
    struct tf_step_state *st = TF_CONTAINER(send, struct tf_step_state, send);
    tf_span_write(&st->run->states[step_of(st)->echo].dst, at, data, length);
}

/* The result comes by a message of its own after all. */
static void declined(struct tf_send *send)
{
    struct tf_step_state *st = TF_CONTAINER(send, struct tf_step_state, send);
    struct tf_step_state *reply = &st->run->states[step_of(st)->echo];
    reply->by_echo = false;
    reply->state = WAITING;
    st->run->dirty = true;
}

static void ask_for_echo(struct tf_step_state *st, const struct tf_step *step)
{
    struct tf_run *run = st->run;
    struct tf_step_state *reply = &run->states[step->echo];
    st->send.echo = true;
    st->send.declined = declined;
    st->send.returned = returned;
    reply->dst = tf_run_resolve(run, run->plan->steps[step->echo].dst);
    reply->state = ACTIVE;
    reply->by_echo = true;
}

/* Nobody ends an allreduce before all have begun it, so the whole vector of a rank is wanted when it comes or soon
 * after, and to ask first takes two messages more: turns of the processor where ranks share it.  Blocks of the vector
 * come from many ranks at a time, before their receives, and would have to be kept. */
static bool goes_unasked(const struct tf_run *run, const struct tf_step *step)
{
    return run->terms.coll == TF_ALLREDUCE && step->src.count == run->plan->nblocks;
}

static void start_send(struct tf_step_state *st, const struct tf_step *step, struct tf_step_state *source)
{
    struct tf_run *run = st->run;
    struct tf_send *send = &st->send;
    send->peer = run->comm->peers[step->peer];
    send->header = (struct tf_header){.kind = TF_MSG_COLL,
                                      .tag = step->tag,
                                      .context = run->comm->context,
                                      .sequence = run->sequence,
                                      .fingerprint = run->fingerprint};
    send->fingerprint = run->fingerprint;
    send->type = st->src.type;
    send->buf = st->src.buf;
    send->memory = st->src.memory;
    send->count = st->src.count;
    send->position = st->src.position;
    send->total = send->available = st->src.bytes;
    send->unit = step->src.count ? run->bound[step->src.buffer].unit : 1;
    send->done = send_done;
    send->echo = false;
    bool unasked = false;
    if (TF_UNLIKELY(send->total > TF_ECHO_LEAST)) {
        if (step->echo && send->peer->net->shared && !tf_msg_peer(send->peer)->echoing &&
            can_echo(run, (uint32_t)(st - run->states)))
            ask_for_echo(st, step);
        else
            unasked = goes_unasked(run, step);
    }
    if (source && source->state != DONE) {
        send->available = there(source);
        st->next_follower = source->follower;
        source->follower = (int32_t)(st - run->states);
    }
    if (TF_UNLIKELY(unasked))
        tf_send_start_unasked(send);
    else
        tf_send_start_coll(send);
}

/* ---- the graph ---- */

/* Whether the step may begin; *source is the step that still produces what it sends, if it may follow that one. */
static bool ready(const struct tf_run *run, const struct tf_step *step, const struct tf_step_state *st,
                  struct tf_step_state **source)
{
    *source = NULL;
    for (uint32_t d = 0; d < step->ndeps; d++) {
        struct tf_dep dep = run->plan->deps[step->first_dep + d];
        struct tf_step_state *from = &run->states[dep.step];
        if (from->state == DONE)
            continue;
        bool receives = step_of(from)->kind != TF_SEND;
        if (from->by_echo || (receives && step_of(from)->echo && from->state == ACTIVE && from->recv.echo))
            return false; /* first it must be known how the result goes */
        if (!dep.streamed || *source || from->state != ACTIVE || !grows(run, step_of(from)) ||
            st->src.bytes <= tf_msg_peer(run->comm->peers[step->peer])->eager)
            return false;
        *source = from;
    }
    return true;
}

static int try_step(struct tf_run *run, uint32_t i)
{
    struct tf_step_state *st = &run->states[i];
    const struct tf_step *step = &run->plan->steps[i];
    struct tf_step_state *source;
    if (step->kind == TF_SEND)
        st->src = tf_run_resolve(run, step->src);
    if (!ready(run, step, st, &source))
        return MPI_SUCCESS;
    int err = MPI_SUCCESS;
    st->state = ACTIVE;
    if (step->kind == TF_SEND) {
        if (st->src.bytes == 0 && step->src.count > 0)
            step_done(st);
        else
            start_send(st, step, source);
    } else if (step->peer >= 0) {
        st->dst = tf_run_resolve(run, step->dst);
        if (st->dst.bytes == 0 && step->dst.count > 0)
            step_done(st);
        else
            err = start_recv(st, step);
    } else {
        err = tf_run_local_step(run, step);
        if (!err)
            step_done(st);
    }
    return err;
}

static void leave(struct remains *remains)
{
    if (--remains->messages > 0)
        return;
    free(remains->scratch);
    free(remains);
}

static void ignore_data(struct tf_recv *recv, void *data, size_t length)
{
    (void)recv, (void)data, (void)length;
}

static void leave_recv(struct tf_recv *recv)
{
    tf_operand_close(&TF_CONTAINER(recv, struct tf_step_state, recv)->operand);
    leave(TF_CONTAINER(recv, struct tf_step_state, recv)->remains);
}

static void leave_read(struct tf_recv *recv)
{
    TF_CONTAINER(recv, struct tf_step_state, recv)->run->reading--;
    leave_recv(recv);
}

static void ignore_returned(struct tf_send *send, const void *data, size_t at, size_t length)
{
    (void)send, (void)data, (void)at, (void)length;
}

static void ignore_declined(struct tf_send *send)
{
    (void)send;
}

static void leave_send(struct tf_send *send)
{
    leave(TF_CONTAINER(send, struct tf_step_state, send)->remains);
}

static void leave_offer(struct tf_send *send)
{
    TF_CONTAINER(send, struct tf_step_state, send)->run->reading--;
    leave_send(send);
}

/* Of a revoked communicator everybody answers all that comes, so it can be waited for until nobody reads it any more.
 */
static bool is_answered_for_sure(const struct tf_step_state *st)
{
    return st->send.offered && st->run->comm->match->broken == MPIX_ERR_REVOKED;
}

/* Its message, if it has one under way, ends without the run. */
static void abandon_step(struct tf_step_state *st, struct remains *remains)
{
    const struct tf_step *step = step_of(st);
    if (st->state == WAITING)
        tf_run_decline(st->run, step);
    if (st->state != ACTIVE || st->by_echo || step->peer < 0 || st->came) {
        tf_operand_close(&st->operand);
        return;
    }
    struct tf_send *given_up = NULL;
    st->remains = remains;
    if (step->kind == TF_SEND) {
        st->send.done = leave_send;
        if (is_answered_for_sure(st)) {
            st->send.done = leave_offer;
            st->run->reading++;
        }
        st->send.declined = ignore_declined;
        st->send.returned = ignore_returned;
        given_up = &st->send;
    } else {
        if (st->recv.link) {
            tf_recv_withdraw(&st->recv);
            tf_operand_close(&st->operand);
            return;
        }
        st->recv.comm = NULL;
        st->recv.sink = ignore_data;
        st->recv.done = leave_recv;
        if (tf_pull_leave(&st->recv)) {
            st->recv.done = leave_read;
            st->run->reading++;
        }
    }
    remains->messages++;
    if (given_up)
        tf_send_give_up(given_up, st->run->given_up);
}

void tf_exec_graph_abandon(struct tf_run *run)
{
    struct remains *remains = TF_CONTAINER(run->states, struct remains, states);
    struct tf_room *room = run->room;
    remains->scratch = room->scratch;
    remains->messages = 1;
    tf_run_close(run);
    for (uint32_t i = run->position; i < run->plan->nsteps; i++)
        abandon_step(&run->states[i], remains);
    leave(remains);
    *room = (struct tf_room){.age = room->age};
    run->states = NULL;
    run->position = run->plan->nsteps;
    run->dirty = false;
    run->done = run->reading == 0;
}

static bool waits_for_peer(const struct tf_run *run, uint32_t i)
{
    const struct tf_step_state *st = &run->states[i];
    const struct tf_step *step = &run->plan->steps[i];
    if (st->state != ACTIVE || st->by_echo || step->peer < 0)
        return false;
    return step->kind == TF_SEND ? st->send.id && !st->send.receiver_id : st->recv.link != NULL;
}

bool tf_exec_graph_awaits(const struct tf_run *run, const struct tf_peer *peer)
{
    for (uint32_t i = run->position; i < run->plan->nsteps; i++)
        if (waits_for_peer(run, i) && run->comm->peers[run->plan->steps[i].peer] == peer)
            return true;
    return false;
}

const struct tf_step *tf_exec_graph_waits(const struct tf_run *run, uint32_t *at)
{
    for (uint32_t i = *at < run->position ? run->position : *at; i < run->plan->nsteps; i++)
        if (waits_for_peer(run, i)) {
            *at = i + 1;
            return &run->plan->steps[i];
        }
    return NULL;
}

void tf_exec_graph_ask(const struct tf_run *run)
{
    for (uint32_t i = run->position; i < run->plan->nsteps; i++)
        if (waits_for_peer(run, i))
            tf_accord_ask(&run->comm->match->accord, run->comm->peers[run->plan->steps[i].peer], run->sequence,
                          &run->terms);
}

bool tf_exec_graph_advance(struct tf_run *run)
{
    bool moved = false;
    uint32_t n = run->plan->nsteps;
    while (run->dirty && !run->error) {
        run->dirty = false;
        moved = true;
        if (TF_UNLIKELY(run->apart))
            combine_apart(run);
        for (uint32_t i = run->position; i < n; i++) {
            if (run->states[i].state != WAITING)
                continue;
            int err = try_step(run, i);
            if (TF_UNLIKELY(err))
                step_failed(&run->states[i], err, run->fingerprint);
        }
        while (run->position < n && run->states[run->position].state == DONE)
            run->position++;
    }
    run->done = run->position == n && run->reading == 0;
    return moved;
}
