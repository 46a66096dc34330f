/* whole.c - long messages over sockets, whole, from where they lie to where they go.
 *
 * Nothing reads a peer's memory there by itself, but UCX moves a message of its own ("rendezvous") without a copy once
 * both ends are known.  So who announces a message starts one of UCX's, an offer, and the key of its memory is the
 * offer's number; the read of the receiver takes the offer.  One that is not taken, as the message is combined, or too
 * long, or not wanted any more, is withdrawn when the receiver has answered: the receiver drops it, which ends UCX's
 * message.
 */
#include "net/ucx/ucx.h"

#include "base/settings.h"

enum {
    LEAST = 512 * 1024, /* bytes of a message that is worth it: up to there packets are as fast */
    MOST = 16,          /* at a time for a peer, for which each takes memory of UCX's */
};

struct words {
    uint64_t token, number;
    uint32_t from;
};

/* The owner's: until UCX's message has ended and the receiver has answered. */
struct offer {
    struct words words; /* UCX reads them when it likes */
    struct tf_ucx_link *link;
    bool over, concealed;
};

/* The receiver's. */
struct tf_ucx_offered {
    struct tf_ucx_offered *next;
    uint64_t number;
    void *message; /* UCX's */
    size_t length;
};

/* ---- the owner's side ---- */

static void has_ended(void *request, ucs_status_t status, void *of)
{
    struct offer *offer = of;
    (void)status; /* the receiver sees it too, or has dropped the message */
    offer->over = true;
    offer->link->offers--;
    if (offer->concealed)
        free(offer);
    if (request)
        tf_ucx.ucp_request_free(request);
}

/* The number goes to the receiver as it is. */
size_t tf_ucx_offer(struct tf_ucx_link *link, const void *at, size_t bytes, void *key, void **hold)
{
    static uint64_t number;
    struct offer *offer = bytes >= LEAST && link->offers < MOST && !tf_settings.keep_going && tf_ucx_connect(link)
                              ? malloc(sizeof *offer)
                              : NULL;
    if (!offer)
        return 0;
    *offer = (struct offer){.words = {link->packets.token_out, ++number, (uint32_t)tf_job.rank}, .link = link};
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                                                 UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_MEMORY_TYPE,
                                 .flags = UCP_AM_SEND_FLAG_RNDV,
                                 .cb.send = has_ended,
                                 .user_data = offer,
                                 .memory_type = UCS_MEMORY_TYPE_HOST};
    ucs_status_ptr_t request =
        tf_ucx.ucp_am_send_nbx(link->endpoint, TF_UCX_OFFER, &offer->words, sizeof offer->words, at, bytes, &param);
    if (!UCS_PTR_IS_PTR(request)) {
        free(offer);
        return 0;
    }
    link->offers++;
    memcpy(key, &number, sizeof number);
    *hold = offer;
    return sizeof number;
}

void tf_ucx_withdraw(void *hold)
{
    struct offer *offer = hold;
    if (offer->over) {
        free(offer);
        return;
    }
    offer->concealed = true;
    tf_ucx_say(offer->link, TF_UCX_WITHDRAWN, &offer->words, sizeof offer->words);
}

/* ---- the receiver's side ---- */

static struct tf_ucx_link *from(const struct words *words)
{
    return (struct tf_ucx_link *)tf_packets_from(words->from, words->token);
}

static struct tf_ucx_offered **find(struct tf_ucx_link *link, uint64_t number)
{
    struct tf_ucx_offered **place = &link->offered;
    while (*place && (*place)->number != number)
        place = &(*place)->next;
    return place;
}

static void take_out(struct tf_ucx_offered **place)
{
    struct tf_ucx_offered *offered = *place;
    *place = offered->next;
    free(offered);
}

/* Which ends UCX's message on the other side too. */
static void drop(struct tf_ucx_offered **place)
{
    tf_ucx.ucp_am_data_release(tf_ucx_worker, (*place)->message);
    take_out(place);
}

ucs_status_t tf_ucx_take_offer(void *arg, const void *header, size_t header_length, void *data, size_t length,
                               const ucp_am_recv_param_t *param)
{
    (void)arg;
    struct words words;
    struct tf_ucx_link *link = NULL;
    if (header_length == sizeof words && param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) {
        memcpy(&words, header, sizeof words);
        link = from(&words);
    }
    if (!link)
        return UCS_OK;
    struct tf_ucx_offered **place = find(link, words.number), *offered = malloc(sizeof *offered);
    if (!offered)
        tf_fatal(1, "treefold[%d]: no memory for the announcement of a message", tf_job.rank);
    *offered = (struct tf_ucx_offered){.next = *place, .number = words.number, .message = data, .length = length};
    *place = offered;
    tf_ucx_use(link);
    return UCS_INPROGRESS;
}

ucs_status_t tf_ucx_take_withdrawal(void *arg, const void *header, size_t header_length, void *data, size_t length,
                                    const ucp_am_recv_param_t *param)
{
    (void)arg, (void)header, (void)header_length, (void)param;
    struct words words;
    struct tf_ucx_link *link = NULL;
    if (length == sizeof words) {
        memcpy(&words, data, sizeof words);
        link = from(&words);
    }
    struct tf_ucx_offered **place = link ? find(link, words.number) : NULL;
    if (place && *place)
        drop(place);
    return UCS_OK;
}

enum tf_net_outcome tf_ucx_accept(struct tf_ucx_link *link, struct tf_net_access *read, void *of)
{
    uint64_t number;
    memcpy(&number, read->key, sizeof number);
    struct tf_ucx_offered **place = find(link, number);
    if (!*place)
        return link->failure == UCS_OK ? TF_NET_BUSY : TF_NET_REFUSED; /* the offer may come later than its number */
    if ((*place)->length != read->bytes)
        return TF_NET_REFUSED;
    void *message = (*place)->message;
    take_out(place);
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                                                 UCP_OP_ATTR_FIELD_MEMORY_TYPE,
                                 .cb.recv_am = tf_ucx_accepted,
                                 .user_data = of,
                                 .memory_type = UCS_MEMORY_TYPE_HOST};
    ucs_status_ptr_t request = tf_ucx.ucp_am_recv_data_nbx(tf_ucx_worker, message, read->here, read->bytes, &param);
    return UCS_PTR_IS_PTR(request) ? TF_NET_STARTED : request ? TF_NET_REFUSED : TF_NET_DONE;
}

void tf_ucx_drop_offers(struct tf_ucx_link *link)
{
    while (link->offered)
        drop(&link->offered);
}
