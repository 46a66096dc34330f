/* frames.c - the cells of a ring as a row of bytes, and back. */
#include "net/remote/remote.h"

_Static_assert(sizeof(struct tf_header) == TF_FRAME_ALIGN && TF_CELL_INLINE % TF_FRAME_ALIGN == 0,
               "a short cell is whole units");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers on the wire are as in memory");

static uint32_t padded(uint32_t length)
{
    return (length + TF_FRAME_ALIGN - 1) & ~(uint32_t)(TF_FRAME_ALIGN - 1);
}

uint32_t tf_frames_length(const void *frame)
{
    return TF_FRAME_ALIGN + padded(((const struct tf_header *)frame)->length);
}

/* ---- out ---- */

static struct tf_cell *next_cell(const struct tf_frames *frames, const struct tf_peer *peer)
{
    return &peer->tx.ring->cells[frames->flushed % TF_RING_CELLS];
}

static char *payload_of(const struct tf_peer *peer, struct tf_cell *cell)
{
    bool here = cell->header.length <= TF_CELL_INLINE;
    return here ? (char *)cell->payload : (char *)peer->tx.ring->data + cell->offset;
}

/* Frames up to so many bytes are copied into a row: a part costs the system as much as some hundred bytes do. */
enum { SHORT = 1024 };

struct gather {
    struct iovec *part;
    int n;
    char *row; /* where the next short one goes */
    size_t room;
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

static void add_to_row(struct gather *g, const struct tf_peer *peer, struct tf_cell *cell, uint32_t length)
{
    const char *body = payload_of(peer, cell);
    memcpy(g->row, &cell->header, TF_FRAME_ALIGN);
    for (uint32_t i = TF_FRAME_ALIGN; i < length; i += TF_FRAME_ALIGN)
        memcpy(g->row + i, body + i - TF_FRAME_ALIGN, TF_FRAME_ALIGN);
    add(g, g->row, length);
    g->row += length;
    g->room -= length;
}

/* The cell without its first `skip` bytes. */
static void add_cell(struct gather *g, const struct tf_peer *peer, struct tf_cell *cell, uint32_t skip)
{
    uint32_t head = skip < TF_FRAME_ALIGN ? TF_FRAME_ALIGN - skip : 0, body = padded(cell->header.length);
    add(g, (char *)&cell->header + TF_FRAME_ALIGN - head, head);
    skip -= TF_FRAME_ALIGN - head;
    add(g, payload_of(peer, cell) + skip, body - skip);
}

int tf_frames_gather(const struct tf_frames *frames, const struct tf_peer *peer, struct iovec *part, int n,
                     char row[TF_FRAME_ROW])
{
    struct gather g = {.part = part, .row = row, .room = TF_FRAME_ROW};
    uint32_t skip = frames->written, i = frames->flushed;
    bool alone = peer->tx.sent - i == 1;
    for (; i != peer->tx.sent && g.n < n - 1; i++, skip = 0) {
        struct tf_cell *cell = &peer->tx.ring->cells[i % TF_RING_CELLS];
        uint32_t length = tf_frames_length(cell);
        if (length <= SHORT && length <= g.room && skip == 0 && !alone)
            add_to_row(&g, peer, cell, length);
        else
            add_cell(&g, peer, cell, skip);
    }
    return g.n;
}

static void set_free(const struct tf_frames *frames, struct tf_peer *peer)
{
    atomic_store_explicit(&peer->tx.ring->consumed, frames->flushed, memory_order_release);
}

void tf_frames_sent(struct tf_frames *frames, struct tf_peer *peer, size_t bytes)
{
    bytes += frames->written;
    while (tf_frames_unsent(frames, peer)) {
        uint32_t length = tf_frames_length(next_cell(frames, peer));
        if (bytes < length)
            break;
        bytes -= length;
        frames->flushed++;
    }
    frames->written = (uint32_t)bytes;
    set_free(frames, peer);
}

void tf_frames_outline(const struct tf_header *header, const void *payload, struct iovec part[TF_FRAME_PARTS])
{
    static char zeros[TF_FRAME_ALIGN];
    part[0] = (struct iovec){(void *)(uintptr_t)header, TF_FRAME_ALIGN};
    part[1] = (struct iovec){(void *)(uintptr_t)payload, header->length};
    part[2] = (struct iovec){zeros, padded(header->length) - header->length};
}

void tf_frames_begun(struct tf_frames *frames, struct tf_peer *peer, const struct tf_header *header,
                     const void *payload, size_t bytes)
{
    char *room = tf_ring_reserve(&peer->tx, header->length);
    size_t gone = bytes > TF_FRAME_ALIGN ? bytes - TF_FRAME_ALIGN : 0;
    if (gone < header->length)
        memcpy(room + gone, (const char *)payload + gone, header->length - gone);
    tf_ring_commit(&peer->tx, header);
    tf_frames_sent(frames, peer, bytes);
}

uint32_t tf_frames_copy(struct tf_frames *frames, struct tf_peer *peer, unsigned char *to, uint32_t room)
{
    uint32_t used = 0;
    while (tf_frames_unsent(frames, peer)) {
        struct tf_cell *cell = next_cell(frames, peer);
        uint32_t length = tf_frames_length(cell);
        if (length > room - used)
            break;
        memcpy(to + used, &cell->header, TF_FRAME_ALIGN);
        memcpy(to + used + TF_FRAME_ALIGN, payload_of(peer, cell), length - TF_FRAME_ALIGN);
        used += length;
        frames->flushed++;
    }
    set_free(frames, peer);
    return used;
}

/* ---- in ---- */

static TF_COLD void garbled(struct tf_peer *peer, const struct tf_header *h)
{
    tf_net_peer_failed(peer,
                       "what came from rank %d on host %s is no message (number %u, kind %d, length %u); the "
                       "connection is damaged, or the other side is of another version",
                       peer->rank, tf_address_host_of(peer), h->number, h->kind, h->length);
}

void tf_frames_landed(struct tf_frames *frames, struct tf_peer *peer, const struct tf_header *header, void *at)
{
    struct tf_cell *cell = &peer->rx.ring->cells[frames->parsed++ % TF_RING_CELLS];
    cell->header = *header;
    cell->offset = (uint64_t)((intptr_t)at - (intptr_t)peer->rx.ring->data);
}

uint32_t tf_frames_parse(struct tf_frames *frames, struct tf_peer *peer, const unsigned char *at, uint32_t n)
{
    struct tf_ring_rx *rx = &peer->rx;
    uint32_t used = 0;
    while (n - used >= TF_FRAME_ALIGN && frames->parsed - rx->taken < TF_RING_CELLS) {
        const struct tf_cell *came = (const struct tf_cell *)(const void *)(at + used);
        const struct tf_header *h = &came->header;
        if (h->length > rx->capacity / 4 || h->kind == 0 || h->flags & (TF_RING_HOLD | TF_RING_BACK) ||
            h->number != frames->parsed + 1) {
            garbled(peer, h);
            return n; /* there is no telling where a message begins */
        }
        uint32_t length = tf_frames_length(came);
        if (n - used < length)
            break;
        struct tf_cell *cell = &rx->ring->cells[frames->parsed % TF_RING_CELLS];
        cell->header = *h;
        if (h->length <= TF_CELL_INLINE) /* whole units: a count that is known is a load and a store */
            for (uint32_t i = 0; i < h->length; i += TF_FRAME_ALIGN)
                memcpy(cell->payload + i, came->payload + i, TF_FRAME_ALIGN);
        else
            cell->offset = (uint64_t)(at + used + TF_FRAME_ALIGN - rx->ring->data);
        used += length;
        frames->parsed++;
    }
    return used;
}
