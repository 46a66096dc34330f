/* fetch.c - see fetch.h. */
#include "msg/fetch.h"

uint32_t tf_fetch_waiting;

/* Memory of other nodes is read later than now.  One that is synchronous has to wait. */
static bool may_be_kept(struct tf_peer *peer, const struct tf_header *h, const struct tf_rts *facts)
{
    const struct tf_msg_peer *sender = tf_msg_peer(peer);
    return h->kind == TF_MSG_RTS && !(h->flags & TF_FLAG_SYNC) && facts->address && !peer->net->expose &&
           facts->total <= sender->eager && !sender->sated;
}

struct tf_unexpected *tf_fetch(struct tf_peer *peer, const struct tf_header *h, const struct tf_rts *facts)
{
    if (!may_be_kept(peer, h, facts))
        return NULL;
    struct tf_header header = *h;
    header.kind = TF_MSG_EAGER;
    header.length = (uint32_t)facts->total;
    struct tf_unexpected *message = tf_credit_take(peer, &header, facts->total);
    if (!message)
        return NULL;
    message->facts = *facts;
    struct tf_net_access read = {.address = facts->address, .here = message->data, .bytes = facts->total};
    if (peer->net->read(peer, &read) != TF_NET_DONE) {
        tf_credit_give(message);
        return NULL;
    }
    peer->bytes_read += facts->total;
    if (tf_out_say(peer, &(struct tf_header){.kind = TF_MSG_ACK, .flags = TF_FLAG_KEPT, .id = h->id}, NULL))
        return message;
    tf_credit_give(message);
    return NULL;
}

static uint64_t nfetched;

static void fetch_all_of(struct tf_match *match, struct tf_peer *peer)
{
    (void)peer;
    for (struct tf_unexpected *m = match->unexpected.list.first, *next; m; m = next) {
        next = m->next;
        struct tf_unexpected *fetched = tf_match_is_stop(m) ? NULL : tf_fetch(m->peer, &m->header, &m->facts);
        if (!fetched)
            continue;
        tf_arrived_replace(&match->unexpected, m, fetched);
        tf_credit_give(m);
        nfetched++;
    }
}

void tf_fetch_all(void)
{
    tf_match_each(fetch_all_of, NULL);
}

/* A program that is not unsafe has its receive by then, and needs no further copy.  One that has shown that it is waits
 * for no other reason, mostly. */
static const int64_t LATE = TF_MILLISECOND, SOON = 20 * TF_MICROSECOND;

void tf_fetch_late(const struct tf_pause *pause)
{
    static int64_t last; /* once a wait: what has stayed is not to be kept */
    static int64_t late = TF_MILLISECOND;
    uint64_t before = nfetched;
    bool sleeps = pause->announced; /* next, and for long */
    if ((tf_pause_now - pause->since < late && !sleeps) || last >= pause->since)
        return;
    last = tf_pause_now;
    tf_fetch_all();
    late = nfetched != before ? SOON : 2 * late < LATE ? 2 * late : LATE;
}
