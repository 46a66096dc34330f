/* fetch.c - see fetch.h. */
#include "rma/fetch.h"

#include "msg/transfer.h"
#include "rma/apply.h"
#include "rma/op.h"
#include "rma/quick.h"

struct fetch {
    struct tf_target *target;
    void *old;
    size_t bytes;
    uint32_t id;
};

enum { WITHOUT_COMPARE = offsetof(struct tf_fetch_ask, compare) };
_Static_assert(sizeof(struct tf_fetch_ask) <= TF_CELL_FIRST, "it fits into the first line of a cell");

/* ---- under way ---- */

static const struct tf_peer *peer_of(const void *object)
{
    return ((const struct fetch *)object)->target->peer;
}

static void end(void *object)
{
    struct fetch *fetch = object;
    fetch->target->answers--;
    tf_id_give(fetch->id);
    free(fetch);
}

static const struct tf_id_kind fetches = {peer_of, end};

void tf_fetch_end(uint32_t id, uint64_t value)
{
    struct fetch *fetch = tf_id_object(id);
    memcpy(fetch->old, &value, fetch->bytes);
    end(fetch);
}

/* ---- asking ---- */

static bool is_open(struct tf_win *win, struct tf_target *target)
{
    if (target->granted || tf_quick_is_open(win, target))
        return true;
    bool first = !target->lock && win->fenced && !win->started && win->locks == 0; /* since the fence */
    win->used |= first;
    return first;
}

/* Nothing waits to go there, so this one's turn is now; as op.c has it, others wait for room. */
static bool may_go(const struct tf_target *target)
{
    return !target->first && target->answers < TF_OPS_KEPT && target->win->nlost == 0;
}

/* Where it lies there; 0: it is none that goes this way. */
static uint64_t find(const struct tf_target *target, MPI_Aint disp, const struct tf_type *type)
{
    uint64_t offset;
    if (__builtin_mul_overflow((uint64_t)disp, target->unit, &offset) || offset > target->size ||
        (uint64_t)type->size > target->size - offset)
        return 0;
    return tf_single_can(type, target->base + offset) ? target->base + offset : 0;
}

static bool send(struct tf_target *target, uint64_t at, const struct tf_fetch_ask *ask)
{
    struct tf_header header = {.kind = TF_MSG_RMA, .tag = TF_VERB_FETCH, .id = target->number};
    header.context = at;
    header.source = (uint32_t)target->win->comm->rank;
    header.length = ask->op ? WITHOUT_COMPARE : sizeof *ask;
    void *room = tf_net_reserve(target->peer, header.length);
    if (!room)
        return false;
    memcpy(room, ask, sizeof *ask); /* a cell has room for both kinds */
    tf_net_commit(target->peer, &header);
    return true;
}

/* `op` NULL: a swap. */
static bool begin(struct tf_win *win, int rank, MPI_Aint disp, const struct tf_type *type, const struct tf_op *op,
                  const void *compare, const void *data, void *old)
{
    if ((unsigned)rank >= (unsigned)win->comm->size || win->flavor == MPI_WIN_FLAVOR_DYNAMIC ||
        tf_quick_is_special(old))
        return false;
    struct tf_target *target = &win->targets[rank];
    uint64_t at;
    if (target->direct || !may_go(target) || !is_open(win, target) || !(at = find(target, disp, type)))
        return false;
    tf_net_meet(target->peer);
    struct fetch *fetch = malloc(sizeof *fetch);
    if (!fetch)
        return false;
    *fetch = (struct fetch){target, old, (size_t)type->size, tf_id_take(fetch, &fetches)};
    struct tf_fetch_ask ask = {.asker = fetch->id, .type = (uint16_t)type->obj.handle};
    ask.op = op ? (uint16_t)op->obj.handle : 0;
    if (data)
        memcpy(&ask.value, data, fetch->bytes);
    if (compare)
        memcpy(&ask.compare, compare, fetch->bytes);
    target->answers++;
    if (!send(target, at, &ask)) {
        end(fetch);
        return false;
    }
    target->dirty = false; /* its answer says that all before it is done */
    win->sent = true;
    return true;
}

bool tf_fetch_combine(struct tf_win *win, int rank, MPI_Aint disp, const struct tf_type *type, const struct tf_op *op,
                      const void *data, void *old)
{
    if (tf_single_op_is(op, MPI_NO_OP))
        data = NULL; /* it does not count */
    else if (tf_quick_is_special(data))
        return false;
    return tf_single_is_defined(op, type) && begin(win, rank, disp, type, op, NULL, data, old);
}

bool tf_fetch_swap(struct tf_win *win, int rank, MPI_Aint disp, const struct tf_type *type, const void *compare,
                   const void *data, void *old)
{
    bool takes = type->obj.handle < 4096 && tf_single_is_integer(type) && !tf_quick_is_special(compare) &&
                 !tf_quick_is_special(data);
    return takes && begin(win, rank, disp, type, NULL, compare, data, old);
}

/* ---- answering ---- */

void tf_fetch_serve(struct tf_target *asker, uint64_t at, const void *payload, size_t length)
{
    const struct tf_target *own = &asker->win->targets[asker->win->comm->rank];
    struct tf_share *share = tf_win_shared(own);
    struct tf_fetch_ask ask = {0};
    uint64_t old = 0;
    memcpy(&ask, payload, length);
    const struct tf_type *type = tf_type_find((MPI_Datatype)(uintptr_t)ask.type);
    if (share)
        tf_share_enter(share, at, own->win->share);
    if (ask.op)
        tf_single_combine((void *)(uintptr_t)at, type, tf_op_find((MPI_Op)(uintptr_t)ask.op), &ask.value, &old);
    else
        tf_single_swap((void *)(uintptr_t)at, (size_t)type->size, &ask.compare, &ask.value, &old);
    if (share)
        tf_share_leave(own->win->share);
    struct tf_header header = {.kind = TF_MSG_RMA, .tag = TF_VERB_FETCHED, .id = asker->number};
    header.context = old;
    header.source = ask.asker;
    if (!tf_out_say(asker->peer, &header, NULL))
        tf_fatal(1, "treefold[%d]: no memory for an answer of a window", tf_job.rank);
}
