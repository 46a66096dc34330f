/* link.c - a connection that is up: cells out of the ring to send, bytes into the ring to receive.
 *
 * Sending: what was committed goes out by one gathered write as far as the socket takes it; the cells are then free.  A
 * short message is its cell, 64 bytes of memory as they are.  A long one goes from where it lies, several chunks by one
 * call: of the chunk that the socket takes in part, the rest is copied into the ring, so nothing has to be remembered
 * and the sender's memory is its own again.
 *
 * Receiving: bytes are read straight into the data area, as many as there are.  Cells are then made of the headers, and
 * say where in the data area the payload lies: it is contiguous and aligned, and consumed in place.  All cells have
 * been released when the next bytes are read, so there is never more than a part of one message to keep, and only where
 * that does not fit before the end of the area is it moved to the front.  The payload of a long message lands where it
 * is wanted (handler.h): what is missing of it is read to there, and so is most of the messages that follow it.
 */
#include "net/tcp/tcp.h"

#include <errno.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <unistd.h>

void tf_tcp_broken(struct tf_tcp_link *link, int reason)
{
    if (link->state == TF_TCP_ENDED)
        return;
    /* Its process may have ended, which the launcher knows better and says; watch.c waits for that. */
    bool ended = reason == 0 || reason == ECONNRESET || reason == EPIPE;
    link->state = TF_TCP_ENDED;
    link->ended = tf_time();
    tf_tcp_close(link->fd);
    link->fd = -1;
    if (!ended)
        tf_net_peer_failed(link->base.peer, "the TCP connection to %s on host %s is broken: %s%s",
                           tf_net_name(link->base.peer), tf_tcp_host(link), strerror(reason),
                           reason == ETIMEDOUT ? "; is that host switched off, or cut off from the network? "
                                                 "TREEFOLD_PEER_TIMEOUT sets the time"
                                               : "");
    else if (!tf_job.left)
        tf_log(2, "%s has closed its connection", tf_net_name(link->base.peer));
}

/* ---- out ---- */

bool tf_tcp_unsent(const struct tf_tcp_link *link)
{
    return tf_frames_unsent(&link->frames, link->base.peer);
}

enum { PARTS = 64 };
static char row[TF_FRAME_ROW]; /* of one call of the system */

static void set_blocked(struct tf_tcp_link *link, bool blocked)
{
    if (link->blocked == blocked)
        return;
    link->blocked = blocked;
    tf_tcp_wait_for(link->fd, EPOLLIN | (blocked ? EPOLLOUT : 0), &link->kind, true);
}

/* Bytes that the socket has taken, or -1: it is full, or broken. */
static ssize_t give_to_socket(struct tf_tcp_link *link, struct iovec *part, int parts)
{
    struct msghdr message = {.msg_iov = part, .msg_iovlen = (size_t)parts};
    ssize_t n;
    do
        n = parts == 1 ? send(link->fd, part->iov_base, part->iov_len, MSG_DONTWAIT | MSG_NOSIGNAL)
                       : sendmsg(link->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    if (n < 0 && (errno == EAGAIN || errno == ENOBUFS))
        set_blocked(link, true);
    else if (n < 0)
        tf_tcp_broken(link, errno);
    return n;
}

void tf_tcp_flush(struct tf_tcp_link *link)
{
    struct iovec part[PARTS];
    while (link->state == TF_TCP_UP && tf_tcp_unsent(link)) {
        ssize_t n = give_to_socket(link, part, tf_frames_gather(&link->frames, link->base.peer, part, PARTS, row));
        if (n < 0)
            return;
        tf_frames_sent(&link->frames, link->base.peer, (size_t)n);
    }
    if (link->state == TF_TCP_UP)
        set_blocked(link, false);
}

/* The messages that one call of the system is to take, and the parts of what goes before them. */
enum { AT_ONCE = 8, BEFORE = 16 };

static uint32_t length_at(size_t at, size_t bytes, uint32_t chunk)
{
    return bytes - at < chunk ? (uint32_t)(bytes - at) : chunk;
}

/* So many bytes of the messages have gone: the payload of those that have begun to go. */
static size_t note_begun(struct tf_tcp_link *link, struct tf_header header, const char *payload, size_t bytes,
                         uint32_t chunk, size_t gone)
{
    size_t taken = 0;
    while (gone > 0 && taken < bytes) {
        header.length = length_at(taken, bytes, chunk);
        size_t length = tf_frames_length(&header), part = gone < length ? gone : length;
        tf_frames_begun(&link->frames, link->base.peer, &header, payload + taken, part);
        gone -= part;
        taken += header.length;
    }
    return taken;
}

/* What the ring has to go before, if it is little, and how many bytes that is. */
static int gather_before(const struct tf_tcp_link *link, struct iovec part[BEFORE], size_t *bytes)
{
    int n = tf_frames_gather(&link->frames, link->base.peer, part, BEFORE, row);
    *bytes = 0;
    for (int i = 0; i < n; i++)
        *bytes += part[i].iov_len;
    return n;
}

size_t tf_tcp_send(struct tf_tcp_link *link, const struct tf_header *header, const char *payload, size_t bytes,
                   uint32_t chunk)
{
    struct tf_peer *peer = link->base.peer;
    struct tf_header headers[AT_ONCE];
    struct iovec part[BEFORE + AT_ONCE * TF_FRAME_PARTS];
    size_t at = 0, before = 0;
    int n = 0, k = 0;
    if (peer->tx.sent - link->frames.flushed > BEFORE / 2 - 1)
        tf_tcp_flush(link);
    if (link->state != TF_TCP_UP || link->blocked)
        return 0;
    if (tf_tcp_unsent(link))
        k = gather_before(link, part, &before);
    for (; n < AT_ONCE && at < bytes; n++, k += TF_FRAME_PARTS) {
        headers[n] = *header;
        headers[n].number = peer->tx.sent + 1 + (uint32_t)n;
        headers[n].length = length_at(at, bytes, chunk);
        tf_frames_outline(&headers[n], payload + at, &part[k]);
        at += headers[n].length;
    }
    ssize_t gone = give_to_socket(link, part, k);
    if (gone < 0)
        return 0;
    size_t first = (size_t)gone < before ? (size_t)gone : before;
    if (first > 0)
        tf_frames_sent(&link->frames, peer, first);
    size_t taken = note_begun(link, *header, payload, bytes, chunk, (size_t)gone - first);
    if (tf_tcp_unsent(link))
        tf_tcp_flush(link);
    return taken;
}

/* ---- in ---- */

/* Payloads from which on it pays to have the rest put where it is wanted. */
enum { LANDS_FROM = 4096 };

static bool parse(struct tf_tcp_link *link)
{
    struct tf_peer *peer = link->base.peer;
    uint32_t used = tf_frames_parse(&link->frames, peer, peer->rx.ring->data + link->begin, link->end - link->begin);
    link->begin += used;
    return used > 0;
}

/* Room for the rest of the message that has begun to come. */
static void make_room(struct tf_tcp_link *link)
{
    struct tf_ring_rx *rx = &link->base.peer->rx;
    uint32_t kept = link->end - link->begin, need = TF_FRAME_ALIGN + rx->capacity / 4;
    if (kept >= TF_FRAME_ALIGN)
        need = tf_frames_length(&rx->ring->data[link->begin]);
    if (kept > 0 && link->begin + need <= rx->capacity)
        return;
    memmove(rx->ring->data, rx->ring->data + link->begin, kept);
    link->begin = 0;
    link->end = kept;
}

/* More may have come at once than there are cells. */
struct tf_cell *tf_tcp_parse(struct tf_tcp_link *link)
{
    parse(link);
    return tf_ring_peek(&link->base.peer->rx);
}

/* So many bytes of the parts; 0: none now. */
static size_t take_from_socket(struct tf_tcp_link *link, struct iovec *part, int parts)
{
    struct msghdr message = {.msg_iov = part, .msg_iovlen = (size_t)parts};
    ssize_t n = parts == 1 ? recv(link->fd, part->iov_base, part->iov_len, MSG_DONTWAIT)
                           : recvmsg(link->fd, &message, MSG_DONTWAIT);
    if (n > 0)
        return (size_t)n;
    if (n == 0 || (errno != EAGAIN && errno != EINTR))
        tf_tcp_broken(link, n == 0 ? 0 : errno);
    return 0;
}

/* Where the payload of the message that has begun to come is wanted, if its rest is worth a call of the system. */
static char *landing_of(const struct tf_tcp_link *link)
{
    const struct tf_header *header = (const void *)&link->base.peer->rx.ring->data[link->begin];
    bool begun = link->end - link->begin >= TF_FRAME_ALIGN && header->length >= LANDS_FROM;
    return begun ? tf_net_landing(header) : NULL;
}

/* What had come before its landing was known, or the other way round: it is not wanted any more. */
static void begin_to_land(struct tf_tcp_link *link, char *to)
{
    const unsigned char *payload = &link->base.peer->rx.ring->data[link->begin + TF_FRAME_ALIGN];
    if (to && !link->landed) {
        link->landed = link->end - link->begin - TF_FRAME_ALIGN;
        memcpy(to, payload, link->landed);
        link->end = link->begin + TF_FRAME_ALIGN;
    } else if (!to) {
        link->end += link->landed;
        link->landed = 0;
    }
}

static void fill_ring(struct tf_tcp_link *link)
{
    struct tf_ring_rx *rx = &link->base.peer->rx;
    link->end +=
        (uint32_t)take_from_socket(link, &(struct iovec){rx->ring->data + link->end, rx->capacity - link->end}, 1);
}

/* The rest of the payload, and behind the header what comes next, of which little is read: it may be wanted elsewhere
 * too. */
static void land(struct tf_tcp_link *link, char *to)
{
    struct tf_peer *peer = link->base.peer;
    unsigned char *at = &peer->rx.ring->data[link->begin], filling[TF_FRAME_ALIGN];
    const struct tf_header *header = (const void *)at;
    uint32_t whole = tf_frames_length(header) - TF_FRAME_ALIGN, left = whole - link->landed;
    uint32_t payload = header->length > link->landed ? header->length - link->landed : 0;
    struct iovec part[] = {{to + link->landed, payload}, {filling, left - payload}, {at + TF_FRAME_ALIGN, LANDS_FROM}};
    uint32_t n = (uint32_t)take_from_socket(link, part, TF_ARRAY_LEN(part));
    link->landed += n < left ? n : left;
    if (link->landed < whole)
        return;
    tf_frames_landed(&link->frames, peer, header, to);
    link->landed = 0;
    link->begin += TF_FRAME_ALIGN;
    link->end = link->begin + n - left;
}

struct tf_cell *tf_tcp_take(struct tf_tcp_link *link)
{
    struct tf_ring_rx *rx = &link->base.peer->rx;
    if (parse(link))
        return tf_ring_peek(rx);
    if (link->state != TF_TCP_UP)
        return NULL;
    make_room(link);
    char *to = landing_of(link);
    if (TF_UNLIKELY(to || link->landed))
        begin_to_land(link, to);
    if (TF_UNLIKELY(to != NULL))
        land(link, to);
    else
        fill_ring(link);
    return tf_tcp_parse(link);
}
