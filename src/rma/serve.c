/* serve.c - what a process does with the messages of its windows: see wire.h.
 *
 * Nothing here waits: an answer for which there is no room is kept until there is.
 */
#include "rma/serve.h"

#include "msg/transfer.h"
#include "rma/answer.h"
#include "rma/dynamic.h"
#include "rma/fetch.h"
#include "rma/lock.h"
#include "rma/op.h"
#include "rma/region.h"
#include "type/describe.h"

#include <stdio.h>

static TF_COLD void no_memory(const char *what)
{
    tf_fatal(1, "treefold[%d]: no memory for %s of a window", tf_job.rank, what);
}

/* ---- words ---- */

static void say(struct tf_target *target, const struct tf_header *header, const void *payload)
{
    if (!tf_out_say(target->peer, header, payload))
        no_memory("a message");
}

void tf_serve_say(struct tf_target *target, enum tf_verb verb, uint64_t context)
{
    struct tf_header header = {.kind = TF_MSG_RMA, .tag = (int32_t)verb, .id = target->number};
    header.context = context;
    header.source = (uint32_t)target->win->comm->rank;
    say(target, &header, NULL);
}

/* So many bytes of an operation could not be done; asker 0: nobody counts them. */
static void refuse(struct tf_target *target, uint32_t asker, uint32_t bytes, const char *words)
{
    struct tf_header header = {.kind = TF_MSG_RMA, .tag = TF_VERB_REFUSED, .id = target->number};
    header.context = (uint64_t)(asker ? bytes : 0) << 32 | (uint32_t)target->win->comm->rank;
    header.source = asker;
    header.length = (uint32_t)strlen(words);
    say(target, &header, words);
}

static void tell_key(struct tf_target *target)
{
    size_t length = 0;
    const void *key = tf_region_key(target->win, target->peer, &length);
    struct tf_header header = {.kind = TF_MSG_RMA, .tag = TF_VERB_KEY, .id = target->number};
    header.source = (uint32_t)target->win->comm->rank;
    header.length = (uint32_t)length;
    say(target, &header, key);
}

/* ---- pieces ---- */

static const struct tf_type *type_of(struct tf_target *target, const struct tf_piece *piece)
{
    if (piece->type >= TF_PIECE_SLOT)
        return target->heard->types[piece->type - TF_PIECE_SLOT];
    return tf_type_find((MPI_Datatype)(uintptr_t)piece->type);
}

static const struct tf_type *element_of(const struct tf_piece *piece)
{
    switch (piece->element) {
    case 0:
        return NULL;
    case TF_PIECE_BINNED:
        return &tf_type_binned;
    case TF_PIECE_COMPLEX_BINNED:
        return &tf_type_complex_binned;
    default:
        return tf_type_find((MPI_Datatype)(uintptr_t)piece->element);
    }
}

static struct tf_apply apply_of(struct tf_target *target, const struct tf_piece *piece)
{
    struct tf_apply a = {.at = (uintptr_t)piece->at,
                         .count = (MPI_Count)piece->count,
                         .type = type_of(target, piece),
                         .position = piece->position,
                         .length = piece->length,
                         .op = piece->op ? tf_op_find((MPI_Op)(uintptr_t)piece->op) : NULL,
                         .element = element_of(piece)};
    tf_win_share(&target->win->targets[target->win->comm->rank], &a);
    return a;
}

/* Whether all of its memory is there; else the asker is told, or, 0, whoever called it. */
static bool is_there(struct tf_target *target, const struct tf_apply *a, uint32_t asker)
{
    char words[300];
    if (target->win->flavor != MPI_WIN_FLAVOR_DYNAMIC || tf_dynamic_covers(target->win, a, words, sizeof words))
        return true;
    refuse(target, asker, (uint32_t)a->length, words);
    return false;
}

static void apply(enum tf_verb verb, const struct tf_apply *a, const char *data, void *old)
{
    switch (verb) {
    case TF_VERB_PUT:
        tf_apply_put(a, data);
        break;
    case TF_VERB_GET:
        tf_apply_get(a, old);
        break;
    case TF_VERB_COMBINE:
        tf_apply_combine(a, data, old);
        break;
    default:
        tf_apply_swap(a, data, data + a->length, old);
    }
}

/* ---- bare bytes ---- */

/* Those that are to come. */
struct tf_stream {
    enum tf_verb verb;
    struct tf_apply at;
};

static void begin_stream(struct tf_target *target, enum tf_verb verb, const struct tf_apply *a)
{
    if (!target->stream && !(target->stream = malloc(sizeof *target->stream)))
        no_memory("a long operation");
    *target->stream = (struct tf_stream){verb, *a};
}

/* Where the next ones are wanted, if these stay as they are and in a row. */
static void *place_of_next(const struct tf_target *target)
{
    const struct tf_stream *stream = target->stream;
    bool plain = stream && stream->verb == TF_VERB_PUT && stream->at.type->dense;
    return plain ? (char *)stream->at.at + stream->at.type->true_lb + stream->at.position : NULL;
}

static void serve_bytes(struct tf_target *target, const char *data, size_t length)
{
    struct tf_stream *stream = target->stream;
    if (!stream) /* of a window that was broken */
        return;
    struct tf_apply part = stream->at;
    part.length = length;
    if (data != place_of_next(target) && is_there(target, &part, 0))
        apply(stream->verb, &part, data, NULL);
    stream->at.position += length;
}

/* ---- all pieces ---- */

/* What was there before goes back, from memory if there is no room. */
static void serve_answered(struct tf_target *target, enum tf_verb verb, const struct tf_piece *piece,
                           const struct tf_apply *a, const char *data)
{
    struct tf_peer *peer = target->peer;
    struct tf_header header = {.kind = TF_MSG_RMA, .tag = TF_VERB_DATA, .id = target->number};
    header.source = piece->asker;
    header.length = piece->length;
    void *room = tf_msg_peer(peer)->first_out ? NULL : tf_net_reserve(peer, header.length);
    void *kept = room ? NULL : malloc(header.length);
    if (!room && !kept)
        no_memory("an answer");
    apply(verb, a, data, room ? room : kept);
    if (room)
        tf_net_commit(peer, &header);
    else
        say(target, &header, kept);
    free(kept);
}

/* Bytes of a get that are less than what would have to be kept of it. */
enum { SHORT = 128 };

static void serve_piece(struct tf_target *target, enum tf_verb verb, const char *payload, size_t length)
{
    struct tf_piece piece;
    memcpy(&piece, payload, sizeof piece);
    struct tf_apply a = apply_of(target, &piece);
    const char *data = payload + sizeof piece;
    if (verb != TF_VERB_GET && !piece.asker && length == sizeof piece)
        begin_stream(target, verb, &a);
    else if (!is_there(target, &a, piece.asker))
        ;
    else if (verb == TF_VERB_GET && a.length > SHORT)
        tf_answer_get(target, piece.asker, &a);
    else if (!piece.asker)
        apply(verb, &a, data, NULL);
    else
        serve_answered(target, verb, &piece, &a, data);
}

/* ---- descriptions ---- */

/* The pieces come in a row: nothing else of that process's operations on the window comes in between. */
static void hear_type(struct tf_target *target, const struct tf_header *header, const char *payload)
{
    struct tf_type_part part;
    size_t n = header->length - sizeof part;
    memcpy(&part, payload, sizeof part);
    if (!target->heard && !(target->heard = calloc(1, sizeof *target->heard)))
        no_memory("the datatypes");
    struct tf_win_types *heard = target->heard;
    if (part.position == 0 && !(heard->description = malloc(part.total)))
        no_memory("a datatype");
    memcpy((char *)heard->description + part.position, payload + sizeof part, n);
    if (part.position + n < part.total)
        return;
    struct tf_type **slot = &heard->types[header->context];
    if (*slot)
        tf_type_release(*slot);
    *slot = tf_describe_read(heard->description, part.total);
    free(heard->description);
    heard->description = NULL;
    if (!*slot)
        no_memory("a datatype");
}

/* ---- all ---- */

/* Of that window here nothing will be heard. */
static TF_COLD void say_gone(struct tf_peer *peer, uint32_t number)
{
    if (!tf_out_say(peer, &(struct tf_header){.kind = TF_MSG_RMA, .tag = TF_VERB_GONE, .id = number}, NULL))
        no_memory("a message");
}

/* The sender's rank in the window is `source`, but for what answers an operation. */
static void hear(struct tf_peer *peer, const struct tf_header *header, void *payload)
{
    enum tf_verb verb = (enum tf_verb)header->tag;
    if (verb == TF_VERB_DATA) {
        tf_op_answer(header->source, payload, header->length);
        return;
    }
    if (verb == TF_VERB_FETCHED) {
        tf_fetch_end(header->source, header->context);
        return;
    }
    if (verb == TF_VERB_GONE) {
        tf_win_gone(peer, header->id);
        return;
    }
    uint32_t rank = verb == TF_VERB_REFUSED ? (uint32_t)header->context : header->source;
    struct tf_win *win = tf_win_of_message(header->id, rank, peer);
    if (TF_UNLIKELY(!win)) {
        say_gone(peer, header->id);
        return;
    }
    struct tf_target *target = &win->targets[rank];
    switch (verb) {
    case TF_VERB_FETCH:
        tf_fetch_serve(target, header->context, payload, header->length);
        break;
    case TF_VERB_TYPE:
        hear_type(target, header, payload);
        break;
    case TF_VERB_MARK:
        tf_serve_say(target, TF_VERB_MARKED, header->context);
        break;
    case TF_VERB_MARKED:
        target->acknowledged = (uint32_t)header->context;
        break;
    case TF_VERB_REFUSED:
        tf_op_refused(target, header->source, header->context >> 32, payload, header->length);
        break;
    case TF_VERB_LOCK:
        tf_lock_ask(win, (int)rank, (enum tf_win_want)header->context);
        break;
    case TF_VERB_GRANTED:
        target->granted = true;
        tf_op_push(target);
        break;
    case TF_VERB_UNLOCK:
        tf_lock_return(win, (int)rank);
        tf_serve_say(target, TF_VERB_MARKED, header->context);
        break;
    case TF_VERB_POST:
        target->posts++;
        break;
    case TF_VERB_COMPLETE:
        target->completes++;
        break;
    case TF_VERB_REGION:
        tell_key(target);
        break;
    case TF_VERB_KEY:
        tf_region_learn(target, payload, header->length);
        break;
    case TF_VERB_BYTES:
        serve_bytes(target, payload, header->length);
        break;
    default:
        serve_piece(target, verb, payload, header->length);
    }
}

/* Of what comes: bytes of a dynamic window may have to be refused, and so do not land. */
static void *land(const struct tf_header *header)
{
    if (header->tag == TF_VERB_DATA)
        return tf_op_landing(header->source);
    const struct tf_win *win = header->tag == TF_VERB_BYTES ? tf_win_numbered(header->id, header->source) : NULL;
    return win && win->flavor != MPI_WIN_FLAVOR_DYNAMIC ? place_of_next(&win->targets[header->source]) : NULL;
}

void tf_serve_setup(void)
{
    tf_net_land(TF_MSG_RMA, land);
    tf_net_handle(TF_MSG_RMA, hear);
}
