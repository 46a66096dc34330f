/* copy.c - see copy.h. */
#include "rma/copy.h"

#include "net/net.h"

/* A shorter one costs less as a message than as a call of the system, but then the target has to take it and to say so:
 * with the first few the call is quicker.  Not where the target ends the epoch too, and so takes it while it waits for
 * that; but what has no room in the ring would wait for the target, as what is asked for would in any case. */
enum { SHORT = 512, FEW = 8, SHORT_FOR_BOTH = 16 * 1024 + 1, PIECE = 1 << 30 };

/* The epoch is one of MPI_Win_start, or of MPI_Win_fence with few processes, all of a node. */
static bool is_of_both(const struct tf_target *target)
{
    return target->started || (target->win->fences_by_memory && target->win->fenced && !target->lock);
}

static bool is_one_of_many(const struct tf_win_op *op)
{
    struct tf_target *target = op->target;
    if (op->verb != TF_VERB_PUT || op->total >= (is_of_both(target) ? SHORT_FOR_BOTH : SHORT))
        return false;
    if (is_of_both(target))
        return !target->first;
    if (target->copied_in != target->win->syncs)
        target->copied = 0;
    target->copied_in = target->win->syncs;
    return target->dirty || ++target->copied > FEW;
}

static const struct tf_win_side *side_of(const struct tf_win_op *op)
{
    return op->verb == TF_VERB_PUT ? &op->from : op->verb == TF_VERB_GET ? &op->into : NULL;
}

static bool move(const struct tf_win_op *op, uint64_t there, char *here, size_t bytes)
{
    struct tf_peer *peer = op->target->peer;
    struct tf_net_access read = {.address = there, .here = here, .bytes = bytes};
    if (op->verb == TF_VERB_PUT)
        return peer->net->write(peer, there, here, bytes);
    return peer->net->read(peer, &read) == TF_NET_DONE;
}

bool tf_copy(const struct tf_win_op *op)
{
    const struct tf_win_side *side = side_of(op);
    struct tf_peer *peer = op->target->peer;
    if (!side || op->type || !op->at.type->dense || !side->type->dense ||
        op->target->win->flavor != MPI_WIN_FLAVOR_CREATE || is_one_of_many(op))
        return false;
    tf_net_meet(peer);
    if (!peer->net->write || !peer->net->read)
        return false;
    uint64_t there = (uint64_t)op->at.at + (uint64_t)op->at.type->true_lb;
    char *here = (char *)side->buf + side->type->true_lb;
    bool good = true;
    for (size_t at = 0, n; at < op->total && good; at += n) {
        n = op->total - at < PIECE ? op->total - at : PIECE;
        good = move(op, there + at, here + at, n);
    }
    return good;
}
