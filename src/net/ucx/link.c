/* link.c - endpoints: packets out, packets in, endpoints that fail.
 *
 * Out: what a ring holds is copied into a buffer that UCX may keep until the packet has gone; it mostly has when the
 * call returns, and the buffer is used again at once.  A few packets for each peer may be under way; the rest stays in
 * the ring, where the sender finds no room.  The first message says nothing, and has an endpoint to answer to with it,
 * for which UCX has to hear from the other side: when it has left, so does what follows, and the ring is opened.
 *
 * In: UCX hands the packet over in memory of its own, which is given back when its messages are consumed.  Whatever
 * sockets hold comes so, and who waits for one peer leaves the packets of others unread: past MOST_UNREAD no more is
 * asked for before the next pass of progress has handed them over.
 */
#include "net/ucx/ucx.h"

#include <stdio.h>

#include "base/settings.h"
#include "launch/launch.h"

enum {
    ROOM = TF_UCX_CAPACITY / 4 + 512, /* a packet: a chunk, or many short messages */
    MOST_UNDER_WAY = 4,
    GRACE = 5, /* seconds for the launcher, and for the last ranks to follow into the end of MPI_Finalize */
};

struct tf_ucx_link *tf_ucx_used;

struct buffer {
    _Alignas(TF_CACHE_LINE) unsigned char bytes[ROOM];
    struct buffer *next;
    struct tf_ucx_link *link;
};
static struct buffer *buffers; /* free ones */
static struct tf_packet *packets;
size_t tf_ucx_unread;

void tf_ucx_use(struct tf_ucx_link *link)
{
    if (link->used)
        return;
    link->used = true;
    link->next_used = tf_ucx_used;
    tf_ucx_used = link;
}

/* ---- in ---- */

static void release_packet(struct tf_packet *packet)
{
    tf_ucx_unread -= packet->length;
    tf_ucx.ucp_am_data_release(tf_ucx_worker, (void *)(uintptr_t)packet->bytes);
    packet->next = packets;
    packets = packet;
}

static struct tf_packet *new_packet(void)
{
    struct tf_packet *packet = packets;
    if (packet)
        packets = packet->next;
    else
        packet = malloc(sizeof *packet);
    if (!packet)
        tf_fatal(1, "treefold[%d]: no memory for a packet", tf_job.rank);
    return packet;
}

static ucs_status_t take_packet(void *arg, const void *header, size_t header_length, void *data, size_t length,
                                const ucp_am_recv_param_t *param)
{
    (void)arg, (void)header, (void)header_length, (void)param;
    struct tf_packet *packet = new_packet();
    *packet = (struct tf_packet){.bytes = data, .length = (uint32_t)length, .release = release_packet};
    struct tf_packets *from = tf_packets_put(packet);
    if (from) {
        tf_ucx_unread += packet->length;
        tf_ucx_use((struct tf_ucx_link *)from);
        return UCS_INPROGRESS;
    }
    packet->next = packets;
    packets = packet;
    return UCS_OK;
}

static ucs_status_t take_nothing(void *arg, const void *header, size_t header_length, void *data, size_t length,
                                 const ucp_am_recv_param_t *param)
{
    (void)arg, (void)header, (void)header_length, (void)data, (void)length, (void)param;
    return UCS_OK;
}

struct last {
    uint64_t token;
    uint32_t from;
};

static ucs_status_t take_last(void *arg, const void *header, size_t header_length, void *data, size_t length,
                              const ucp_am_recv_param_t *param)
{
    (void)arg, (void)header, (void)header_length, (void)param;
    struct last last;
    if (length == sizeof last) {
        memcpy(&last, data, sizeof last);
        struct tf_ucx_link *link = (struct tf_ucx_link *)tf_packets_from(last.from, last.token);
        if (link)
            link->heard_last = true;
    }
    return UCS_OK;
}

/* ---- an endpoint ---- */

static void fail(void *arg, ucp_ep_h endpoint, ucs_status_t status)
{
    struct tf_ucx_link *link = arg;
    (void)endpoint;
    if (link->failure == UCS_OK)
        link->failed = tf_time();
    link->failure = status;
    tf_log(2, "the endpoint of rank %d has failed: %s", link->packets.base.peer->rank,
           tf_ucx.ucs_status_string(status));
}

/* A process may have ended, which the launcher knows better and says. */
void tf_ucx_watch(int64_t now)
{
    for (struct tf_ucx_link *link = tf_ucx_used; link; link = link->next_used)
        if (link->failure != UCS_OK && now - link->failed > GRACE * TF_SECOND && !tf_job.leaving)
            tf_net_peer_failed(link->packets.base.peer,
                               "UCX cannot reach rank %d on host %s any more: %s; has it ended, is there a network "
                               "between the two hosts, and does a firewall let it pass? UCX_TLS and UCX_NET_DEVICES "
                               "name the transports and devices to use",
                               link->packets.base.peer->rank, tf_address_host(link->packets.base.peer->rank),
                               tf_ucx.ucs_status_string(link->failure));
}

static TF_COLD void refuse(struct tf_ucx_link *link, const char *why)
{
    const char *transports = getenv("UCX_TLS"), *devices = getenv("UCX_NET_DEVICES");
    link->failure = UCS_ERR_UNREACHABLE;
    tf_net_peer_failed(
        link->packets.base.peer,
        "UCX cannot connect to rank %d on host %s: %s; is there a network between the two hosts, and does a firewall "
        "let it pass? UCX_TLS (%s) and UCX_NET_DEVICES (%s) name the transports and devices to use, and 'treefold "
        "info' on both hosts shows what there is",
        link->packets.base.peer->rank, tf_address_host(link->packets.base.peer->rank), why,
        transports ? transports : "all", devices ? devices : "all");
}

/* Only where the job goes on without the dead does an endpoint have to tell of a failure: else the launcher or the
 * beacon do, and UCX copies less for endpoints that do not.  Its transports through shared memory cannot tell.  Without
 * an endpoint the link has failed. */
static TF_COLD void create_endpoint(struct tf_ucx_link *link)
{
    char key[40];
    void *address = NULL;
    size_t length;
    snprintf(key, sizeof key, TF_UCX_ADDRESS, link->packets.base.peer->rank);
    int err = tf_launch_get_all(link->packets.base.peer->rank, key, &address, &length);
    if (err) {
        refuse(link, tf_error_text(err));
        return;
    }
    ucp_ep_params_t params = {
        .field_mask =
            UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER,
        .address = address,
        .err_mode =
            tf_settings.keep_going && tf_ucx_abilities.leaves ? UCP_ERR_HANDLING_MODE_PEER : UCP_ERR_HANDLING_MODE_NONE,
        .err_handler = {.cb = fail, .arg = link},
    };
    ucs_status_t status = tf_ucx.ucp_ep_create(tf_ucx_worker, &params, &link->endpoint);
    free(address);
    if (status != UCS_OK) {
        link->endpoint = NULL;
        refuse(link, tf_ucx.ucs_status_string(status));
        return;
    }
    tf_log(2, "has an endpoint for rank %d", link->packets.base.peer->rank);
    tf_ucx_use(link);
}

bool tf_ucx_connect(struct tf_ucx_link *link)
{
    if (TF_UNLIKELY(!link->endpoint) && link->failure == UCS_OK)
        create_endpoint(link);
    return link->failure == UCS_OK;
}

/* ---- out ---- */

static struct buffer *new_buffer(void)
{
    struct buffer *buffer = buffers;
    if (buffer)
        buffers = buffer->next;
    else
        buffer = aligned_alloc(TF_CACHE_LINE, sizeof *buffer);
    if (!buffer)
        tf_fatal(1, "treefold[%d]: no memory for a packet of %d bytes", tf_job.rank, ROOM);
    return buffer;
}

static void release_buffer(struct buffer *buffer)
{
    buffer->next = buffers;
    buffers = buffer;
}

/* What could not be sent is told by fail() too. */
static void sent(void *request, ucs_status_t status, void *of)
{
    struct buffer *buffer = of;
    if (status == UCS_OK)
        tf_packets_left(&buffer->link->packets);
    buffer->link->under_way--;
    release_buffer(buffer);
    tf_ucx.ucp_request_free(request);
}

enum { FIRST = UCP_AM_SEND_FLAG_EAGER | UCP_AM_SEND_FLAG_REPLY };

static void send_buffer(struct tf_ucx_link *link, unsigned kind, struct buffer *buffer, uint32_t length)
{
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                                                 UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_MEMORY_TYPE,
                                 .flags = link->packets.open ? UCP_AM_SEND_FLAG_EAGER : FIRST,
                                 .cb.send = sent,
                                 .user_data = buffer,
                                 .memory_type = UCS_MEMORY_TYPE_HOST};
    ucs_status_ptr_t request = tf_ucx.ucp_am_send_nbx(link->endpoint, kind, NULL, 0, buffer->bytes, length, &param);
    if (UCS_PTR_IS_PTR(request)) {
        buffer->link = link;
        link->under_way++;
        return;
    }
    if (UCS_PTR_IS_ERR(request) && link->failure == UCS_OK)
        fail(link, link->endpoint, UCS_PTR_STATUS(request));
    if (!UCS_PTR_IS_ERR(request))
        tf_packets_left(&link->packets);
    release_buffer(buffer);
}

void tf_ucx_flush(struct tf_ucx_link *link)
{
    struct tf_packets *packets_out = &link->packets;
    while (tf_frames_unsent(&packets_out->frames, link->packets.base.peer) && link->under_way < MOST_UNDER_WAY &&
           tf_ucx_connect(link)) {
        struct buffer *buffer = new_buffer();
        send_buffer(link, TF_UCX_PACKET, buffer, tf_packets_make(packets_out, buffer->bytes, ROOM));
    }
}

size_t tf_ucx_send(struct tf_ucx_link *link, const struct tf_header *header, const char *payload, size_t bytes,
                   uint32_t chunk)
{
    struct tf_packets *to = &link->packets;
    struct tf_header part = *header;
    size_t taken = 0;
    tf_ucx_flush(link);
    while (taken < bytes && !tf_frames_unsent(&to->frames, link->packets.base.peer) && to->open &&
           link->under_way < MOST_UNDER_WAY && tf_ucx_connect(link)) {
        part.length = bytes - taken < chunk ? (uint32_t)(bytes - taken) : chunk;
        struct buffer *buffer = new_buffer();
        send_buffer(link, TF_UCX_PACKET, buffer, tf_packets_wrap(to, &part, payload + taken, buffer->bytes));
        taken += part.length;
    }
    return taken;
}

void tf_ucx_say(struct tf_ucx_link *link, unsigned kind, const void *words, uint32_t length)
{
    struct buffer *buffer = new_buffer();
    memcpy(buffer->bytes, words, length);
    send_buffer(link, kind, buffer, length);
}

void tf_ucx_greet(struct tf_ucx_link *link)
{
    if (!tf_ucx_connect(link))
        return;
    link->packets.greeted = true;
    tf_ucx_say(link, TF_UCX_NOTHING, "", 0);
}

void tf_ucx_say_last(struct tf_ucx_link *link)
{
    struct last last = {link->packets.token_out, (uint32_t)tf_job.rank};
    tf_ucx_say(link, TF_UCX_LAST, &last, sizeof last);
    link->said_last = true;
}

/* ---- opening and closing ---- */

static int handle(unsigned id, ucp_am_recv_callback_t take, uint32_t flags)
{
    ucp_am_handler_param_t param = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                                                  UCP_AM_HANDLER_PARAM_FIELD_CB,
                                    .id = id,
                                    .flags = UCP_AM_FLAG_WHOLE_MSG | flags,
                                    .cb = take};
    ucs_status_t status = tf_ucx.ucp_worker_set_am_recv_handler(tf_ucx_worker, &param);
    return status == UCS_OK
               ? MPI_SUCCESS
               : tf_error(MPI_ERR_OTHER, "UCX does not take active messages: %s", tf_ucx.ucs_status_string(status));
}

static void set_up(void *link)
{
    tf_packets_set_up(link);
}

int tf_ucx_links_open(void)
{
    tf_remote_links_open(sizeof(struct tf_ucx_link), set_up);
    int err = handle(TF_UCX_PACKET, take_packet, UCP_AM_FLAG_PERSISTENT_DATA);
    if (!err)
        err = handle(TF_UCX_LAST, take_last, 0);
    if (!err)
        err = handle(TF_UCX_NOTHING, take_nothing, 0);
    if (!err)
        err = handle(TF_UCX_OFFER, tf_ucx_take_offer, 0);
    return err ? err : handle(TF_UCX_WITHDRAWN, tf_ucx_take_withdrawal, 0);
}

/* Nothing is under way any more, and all packets that came have been released. */
void tf_ucx_links_close(void)
{
    while (buffers) {
        struct buffer *next = buffers->next;
        free(buffers);
        buffers = next;
    }
    while (packets) {
        struct tf_packet *next = packets->next;
        free(packets);
        packets = next;
    }
    tf_remote_links_close();
    tf_ucx_used = NULL;
}
