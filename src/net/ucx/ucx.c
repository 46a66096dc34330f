/* ucx.c - processes of other nodes, through UCX: one context, one worker, an endpoint for each peer that this process
 * sends to.
 *
 * Each peer has its two rings in private memory.  Its `asleep` word is never 0, so every commit sends what is in the
 * ring; what is more than may be under way goes later, in progress().  A wait for one peer lets the worker progress,
 * which serves all peers, and looks at the packets of that one alone.
 */
#include "net/ucx/ucx.h"

#include <stdio.h>

#include "launch/launch.h"

ucp_context_h tf_ucx_context;
ucp_worker_h tf_ucx_worker;
struct tf_ucx_abilities tf_ucx_abilities;

enum { MOST_UNREAD = 256 * 1024 /* bytes of packets */ };

/* ---- peers ---- */

static void ucx_wake(struct tf_peer *peer)
{
    struct tf_ucx_link *link = tf_remote_link(peer);
    if (TF_LIKELY(link->packets.greeted))
        tf_ucx_flush(link);
    else
        tf_ucx_greet(link);
}

static size_t ucx_send(struct tf_peer *peer, const struct tf_header *header, const void *payload, size_t bytes,
                       uint32_t chunk)
{
    return tf_ucx_send(tf_remote_link(peer), header, payload, bytes, chunk);
}

static struct tf_cell *ucx_fill(struct tf_peer *peer)
{
    struct tf_packets *from = tf_packets_of(peer);
    struct tf_cell *cell = tf_packets_take(from);
    if (!cell && tf_ucx_unread < MOST_UNREAD && tf_ucx.ucp_worker_progress(tf_ucx_worker))
        cell = tf_packets_take(from);
    return cell;
}

static void look_at_time(void)
{
    static int64_t looked;
    int64_t now = tf_time();
    if (now - looked < TF_SECOND / 4)
        return;
    looked = now;
    tf_ucx_watch(now);
}

static bool hand_over_all(void)
{
    bool any = false;
    for (struct tf_ucx_link *link = tf_ucx_used; link; link = link->next_used)
        any |= tf_packets_hand_over(&link->packets);
    return any;
}

static bool ucx_progress(void)
{
    bool any = tf_ucx_unread > 0 && hand_over_all();
    any |= tf_ucx.ucp_worker_progress(tf_ucx_worker) > 0;
    for (struct tf_ucx_link *link = tf_ucx_used; link; link = link->next_used) {
        any |= tf_packets_hand_over(&link->packets);
        tf_ucx_flush(link);
        tf_ucx_flush_writes(link);
    }
    any |= tf_ucx_tell_accesses();
    tf_beacon_look();
    look_at_time();
    return any;
}

static bool ucx_unsent(void)
{
    struct tf_ucx_link *link = tf_ucx_used;
    while (link && (link->failure != UCS_OK ||
                    (link->under_way == 0 && !tf_frames_unsent(&link->packets.frames, link->packets.base.peer))))
        link = link->next_used;
    return link != NULL;
}

static int ucx_connect(struct tf_peer *peer)
{
    return tf_remote_rings_make(peer, TF_UCX_CAPACITY);
}

/* ---- opening ---- */

/* Packets lie where their cells are read.  All threads of the program may call, one at a time. */
static int open_worker(void)
{
    const char *why = tf_ucx_context_open(&tf_ucx_context);
    if (why)
        return tf_error(MPI_ERR_OTHER, "%s", why);
    tf_ucx_abilities = tf_ucx_find_abilities(tf_ucx_context);
    ucp_worker_params_t params = {.field_mask =
                                      UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_AM_ALIGNMENT,
                                  .thread_mode = UCS_THREAD_MODE_SERIALIZED,
                                  .am_alignment = TF_FRAME_ALIGN};
    ucs_status_t status = tf_ucx.ucp_worker_create(tf_ucx_context, &params, &tf_ucx_worker);
    if (status != UCS_OK) {
        tf_ucx_worker = NULL;
        return tf_error(MPI_ERR_OTHER, "UCX cannot make a worker: %s", tf_ucx.ucs_status_string(status));
    }
    return MPI_SUCCESS;
}

static bool arm(void)
{
    return tf_ucx.ucp_worker_arm(tf_ucx_worker) == UCS_OK;
}

static int watch_worker(void)
{
    int file;
    ucs_status_t status = tf_ucx.ucp_worker_get_efd(tf_ucx_worker, &file);
    if (status != UCS_OK)
        return tf_error(MPI_ERR_OTHER, "UCX has no file to wait for: %s", tf_ucx.ucs_status_string(status));
    return tf_doze_open(file, arm);
}

static int publish(void)
{
    char key[40];
    ucp_address_t *address;
    size_t length;
    ucs_status_t status = tf_ucx.ucp_worker_get_address(tf_ucx_worker, &address, &length);
    if (status != UCS_OK)
        return tf_error(MPI_ERR_OTHER, "UCX has no address for this process: %s", tf_ucx.ucs_status_string(status));
    snprintf(key, sizeof key, TF_UCX_ADDRESS, tf_job.rank);
    int err = tf_launch_put_bytes(key, address, length);
    tf_ucx.ucp_worker_release_address(tf_ucx_worker, address);
    if (!err)
        err = tf_beacon_open();
    if (!err)
        err = tf_key_agree();
    return err ? err : tf_launch_barrier();
}

static int ucx_open(void)
{
    int err = open_worker();
    if (!err)
        err = publish();
    if (!err)
        err = tf_key_learn();
    if (!err)
        err = tf_ucx_links_open();
    if (!err)
        err = watch_worker();
    if (!err)
        tf_net_drive(&tf_net_ucx);
    return err;
}

static void ucx_close(void)
{
    if (tf_job.left && tf_ucx_worker)
        tf_ucx_take_leave();
    tf_net_rest(&tf_net_ucx);
    tf_doze_close();
    tf_beacon_close();
    tf_packets_close();
    tf_ucx_close_endpoints();
    if (tf_ucx_worker)
        tf_ucx.ucp_worker_destroy(tf_ucx_worker);
    if (tf_ucx_context)
        tf_ucx.ucp_cleanup(tf_ucx_context);
    tf_ucx_worker = NULL;
    tf_ucx_context = NULL;
    tf_ucx_links_close();
    tf_ucx_rma_close();
}

const struct tf_net tf_net_ucx = {
    .name = "ucx",
    .what = "processes of other nodes, through UCX",
    .describe = tf_ucx_describe,
    .grade = tf_ucx_grade,
    .open = ucx_open,
    .close = ucx_close,
    .connect = ucx_connect,
    .wake = ucx_wake,
    .send = ucx_send,
    .fill = ucx_fill,
    .progress = ucx_progress,
    .unsent = ucx_unsent,
    .expose = tf_ucx_expose,
    .conceal = tf_ucx_conceal,
    .read = tf_ucx_read,
    .reads_whole = tf_ucx_reads_whole,
    .regions = tf_ucx_regions,
    .open_region = tf_ucx_open_region,
    .close_region = tf_ucx_close_region,
    .get = tf_ucx_get,
    .put = tf_ucx_put,
};
