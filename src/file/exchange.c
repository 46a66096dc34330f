/* exchange.c - ranks and aggregators exchange; see exchange.h.  Here: the rounds of an aggregator, step by step, and
 * the life of it all. */
#include "file/exchange_parts.h"

#include "file/party.h"
#include "msg/match.h"

enum {
    MOST_OUTS = 8, /* rounds of which a rank has data under way */
    SLOTS = 2      /* ranges that an aggregator has in memory */
};

/* Not before it is known how long it is, and whether there are rounds at all.  Where there is none all that comes is
 * dropped. */
static void make_buffer(struct tf_exchange_slot *slot)
{
    if (!slot->buffer) {
        slot->room = (size_t)slot->x->rounds->chunk;
        slot->buffer = tf_party_take(slot->x->file->party, &slot->room);
    }
    if (!slot->buffer)
        tf_exchange_fail(slot->x, MPI_ERR_NO_MEM);
}

static void begin_slot(struct tf_exchange_slot *slot, MPI_Count round)
{
    const struct tf_rounds *rounds = slot->x->rounds;
    slot->state = SLOT_GATHERS;
    slot->round = round;
    slot->begin = tf_rounds_begin(rounds, round);
    slot->end = tf_rounds_end(rounds, round);
    slot->nins = slot->waiting = slot->came = 0;
    make_buffer(slot);
    for (int rank = 0; rank < rounds->size; rank++)
        if (tf_rounds_has(rounds, rank, round)) {
            struct tf_exchange_in *in = &slot->ins[slot->nins++];
            in->slot = slot;
            in->rank = rank;
            tf_exchange_begin_in(in);
        }
}

static struct tf_exchange_slot *free_slot(const struct tf_exchange *x)
{
    for (int i = 0; i < x->nslots; i++)
        if (x->slots[i].state == SLOT_FREE)
            return &x->slots[i];
    return NULL;
}

static bool begin_slots(struct tf_exchange *x)
{
    bool moved = false;
    for (; x->next_slot < x->rounds->n; x->next_slot++) {
        if (tf_rounds_aggregator(x->rounds, x->next_slot) != x->file->comm->rank)
            continue;
        struct tf_exchange_slot *slot = free_slot(x);
        if (!slot)
            break;
        begin_slot(slot, x->next_slot);
        moved = true;
    }
    return moved;
}

static void end_access(struct tf_exchange_slot *slot)
{
    if (slot->error)
        tf_exchange_fail_with(slot->x, slot->error, slot->words);
    if (slot->x->write)
        slot->state = SLOT_FREE;
    else
        tf_exchange_return(slot);
}

/* True if it has gone on. */
static bool step(struct tf_exchange_slot *slot)
{
    if (slot->came > 0) {
        tf_exchange_go_on(slot);
        return true;
    }
    if (slot->state == SLOT_GATHERS && slot->waiting == 0) {
        tf_exchange_access(slot);
        return true;
    }
    if (slot->state == SLOT_WORKS && slot->work.done) {
        end_access(slot);
        return true;
    }
    if (slot->state == SLOT_RETURNS && slot->waiting == 0) {
        slot->state = SLOT_FREE;
        return true;
    }
    return false;
}

bool tf_exchange_advance(struct tf_exchange *x, bool *moved)
{
    *moved |= tf_exchange_go_on_outs(x);
    *moved |= tf_exchange_begin_outs(x);
    *moved |= begin_slots(x);
    for (int i = 0; i < x->nslots; i++)
        *moved |= step(&x->slots[i]);
    bool busy = x->next_out < x->rounds->n || x->next_slot < x->rounds->n;
    for (int i = 0; i < x->nslots; i++)
        busy |= x->slots[i].state != SLOT_FREE;
    for (int i = 0; i < x->nouts; i++)
        busy |= x->outs[i].state != OUT_FREE;
    return !busy;
}

/* ---- life ---- */

/* All of an access in one piece of memory, zeroed; the next one has it again. */
static size_t bytes_of(const struct tf_exchange *x)
{
    size_t each = sizeof(struct tf_exchange_in) + sizeof(struct tf_stretch_walk);
    return (size_t)x->nouts * sizeof *x->outs + (size_t)x->nslots * (sizeof *x->slots + (size_t)x->rounds->size * each);
}

static bool open_all(struct tf_exchange *x)
{
    size_t size = (size_t)x->rounds->size;
    char *memory = tf_party_take_zeros(x->file->party, bytes_of(x));
    if (!memory)
        return false;
    x->outs = (struct tf_exchange_out *)memory;
    x->slots = (struct tf_exchange_slot *)(x->outs + x->nouts);
    struct tf_exchange_in *ins = (struct tf_exchange_in *)(x->slots + x->nslots);
    struct tf_stretch_walk *walks = (struct tf_stretch_walk *)(ins + (size_t)x->nslots * size);
    for (int i = 0; i < x->nouts; i++)
        x->outs[i].x = x;
    for (int i = 0; i < x->nslots; i++, ins += size, walks += size) {
        x->slots[i].x = x;
        x->slots[i].ins = ins;
        x->slots[i].walks = walks;
    }
    return true;
}

static bool aggregates(const struct tf_exchange *x)
{
    for (int i = 0; i < x->rounds->naggregators; i++)
        if (x->rounds->aggregators[i] == x->file->comm->rank)
            return true;
    return false;
}

int tf_exchange_open(struct tf_exchange *x)
{
    int n = x->rounds->naggregators;
    x->nouts = n < MOST_OUTS / 2 ? 2 * n : MOST_OUTS;
    x->nslots = aggregates(x) ? SLOTS : 0;
    if (open_all(x))
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_NO_MEM, "cannot allocate a collective access to a file by %d ranks", x->rounds->size);
}

void tf_exchange_begin(struct tf_exchange *x)
{
    tf_walk_open(&x->cursor, x->view->disp, x->view->tile);
    x->begun = true;
    x->next_out = 0;
    x->next_slot = x->nslots > 0 ? 0 : x->rounds->n;
    x->error = MPI_SUCCESS;
    x->moved = x->stream->bytes;
}

/* Then a rank that has not heard of it yet may still write into a range: it is nobody's from now on. */
static bool is_left(const struct tf_exchange *x)
{
    return x->file->comm->match->broken == MPIX_ERR_REVOKED;
}

static void close_slot(struct tf_exchange_slot *slot, int size)
{
    for (int i = 0; i < size; i++) {
        tf_stretch_free(&slot->ins[i].list);
        free(slot->ins[i].staging);
    }
    if (slot->buffer && !is_left(slot->x))
        tf_party_give(slot->x->file->party, slot->buffer, slot->room);
}

static void clear(struct tf_exchange *x, size_t bytes)
{
    for (int i = 0; i < x->nslots; i++)
        close_slot(&x->slots[i], x->rounds->size);
    for (int i = 0; i < x->nouts; i++)
        tf_stretch_free(&x->outs[i].list);
    memset(x->outs, 0, bytes);
}

void tf_exchange_close(struct tf_exchange *x)
{
    size_t bytes = bytes_of(x);
    if (x->begun)
        clear(x, bytes);
    tf_party_give_zeros(x->file->party, x->outs, bytes);
}
