/* serve.c - what a process does with the messages of its windows: see wire.h.
 *
 * Nothing here waits: an answer for which there is no room is kept until there is.
 */
#include "rma/serve.h"

#include "msg/transfer.h"
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

/* ---- answers ---- */

struct answer {
    struct tf_out out;
    struct tf_header header;
    char payload[];
};

static bool push_answer(struct tf_peer *peer, struct tf_out *out)
{
    struct answer *answer = TF_CONTAINER(out, struct answer, out);
    void *room = tf_net_reserve(peer, answer->header.length);
    if (!room)
        return false;
    memcpy(room, answer->payload, answer->header.length);
    tf_net_commit(peer, &answer->header);
    free(answer);
    return true;
}

/* Where header->length bytes of an answer go: into the ring, or, if *kept, into memory until there is room. */
static void *begin_answer(struct tf_peer *peer, const struct tf_header *header, struct answer **kept)
{
    *kept = NULL;
    void *room = tf_msg_peer(peer)->first_out ? NULL : tf_net_reserve(peer, header->length);
    if (room)
        return room;
    *kept = malloc(sizeof **kept + header->length);
    if (!*kept)
        no_memory("an answer");
    (*kept)->header = *header;
    (*kept)->out.push = push_answer;
    return (*kept)->payload;
}

static void end_answer(struct tf_peer *peer, const struct tf_header *header, struct answer *kept)
{
    if (kept)
        tf_out_submit(peer, &kept->out);
    else
        tf_net_commit(peer, header);
}

void tf_serve_say(struct tf_target *target, enum tf_verb verb, uint64_t context)
{
    struct tf_header header = {.kind = TF_MSG_RMA, .tag = (int32_t)verb, .id = target->number};
    header.context = context;
    header.source = (uint32_t)target->win->comm->rank;
    if (!tf_out_say(target->peer, &header, NULL))
        no_memory("a message");
}

static void refuse(struct tf_target *target, const struct tf_piece *piece, bool answered, const char *words)
{
    struct answer *kept;
    size_t length = strlen(words);
    struct tf_header header = {.kind = TF_MSG_RMA, .tag = TF_VERB_REFUSED, .id = target->number};
    header.context = (uint64_t)(answered ? piece->length : 0) << 32 | (uint32_t)target->win->comm->rank;
    header.source = answered ? piece->asker : 0;
    header.length = (uint32_t)length;
    char *room = begin_answer(target->peer, &header, &kept);
    memcpy(room, words, length);
    end_answer(target->peer, &header, kept);
}

static void tell_key(struct tf_target *target)
{
    struct answer *kept;
    size_t length = 0;
    const void *key = tf_region_key(target->win, target->peer, &length);
    struct tf_header header = {.kind = TF_MSG_RMA, .tag = TF_VERB_KEY, .id = target->number};
    header.source = (uint32_t)target->win->comm->rank;
    header.length = (uint32_t)length;
    void *room = begin_answer(target->peer, &header, &kept);
    if (key)
        memcpy(room, key, length);
    end_answer(target->peer, &header, kept);
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

static void apply(struct tf_target *target, enum tf_verb verb, const struct tf_apply *a, const char *data, void *old)
{
    (void)target;
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

static void serve_piece(struct tf_target *target, enum tf_verb verb, const char *payload)
{
    struct tf_piece piece;
    struct answer *kept = NULL;
    memcpy(&piece, payload, sizeof piece);
    struct tf_apply a = {.at = (uintptr_t)piece.at,
                         .count = (MPI_Count)piece.count,
                         .type = type_of(target, &piece),
                         .position = piece.position,
                         .length = piece.length,
                         .op = piece.op ? tf_op_find((MPI_Op)(uintptr_t)piece.op) : NULL,
                         .element = element_of(&piece)};
    tf_win_share(&target->win->targets[target->win->comm->rank], &a);
    bool answered = piece.asker != 0;
    if (target->win->flavor == MPI_WIN_FLAVOR_DYNAMIC) {
        char words[300];
        if (!tf_dynamic_covers(target->win, &a, words, sizeof words)) {
            refuse(target, &piece, answered, words);
            return;
        }
    }
    struct tf_header header = {.kind = TF_MSG_RMA, .tag = TF_VERB_DATA, .id = target->number};
    header.context = piece.position;
    header.source = piece.asker;
    header.length = piece.length;
    void *old = answered ? begin_answer(target->peer, &header, &kept) : NULL;
    apply(target, verb, &a, payload + sizeof piece, old);
    if (answered)
        end_answer(target->peer, &header, kept);
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
        tf_op_answer(header->source, header->context, payload, header->length);
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
    default:
        serve_piece(target, verb, payload);
    }
}

void tf_serve_setup(void)
{
    tf_net_handle(TF_MSG_RMA, hear);
}
