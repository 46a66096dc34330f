/* unwanted.c - messages that nobody will receive; see unwanted.h. */
#include "msg/unwanted.h"
#include "msg/lost.h"
#include "msg/revoked.h"

void tf_recv_decline(struct tf_peer *peer, const struct tf_header *h)
{
    if (!tf_out_say(peer, &(struct tf_header){.kind = TF_MSG_ACK, .id = h->id}, NULL))
        tf_fatal(1, "no memory to answer rank %d of the job, whose message nobody will receive", peer->rank);
}

void tf_unwanted_discard(struct tf_peer *peer, const struct tf_header *h)
{
    if (tf_header_is_announcement(h) || (h->flags & TF_FLAG_SYNC))
        tf_recv_decline(peer, h);
}

void tf_unwanted_refuse(struct tf_peer *peer, const struct tf_header *h)
{
    bool waits = h->kind == TF_MSG_RTS || (h->flags & TF_FLAG_SYNC);
    if (tf_header_is_coll(h))
        tf_unwanted_discard(peer, h);
    else if (waits && !tf_out_say(peer, &(struct tf_header){.kind = TF_MSG_REFUSED, .id = h->id}, NULL))
        tf_fatal(1, "no memory to answer rank %d of the job, whose communicator is revoked", peer->rank);
}

bool tf_unwanted_is_revoked(const struct tf_match *match, uint64_t context)
{
    return match ? match->broken == MPIX_ERR_REVOKED : tf_revoked_is(context);
}

static void discard_kept(struct tf_match *match, bool all)
{
    for (int i = 0; i < TF_KEPT_LISTS; i++) {
        struct tf_messages *kept = &match->coll_unexpected[i];
        for (struct tf_unexpected *m = kept->first, *next; m; m = next) {
            next = m->next;
            if (!all && !tf_accord_is_stray(&match->accord, m->peer, m->header.sequence, m->facts.fingerprint))
                continue;
            tf_messages_remove(kept, m);
            match->coll_kept--;
            tf_unwanted_discard(m->peer, &m->header);
            tf_credit_give(m);
        }
    }
}

/* What waits there for its receive, and for its communicator. */
void tf_match_refuse(struct tf_match *match)
{
    for (struct tf_unexpected *m = match->unexpected.list.first, *next; m; m = next) {
        next = m->next;
        if (tf_match_is_stop(m))
            continue;
        tf_unwanted_refuse(m->peer, &m->header);
        tf_match_forget(match, m);
    }
    tf_match_discard_all(match);
}

void tf_match_refuse_early(uint64_t context)
{
    for (struct tf_unexpected *m = tf_match_early.first, *next; m; m = next) {
        next = m->next;
        if (m->header.context != context)
            continue;
        tf_messages_remove(&tf_match_early, m);
        tf_unwanted_refuse(m->peer, &m->header);
        tf_credit_give(m);
    }
}

void tf_match_sift(struct tf_match *match)
{
    discard_kept(match, false);
}

void tf_match_discard_all(struct tf_match *match)
{
    discard_kept(match, true);
}
