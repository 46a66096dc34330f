/* link.c - a connection that is up: cells out of the ring to send, bytes into the ring to receive.
 *
 * Sending: what was committed goes out by one gathered write as far as the socket takes it; the cells are then free.  A
 * short message is its cell, 64 bytes of memory as they are.
 *
 * Receiving: bytes are read straight into the data area, as many as there are.  Cells are then made of the headers, and
 * say where in the data area the payload lies: it is contiguous and aligned, and consumed in place.  All cells have
 * been released when the next bytes are read, so there is never more than a part of one message to keep, and only where
 * that does not fit before the end of the area is it moved to the front.
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
    if (!ended && !tf_tcp_closing)
        tf_fatal(1, "treefold[%d]: the connection to rank %d on host %s is broken: %s", tf_world.rank, link->peer->rank,
                 tf_tcp_host(link), strerror(reason));
    link->state = TF_TCP_ENDED;
    link->ended = tf_time();
    tf_tcp_close(link->fd);
    link->fd = -1;
    if (!tf_tcp_closing)
        tf_log(2, "rank %d has closed its connection", link->peer->rank);
}

/* ---- out ---- */

bool tf_tcp_unsent(const struct tf_tcp_link *link)
{
    return tf_frames_unsent(&link->frames, link->peer);
}

enum { PARTS = 64 };

static void set_blocked(struct tf_tcp_link *link, bool blocked)
{
    if (link->blocked == blocked)
        return;
    link->blocked = blocked;
    tf_tcp_wait_for(link->fd, EPOLLIN | (blocked ? EPOLLOUT : 0), link, true);
}

void tf_tcp_flush(struct tf_tcp_link *link)
{
    struct iovec part[PARTS];
    while (link->state == TF_TCP_UP && tf_tcp_unsent(link)) {
        int parts = tf_frames_gather(&link->frames, link->peer, part, PARTS);
        struct msghdr message = {.msg_iov = part, .msg_iovlen = (size_t)parts};
        ssize_t n = sendmsg(link->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == ENOBUFS)) {
            set_blocked(link, true);
            return;
        }
        if (n < 0) {
            tf_tcp_broken(link, errno);
            return;
        }
        tf_frames_sent(&link->frames, link->peer, (size_t)n);
    }
    if (link->state == TF_TCP_UP)
        set_blocked(link, false);
}

/* ---- in ---- */

static bool parse(struct tf_tcp_link *link)
{
    struct tf_peer *peer = link->peer;
    uint32_t used = tf_frames_parse(&link->frames, peer, peer->rx.ring->data + link->begin, link->end - link->begin);
    link->begin += used;
    return used > 0;
}

/* Room for the rest of the message that has begun to come. */
static void make_room(struct tf_tcp_link *link)
{
    struct tf_ring_rx *rx = &link->peer->rx;
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
    return parse(link) ? tf_ring_peek(&link->peer->rx) : NULL;
}

struct tf_cell *tf_tcp_take(struct tf_tcp_link *link)
{
    struct tf_ring_rx *rx = &link->peer->rx;
    if (parse(link))
        return tf_ring_peek(rx);
    if (link->state != TF_TCP_UP)
        return NULL;
    make_room(link);
    ssize_t n = recv(link->fd, rx->ring->data + link->end, rx->capacity - link->end, MSG_DONTWAIT);
    if (n > 0) {
        link->end += (uint32_t)n;
        return parse(link) ? tf_ring_peek(rx) : NULL;
    }
    if (n == 0 || (errno != EAGAIN && errno != EINTR))
        tf_tcp_broken(link, n == 0 ? 0 : errno);
    return NULL;
}
