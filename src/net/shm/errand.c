/* errand.c - see errand.h. */
#include "net/shm/errand.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>

#include "net/shm/sharer.h"

enum claim { NOT_ASKED, ASKED, TAKEN, DONE, WITHDRAWN };

/* In the payload: these, one for each row of the neighbor, and then its bytes, those of a read from when it is done. */
struct row {
    uint64_t at, bytes;
};

enum { MOST = 64 * 1024, PIECE = 32 * 1024 };                     /* bytes of a payload */
enum { LOOKS = 64 /* between looks at the clock */, TURNS = 16 }; /* and at what others ask for */
static const int64_t SHORTEST = 300, LONGEST = 4 * TF_MICROSECOND;

static _Atomic uint16_t *claim_of(const struct tf_header *header)
{
    return (_Atomic uint16_t *)&header->claim;
}

static bool turns(_Atomic uint16_t *claim, uint16_t from, uint16_t to)
{
    return atomic_compare_exchange_strong(claim, &from, to);
}

/* ---- the neighbor ---- */

static void hear(struct tf_peer *peer, const struct tf_header *header, void *payload)
{
    const struct row *rows = payload;
    char *data = (char *)payload + header->parts * sizeof *rows;
    if (!turns(claim_of(header), ASKED, TAKEN))
        return;
    for (uint32_t i = 0; i < header->parts; i++) {
        void *at = (void *)(uintptr_t)rows[i].at;
        memcpy(header->tag ? at : data, header->tag ? data : at, rows[i].bytes);
        data += rows[i].bytes;
    }
    atomic_store_explicit(claim_of(header), DONE, memory_order_release);
    if (header->tag && header->length > TF_CELL_INLINE && peer->rx.takes_lines)
        tf_lines_take(payload, header->length);
}

void tf_errand_setup(void)
{
    tf_net_handle(TF_MSG_ERRAND, hear);
}

/* ---- which way? ---- */

static struct tf_shm_sharer *sharer_of(const struct tf_errand *errand)
{
    return errand->peer->sharer;
}

static size_t payload_of(const struct tf_errand *errand)
{
    return errand->rows->rows_there * sizeof(struct row) + errand->bytes;
}

/* By its length, one row or several; NULL: these are too long. */
static struct tf_errand_price *price_of(const struct tf_errand *errand)
{
    static const size_t most[TF_ERRAND_CLASSES / 2] = {256, 2048, 8192, MOST};
    size_t i = 0, bytes = payload_of(errand), chunk = tf_net_chunk(errand->peer);
    while (i < TF_ARRAY_LEN(most) && bytes > most[i])
        i++;
    if (i == TF_ARRAY_LEN(most) || bytes > chunk)
        return NULL;
    return &sharer_of(errand)->prices[2 * i + (errand->rows->rows_there > 1)];
}

/* Of so many moves, but the very first ones, the first TRIES are made the other way, and the last of these is timed:
 * the first call of the system for a while takes two to four times as long as those that follow it, and the first
 * errand may have to wake. */
enum { OTHERWISE = 1024, TRIES = 4, FIRST_CALL = 16 };
enum { TIMED = 8 };   /* one of so many: the clock costs as much as a line */
enum { WAKES = 128 }; /* one of so many, and then it stays awake for as long as others come */

static bool is_tried(const struct tf_errand_price *price)
{
    return price->moves >= OTHERWISE && price->moves % OTHERWISE < TRIES;
}

static bool is_timed(const struct tf_errand_price *price)
{
    return price->moves % TIMED == TRIES - 1;
}

/* Fast where it is the first, slower where it is one of many, and as if nothing had happened if it lost its
 * processor. */
static void learn(const struct tf_errand_price *of, uint32_t *price, int64_t took)
{
    int64_t most = *price ? 4 * (int64_t)*price : TF_MILLISECOND;
    took = took < most ? took : most;
    *price = (uint32_t)(*price ? *price + (took - *price) / (is_tried(of) ? 2 : 8) : took) + 1;
}

static bool pays(const struct tf_errand_price *price)
{
    if (!price->call)
        return price->moves < FIRST_CALL;
    return (price->errand <= price->call) != is_tried(price);
}

/* It is awake, as far as this process knows, or worth to be woken, and may have a processor of its own to look on. */
static bool may_look(const struct tf_errand *errand)
{
    const struct tf_peer *peer = errand->peer;
    const struct tf_shm_sharer *sharer = sharer_of(errand);
    bool asleep = tf_pause_sleeps(atomic_load_explicit(peer->asleep, memory_order_relaxed));
    if (tf_pause_crowded || (asleep && errand->price->moves % WAKES > 0))
        return false;
    if (TF_LIKELY(!sharer->in_vain))
        return true;
    return (int32_t)(atomic_load_explicit(&peer->tx.ring->consumed, memory_order_relaxed) - sharer->errand) >= 0;
}

static void cut(struct tf_errand *errand)
{
    const struct tf_net_rows *rows = errand->rows;
    errand->there = (struct iovec){rows->there[0].iov_base, PIECE};
    errand->here = (struct iovec){rows->here[0].iov_base, PIECE};
    errand->first = (struct tf_net_rows){&errand->there, &errand->here, 1, 1, rows->write};
    errand->rows = &errand->first;
    errand->bytes = PIECE;
}

static void measure(struct tf_errand *errand)
{
    const struct tf_net_rows *rows = errand->rows;
    for (size_t i = 0; i < rows->rows_here; i++)
        errand->bytes += rows->here[i].iov_len;
    errand->all = errand->bytes;
    if (rows->rows_there == 1 && rows->rows_here == 1 && errand->bytes > PIECE)
        cut(errand);
    errand->price = errand->bytes > 0 ? price_of(errand) : NULL;
    if (errand->price)
        errand->price->moves++;
    errand->began = errand->price && is_timed(errand->price) ? tf_time() : 0;
}

void tf_errand_called(const struct tf_errand *errand)
{
    if (errand->began)
        learn(errand->price, &errand->price->call,
              (tf_time() - errand->began) * (int64_t)errand->bytes / (int64_t)errand->all);
}

/* ---- this process ---- */

/* Between the payload and these rows of this process. */
static void copy_here(const struct tf_net_rows *rows, char *data)
{
    for (size_t i = 0; i < rows->rows_here; i++) {
        const struct iovec *here = &rows->here[i];
        memcpy(rows->write ? data : here->iov_base, rows->write ? here->iov_base : data, here->iov_len);
        data += here->iov_len;
    }
}

/* Returns where in the payload the bytes are. */
static char *fill_in(char *payload, const struct tf_net_rows *rows)
{
    for (size_t i = 0; i < rows->rows_there; i++) {
        struct row row = {(uintptr_t)rows->there[i].iov_base, rows->there[i].iov_len};
        memcpy(payload, &row, sizeof row);
        payload += sizeof row;
    }
    if (rows->write)
        copy_here(rows, payload);
    return payload;
}

static void fetch(const struct tf_errand *errand, char *data)
{
    copy_here(errand->rows, data);
    if (payload_of(errand) > TF_CELL_INLINE && errand->peer->rx.takes_lines)
        tf_lines_take(data, errand->bytes);
}

static void do_those_of_others(void)
{
    for (struct tf_peer *peer = tf_net_near; peer; peer = peer->next_near) {
        const struct tf_cell *cell = tf_net_peek(peer);
        if (cell && cell->header.kind == TF_MSG_ERRAND)
            tf_net_poll(peer, 1);
    }
}

/* How long the call takes that would do it. */
static int64_t patience(const struct tf_errand *errand)
{
    int64_t call = errand->price->call;
    return call == 0 || call > LONGEST ? LONGEST : call < SHORTEST ? SHORTEST : call;
}

/* What is taken is done soon, unless the neighbor has lost its processor; if it has died, the call will say so. */
static bool has_died(const struct tf_errand *errand)
{
    sched_yield();
    return kill(atomic_load(&sharer_of(errand)->line->pid), 0) < 0 && errno == ESRCH;
}

static bool await(struct tf_errand *errand, _Atomic uint16_t *claim)
{
    int64_t until = 0;
    for (uint32_t i = 1; atomic_load_explicit(claim, memory_order_acquire) != DONE; i++) {
        if (i % TURNS == 0)
            do_those_of_others();
        if (i % LOOKS > 0)
            continue;
        int64_t now = tf_time();
        until = until ? until : now + patience(errand);
        if (now > until && (turns(claim, ASKED, WITHDRAWN) || has_died(errand))) {
            errand->began = now; /* of the call */
            return false;
        }
    }
    if (errand->began)
        learn(errand->price, &errand->price->errand, tf_time() - errand->began);
    return true;
}

bool tf_errand_run(struct tf_errand *errand)
{
    measure(errand);
    if (!errand->price || !may_look(errand) || !pays(errand->price))
        return false;
    struct tf_peer *peer = errand->peer;
    struct tf_header header = {.kind = TF_MSG_ERRAND, .flags = TF_RING_BACK, .length = (uint32_t)payload_of(errand)};
    char *payload = tf_net_reserve(peer, header.length);
    if (!payload)
        return false;
    char *data = fill_in(payload, errand->rows);
    header.tag = errand->rows->write;
    header.parts = (uint32_t)errand->rows->rows_there;
    _Atomic uint16_t *claim = claim_of(&peer->tx.ring->cells[peer->tx.sent % TF_RING_CELLS].header);
    atomic_store_explicit(claim, ASKED, memory_order_relaxed);
    tf_net_commit(peer, &header);
    struct tf_shm_sharer *sharer = sharer_of(errand);
    sharer->errand = peer->tx.sent;
    sharer->in_vain = !await(errand, claim);
    if (!sharer->in_vain && !errand->rows->write)
        fetch(errand, data);
    return !sharer->in_vain;
}
