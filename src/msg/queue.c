/* queue.c - see queue.h.
 *
 * A kind of receive is whether it names its source and its tag; the key of a receive holds what it names, and the
 * wildcards as they are, which no message has.  A message has a key for each kind.
 */
#include "msg/queue.h"

enum { ANY_SOURCE = 1, ANY_TAG = 2 };

static unsigned kind_of(int source, int tag)
{
    return (source == MPI_ANY_SOURCE ? ANY_SOURCE : 0) | (tag == MPI_ANY_TAG ? ANY_TAG : 0);
}

static struct tf_key key_of(int source, int tag)
{
    return (struct tf_key){.a = (uint64_t)(uint32_t)source << 32 | (uint32_t)tag};
}

/* What a receive of that kind names that gets the message. */
static struct tf_key key_of_message(const struct tf_header *h, unsigned kind)
{
    return key_of(kind & ANY_SOURCE ? MPI_ANY_SOURCE : (int)h->source, kind & ANY_TAG ? MPI_ANY_TAG : h->tag);
}

static bool is_for_kind(const struct tf_header *h, unsigned kind)
{
    return h->tag >= 0 || !(kind & ANY_TAG);
}

static struct tf_key key_of_coll(const struct tf_peer *peer, uint32_t sequence, int tag)
{
    return (struct tf_key){(uintptr_t)peer, (uint64_t)sequence << 32 | (uint32_t)tag};
}

/* ---- receives ---- */

void tf_posted_tell(void)
{
    tf_listen_tell(TF_NEWS_POSTED, tf_match_posted);
}

static void drop_index(struct tf_posted *posted)
{
    tf_index_free(posted->index);
    posted->index = NULL;
}

static bool add_recv(struct tf_posted *posted, struct tf_recv *recv)
{
    struct tf_key key =
        recv->collective ? key_of_coll(recv->peer, recv->sequence, recv->tag) : key_of(recv->source, recv->tag);
    posted->kinds |= 1u << kind_of(recv->source, recv->tag); /* of no meaning for collectives */
    recv->place = tf_index_add(posted->index, key, recv);
    return recv->place != 0;
}

/* The index is there and has all receives in it, or, false, there is no memory for that and no index. */
static bool have_index(struct tf_posted *posted)
{
    if (!posted->index) {
        posted->index = tf_index_create();
        posted->fresh = &posted->first;
        posted->kinds = 0;
    }
    for (; posted->index && *posted->fresh; posted->fresh = &(*posted->fresh)->next)
        if (!add_recv(posted, *posted->fresh))
            drop_index(posted);
    return posted->index != NULL;
}

/* The index, if there is one, has all receives in it. */
static struct tf_recv *take(struct tf_posted *posted, struct tf_recv *recv)
{
    if (posted->index)
        tf_index_remove(posted->index, recv->place);
    tf_posted_unlink(posted, recv);
    posted->fresh = posted->end;
    if (!posted->first)
        drop_index(posted);
    return recv;
}

static bool fits_coll(const struct tf_recv *recv, const struct tf_peer *peer, const struct tf_header *h)
{
    return recv->peer == peer && recv->sequence == h->sequence && recv->tag == h->tag;
}

static struct tf_recv *find_indexed(const struct tf_posted *posted, const struct tf_header *h)
{
    struct tf_recv *earliest = NULL;
    uint64_t least = UINT64_MAX, order;
    for (unsigned kind = 0; kind < TF_QUEUE_KINDS; kind++) {
        if (!(posted->kinds & 1u << kind) || !is_for_kind(h, kind))
            continue;
        struct tf_recv *recv = tf_index_first(posted->index, key_of_message(h, kind), &order);
        if (recv && order < least) {
            least = order;
            earliest = recv;
        }
    }
    return earliest;
}

/* Up to TF_QUEUE_WALK receives are looked at; then *is_long, if there is memory for the index of a long queue. */
static struct tf_recv *walk(struct tf_posted *posted, const struct tf_peer *peer, const struct tf_header *h,
                            bool *is_long)
{
    int walked = 0;
    *is_long = posted->index && have_index(posted);
    for (struct tf_recv *r = *is_long ? NULL : posted->first; r; r = r->next) {
        if (peer ? fits_coll(r, peer, h) : tf_queue_fits(r->source, r->tag, h))
            return r;
        if (++walked == TF_QUEUE_WALK && have_index(posted)) {
            *is_long = true;
            break;
        }
    }
    return NULL;
}

struct tf_recv *tf_posted_take(struct tf_posted *posted, const struct tf_header *h)
{
    bool is_long;
    struct tf_recv *recv = walk(posted, NULL, h, &is_long);
    if (is_long)
        recv = find_indexed(posted, h);
    return recv ? take(posted, recv) : NULL;
}

struct tf_recv *tf_posted_take_coll(struct tf_posted *posted, const struct tf_peer *peer, const struct tf_header *h)
{
    bool is_long;
    uint64_t order;
    struct tf_recv *recv = walk(posted, peer, h, &is_long);
    if (is_long)
        recv = tf_index_first(posted->index, key_of_coll(peer, h->sequence, h->tag), &order);
    return recv ? take(posted, recv) : NULL;
}

void tf_posted_withdraw(struct tf_posted *posted, struct tf_recv *recv)
{
    if (posted->index)
        have_index(posted);
    take(posted, recv);
}

/* ---- messages ---- */

void tf_messages_append(struct tf_messages *messages, struct tf_unexpected *message)
{
    message->next = NULL;
    message->link = messages->end;
    *messages->end = message;
    messages->end = &message->next;
}

void tf_messages_remove(struct tf_messages *messages, struct tf_unexpected *message)
{
    *message->link = message->next;
    if (message->next)
        message->next->link = message->link;
    else
        messages->end = message->link;
}

static void drop_kind(struct tf_arrived *arrived, unsigned kind)
{
    tf_index_free(arrived->index[kind]);
    arrived->index[kind] = NULL;
}

static void add_message(struct tf_arrived *arrived, unsigned kind, struct tf_unexpected *message)
{
    message->place[kind] = 0;
    if (!is_for_kind(&message->header, kind))
        return;
    message->place[kind] = tf_index_add(arrived->index[kind], key_of_message(&message->header, kind), message);
    if (!message->place[kind])
        drop_kind(arrived, kind);
}

void tf_arrived_append(struct tf_arrived *arrived, struct tf_unexpected *message)
{
    tf_messages_append(&arrived->list, message);
    for (unsigned kind = 0; kind < TF_QUEUE_KINDS; kind++)
        if (arrived->index[kind])
            add_message(arrived, kind, message);
}

void tf_arrived_remove(struct tf_arrived *arrived, struct tf_unexpected *message)
{
    tf_messages_remove(&arrived->list, message);
    for (unsigned kind = 0; kind < TF_QUEUE_KINDS; kind++) {
        if (!arrived->index[kind])
            continue;
        if (message->place[kind])
            tf_index_remove(arrived->index[kind], message->place[kind]);
        if (!arrived->list.first)
            drop_kind(arrived, kind);
    }
}

void tf_arrived_replace(struct tf_arrived *arrived, struct tf_unexpected *old, struct tf_unexpected *message)
{
    message->link = old->link;
    message->next = old->next;
    *message->link = message;
    if (message->next)
        message->next->link = &message->next;
    else
        arrived->list.end = &message->next;
    for (unsigned kind = 0; kind < TF_QUEUE_KINDS; kind++) {
        if (!arrived->index[kind])
            continue;
        message->place[kind] = old->place[kind];
        if (message->place[kind])
            tf_index_replace(arrived->index[kind], message->place[kind], message);
    }
}

static bool index_kind(struct tf_arrived *arrived, unsigned kind)
{
    arrived->index[kind] = tf_index_create();
    for (struct tf_unexpected *m = arrived->list.first; m && arrived->index[kind]; m = m->next)
        add_message(arrived, kind, m);
    return arrived->index[kind] != NULL;
}

struct tf_unexpected *tf_arrived_find(struct tf_arrived *arrived, int source, int tag)
{
    unsigned kind = kind_of(source, tag);
    struct tf_unexpected *m = arrived->index[kind] ? NULL : arrived->list.first;
    uint64_t order;
    for (int walked = 0; m && !tf_queue_fits(source, tag, &m->header); m = m->next)
        if (++walked == TF_QUEUE_WALK && index_kind(arrived, kind))
            break;
    if (arrived->index[kind])
        return tf_index_first(arrived->index[kind], key_of(source, tag), &order);
    return m;
}

struct tf_unexpected *tf_arrived_pass(struct tf_unexpected *announced, int source, int tag)
{
    struct tf_unexpected *m = announced->next;
    for (int walked = 0; m && walked < TF_QUEUE_WALK; m = m->next, walked++)
        if (m->header.kind == TF_MSG_EAGER && tf_queue_fits(source, tag, &m->header))
            return m;
    return announced;
}
