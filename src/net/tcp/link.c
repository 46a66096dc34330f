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

_Static_assert(sizeof(struct tf_header) == TF_TCP_ALIGN && TF_CELL_INLINE == TF_TCP_ALIGN, "a short cell is two units");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers on the wire are as in memory");

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

static uint32_t padded(uint32_t length)
{
    return (length + TF_TCP_ALIGN - 1) & ~(uint32_t)(TF_TCP_ALIGN - 1);
}

bool tf_tcp_unsent(const struct tf_tcp_link *link)
{
    return link->flushed != link->peer->tx.sent;
}

enum { PARTS = 64 };

struct gather {
    struct iovec part[PARTS];
    int n;
};

static void add(struct gather *g, void *at, uint32_t length)
{
    struct iovec *last = g->n > 0 ? &g->part[g->n - 1] : NULL;
    if (length == 0)
        return;
    if (last && (char *)last->iov_base + last->iov_len == (char *)at)
        last->iov_len += length;
    else
        g->part[g->n++] = (struct iovec){at, length};
}

static uint32_t frame_length(const struct tf_cell *cell)
{
    return TF_TCP_ALIGN + padded(cell->header.length);
}

/* The cell without its first `skip` bytes. */
static void add_cell(struct gather *g, struct tf_ring *ring, struct tf_cell *cell, uint32_t skip)
{
    uint32_t head = skip < TF_TCP_ALIGN ? TF_TCP_ALIGN - skip : 0, body = padded(cell->header.length);
    char *payload = cell->header.length <= TF_CELL_INLINE ? (char *)cell->payload : (char *)ring->data + cell->offset;
    add(g, (char *)&cell->header + TF_TCP_ALIGN - head, head);
    skip -= TF_TCP_ALIGN - head;
    add(g, payload + skip, body - skip);
}

static void gather(const struct tf_tcp_link *link, struct gather *g)
{
    const struct tf_ring_tx *tx = &link->peer->tx;
    uint32_t skip = link->written;
    g->n = 0;
    for (uint32_t i = link->flushed; i != tx->sent && g->n < PARTS - 1; i++) {
        add_cell(g, tx->ring, &tx->ring->cells[i % TF_RING_CELLS], skip);
        skip = 0;
    }
}

static void note_written(struct tf_tcp_link *link, size_t bytes)
{
    struct tf_ring *ring = link->peer->tx.ring;
    bytes += link->written;
    while (link->flushed != link->peer->tx.sent) {
        uint32_t length = frame_length(&ring->cells[link->flushed % TF_RING_CELLS]);
        if (bytes < length)
            break;
        bytes -= length;
        link->flushed++;
    }
    link->written = (uint32_t)bytes;
    atomic_store_explicit(&ring->consumed, link->flushed, memory_order_release);
}

static void set_blocked(struct tf_tcp_link *link, bool blocked)
{
    if (link->blocked == blocked)
        return;
    link->blocked = blocked;
    tf_tcp_wait_for(link->fd, EPOLLIN | (blocked ? EPOLLOUT : 0), link, true);
}

void tf_tcp_flush(struct tf_tcp_link *link)
{
    struct gather g;
    while (link->state == TF_TCP_UP && tf_tcp_unsent(link)) {
        gather(link, &g);
        struct msghdr message = {.msg_iov = g.part, .msg_iovlen = (size_t)g.n};
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
        note_written(link, (size_t)n);
    }
    if (link->state == TF_TCP_UP)
        set_blocked(link, false);
}

/* ---- in ---- */

static TF_COLD void garbled(const struct tf_tcp_link *link, const struct tf_header *h)
{
    tf_fatal(1,
             "treefold[%d]: what came from rank %d on host %s is no message (number %u, kind %d, length %u); the "
             "connection is damaged, or the other side is of another version",
             tf_world.rank, link->peer->rank, tf_tcp_host((struct tf_tcp_link *)link), h->number, h->kind, h->length);
}

/* Cells of whole messages; false if there is none. */
static bool parse(struct tf_tcp_link *link)
{
    struct tf_ring_rx *rx = &link->peer->rx;
    uint32_t before = link->parsed;
    while (link->end - link->begin >= TF_TCP_ALIGN && link->parsed - rx->taken < TF_RING_CELLS) {
        const struct tf_cell *came = (const struct tf_cell *)&rx->ring->data[link->begin];
        const struct tf_header *h = &came->header;
        if (h->length > rx->capacity / 4 || h->kind == 0 || h->flags & TF_RING_HOLD || h->number != link->parsed + 1)
            garbled(link, h);
        uint32_t length = frame_length(came);
        if (link->end - link->begin < length)
            break;
        struct tf_cell *cell = &rx->ring->cells[link->parsed % TF_RING_CELLS];
        cell->header = *h;
        if (h->length <= TF_CELL_INLINE)
            memcpy(cell->payload, came->payload, h->length);
        else
            cell->offset = link->begin + TF_TCP_ALIGN;
        link->begin += length;
        link->parsed++;
    }
    return link->parsed != before;
}

/* Room for the rest of the message that has begun to come. */
static void make_room(struct tf_tcp_link *link)
{
    struct tf_ring_rx *rx = &link->peer->rx;
    uint32_t kept = link->end - link->begin, need = TF_TCP_ALIGN + rx->capacity / 4;
    if (kept >= TF_TCP_ALIGN)
        need = frame_length((const struct tf_cell *)&rx->ring->data[link->begin]);
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
