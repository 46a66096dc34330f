/* rendezvous.c - see rendezvous.h.
 *
 * For each communicator, source and tag there is a place with two lists in order: what is offered, and the receives.
 * The first of those that are not bound belong together, the second, and so on:
 *
 *     offers      A(bound to 1)   B   C   D
 *     receives    1(bound to A)   2   3           B and 2 belong together, C and 3; D has nobody yet
 *
 * A place is there as long as it has anybody.
 */
#include "partition/rendezvous.h"

#include "msg/peer.h"
#include "partition/precv.h"

enum { TABLE = 256 };

struct tf_place {
    struct tf_place *next; /* in the table */
    uint64_t context;
    int source, tag;
    struct tf_offer *offers;
    struct tf_precv *receives;
};
static struct tf_place *table[TABLE];

static struct tf_place **slot_of(uint64_t context, int source, int tag)
{
    uint64_t hash = (context * 31 + (uint32_t)source) * 31 + (uint32_t)tag;
    return &table[(hash ^ hash >> 32) % TABLE];
}

static struct tf_place *find(uint64_t context, int source, int tag)
{
    struct tf_place *place = *slot_of(context, source, tag);
    while (place && !(place->context == context && place->source == source && place->tag == tag))
        place = place->next;
    return place;
}

static struct tf_place *find_or_make(uint64_t context, int source, int tag)
{
    struct tf_place *place = find(context, source, tag), **slot = slot_of(context, source, tag);
    if (place)
        return place;
    place = tf_alloc(sizeof *place, "a rendezvous of partitioned operations");
    if (!place)
        return NULL;
    *place = (struct tf_place){*slot, context, source, tag, NULL, NULL};
    *slot = place;
    return place;
}

static void tidy(struct tf_place *place)
{
    struct tf_place **link = slot_of(place->context, place->source, place->tag);
    if (place->offers || place->receives)
        return;
    while (*link != place)
        link = &(*link)->next;
    *link = place->next;
    free(place);
}

static struct tf_offer *free_offer(struct tf_offer *offer)
{
    while (offer && offer->receive)
        offer = offer->next;
    return offer;
}

static struct tf_precv *free_receive(struct tf_precv *receive)
{
    while (receive && receive->offer)
        receive = receive->next;
    return receive;
}

/* Those that belong together are bound where the receive is started. */
static void bind(struct tf_place *place)
{
    struct tf_offer *offer = free_offer(place->offers);
    struct tf_precv *receive = free_receive(place->receives);
    while (offer && receive) {
        struct tf_offer *next = free_offer(offer->next);
        struct tf_precv *following = free_receive(receive->next);
        if (receive->wanted) {
            offer->receive = receive;
            receive->offer = offer;
            tf_precv_meet(receive);
        }
        offer = next;
        receive = following;
    }
}

static void remove_offer(struct tf_place *place, struct tf_offer *offer)
{
    struct tf_offer **link = &place->offers;
    while (*link != offer)
        link = &(*link)->next;
    *link = offer->next;
    free(offer);
}

bool tf_rendezvous_enter(struct tf_precv *receive, uint64_t context)
{
    struct tf_place *place = find_or_make(context, receive->source, receive->tag);
    if (!place)
        return false;
    struct tf_precv **end = &place->receives;
    while (*end)
        end = &(*end)->next;
    *end = receive;
    receive->next = NULL;
    receive->place = place;
    return true;
}

void tf_rendezvous_leave(struct tf_precv *receive)
{
    struct tf_place *place = receive->place;
    struct tf_precv **link = &place->receives;
    while (*link != receive)
        link = &(*link)->next;
    *link = receive->next;
    if (receive->offer)
        remove_offer(place, receive->offer);
    bind(place);
    tidy(place);
}

void tf_rendezvous_want(struct tf_precv *receive)
{
    bind(receive->place);
}

static void hear_offer(struct tf_peer *peer, const struct tf_header *h, void *payload)
{
    struct tf_place *place = find_or_make(h->context, (int)h->source, h->tag);
    struct tf_offer *offer = place ? malloc(sizeof *offer) : NULL;
    if (!offer)
        tf_fatal(1, "no memory for a partitioned send of rank %d of the job", peer->rank);
    *offer = (struct tf_offer){.peer = peer, .id = h->id};
    memcpy(&offer->what, payload, sizeof offer->what);
    struct tf_offer **end = &place->offers;
    while (*end)
        end = &(*end)->next;
    *end = offer;
    bind(place);
}

/* One that is bound was never begun: its receive waits for the next. */
static void hear_withdraw(struct tf_peer *peer, const struct tf_header *h, void *payload)
{
    (void)payload;
    struct tf_place *place = find(h->context, (int)h->source, h->tag);
    struct tf_offer *offer = place ? place->offers : NULL;
    while (offer && !(offer->peer == peer && offer->id == h->id))
        offer = offer->next;
    if (!offer)
        return;
    if (offer->receive)
        tf_precv_part(offer->receive);
    remove_offer(place, offer);
    bind(place);
    tidy(place);
}

void tf_rendezvous_setup(void)
{
    tf_net_handle(TF_MSG_OFFER, hear_offer);
    tf_net_handle(TF_MSG_WITHDRAW, hear_withdraw);
}
