/* out.c - what waits for room in the rings of peers.
 *
 * Each peer has a queue, first in first out, of what could not be written at once, and a list of long messages under
 * way that are served in turn: these may wait for a step that still produces their data, and must not hold up others.
 */
#include <limits.h>

#include "msg/transfer.h"

static struct tf_msg_peer *busy_peers;

static void mark_busy(struct tf_msg_peer *peer)
{
    if (peer->busy)
        return;
    peer->busy = true;
    peer->next_busy = busy_peers;
    busy_peers = peer;
}

bool tf_out_idle(void)
{
    return busy_peers == NULL;
}

void tf_out_queue(struct tf_peer *base, struct tf_out *out)
{
    struct tf_msg_peer *peer = tf_msg_peer(base);
    out->next = NULL;
    *peer->last_out = out;
    peer->last_out = &out->next;
    mark_busy(peer);
}

static struct tf_out *pop(struct tf_msg_peer *peer)
{
    struct tf_out *out = peer->first_out;
    peer->first_out = out->next;
    if (!peer->first_out)
        peer->last_out = &peer->first_out;
    return out;
}

static void unpop(struct tf_msg_peer *peer, struct tf_out *out)
{
    out->next = peer->first_out;
    if (!peer->first_out)
        peer->last_out = &out->next;
    peer->first_out = out;
}

void tf_out_submit_first(struct tf_peer *base, struct tf_out *out)
{
    struct tf_msg_peer *peer = tf_msg_peer(base);
    unpop(peer, out);
    mark_busy(peer);
}

/* At most so many of those that wait. */
static bool push_queue(struct tf_msg_peer *peer, int limit)
{
    int n = 0;
    for (; peer->first_out && n < limit; n++) {
        struct tf_out *out = pop(peer);
        if (!out->push(&peer->base, out)) {
            unpop(peer, out);
            break;
        }
    }
    return n > 0;
}

struct word {
    struct tf_out out;
    struct tf_header header;
    char payload[];
};

static bool push_word(struct tf_peer *peer, struct tf_out *out)
{
    struct word *word = TF_CONTAINER(out, struct word, out);
    void *room = tf_net_reserve(peer, word->header.length);
    if (!room)
        return false;
    memcpy(room, word->payload, word->header.length);
    tf_net_commit(peer, &word->header);
    free(word);
    return true;
}

bool tf_out_say(struct tf_peer *peer, const struct tf_header *header, const void *payload)
{
    tf_net_meet(peer);
    void *room = tf_msg_peer(peer)->first_out ? NULL : tf_net_reserve(peer, header->length);
    if (room) {
        if (payload)
            memcpy(room, payload, header->length);
        tf_net_commit(peer, header);
        return true;
    }
    struct word *word = malloc(sizeof *word + header->length);
    if (!word)
        return false;
    word->header = *header;
    if (payload)
        memcpy(word->payload, payload, header->length);
    word->out.push = push_word;
    tf_out_submit(peer, &word->out);
    return true;
}

static size_t progress_of(const struct tf_out *out)
{
    const struct tf_send *send = TF_CONTAINER(out, struct tf_send, out);
    return send->sent + send->collected;
}

/* push() of a stream tells by its progress whether it moved; a finished one has left the list and may be gone. */
static bool push_streams(struct tf_msg_peer *peer)
{
    bool moved = false;
    struct tf_out *list = peer->streams;
    peer->streams = NULL;
    struct tf_out **end = &list;
    while (*end) {
        struct tf_out *out = *end;
        struct tf_out *next = out->next;
        size_t before = progress_of(out);
        if (out->push(&peer->base, out)) {
            *end = next;
            moved = true;
        } else {
            moved |= progress_of(out) != before;
            end = &out->next;
        }
    }
    *end = peer->streams; /* those that were added meanwhile */
    peer->streams = list;
    return moved;
}

void tf_out_push_streams(struct tf_peer *base)
{
    struct tf_msg_peer *peer = tf_msg_peer(base);
    push_streams(peer);
    if (peer->streams)
        mark_busy(peer);
}

void tf_out_add_stream(struct tf_peer *base, struct tf_out *out)
{
    struct tf_msg_peer *peer = tf_msg_peer(base);
    out->next = peer->streams;
    peer->streams = out;
    tf_out_push_streams(base);
}

/* A receiver that takes them as fast as they come leaves room for all that wait: after as many as the ring has cells it
 * is heard, it may have enough (credit.c). */
bool tf_out_push_all(void)
{
    bool moved = false;
    struct tf_msg_peer *peer = busy_peers;
    busy_peers = NULL;
    while (peer) {
        struct tf_msg_peer *next = peer->next_busy;
        peer->busy = false;
        moved |= push_queue(peer, TF_RING_CELLS);
        moved |= push_streams(peer);
        if (peer->first_out || peer->streams)
            mark_busy(peer);
        peer = next;
    }
    return moved;
}

void tf_out_lose(struct tf_peer *base)
{
    struct tf_msg_peer *peer = tf_msg_peer(base);
    peer->enough = peer->echoing = peer->sharing = false;
    push_queue(peer, INT_MAX);
    tf_send_lose_streams(peer);
    tf_id_lose(base);
}
