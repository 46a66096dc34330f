/* inorder.c - the first gear: the steps of a plan one after the other, straight on the cells of the rings.
 *
 * A plan is a sequential program, so this is right as long as a send never waits for its receiver to come to the
 * matching receive: a long message, which does, hands the rest of the run over to the graph.  (Where a ring is full the
 * receiver makes room whatever it waits for, since it keeps what came before its time.)
 *
 * A call that does not block goes as far as it gets without waiting.  It may be begun while messages are handled, so it
 * takes its own out of the ring and leaves others' alone.
 */
#include "exec/exec.h"
#include "msg/accord.h"
#include "msg/await.h"
#include "msg/gauge.h"
#include "msg/match.h"
#include "msg/progress.h"

/* Where the data of the message that was waited for lies. */
struct arrived {
    void *data;
    size_t length;
    uint32_t fingerprint;
    struct tf_cell *cell;          /* in the ring, or */
    struct tf_unexpected *message; /* kept by msg/ */
};

static bool is_mine(const struct tf_run *run, const struct tf_step *step, const struct tf_header *h)
{
    return h->kind == TF_MSG_COLL && h->sequence == run->sequence && h->tag == step->tag &&
           h->context == run->comm->context;
}

enum seen { NOTHING, OTHERS, MINE };

/* Look in the ring; what belongs to others is dispatched. */
static inline enum seen look(struct tf_run *run, const struct tf_step *step, struct tf_peer *peer, struct arrived *a)
{
    struct tf_cell *cell = tf_net_peek(peer);
    if (!cell)
        return NOTHING;
    if (TF_UNLIKELY(!is_mine(run, step, &cell->header))) {
        if (run->blocking)
            tf_await_poll(peer, 1);
        return OTHERS;
    }
    *a = (struct arrived){tf_ring_payload(&peer->rx, cell), cell->header.length, cell->header.fingerprint, cell, NULL};
    return MINE;
}

/* Look among the messages that came before their time.  1: here it is; 0: no; -1: a long one, which is the graph's. */
static int look_kept(struct tf_run *run, const struct tf_step *step, struct tf_peer *peer, struct arrived *a)
{
    struct tf_unexpected *m = tf_match_find_coll(run->comm, peer, run->sequence, step->tag, false);
    if (!m)
        return 0;
    if (m->header.kind != TF_MSG_COLL)
        return -1;
    tf_match_find_coll(run->comm, peer, run->sequence, step->tag, true);
    *a = (struct arrived){m->data, m->facts.total, m->facts.fingerprint, NULL, m};
    return 1;
}

enum {
    SPINS = 20,    /* looks at the cell before the processor is offered to others, after the first time */
    YIELDS = 16,   /* offers of the processor before everything is looked at, if there are duties */
    PATIENCE = 16, /* times as many if there are none */
    SERVES = 64    /* looks at the cell before everything is looked at, where others ask for something at any time */
};

/* Where nothing else is under way, what the others have sent best stays in the rings, where the next calls find it. */
static bool time_to_progress(uint32_t round, const struct tf_pause *pause)
{
    return pause->announced || tf_msg_served > 0 ||
           (round % YIELDS == 0 && (round % (YIELDS * PATIENCE) == 0 || tf_msg_under_way()));
}

static void begin_to_await(struct tf_run *run, const struct tf_step *step, const struct tf_peer *peer)
{
    run->position = (uint32_t)(step - run->plan->steps);
    tf_await_begin(TF_AWAITS_RUN, run, peer);
}

static bool end_await(struct tf_pause *pause, bool found)
{
    tf_await_end();
    tf_pause_reset(pause);
    return found;
}

/* So many looks, of which the first that finds something of others' sets *others, and a message kept is the last. */
static enum seen spin(struct tf_run *run, const struct tf_step *step, struct tf_peer *peer, struct arrived *a,
                      uint32_t spins, bool *others)
{
    const struct tf_match *match = run->comm->match;
    for (uint32_t i = 1; i <= spins; i++) {
        enum seen seen = look(run, step, peer, a);
        if (seen == MINE)
            return MINE;
        if (TF_UNLIKELY(tf_msg_served > 0) && i % SERVES == 0 && tf_msg_progress())
            seen = OTHERS;
        *others |= seen == OTHERS;
        if (TF_UNLIKELY(match->coll_kept))
            return seen;
    }
    return NOTHING;
}

/* False: the rest is for the graph, or (run->error) the ranks disagree. */
static __attribute__((noinline)) bool await(struct tf_run *run, const struct tf_step *step, struct tf_peer *peer,
                                            struct arrived *a)
{
    struct tf_pause pause = TF_PAUSE_INIT;
    struct tf_match *match = run->comm->match;
    uint32_t spins = tf_pause_spin_on(peer);
    if (!run->blocking)
        return match->coll_kept && look_kept(run, step, peer, a) > 0;
    begin_to_await(run, step, peer);
    run->asked = 0;
    for (uint32_t round = 1;; round++) {
        if (TF_UNLIKELY(match->coll_kept)) {
            int found = look_kept(run, step, peer, a);
            if (found || ((match->accord.ndissents || match->broken) && tf_run_look_for_dissents(run, peer)))
                return end_await(&pause, found > 0);
        }
        bool others = false;
        if (spin(run, step, peer, a, spins, &others) == MINE)
            return end_await(&pause, true);
        if (time_to_progress(round, &pause)) {
            others |= tf_msg_progress();
            if (match->coll_kept && tf_run_look_for_dissents(run, peer))
                return end_await(&pause, false);
        }
        if (others) { /* who asks runs, and may ask for more; and what is awaited may have come with it */
            int found = match->coll_kept ? look_kept(run, step, peer, a) : 0;
            if (found)
                return end_await(&pause, found > 0);
            tf_pause_again(&pause);
        }
        pause.polls = tf_pause_spin; /* the spinning is behind us */
        spins = others ? tf_pause_spin_on(peer) : SPINS < spins ? SPINS : spins;
        tf_await_pause(&pause);
        tf_run_ask(run, peer);
    }
}

static inline void leave(struct tf_peer *peer, const struct arrived *a)
{
    if (TF_LIKELY(a->cell != NULL))
        tf_net_release(peer, a->cell);
    else if (a->message)
        tf_credit_give(a->message);
}

/* The function gets a copy of the message, which is through before. */
static TF_COLD int consume_apart(struct tf_run *run, const struct tf_step *step, const struct tf_span *src,
                                 const struct tf_span *dst, struct arrived *a)
{
    struct tf_operand operand;
    int err = tf_operand_open_apart(&operand, run, tf_span_elements(run, dst));
    if (!err)
        tf_operand_keep(&operand, run, a->data, dst->bytes);
    leave(run->comm->peers[step->peer], a);
    a->cell = NULL;
    a->message = NULL;
    if (err)
        tf_run_fail(run, err, run->fingerprint);
    else
        tf_operand_combine(&operand, run, step, src, dst);
    tf_operand_close(&operand);
    return err;
}

static int consume(struct tf_run *run, const struct tf_step *step, const struct tf_span *dst, struct arrived *a)
{
    void *data = a->data;
    if (step->kind == TF_RECV) {
        if (dst->type)
            tf_span_write(dst, 0, data, dst->bytes);
        else
            tf_gauge_take(dst->buf, data, dst->bytes);
        return MPI_SUCCESS;
    }
    struct tf_span src = tf_run_resolve(run, step->src);
    if (TF_LIKELY(run->kernel != NULL))
        tf_run_combine(run, step->side, src.buf, dst->buf, data, dst->bytes);
    else if (TF_UNLIKELY(run->apart))
        return consume_apart(run, step, &src, dst, a);
    else
        return tf_run_apply(run, step, &src, dst, data);
    return MPI_SUCCESS;
}

static inline bool receive(struct tf_run *run, const struct tf_step *step)
{
    struct tf_span dst = tf_run_resolve(run, step->dst);
    if (dst.bytes == 0 && step->dst.count > 0)
        return true;
    struct tf_peer *peer = run->comm->peers[step->peer];
    struct arrived a;
    if (TF_UNLIKELY(run->comm->match->coll_kept || look(run, step, peer, &a) != MINE) && !await(run, step, peer, &a))
        return false;
    int err = tf_accord_check(run->comm, run->sequence, run->fingerprint, dst.bytes, peer, a.fingerprint, a.length);
    if (TF_UNLIKELY(err))
        tf_run_fail(run, err, a.fingerprint);
    else if (dst.bytes > 0)
        err = consume(run, step, &dst, &a);
    leave(peer, &a);
    return TF_LIKELY(!err);
}

/* Room in the ring, and nobody before us in the queue.  NULL: the rest is for the graph, as where there is no way to
 * the peer yet: others may be made at the same time. */
static __attribute__((noinline)) void *await_room(struct tf_run *run, const struct tf_step *step, struct tf_peer *peer,
                                                  size_t bytes)
{
    struct tf_pause pause = TF_PAUSE_INIT;
    void *room = NULL;
    if (!run->blocking || tf_ring_is_shut(&peer->tx))
        return NULL;
    begin_to_await(run, step, peer);
    for (uint32_t round = 1; !room; round++) {
        for (uint32_t i = 0; i < SPINS && !room; i++)
            room = tf_msg_peer(peer)->first_out ? NULL : tf_net_reserve(peer, (uint32_t)bytes);
        if (room)
            break;
        if ((time_to_progress(round, &pause) || tf_msg_peer(peer)->first_out) && tf_msg_progress())
            tf_pause_again(&pause); /* there may be room now, which nobody tells of again */
        pause.polls = tf_pause_spin;
        tf_await_pause(&pause);
    }
    end_await(&pause, true);
    return room;
}

static inline struct tf_header header_of(const struct tf_run *run, const struct tf_step *step, size_t bytes)
{
    return (struct tf_header){.kind = TF_MSG_COLL,
                              .length = (uint32_t)bytes,
                              .tag = step->tag,
                              .context = run->comm->context,
                              .sequence = run->sequence,
                              .fingerprint = run->fingerprint};
}

/* Between nodes a long one need not be copied. */
static __attribute__((noinline)) bool send_from_there(const struct tf_run *run, const struct tf_step *step,
                                                      struct tf_peer *peer, const struct tf_span *src)
{
    struct tf_header header = header_of(run, step, src->bytes);
    bool sent = peer->net->send && !src->type && src->memory == TF_MEMORY_HOST &&
                peer->net->send(peer, &header, src->buf, src->bytes, header.length);
    if (sent)
        peer->bytes_sent += src->bytes;
    return sent;
}

/* What is too long, has an echo, or is better read; what is combined had better come through the ring, where it stays
 * in the cache. */
static __attribute__((noinline)) bool is_for_the_graph(const struct tf_run *run, const struct tf_step *step,
                                                       struct tf_peer *peer, const struct tf_span *src)
{
    return src->bytes > tf_msg_peer(peer)->eager ||
           (src->bytes > TF_ECHO_LEAST && (src->bytes > run->longest || step->echo)) ||
           (src->bytes >= TF_SEND_RUNNING && !run->op && !src->type && src->memory == TF_MEMORY_HOST &&
            tf_send_is_awaited(peer, src->bytes));
}

static inline bool send(struct tf_run *run, const struct tf_step *step)
{
    struct tf_span src = tf_run_resolve(run, step->src);
    if (src.bytes == 0 && step->src.count > 0)
        return true;
    struct tf_peer *peer = run->comm->peers[step->peer];
    if (TF_UNLIKELY(src.bytes > tf_msg_peer(peer)->brief) && is_for_the_graph(run, step, peer, &src))
        return false;
    void *room = TF_LIKELY(!tf_msg_peer(peer)->first_out) ? tf_net_reserve(peer, (uint32_t)src.bytes) : NULL;
    if (TF_UNLIKELY(!room) && !(room = await_room(run, step, peer, src.bytes)))
        return false;
    tf_ring_fetch_later(room);
    if (src.bytes == 8 && !src.type)
        memcpy(room, src.buf, 8);
    else if (src.bytes >= TF_NET_SEND_LEAST && send_from_there(run, step, peer, &src))
        return true;
    else if (src.bytes)
        tf_span_read(&src, 0, room, src.bytes);
    struct tf_header header = header_of(run, step, src.bytes);
    tf_net_commit(peer, &header);
    return true;
}

static TF_COLD bool fail(struct tf_run *run, int err)
{
    tf_run_fail(run, err, run->fingerprint);
    return false;
}

bool tf_exec_in_order(struct tf_run *run)
{
    const struct tf_step *steps = run->plan->steps;
    uint32_t i, n = run->plan->nsteps;
    for (i = 0; i < n; i++) {
        const struct tf_step *step = &steps[i];
        bool ok = true;
        if (step->kind == TF_SEND)
            ok = send(run, step);
        else if (step->peer >= 0)
            ok = receive(run, step);
        else {
            int err = tf_run_local_step(run, step);
            if (TF_UNLIKELY(err))
                ok = fail(run, err);
        }
        if (TF_UNLIKELY(!ok))
            break;
    }
    run->position = i;
    if (TF_LIKELY(i == n))
        return true;
    if (run->error && run->blocking)
        tf_run_decline_rest(run);
    return false;
}
