/* pull.c - long messages that the receiver reads out of the sender's memory, piece by piece.
 *
 *     piece         0   1   2   3   4   5 ...
 *     asked for     x   x   x   x   x            at most WINDOW that are not consumed yet
 *     there         x   x       x                in any order
 *     consumed      x   x                        in order, while others are on their way
 *
 * Bytes that end up unchanged are read to their place; others into pieces of memory that all messages share, from which
 * the sink takes them.  Where the system copies at once (shared memory), each piece is consumed before the next is
 * asked for, and all go through the same memory, which stays in cache; and the sender may copy a part (share.h).
 */
#include <stdlib.h>

#include "base/settings.h"
#include "base/yield.h"
#include "msg/await.h"
#include "msg/gauge.h"
#include "msg/lost.h"
#include "msg/progress.h"
#include "msg/share.h"
#include "msg/transfer.h"

enum {
    /* Stays in the second cache between being read and being combined or sent on.  A network of 25 GB/s carries it in
     * 5 microseconds, more than a read costs the processor. */
    PIECE = 128 * 1024,
    WINDOW = 8,   /* 1 MiB, what such a network carries in 40 microseconds: some round trips */
    BUFFERS = 64, /* of all messages: 8 MiB */
    PAGE = 4096
};

struct pull;

struct piece {
    struct tf_net_access read;
    struct pull *pull;
    bool there;
};

struct pull {
    struct tf_task task;
    struct pull *next; /* under way, or idle */
    struct tf_recv *recv;
    struct tf_header header;  /* of the RTS */
    uint64_t address;         /* there */
    const char *here;         /* where it can be loaded from, or NULL */
    size_t asked, end, piece; /* bytes asked for, to be asked for, in a piece */
    uint32_t first, npieces;  /* of the window, those that are not consumed */
    struct tf_share share;
    size_t written;       /* bytes at the end that the sender has copied */
    bool unwanted;        /* what comes is ignored */
    bool failed;          /* a read was refused or failed */
    bool unsure;          /* make_sure() has not been called */
    bool watched;         /* how long it takes is of interest */
    bool advancing, over; /* advance() is running; the message has been answered */
    struct piece window[WINDOW];
    size_t key_length;
    _Alignas(16) unsigned char key[TF_NET_KEY];
};

static struct pull *under_way, *idle;
uint64_t tf_pull_loaded;

/* ---- memory for pieces ---- */

static void *buffers[BUFFERS];
static int nbuffers, nmade; /* idle; at all */

static void *take_buffer(void)
{
    if (nbuffers > 0)
        return buffers[--nbuffers];
    void *buffer = nmade < BUFFERS ? aligned_alloc(PAGE, PIECE) : NULL;
    nmade += buffer != NULL;
    return buffer;
}

static void give_buffer(void *buffer)
{
    buffers[nbuffers++] = buffer;
}

/* ---- asking and consuming ---- */

static void ask_no_more(struct pull *pull)
{
    pull->end = pull->asked;
    if (pull->share.peer)
        tf_share_claim_all(&pull->share);
}

static void fail(struct pull *pull)
{
    pull->failed = true;
    ask_no_more(pull);
}

static void read_done(struct tf_net_access *read, bool good);

/* Whether the sink gets the bytes where the sender has them. */
static bool stays_there(const struct pull *pull)
{
    return pull->here && !pull->recv->alters;
}

static void *place_of_next(const struct pull *pull)
{
    const struct tf_recv *recv = pull->recv;
    if (stays_there(pull))
        return (char *)pull->here + pull->asked;
    return recv->direct ? recv->buf + recv->position + pull->asked : take_buffer();
}

static enum tf_net_outcome fetch(struct pull *pull, struct tf_net_access *read)
{
    struct tf_peer *peer = pull->recv->peer;
    if (!pull->here)
        return pull->watched ? tf_gauge_read(peer, read, pull->recv->total) : peer->net->read(peer, read);
    if (!stays_there(pull))
        memcpy(read->here, pull->here + pull->asked, read->bytes);
    return TF_NET_DONE;
}

static void leave_place(const struct pull *pull, void *place)
{
    if (!pull->recv->direct && !stays_there(pull))
        give_buffer(place);
}

/* True if there may be more to do at once. */
static bool ask(struct pull *pull)
{
    struct tf_recv *recv = pull->recv;
    size_t length = pull->end - pull->asked;
    if (length == 0 || pull->npieces == WINDOW)
        return false;
    if (pull->share.peer && !tf_share_claim(&pull->share)) {
        pull->end = pull->asked;
        return false;
    }
    if (length > pull->piece)
        length = pull->piece;
    void *to = place_of_next(pull);
    if (!to && nmade == 0)
        fail(pull);
    if (!to)
        return false;
    struct piece *piece = &pull->window[(pull->first + pull->npieces++) % WINDOW];
    piece->pull = pull;
    piece->read = (struct tf_net_access){.address = pull->address + pull->asked,
                                         .key = pull->key_length ? pull->key : NULL,
                                         .key_length = pull->key_length,
                                         .here = to,
                                         .bytes = length,
                                         .done = read_done};
    piece->there = false;
    enum tf_net_outcome reading = fetch(pull, &piece->read);
    if (reading == TF_NET_DONE || reading == TF_NET_STARTED) {
        piece->there |= reading == TF_NET_DONE;
        recv->peer->bytes_read += length;
        if (pull->here)
            tf_pull_loaded += length;
        pull->asked += length;
        return true;
    }
    pull->npieces--;
    leave_place(pull, to);
    if (reading == TF_NET_REFUSED)
        fail(pull);
    return false;
}

static bool consume(struct pull *pull)
{
    struct tf_recv *recv = pull->recv;
    struct piece *piece = &pull->window[pull->first];
    if (pull->npieces == 0 || !piece->there)
        return false;
    pull->first = (pull->first + 1) % WINDOW;
    pull->npieces--;
    if (!pull->failed && !pull->unwanted) {
        if (recv->sink || !recv->direct || stays_there(pull))
            tf_recv_consume(recv, piece->read.here, piece->read.bytes);
        else
            recv->received += piece->read.bytes;
    }
    leave_place(pull, piece->read.here);
    return true;
}

static TF_COLD void complain(struct tf_recv *recv)
{
    recv->error =
        tf_error(MPI_ERR_OTHER,
                 "of a message of %zu bytes from rank %d of the job only %zu could be read out of its memory; "
                 "TREEFOLD_SINGLE_COPY=1000G has messages sent instead",
                 recv->total, recv->peer->rank, recv->received);
}

/* What was not read at all may still be sent. */
static void answer(struct pull *pull)
{
    struct tf_recv *recv = pull->recv;
    pull->over = true;
    if (tf_failure_is(recv->peer)) {
        if (!pull->unwanted)
            tf_lost_note(recv, recv->peer);
    } else if (pull->failed && !pull->unwanted && recv->received == 0) {
        tf_recv_clear(recv);
        return;
    } else if (pull->failed && !pull->unwanted)
        complain(recv);
    tf_recv_answer(recv, TF_MSG_ACK);
}

static bool is_read(const struct pull *pull)
{
    return pull->npieces == 0 && pull->asked == pull->end;
}

/* The sender has just come to the end of its part, and what it could not write is to be read. */
static bool is_left_with_more(struct pull *pull)
{
    size_t at;
    if (!pull->share.peer || !tf_share_over(&pull->share, &at) || pull->failed || pull->unwanted)
        return false;
    pull->end = at;
    pull->written = pull->share.total - at;
    return pull->asked < pull->end;
}

static void take_written(struct pull *pull)
{
    struct tf_recv *recv = pull->recv;
    if (recv->sink)
        tf_recv_consume(recv, recv->buf + recv->position + pull->end, pull->written);
    else
        recv->received += pull->written;
}

/* Whether anything moved. */
static bool move(struct pull *pull)
{
    bool moved = false;
    pull->advancing = true;
    do
        while (consume(pull) || ask(pull))
            moved = true;
    while (is_read(pull) && is_left_with_more(pull));
    pull->advancing = false;
    return moved;
}

/* Those who wait for this processor meanwhile wait for the job. */
static bool move_before_others(struct pull *pull)
{
    int64_t began = tf_time();
    bool moved = move(pull);
    if (moved)
        tf_yield_worked(tf_time() - began);
    return moved;
}

static bool advance(struct pull *pull)
{
    bool moved = tf_pause_crowded ? move_before_others(pull) : move(pull);
    if (!is_read(pull) || pull->share.peer || pull->unsure)
        return moved;
    if (pull->written && !pull->failed && !pull->unwanted)
        take_written(pull);
    answer(pull);
    return true;
}

/* Of messages in a row each is to be shared: the one before is over as soon as its sender has written the last piece,
 * which it began when the receiver began its own. */
static void end_shared(const struct tf_peer *peer)
{
    struct pull *pull = under_way;
    while (pull && (pull->over || pull->share.peer != peer))
        pull = pull->next;
    for (uint32_t i = 0; pull && !pull->over && i < tf_pause_spin; i++)
        advance(pull);
}

static void read_done(struct tf_net_access *read, bool good)
{
    struct piece *piece = TF_CONTAINER(read, struct piece, read);
    piece->there = true;
    if (!good)
        fail(piece->pull);
    if (!piece->pull->advancing)
        advance(piece->pull);
}

/* ---- life ---- */

static void put_away(struct pull *pull)
{
    pull->next = idle;
    idle = pull;
}

/* Where a job goes on without the dead, the sender may have given the collective up, and used its memory for something
 * else, before it was read: then it has said so before, and that is there by now. */
static void make_sure(struct pull *pull)
{
    while (!pull->recv->peer->failed && tf_net_poll(pull->recv->peer, TF_RING_CELLS))
        ;
    pull->unsure = false;
}

static bool advance_task(struct tf_task *task, bool *moved)
{
    struct pull *pull = TF_CONTAINER(task, struct pull, task);
    if (pull->unsure && is_read(pull))
        make_sure(pull);
    if (!pull->over)
        *moved |= advance(pull);
    return pull->over;
}

static void finish_task(struct tf_task *task)
{
    struct pull *pull = TF_CONTAINER(task, struct pull, task), **place = &under_way;
    while (*place != pull)
        place = &(*place)->next;
    *place = pull->next;
    put_away(pull);
}

static struct pull *create(void)
{
    struct pull *pull = idle;
    if (pull)
        idle = pull->next;
    else
        pull = aligned_alloc(_Alignof(struct pull), sizeof *pull);
    return pull;
}

/* The system copies at once, as some networks do, and what nobody takes in pieces is copied in one. */
static size_t piece_of(const struct tf_recv *recv)
{
    const struct tf_net *net = recv->peer->net;
    if (recv->direct && !recv->sink && (!net->expose || (net->reads_whole && net->reads_whole())))
        return SIZE_MAX;
    return recv->unit < PIECE ? PIECE - PIECE % recv->unit : PIECE;
}

void tf_pull_start(struct tf_recv *recv, const struct tf_header *rts, const struct tf_rts *facts, const void *key,
                   const void *here)
{
    struct pull *pull = create();
    if (!pull) { /* it can be sent */
        tf_recv_clear(recv);
        return;
    }
    if (TF_UNLIKELY(tf_msg_peer(recv->peer)->sharing))
        end_shared(recv->peer);
    pull->task.advance = advance_task;
    pull->task.finished = finish_task;
    pull->recv = recv;
    pull->header = *rts;
    pull->address = facts->address;
    pull->here = here;
    pull->asked = 0;
    pull->end = recv->total < recv->capacity ? recv->total : recv->capacity;
    pull->piece = tf_share_begin(&pull->share, recv) ? pull->share.piece : piece_of(recv);
    pull->written = 0;
    pull->first = pull->npieces = 0;
    pull->unwanted = pull->failed = pull->over = false;
    pull->watched = recv->peer->net->shared && recv->total <= tf_gauge_most(recv->peer, tf_header_is_coll(rts));
    pull->unsure = tf_settings.keep_going && rts->kind == TF_MSG_COLL_RTS;
    pull->key_length = rts->length - sizeof *facts;
    if (pull->key_length)
        memcpy(pull->key, key, pull->key_length);
    advance(pull);
    if (pull->over) {
        put_away(pull);
        return;
    }
    pull->next = under_way;
    under_way = pull;
    tf_task_add(&pull->task);
}

/* ---- the other ends ---- */

bool tf_pull_revoke(const struct tf_peer *peer, const struct tf_header *h)
{
    for (struct pull *pull = under_way; pull; pull = pull->next) {
        struct tf_recv *recv = pull->recv;
        if (pull->over || recv->peer != peer || pull->header.kind != TF_MSG_COLL_RTS ||
            pull->header.context != h->context || pull->header.sequence != h->sequence || pull->header.tag != h->tag)
            continue;
        tf_recv_void(recv, h->fingerprint);
        pull->unwanted = true;
        ask_no_more(pull);
        return true;
    }
    return false;
}

bool tf_pull_leave(const struct tf_recv *recv)
{
    struct pull *pull = under_way;
    while (pull && (pull->over || pull->recv != recv))
        pull = pull->next;
    if (!pull)
        return false;
    pull->unwanted = true;
    ask_no_more(pull);
    return recv->direct;
}

void tf_pull_lose(const struct tf_peer *peer)
{
    for (struct pull *pull = under_way; pull; pull = pull->next) {
        if (pull->over || pull->recv->peer != peer)
            continue;
        pull->share.peer = NULL; /* what it claimed to write never comes */
        fail(pull);
        advance(pull);
    }
}

static bool is_over(void *state, bool *moved)
{
    (void)state, (void)moved;
    return !under_way;
}

bool tf_pull_any(void)
{
    return under_way;
}

void tf_pull_settle(void)
{
    if (under_way)
        tf_await(TF_AWAITS_PULLED, NULL, is_over, NULL);
}
