/* ring.h - the one-way channel between two processes that share memory: a ring of cells and a data area.
 *
 *     consumed | cell 0 | cell 1 | ... | cell 127 | data area, its first part used as a circle of bytes ... |
 *
 * A cell is two cache lines: a header of 32 bytes, then up to 96 bytes of payload, or the place of a longer payload in
 * the data area.  The sender writes the cell and, last, its number; the receiver that polls the first line gets header
 * and up to 32 bytes of payload in one cache-line transfer, consumes them in place, and tells by `consumed` now and
 * then how far it is.  Two lines, since processors fetch lines by pairs: the second comes along where it is needed, and
 * the line that the sender writes next is not taken away from it.
 * One writer, one reader, first in first out; nothing is ever zeroed.
 *
 * Pages of shared memory that nobody has touched yet cost microseconds each.  So the circle begins small, and grows up
 * to the whole data area when a payload asks for it or the receiver is behind; it is the sender's alone.  And each side
 * has the system map by one call (pages.h) what it will come to: the circle as it grows, and all cells when some have
 * come, those of the way back too.
 *
 * Cost: one pair of lines each way for a short message; a payload in the data area is written once and read once.
 */
#ifndef TF_RING_H
#define TF_RING_H

#include <stdatomic.h>

#include "base/base.h"
#include "base/lines.h"
#include "base/pages.h"

#define TF_RING_CELLS 128 /* messages that may be under way: as many go by for one switch between processes */
#define TF_RING_FIRST 16  /* so many have come when the pages of all are mapped */
#define TF_CELL_INLINE 96
#define TF_CELL_FIRST 32 /* of which lie in the cell's first line */

/* Header flag: the sender wants the cell and its payload back when the receiver, who may have written to them, is
 * through with them.  The receiver tells it at once. */
#define TF_RING_HOLD 0x80

/* Header flag: the sender reads the cell and its payload again, to which the receiver may have written, before it sends
 * anything else; the receiver tells it at once that it is through with them. */
#define TF_RING_BACK 0x40

/* What travels with every message.  Which of a field's names counts, and what it means, is said by who sends the kind
 * of message (handler.h): those of msg/ are in a table in wire.h. */
struct tf_header {
    uint32_t number; /* written last: 1 + the number of this cell since the beginning */
    uint8_t kind, flags;
    uint16_t claim;  /* of a message that asks for what its sender can do too (shm/errand.h) */
    uint32_t length; /* payload bytes in this cell */
    int32_t tag;
    union {
        uint64_t context;  /* of a communicator */
        uint64_t receiver; /* id of a receive, or the handle of its request */
    };
    union {
        uint32_t source;   /* rank of the sender */
        uint32_t sequence; /* number of a collective */
        uint32_t word;     /* why it was given up */
        uint32_t asker;    /* id of who waits for the answer */
        uint32_t sender;   /* id of a send */
        uint32_t parts;    /* how many partitions it holds */
    };
    union {
        uint32_t id;          /* of the object that the message is for, or that its answer is to name */
        uint32_t ticket;      /* by which a send can be cancelled */
        uint32_t fingerprint; /* of a collective */
    };
};

struct tf_cell {
    struct tf_header header;
    union {
        unsigned char payload[TF_CELL_INLINE];
        struct {             /* when header.length > TF_CELL_INLINE: */
            uint64_t offset; /* in the data area; elsewhere if it has landed there */
            uint32_t span;   /* the sender's: bytes of the circle that are free again after it */
        };
    };
};
_Static_assert(sizeof(struct tf_cell) == 2 * TF_CACHE_LINE, "a cell is two cache lines");

/* In shared memory.  Zeroed at the start (fresh pages are). */
struct tf_ring {
    _Alignas(TF_CACHE_LINE) _Atomic uint32_t consumed;  /* cells, written by the receiver */
    _Alignas(TF_CACHE_LINE) _Atomic uint64_t claims[2]; /* of a long message that both sides copy (msg/share.h) */
    _Alignas(2 * TF_CACHE_LINE) struct tf_cell cells[TF_RING_CELLS];
    unsigned char data[];
};

/* The sender's private side.  Positions count bytes of the data area from the beginning; they never wrap. */
struct tf_ring_tx {
    struct tf_ring *ring;
    uint32_t sent, seen;      /* cells written; cells known to be consumed */
    uint32_t capacity;        /* bytes of the data area, a power of two */
    uint32_t until_turn;      /* a word of whoever sends; 0 after each turn of the ring, of which he so learns */
    uint32_t reach;           /* bytes of it that the circle has, a power of two; 0: there was no payload yet */
    uint32_t gap;             /* of the span of the next payload, those that are behind `position` already */
    uint64_t position, freed; /* next free byte; first byte that may still be unread */
    uint64_t start;           /* position of the reservation being written */
    uint32_t held;            /* number of the oldest cell with TF_RING_HOLD not collected yet */
    bool holding;             /* there is one */
    uint16_t turns;           /* 2^32 cells each, that `seen` has gone through; -1 at first of one that was shut */
    uint64_t bytes;           /* of payloads in the data area that are free again */
};

/* The receiver's private side. */
struct tf_ring_rx {
    struct tf_ring *ring;
    uint32_t taken, told; /* cells consumed; of these, told to the sender, and until the cells are mapped some more */
    struct tf_ring *back; /* to the sender; NULL: the cells are mapped */
    uint32_t untold;      /* bytes of the data area that the sender does not know to be free */
    uint32_t capacity;
    uint32_t mapped;  /* bytes of the data area whose pages are */
    uint32_t turns;   /* 2^32 cells each, that `told` has gone through */
    uint64_t bytes;   /* of payloads in the data area that the sender knows to be free */
    bool takes_lines; /* of cells and payloads that it has read (lines.h) */
};

static inline size_t tf_ring_bytes(uint32_t capacity)
{
    return sizeof(struct tf_ring) + capacity;
}

/* Before anything is sent: the ring gives no room, as if it were full, until it is opened.  So nobody who sends has to
 * ask whether there is a way to the receiver yet. */
static inline void tf_ring_shut(struct tf_ring_tx *tx)
{
    tx->seen = tx->sent - TF_RING_CELLS;
    tx->turns = UINT16_MAX;
    atomic_store_explicit(&tx->ring->consumed, tx->seen, memory_order_relaxed);
}
static inline void tf_ring_open(struct tf_ring_tx *tx)
{
    atomic_store_explicit(&tx->ring->consumed, tx->sent, memory_order_relaxed);
}
/* Until the first look for room finds it open. */
static inline bool tf_ring_is_shut(const struct tf_ring_tx *tx)
{
    return tx->turns == UINT16_MAX;
}

/* The longest payload of one cell. */
static inline uint32_t tf_ring_chunk(const struct tf_ring_tx *tx)
{
    return tx->capacity / 4;
}

/* The position after a payload of that length at `start`. */
static inline uint64_t tf_ring_after(uint64_t start, uint32_t length)
{
    return (start + length + TF_CACHE_LINE - 1) & ~(uint64_t)(TF_CACHE_LINE - 1);
}

/* The payload of that cell, the next one after what is free, is consumed. */
static inline void tf_ring_free(struct tf_ring_tx *tx, const struct tf_cell *cell)
{
    if (cell->header.length <= TF_CELL_INLINE)
        return;
    tx->bytes += cell->header.length;
    tx->freed += cell->span;
}

/* Look how far the receiver is. */
static inline void tf_ring_refresh(struct tf_ring_tx *tx)
{
    uint32_t consumed = atomic_load_explicit(&tx->ring->consumed, memory_order_acquire);
    tx->until_turn = 0;
    if (tx->holding && (int32_t)(consumed - tx->held) >= 0)
        consumed = tx->held - 1;
    tx->turns += consumed < tx->seen;
    while (tx->freed != tx->position && tx->seen != consumed)
        tf_ring_free(tx, &tx->ring->cells[tx->seen++ % TF_RING_CELLS]);
    tx->seen = consumed;
}

/* Whether there is room in the circle, as far as is known; then tx->start says where. */
static inline bool tf_ring_place(struct tf_ring_tx *tx, uint32_t length)
{
    uint64_t offset = tx->position & (tx->reach - 1);
    tx->start = tx->position;
    if (offset + length > tx->reach) /* a payload is contiguous: skip the rest of the circle */
        tx->start += tx->reach - offset;
    return tx->start + length - tx->freed <= tx->reach && length <= tx->reach / 4;
}

/* The cells, and so many bytes of the data area; not for the first page of it. */
enum { TF_RING_REACH = 4096 };
static inline void tf_ring_map(struct tf_ring *ring, uint32_t bytes)
{
    if (bytes > TF_RING_REACH)
        tf_pages_map(ring, tf_ring_bytes(bytes));
}

/* A larger circle with room for the payload: it goes on at the same place, or, where what is unread goes round the end
 * of the old circle, behind that end.  There is always one where the receiver has nothing to read any more: of the old
 * circle all that there is may be untold then, but no more than a sixteenth of the data area, and one that is four
 * times as large has room for that, for what is skipped and for the payload. */
static inline bool tf_ring_grow(struct tf_ring_tx *tx, uint32_t length)
{
    uint32_t old = tx->reach, least = tx->capacity < TF_RING_REACH ? tx->capacity : TF_RING_REACH;
    uint64_t unread = tx->position - tx->freed, at = old ? tx->position & (old - 1) : 0;
    uint32_t skip = unread > at ? old - (uint32_t)at : 0;
    for (uint64_t reach = old ? 2 * (uint64_t)old : least; reach <= tx->capacity; reach *= 2) {
        if (length > reach / 4 || unread + skip + length > reach)
            continue;
        uint64_t shift = (at - tx->position) & (reach - 1);
        tx->freed += shift;
        tx->position += shift + skip;
        tx->gap += skip;
        tx->reach = (uint32_t)reach;
        tf_ring_map(tx->ring, tx->reach);
        return true;
    }
    return false;
}

static __attribute__((noinline, unused)) bool tf_ring_make_room(struct tf_ring_tx *tx, uint32_t length)
{
    tf_ring_refresh(tx);
    if (tx->position - tx->freed > tx->reach / 2) /* more than what may be untold: the receiver is behind */
        tf_ring_grow(tx, length);
    return tf_ring_place(tx, length) || (tf_ring_grow(tx, length) && tf_ring_place(tx, length));
}

/* Room for a payload of `length` bytes (at most tf_ring_chunk), to be filled and then committed; NULL if there is none
 * now. */
static inline void *tf_ring_reserve(struct tf_ring_tx *tx, uint32_t length)
{
    if (TF_UNLIKELY(tx->sent - tx->seen == TF_RING_CELLS)) {
        tf_ring_refresh(tx);
        if (tx->sent - tx->seen == TF_RING_CELLS)
            return NULL;
    }
    if (TF_LIKELY(length <= TF_CELL_INLINE))
        return tx->ring->cells[tx->sent % TF_RING_CELLS].payload;
    if (!tf_ring_place(tx, length) && !tf_ring_make_room(tx, length))
        return NULL;
    return &tx->ring->data[tx->start & (tx->reach - 1)];
}

/* Where messages go one behind the other, the cells of later ones come to the sender meanwhile; not that of the very
 * next, which the receiver looks at.  room: what tf_ring_reserve() gave. */
static inline void tf_ring_fetch_later(const void *room)
{
    tf_lines_fetch_to_write((const char *)room + 4 * sizeof(struct tf_cell));
}

/* Send the cell whose payload was just written at the reserved place.  header->number is not read. */
static inline void tf_ring_commit(struct tf_ring_tx *tx, const struct tf_header *header)
{
    struct tf_cell *cell = &tx->ring->cells[tx->sent % TF_RING_CELLS];
    if (TF_UNLIKELY(header->length > TF_CELL_INLINE)) {
        uint64_t after = tf_ring_after(tx->start, header->length);
        cell->offset = tx->start & (tx->reach - 1);
        cell->span = (uint32_t)(after - tx->position) + tx->gap;
        tx->position = after;
        tx->gap = 0;
    }
    cell->header.kind = header->kind;
    cell->header.flags = header->flags;
    cell->header.length = header->length;
    cell->header.tag = header->tag;
    cell->header.context = header->context;
    cell->header.source = header->source;
    cell->header.id = header->id;
    tx->sent++;
    if (TF_UNLIKELY(header->flags & TF_RING_HOLD) && !tx->holding) {
        tx->holding = true;
        tx->held = tx->sent;
    }
    atomic_store_explicit((_Atomic uint32_t *)&cell->header.number, tx->sent, memory_order_release);
}

/* The payload of the oldest held cell if the receiver is through with it, else NULL; and done with it. */
static inline void *tf_ring_returned(struct tf_ring_tx *tx, uint32_t *length)
{
    if (!tx->holding || (int32_t)(atomic_load_explicit(&tx->ring->consumed, memory_order_acquire) - tx->held) < 0)
        return NULL;
    struct tf_cell *cell = &tx->ring->cells[(tx->held - 1) % TF_RING_CELLS];
    *length = cell->header.length;
    return *length <= TF_CELL_INLINE ? cell->payload : &tx->ring->data[cell->offset];
}
static inline void tf_ring_collected(struct tf_ring_tx *tx)
{
    uint32_t n = tx->held;
    while (++n != tx->sent + 1)
        if (tx->ring->cells[(n - 1) % TF_RING_CELLS].header.flags & TF_RING_HOLD)
            break;
    tx->holding = n != tx->sent + 1;
    tx->held = n;
}

/* The next cell, or NULL.  It stays where it is until tf_ring_release(). */
static inline struct tf_cell *tf_ring_peek(struct tf_ring_rx *rx)
{
    struct tf_cell *cell = &rx->ring->cells[rx->taken % TF_RING_CELLS];
    uint32_t number = atomic_load_explicit((_Atomic uint32_t *)&cell->header.number, memory_order_acquire);
    return number == rx->taken + 1 ? cell : NULL;
}

/* Before anything has come: the sender is told of the first cells, and all are mapped then. */
enum { TF_RING_EARLY = TF_RING_CELLS / 2 - TF_RING_FIRST };
static inline void tf_ring_begin(struct tf_ring_rx *rx, struct tf_ring *back)
{
    rx->back = back;
    rx->told = rx->taken - TF_RING_EARLY;
}
static TF_COLD __attribute__((unused)) void tf_ring_map_cells(struct tf_ring_rx *rx)
{
    tf_pages_map(rx->ring, sizeof *rx->ring);
    tf_pages_map(rx->back, sizeof *rx->back);
    rx->back = NULL;
    rx->told += TF_RING_EARLY;
}

/* Of the data area as much as the payload reaches to, which is in it. */
static TF_COLD __attribute__((unused)) void tf_ring_map_data(struct tf_ring_rx *rx, const struct tf_cell *cell)
{
    uint32_t end = (uint32_t)cell->offset + cell->header.length;
    while (rx->mapped < end)
        rx->mapped = rx->mapped == 0 ? TF_RING_REACH : 2 * rx->mapped;
    rx->mapped = rx->mapped < rx->capacity ? rx->mapped : rx->capacity;
    tf_ring_map(rx->ring, rx->mapped);
}

static inline void *tf_ring_payload(struct tf_ring_rx *rx, struct tf_cell *cell)
{
    if (TF_LIKELY(cell->header.length <= TF_CELL_INLINE))
        return cell->payload;
    if (TF_UNLIKELY(cell->offset < rx->capacity && cell->offset + cell->header.length > rx->mapped))
        tf_ring_map_data(rx, cell);
    return rx->ring->data + (int64_t)cell->offset;
}

/* The sender hears how far the receiver is.  Not inline: the registers are for who is not there yet. */
static __attribute__((noinline, unused)) void tf_ring_tell(struct tf_ring_rx *rx)
{
    if (TF_UNLIKELY(rx->back != NULL))
        tf_ring_map_cells(rx);
    rx->turns += rx->taken < rx->told;
    rx->bytes += rx->untold;
    rx->told = rx->taken;
    rx->untold = 0;
    atomic_store_explicit(&rx->ring->consumed, rx->taken, memory_order_release);
}

static __attribute__((noinline, unused)) void tf_ring_take_lines(struct tf_ring_rx *rx, const struct tf_cell *cell)
{
    tf_lines_take(rx->ring->data + (int64_t)cell->offset, cell->header.length);
}

/* Those of the cell itself. */
static inline void tf_ring_take_cell(const struct tf_cell *cell)
{
    struct tf_cell *mine = (struct tf_cell *)cell;
    uint32_t length = cell->header.length;
    mine->header.claim = 0;
    if (length > TF_CELL_FIRST && length <= TF_CELL_INLINE)
        mine->payload[TF_CELL_INLINE - 1] = 0;
}

/* Done with the cell that tf_ring_peek() gave.  The sender is told after half of the cells, or when a sixteenth of
 * the data area is free without its knowing: a chunk (a quarter) and the skipped rest of the circle (less than that)
 * fit beside it, so the sender cannot wait for ever.  True if it was told. */
static inline bool tf_ring_release(struct tf_ring_rx *rx, const struct tf_cell *cell)
{
    uint32_t length = cell->header.length;
    bool held = cell->header.flags & (TF_RING_HOLD | TF_RING_BACK); /* the sender reads it again */
    bool tells = ++rx->taken - rx->told >= TF_RING_CELLS / 2 || held;
    if (TF_UNLIKELY(length > TF_CELL_INLINE)) {
        rx->untold += length;
        tells |= rx->untold > rx->capacity / 16;
        if (rx->takes_lines && !held)
            tf_ring_take_lines(rx, cell);
    }
    if (rx->takes_lines && !held)
        tf_ring_take_cell(cell);
    if (TF_UNLIKELY(tells))
        tf_ring_tell(rx);
    return tells;
}

/* ---- what has gone through since the beginning, for who asks ---- */

static inline uint64_t tf_ring_sent(const struct tf_ring_tx *tx)
{
    uint64_t sent = ((uint64_t)tx->turns << 32 | tx->seen) + (tx->sent - tx->seen);
    return sent & ((UINT64_C(1) << 48) - 1);
}
static inline uint64_t tf_ring_taken(const struct tf_ring_rx *rx)
{
    uint32_t told = rx->told + (rx->back ? TF_RING_EARLY : 0);
    return ((uint64_t)rx->turns << 32 | told) + (rx->taken - told);
}
/* Payloads in the data area. */
static inline uint64_t tf_ring_bytes_sent(const struct tf_ring_tx *tx)
{
    uint64_t bytes = tx->bytes;
    for (uint32_t i = tx->seen; tx->freed != tx->position && i != tx->sent; i++) {
        uint32_t length = tx->ring->cells[i % TF_RING_CELLS].header.length;
        bytes += length > TF_CELL_INLINE ? length : 0;
    }
    return bytes;
}

#endif
