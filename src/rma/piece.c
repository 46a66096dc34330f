/* piece.c - see piece.h. */
#include "rma/piece.h"

#include "type/describe.h"

/* ---- describing datatypes ---- */

static struct tf_win_types *types_of(struct tf_win_types **types)
{
    if (!*types)
        *types = calloc(1, sizeof **types);
    if (!*types)
        tf_fatal(1, "treefold[%d]: no memory for the datatypes that a window's processes tell each other", tf_job.rank);
    return *types;
}

/* The target knows the type of the operation, or is being told; false: no memory. */
static void find_slot(struct tf_win_op *op)
{
    struct tf_win_types *told = types_of(&op->target->told);
    for (uint32_t i = 0; i < TF_WIN_TYPES; i++)
        if (told->types[i] == op->type) {
            op->slot = i + 1;
            return;
        }
    op->description = tf_describe(op->type, &op->description_bytes);
    if (!op->description)
        tf_fatal(1, "treefold[%d]: no memory to describe a datatype to rank %d of a window", tf_job.rank,
                 op->target->rank);
    uint32_t slot = (uint32_t)told->next++ % TF_WIN_TYPES;
    if (told->types[slot])
        tf_type_release(told->types[slot]);
    told->types[slot] = op->type;
    tf_type_retain(op->type);
    op->slot = slot + 1;
}

static void header_of(const struct tf_target *target, enum tf_verb verb, struct tf_header *header)
{
    *header = (struct tf_header){.kind = TF_MSG_RMA, .tag = (int32_t)verb, .id = target->number};
    header->source = (uint32_t)target->win->comm->rank;
}

/* The next bytes of the description; false: no room. */
static bool push_description(struct tf_win_op *op)
{
    struct tf_peer *peer = op->target->peer;
    while (op->described < op->description_bytes) {
        struct tf_type_part part = {op->description_bytes, op->described};
        size_t most = tf_net_chunk(peer) - sizeof part, rest = op->description_bytes - op->described;
        size_t n = rest < most ? rest : most;
        struct tf_header header;
        header_of(op->target, TF_VERB_TYPE, &header);
        header.length = (uint32_t)(sizeof part + n);
        header.context = op->slot - 1;
        char *room = tf_net_reserve(peer, header.length);
        if (!room)
            return false;
        memcpy(room, &part, sizeof part);
        memcpy(room + sizeof part, (char *)op->description + op->described, n);
        tf_net_commit(peer, &header);
        op->described += n;
    }
    return true;
}

/* ---- pieces ---- */

static uint32_t name_of_element(const struct tf_type *element)
{
    return element == &tf_type_binned           ? TF_PIECE_BINNED
           : element == &tf_type_complex_binned ? TF_PIECE_COMPLEX_BINNED
           : element                            ? element->obj.handle
                                                : 0;
}

/* Of so many bytes those that are whole elements of an accumulate. */
static size_t whole(const struct tf_win_op *op, size_t bytes)
{
    return op->at.element ? bytes - bytes % (size_t)op->at.element->size : bytes;
}

static size_t piece_length(const struct tf_win_op *op)
{
    const struct tf_target *target = op->target;
    size_t rest = op->total - op->sent;
    if (op->verb == TF_VERB_GET)
        return rest < TF_PIECES_GOT / 2 ? rest : TF_PIECES_GOT / 2;
    size_t most = tf_net_chunk(target->peer) - sizeof(struct tf_piece);
    if (op->into.type) { /* it has to come back in one cell too */
        size_t back = tf_net_chunk_from(target->peer);
        most = back < most ? back : most;
    }
    most = whole(op, most);
    return rest < most ? rest : most;
}

static size_t payload_of(const struct tf_win_op *op, size_t length)
{
    switch (op->verb) {
    case TF_VERB_GET:
        return sizeof(struct tf_piece);
    case TF_VERB_SWAP:
        return sizeof(struct tf_piece) + 2 * length;
    default:
        return sizeof(struct tf_piece) + (op->from.type ? length : 0);
    }
}

/* What is done with the next bytes. */
static void write_head(const struct tf_win_op *op, size_t length, char *room)
{
    struct tf_piece piece = {
        .at = op->at.at,
        .count = (uint64_t)op->at.count,
        .position = op->sent,
        .length = (uint32_t)length,
        .type = op->type ? TF_PIECE_SLOT + op->slot - 1 : op->at.type->obj.handle,
        .element = name_of_element(op->at.element),
        .asker = op->id,
        .op = op->at.op ? op->at.op->obj.handle : 0,
    };
    memcpy(room, &piece, sizeof piece);
}

static void write_piece(const struct tf_win_op *op, size_t length, char *room)
{
    write_head(op, length, room);
    room += sizeof(struct tf_piece);
    if (op->verb == TF_VERB_SWAP) {
        tf_type_pack(op->compare.type, op->compare.buf, 1, 0, room, length);
        room += length;
    }
    if (op->from.type)
        tf_type_pack(op->from.type, op->from.buf, op->from.count, op->sent, room, length);
}

/* ---- short pieces to other nodes ----
 *
 * A network is told of a piece by a call of the system, mostly.  What is short and not answered waits for what comes
 * behind it: more pieces, up to so many bytes; the word that asks whether all is done, or ends the epoch; at the latest
 * the pass after the next one, as the next one may be that in which it went, and whoever waits goes on behind it. */

enum { SHORT = 4096 + sizeof(struct tf_piece), HELD_MOST = 32 * 1024 };
enum { FRESH = 1 << 30 }; /* in `held`: some since the last pass */

static void let_go(struct tf_target *target)
{
    if (target->held > 0)
        tf_net_wake(target->peer);
    target->held = 0;
}

static void commit(struct tf_target *target, const struct tf_header *header, bool answered)
{
    if (!target->peer->net->fill || answered || header->length > SHORT) {
        tf_net_commit(target->peer, header);
        return;
    }
    tf_ring_commit(&target->peer->tx, header);
    target->held = (target->held + header->length) | FRESH;
    if ((target->held & ~FRESH) > HELD_MOST)
        let_go(target);
    else
        tf_op_busy(target);
}

/* The next piece; false: not now. */
static bool push_piece(struct tf_win_op *op)
{
    struct tf_target *target = op->target;
    struct tf_header header;
    size_t length = piece_length(op);
    size_t most = op->verb == TF_VERB_GET ? TF_PIECES_GOT : TF_PIECES_ASKED;
    if (op->into.type && target->asked > 0 && target->asked + length > most)
        return false;
    header_of(target, op->verb, &header);
    header.length = (uint32_t)payload_of(op, length);
    char *room = tf_net_reserve(target->peer, header.length);
    if (!room)
        return false;
    write_piece(op, length, room);
    op->sent += length;
    /* Operations are done in order: an answer says that what went before is done too, and every flush waits for it. */
    target->dirty = !op->into.type;
    if (op->into.type)
        target->asked += length;
    commit(target, &header, op->into.type != NULL);
    return true;
}

/* ---- bare bytes ----
 *
 * The network sends them from where they lie, and the target may take them where they are wanted: nobody copies.  The
 * piece that says what is done with them goes before, in the same call of the system. */

enum { BARE_LEAST = 16 * 1024, BARE_MOST = 1 << 30 };

static bool goes_bare(const struct tf_win_op *op)
{
    if (!op->target->peer->net->send) /* nor has the way to one who has died */
        return false;
    return op->sent < op->announced || (op->total - op->sent >= BARE_LEAST && !op->into.type && op->from.type->dense);
}

static bool announce(struct tf_win_op *op)
{
    struct tf_peer *peer = op->target->peer;
    size_t rest = op->total - op->sent, length = whole(op, rest < BARE_MOST ? rest : BARE_MOST);
    struct tf_header header;
    header_of(op->target, op->verb, &header);
    header.length = sizeof(struct tf_piece);
    char *room = tf_net_reserve(peer, header.length);
    if (!room)
        return false;
    write_head(op, length, room);
    tf_ring_commit(&peer->tx, &header);
    op->announced += length;
    return true;
}

static bool push_bare(struct tf_win_op *op)
{
    struct tf_target *target = op->target;
    struct tf_peer *peer = target->peer;
    if (op->sent == op->announced && !announce(op))
        return false;
    uint32_t chunk = (uint32_t)whole(op, tf_net_chunk(peer));
    struct tf_header header;
    header_of(target, TF_VERB_BYTES, &header);
    const char *from = (const char *)op->from.buf + op->from.type->true_lb + op->sent;
    size_t taken = peer->net->send(peer, &header, from, op->announced - op->sent, chunk);
    peer->bytes_sent += taken;
    op->sent += taken;
    target->dirty = true;
    return taken > 0;
}

/* ---- all ---- */

bool tf_piece_push(struct tf_win_op *op)
{
    if (op->type && !op->slot)
        find_slot(op);
    if (op->description && !push_description(op))
        return false;
    while (op->sent < op->total)
        if (!(goes_bare(op) ? push_bare(op) : push_piece(op)))
            return false;
    return true;
}

void tf_piece_pass(struct tf_target *target)
{
    if (!(target->held & FRESH))
        let_go(target);
    target->held &= ~FRESH;
}
