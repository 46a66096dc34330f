/* region.c - see region.h. */
#include "rma/region.h"

#include "rma/serve.h"

enum { PIECE = 1 << 30 }; /* bytes that the network is given at a time */

/* ---- the target's side ---- */

/* Memory of this process that the network may reach. */
struct tf_region {
    const struct tf_net *net;
    void *hold;
    size_t length; /* of the key; 0: it could not be had */
    unsigned char key[TF_NET_KEY];
};

static struct tf_region *open_region(const struct tf_win *win, const struct tf_net *net)
{
    struct tf_region *region = calloc(1, sizeof *region);
    if (region && net->regions && net->regions() && win->size > 0) {
        region->net = net;
        region->length = net->open_region(win->base, (size_t)win->size, region->key, &region->hold);
    }
    return region;
}

const void *tf_region_key(struct tf_win *win, const struct tf_peer *peer, size_t *length)
{
    if (!win->region)
        win->region = open_region(win, peer->net);
    if (!win->region || win->region->length == 0 || win->region->net != peer->net)
        return NULL;
    *length = win->region->length;
    return win->region->key;
}

void tf_region_close(struct tf_win *win)
{
    if (win->region && win->region->length > 0)
        win->region->net->close_region(win->region->hold);
    free(win->region);
    win->region = NULL;
}

/* ---- the origin's side: keys ---- */

struct tf_region_key {
    size_t length;
    unsigned char bytes[];
};

void tf_region_learn(struct tf_target *target, const void *key, size_t length)
{
    if (length == 0 || !(target->key = malloc(sizeof *target->key + length)))
        return;
    target->key->length = length;
    memcpy(target->key->bytes, key, length);
}

static const struct tf_win_side *side_of(const struct tf_win_op *op)
{
    return op->verb == TF_VERB_PUT ? &op->from : &op->into;
}

/* Rows of bytes, of which each side has one. */
static bool is_plain(const struct tf_win_op *op)
{
    return (op->verb == TF_VERB_PUT || op->verb == TF_VERB_GET) && !op->type && op->at.type->dense &&
           side_of(op)->type->dense;
}

bool tf_region_takes(const struct tf_win_op *op)
{
    struct tf_target *target = op->target;
    const struct tf_net *net = target->peer->net;
    if (!net->regions || target->win->flavor == MPI_WIN_FLAVOR_DYNAMIC || !is_plain(op))
        return false;
    if (!target->asked_key && net->regions())
        tf_serve_say(target, TF_VERB_REGION, 0);
    target->asked_key = true;
    return target->key != NULL;
}

/* ---- the origin's side: what is under way ---- */

struct tf_transfer {
    struct tf_net_access access;
    struct tf_win_op *op; /* NULL: it is gone */
    bool under_way;
};

void tf_region_leave(struct tf_win_op *op)
{
    struct tf_transfer *transfer = op->transfer;
    op->transfer = NULL;
    if (transfer && transfer->under_way)
        transfer->op = NULL;
    else
        free(transfer);
}

static void done(struct tf_net_access *access, bool good)
{
    struct tf_transfer *transfer = TF_CONTAINER(access, struct tf_transfer, access);
    struct tf_win_op *op = transfer->op;
    transfer->under_way = false;
    if (!op)
        free(transfer);
    else
        tf_op_transferred(op, access->bytes, good);
}

static struct tf_transfer *create(struct tf_win_op *op)
{
    struct tf_transfer *transfer = calloc(1, sizeof *transfer);
    if (!transfer)
        return NULL;
    transfer->op = op;
    transfer->access = (struct tf_net_access){.key = op->target->key->bytes, .key_length = op->target->key->length};
    transfer->access.done = done;
    return op->transfer = transfer;
}

static enum tf_net_outcome start(struct tf_win_op *op, struct tf_transfer *transfer)
{
    const struct tf_win_side *side = side_of(op);
    struct tf_peer *peer = op->target->peer;
    struct tf_net_access *access = &transfer->access;
    size_t rest = op->total - op->sent;
    access->address = (uint64_t)op->at.at + (uint64_t)op->at.type->true_lb + op->sent;
    access->here = (char *)side->buf + side->type->true_lb + op->sent;
    access->bytes = rest < PIECE ? rest : PIECE;
    return (op->verb == TF_VERB_PUT ? peer->net->put : peer->net->get)(peer, access);
}

static void count(const struct tf_win_op *op, size_t bytes)
{
    struct tf_peer *peer = op->target->peer;
    *(op->verb == TF_VERB_PUT ? &peer->bytes_written : &peer->bytes_read) += bytes;
}

bool tf_region_push(struct tf_win_op *op)
{
    struct tf_transfer *transfer = op->transfer ? op->transfer : create(op);
    while (op->by_network && op->sent < op->total) {
        if (transfer && transfer->under_way)
            return false;
        enum tf_net_outcome outcome = transfer ? start(op, transfer) : TF_NET_REFUSED;
        if (outcome == TF_NET_BUSY)
            return false;
        if (outcome == TF_NET_REFUSED) { /* from its beginning: what is done twice is as well done */
            tf_region_leave(op);
            op->by_network = false;
            op->sent = op->received = 0;
            return false;
        }
        count(op, transfer->access.bytes);
        op->sent += transfer->access.bytes;
        transfer->under_way = outcome == TF_NET_STARTED;
        op->received += outcome == TF_NET_DONE ? transfer->access.bytes : 0;
    }
    return op->by_network;
}
