/* match.c - the prover pairs sends with receives: the k-th message between two ranks in one direction has one of each.
 */
#include "plan/symbolic.h"

/* Where the steps of one kind between two ranks are found: at[offset[from * size + to] + tag]. */
struct mailbox {
    uint32_t *offset;
    int64_t *at;
};

static size_t pair_of(const struct tf_symbolic *c, const struct tf_event *e)
{
    int32_t peer = tf_symbolic_step(c, e)->peer;

    return tf_symbolic_step(c, e)->kind == TF_SEND ? (size_t)e->rank * c->call->size + peer
                                                   : (size_t)peer * c->call->size + e->rank;
}

/* File the sends, or the receives; false if the messages of a pair are not numbered 0, 1, 2, ... */
static bool file_messages(struct tf_symbolic *c, struct mailbox *box, bool receives)
{
    size_t pairs = (size_t)c->call->size * c->call->size;

    box->offset = calloc(pairs + 1, sizeof *box->offset);
    box->at = malloc((c->nevents + 1) * sizeof *box->at);
    if (!box->offset || !box->at)
        return tf_symbolic_fail(c, "no memory to match the messages");
    memset(box->at, 0xff, (c->nevents + 1) * sizeof *box->at);
    for (uint32_t i = 0; i < c->nevents; i++)
        if (receives ? tf_symbolic_receives(tf_symbolic_step(c, &c->events[i]))
                     : tf_symbolic_step(c, &c->events[i])->kind == TF_SEND)
            box->offset[pair_of(c, &c->events[i]) + 1]++;
    for (size_t i = 0; i < pairs; i++)
        box->offset[i + 1] += box->offset[i];
    for (uint32_t i = 0; i < c->nevents; i++) {
        const struct tf_event *e = &c->events[i];
        if (!(receives ? tf_symbolic_receives(tf_symbolic_step(c, e)) : tf_symbolic_step(c, e)->kind == TF_SEND))
            continue;
        size_t pair = pair_of(c, e);
        uint32_t count = box->offset[pair + 1] - box->offset[pair];
        int32_t tag = tf_symbolic_step(c, e)->tag;
        if (tag < 0 || (uint32_t)tag >= count || box->at[box->offset[pair] + tag] >= 0)
            return tf_symbolic_fail_at(c, e, "the messages of a pair must be numbered from 0, each number once");
        box->at[box->offset[pair] + tag] = i;
    }
    return true;
}

static bool match_events(struct tf_symbolic *c, const struct mailbox *sends, const struct mailbox *receives)
{
    for (uint32_t i = 0; i < c->nevents; i++) {
        struct tf_event *e = &c->events[i];
        const struct tf_step *s = tf_symbolic_step(c, e);
        e->partner = -1;
        if (s->peer < 0 || s->kind == TF_REDUCE_LOCAL || s->kind == TF_COPY || s->kind == TF_COMBINE)
            continue;
        const struct mailbox *other = s->kind == TF_SEND ? receives : sends;
        size_t pair = pair_of(c, e);
        if ((uint32_t)s->tag >= other->offset[pair + 1] - other->offset[pair])
            return tf_symbolic_fail_at(c, e, "rank %d has no %s for it", s->peer,
                                       s->kind == TF_SEND ? "receive" : "send");
        e->partner = other->at[other->offset[pair] + s->tag];
    }
    return true;
}

bool tf_symbolic_match(struct tf_symbolic *c)
{
    struct mailbox sends = {0}, receives = {0};
    bool right =
        file_messages(c, &sends, false) && file_messages(c, &receives, true) && match_events(c, &sends, &receives);

    free(sends.offset);
    free(sends.at);
    free(receives.offset);
    free(receives.at);
    return right;
}
