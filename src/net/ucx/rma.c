/* rma.c - reads of a peer's memory, where the network reads by itself.
 *
 * The key of a peer's memory is unpacked for the endpoint when the first read names it, and kept until another one is
 * named: the pieces of a long message have the same.  UCX takes care of what is registered and when that is void; there
 * is no cache here.
 *
 * A read that has ended is told to msg/ from progress() only, not while a cell is waited for.
 */
#include "net/ucx/ucx.h"

struct tf_ucx_rkey {
    ucp_rkey_h rkey;
    struct tf_ucx_link *link;
    int uses; /* reads under way */
    size_t length;
    unsigned char key[TF_NET_KEY];
};

struct reading {
    struct reading *next; /* ended, or free */
    struct tf_net_read *read;
    struct tf_ucx_rkey *rkey;
    bool good;
};
static struct reading *ended, **last_ended = &ended, *idle;

/* ---- the owner's side ---- */

size_t tf_ucx_expose(struct tf_peer *peer, const void *at, size_t bytes, void *key, void **hold)
{
    ucp_mem_map_params_t params = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH |
                                                 UCP_MEM_MAP_PARAM_FIELD_PROT | UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE,
                                   .address = (void *)(uintptr_t)at,
                                   .length = bytes,
                                   .prot = UCP_MEM_MAP_PROT_LOCAL_READ | UCP_MEM_MAP_PROT_REMOTE_READ,
                                   .memory_type = UCS_MEMORY_TYPE_HOST};
    ucp_mem_h memory;
    void *packed;
    size_t length;
    if (!tf_ucx_abilities.reads)
        return tf_ucx_offer(tf_remote_link(peer), at, bytes, key, hold);
    if (tf_ucx.ucp_mem_map(tf_ucx_context, &params, &memory) != UCS_OK)
        return 0;
    if (tf_ucx.ucp_rkey_pack(tf_ucx_context, memory, &packed, &length) != UCS_OK)
        length = 0;
    else {
        if (length <= TF_NET_KEY)
            memcpy(key, packed, length);
        tf_ucx.ucp_rkey_buffer_release(packed);
    }
    if (length == 0 || length > TF_NET_KEY) {
        tf_ucx.ucp_mem_unmap(tf_ucx_context, memory);
        return 0;
    }
    *hold = memory;
    return length;
}

void tf_ucx_conceal(struct tf_peer *peer, void *hold)
{
    (void)peer;
    if (tf_ucx_abilities.reads)
        tf_ucx.ucp_mem_unmap(tf_ucx_context, hold);
    else
        tf_ucx_withdraw(hold);
}

/* ---- the reader's side ---- */

static void drop(struct tf_ucx_rkey *rkey)
{
    if (rkey && rkey->uses == 0) {
        tf_ucx.ucp_rkey_destroy(rkey->rkey);
        free(rkey);
    }
}

void tf_ucx_forget_rkey(struct tf_ucx_link *link)
{
    drop(link->rkey);
    link->rkey = NULL;
}

static struct tf_ucx_rkey *unpack(struct tf_ucx_link *link, const struct tf_net_read *read)
{
    struct tf_ucx_rkey *rkey = link->rkey;
    if (rkey && rkey->length == read->key_length && memcmp(rkey->key, read->key, rkey->length) == 0)
        return rkey;
    rkey = malloc(sizeof *rkey);
    if (!rkey || tf_ucx.ucp_ep_rkey_unpack(link->endpoint, read->key, &rkey->rkey) != UCS_OK) {
        free(rkey);
        return NULL;
    }
    rkey->link = link;
    rkey->uses = 0;
    rkey->length = read->key_length;
    memcpy(rkey->key, read->key, read->key_length);
    tf_ucx_forget_rkey(link);
    link->rkey = rkey;
    return rkey;
}

bool tf_ucx_reads_whole(void)
{
    return !tf_ucx_abilities.reads;
}

static void end(void *request, ucs_status_t status, void *of)
{
    struct reading *reading = of;
    reading->good = status == UCS_OK;
    reading->next = NULL;
    *last_ended = reading;
    last_ended = &reading->next;
    tf_ucx.ucp_request_free(request);
}

void tf_ucx_accepted(void *request, ucs_status_t status, size_t length, void *of)
{
    (void)length;
    end(request, status, of);
}

bool tf_ucx_hand_over_reads(void)
{
    struct reading *reading;
    bool any = false;
    while ((reading = ended)) {
        struct tf_ucx_rkey *rkey = reading->rkey;
        struct tf_net_read *read = reading->read;
        bool good = reading->good;
        ended = reading->next;
        if (!ended)
            last_ended = &ended;
        reading->next = idle;
        idle = reading;
        if (rkey && --rkey->uses == 0 && rkey->link->rkey != rkey)
            drop(rkey);
        read->done(read, good);
        any = true;
    }
    return any;
}

static struct reading *new_reading(void)
{
    struct reading *reading = idle;
    if (reading)
        idle = reading->next;
    else
        reading = malloc(sizeof *reading);
    return reading;
}

static enum tf_net_reading get(struct tf_ucx_link *link, struct reading *reading)
{
    struct tf_net_read *read = reading->read;
    struct tf_ucx_rkey *rkey = reading->rkey = unpack(link, read);
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                                                 UCP_OP_ATTR_FIELD_MEMORY_TYPE,
                                 .cb.send = end,
                                 .user_data = reading,
                                 .memory_type = UCS_MEMORY_TYPE_HOST};
    if (!rkey)
        return TF_NET_REFUSED;
    ucs_status_ptr_t request =
        tf_ucx.ucp_get_nbx(link->endpoint, read->to, read->bytes, read->address, rkey->rkey, &param);
    if (UCS_PTR_IS_PTR(request)) {
        rkey->uses++;
        return TF_NET_STARTED;
    }
    return request ? TF_NET_REFUSED : TF_NET_READ;
}

enum tf_net_reading tf_ucx_read(struct tf_peer *peer, struct tf_net_read *read)
{
    struct tf_ucx_link *link = tf_remote_link(peer);
    tf_ucx_connect(link);
    struct reading *reading = link->failure == UCS_OK && read->key_length ? new_reading() : NULL;
    if (!reading)
        return TF_NET_REFUSED;
    *reading = (struct reading){.read = read};
    enum tf_net_reading how = tf_ucx_abilities.reads ? get(link, reading) : tf_ucx_accept(link, read, reading);
    if (how != TF_NET_STARTED) {
        reading->next = idle;
        idle = reading;
    }
    return how;
}

void tf_ucx_rma_close(void)
{
    while (idle) {
        struct reading *next = idle->next;
        free(idle);
        idle = next;
    }
}
