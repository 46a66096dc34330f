/* rma.c - reads of a peer's memory, and writes to it, where the network does that by itself.
 *
 * The key of a peer's memory is unpacked for the endpoint when the first access names it, and kept until another one is
 * named: the pieces of a long message have the same.  UCX takes care of what is registered and when that is void; there
 * is no cache here.
 *
 * UCX says of a write when its source may be used again, and of a flush of the endpoint that all writes before it are
 * in the peer's memory.  So a pass of progress flushes those of which something was written, all that was written so
 * far at once, and while that is under way what is written next waits for the next one.
 *
 * An access that has ended is told to its caller from progress() only, not while a cell is waited for.
 */
#include "net/ucx/ucx.h"

#include "net/regions.h"

enum { MOST = 256 /* accesses under way, of which each takes memory of UCX's */ };

struct tf_ucx_rkey {
    ucp_rkey_h rkey;
    struct tf_ucx_link *link;
    int uses; /* accesses under way */
    size_t length;
    unsigned char key[TF_NET_KEY];
};

struct tf_ucx_access {
    struct tf_ucx_access *next; /* written, ended, or free */
    struct tf_net_access *of;
    struct tf_ucx_rkey *rkey;
    bool good;
};
static struct tf_ucx_access *ended, **last_ended = &ended, *idle;
static int under_way;

/* ---- the owner's side ---- */

static size_t map(const void *at, size_t bytes, unsigned rights, void *key, void **hold)
{
    ucp_mem_map_params_t params = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH |
                                                 UCP_MEM_MAP_PARAM_FIELD_PROT | UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE,
                                   .address = (void *)(uintptr_t)at,
                                   .length = bytes,
                                   .prot = rights,
                                   .memory_type = UCS_MEMORY_TYPE_HOST};
    ucp_mem_h memory;
    void *packed;
    size_t length;
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

size_t tf_ucx_expose(struct tf_peer *peer, const void *at, size_t bytes, void *key, void **hold)
{
    if (!tf_ucx_abilities.reads)
        return tf_ucx_offer(tf_remote_link(peer), at, bytes, key, hold);
    return map(at, bytes, UCP_MEM_MAP_PROT_LOCAL_READ | UCP_MEM_MAP_PROT_REMOTE_READ, key, hold);
}

void tf_ucx_conceal(struct tf_peer *peer, void *hold)
{
    (void)peer;
    if (tf_ucx_abilities.reads)
        tf_ucx_close_region(hold);
    else
        tf_ucx_withdraw(hold);
}

bool tf_ucx_regions(void)
{
    return tf_regions_are_wanted(tf_ucx_abilities.reads);
}

size_t tf_ucx_open_region(const void *at, size_t bytes, void *key, void **hold)
{
    return map(at, bytes,
               UCP_MEM_MAP_PROT_LOCAL_READ | UCP_MEM_MAP_PROT_LOCAL_WRITE | UCP_MEM_MAP_PROT_REMOTE_READ |
                   UCP_MEM_MAP_PROT_REMOTE_WRITE,
               key, hold);
}

void tf_ucx_close_region(void *hold)
{
    tf_ucx.ucp_mem_unmap(tf_ucx_context, hold);
}

/* ---- keys ---- */

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

static struct tf_ucx_rkey *unpack(struct tf_ucx_link *link, const struct tf_net_access *of)
{
    struct tf_ucx_rkey *rkey = link->rkey;
    if (rkey && rkey->length == of->key_length && memcmp(rkey->key, of->key, rkey->length) == 0)
        return rkey;
    rkey = malloc(sizeof *rkey);
    if (!rkey || tf_ucx.ucp_ep_rkey_unpack(link->endpoint, of->key, &rkey->rkey) != UCS_OK) {
        free(rkey);
        return NULL;
    }
    rkey->link = link;
    rkey->uses = 0;
    rkey->length = of->key_length;
    memcpy(rkey->key, of->key, of->key_length);
    tf_ucx_forget_rkey(link);
    link->rkey = rkey;
    return rkey;
}

/* ---- accesses ---- */

bool tf_ucx_reads_whole(void)
{
    return !tf_ucx_abilities.reads;
}

static struct tf_ucx_access *create(struct tf_net_access *of)
{
    struct tf_ucx_access *access = idle;
    if (access)
        idle = access->next;
    else
        access = malloc(sizeof *access);
    if (access) {
        *access = (struct tf_ucx_access){.of = of};
        under_way++;
    }
    return access;
}

static void put_away(struct tf_ucx_access *access)
{
    access->next = idle;
    idle = access;
    under_way--;
}

static void end(struct tf_ucx_access *access, bool good)
{
    access->good = good;
    access->next = NULL;
    *last_ended = access;
    last_ended = &access->next;
}

static void end_read(void *request, ucs_status_t status, void *of)
{
    end(of, status == UCS_OK);
    tf_ucx.ucp_request_free(request);
}

void tf_ucx_accepted(void *request, ucs_status_t status, size_t length, void *of)
{
    (void)length;
    end_read(request, status, of);
}

bool tf_ucx_tell_accesses(void)
{
    struct tf_ucx_access *access;
    bool any = false;
    while ((access = ended)) {
        struct tf_ucx_rkey *rkey = access->rkey;
        struct tf_net_access *of = access->of;
        bool good = access->good;
        ended = access->next;
        if (!ended)
            last_ended = &ended;
        put_away(access);
        if (rkey && --rkey->uses == 0 && rkey->link->rkey != rkey)
            drop(rkey);
        of->done(of, good);
        any = true;
    }
    return any;
}

/* ---- reads ---- */

static enum tf_net_outcome get(struct tf_ucx_link *link, struct tf_ucx_access *access)
{
    struct tf_net_access *of = access->of;
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                                                 UCP_OP_ATTR_FIELD_MEMORY_TYPE,
                                 .cb.send = end_read,
                                 .user_data = access,
                                 .memory_type = UCS_MEMORY_TYPE_HOST};
    ucs_status_ptr_t request =
        tf_ucx.ucp_get_nbx(link->endpoint, of->here, of->bytes, of->address, access->rkey->rkey, &param);
    if (UCS_PTR_IS_PTR(request)) {
        access->rkey->uses++;
        return TF_NET_STARTED;
    }
    return request ? TF_NET_REFUSED : TF_NET_DONE;
}

/* ---- writes ---- */

static void end_writes(struct tf_ucx_link *link, bool good)
{
    struct tf_ucx_access *access, *next;
    for (access = link->flushing; access; access = next) {
        next = access->next;
        end(access, good);
    }
    link->flushing = NULL;
}

static void flushed(void *request, ucs_status_t status, void *of)
{
    end_writes(of, status == UCS_OK);
    tf_ucx.ucp_request_free(request);
}

void tf_ucx_flush_writes(struct tf_ucx_link *link)
{
    if (TF_LIKELY(!link->written) || link->flushing)
        return;
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                 .cb.send = flushed,
                                 .user_data = link};
    link->flushing = link->written;
    link->written = NULL;
    ucs_status_ptr_t request = tf_ucx.ucp_ep_flush_nbx(link->endpoint, &param);
    if (!UCS_PTR_IS_PTR(request))
        end_writes(link, UCS_PTR_STATUS(request) == UCS_OK);
}

/* The flush tells of its end, so UCX's request is of no use. */
static enum tf_net_outcome put(struct tf_ucx_link *link, struct tf_ucx_access *access)
{
    struct tf_net_access *of = access->of;
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_MEMORY_TYPE, .memory_type = UCS_MEMORY_TYPE_HOST};
    ucs_status_ptr_t request =
        tf_ucx.ucp_put_nbx(link->endpoint, of->here, of->bytes, of->address, access->rkey->rkey, &param);
    if (UCS_PTR_IS_ERR(request))
        return TF_NET_REFUSED;
    if (request)
        tf_ucx.ucp_request_free(request);
    access->rkey->uses++;
    access->next = link->written;
    link->written = access;
    return TF_NET_STARTED;
}

/* ---- of struct tf_net ---- */

enum way { READ, GET, PUT };

static enum tf_net_outcome start(struct tf_peer *peer, struct tf_net_access *of, enum way way)
{
    struct tf_ucx_link *link = tf_remote_link(peer);
    tf_ucx_connect(link);
    if (under_way == MOST)
        return TF_NET_BUSY;
    struct tf_ucx_access *access = link->failure == UCS_OK && of->key_length ? create(of) : NULL;
    if (!access)
        return TF_NET_REFUSED;
    bool accepts = way == READ && !tf_ucx_abilities.reads;
    enum tf_net_outcome how = TF_NET_REFUSED;
    if (accepts)
        how = tf_ucx_accept(link, of, access);
    else if ((access->rkey = unpack(link, of)))
        how = way == PUT ? put(link, access) : get(link, access);
    if (how != TF_NET_STARTED)
        put_away(access);
    return how;
}

enum tf_net_outcome tf_ucx_read(struct tf_peer *peer, struct tf_net_access *access)
{
    return start(peer, access, READ);
}

enum tf_net_outcome tf_ucx_get(struct tf_peer *peer, struct tf_net_access *access)
{
    return start(peer, access, GET);
}

enum tf_net_outcome tf_ucx_put(struct tf_peer *peer, struct tf_net_access *access)
{
    return start(peer, access, PUT);
}

void tf_ucx_rma_close(void)
{
    while (idle) {
        struct tf_ucx_access *next = idle->next;
        free(idle);
        idle = next;
    }
    under_way = 0;
}
