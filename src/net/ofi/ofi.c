/* ofi.c - processes of other nodes, by a provider of libfabric.
 *
 * Every process has one endpoint, which reaches all others without connections that Treefold would have to know of.
 * Messages travel in packets (net/remote/packets.c).  Whoever waits for a peer reads the completion queue, which is one
 * for all, and files what has come; what is not that peer's is handed over by the next pass of progress.
 */
#include "net/ofi/ofi.h"

#include "launch/launch.h"

enum { COMPLETIONS = 16 };

/* ---- completions ---- */

static TF_COLD void take_error(void)
{
    struct fi_cq_err_entry error = {0};
    char words[100];
    if (fi_cq_readerr(tf_ofi.cq, &error, 0) < 1 || !error.op_context)
        return;
    struct tf_ofi_op *op = error.op_context;
    if (op->kind == TF_OFI_SEND)
        tf_ofi_send_failed(op, error.err,
                           fi_cq_strerror(tf_ofi.cq, error.prov_errno, error.err_data, words, sizeof words));
    else if (op->kind == TF_OFI_ACCESS)
        tf_ofi_access_done(op, false);
    else
        tf_ofi_receive_failed(op, error.flags);
}

int tf_ofi_poll(void)
{
    struct fi_cq_data_entry entry[COMPLETIONS];
    ssize_t n = fi_cq_read(tf_ofi.cq, entry, COMPLETIONS);
    if (n == -FI_EAVAIL) {
        take_error();
        return 1;
    }
    for (ssize_t i = 0; i < n; i++) {
        struct tf_ofi_op *op = entry[i].op_context;
        if (op->kind == TF_OFI_RECEIVE)
            tf_ofi_received(op, &entry[i]);
        else if (op->kind == TF_OFI_SEND)
            tf_ofi_sent(op);
        else
            tf_ofi_access_done(op, true);
    }
    return n > 0 ? (int)n : 0;
}

/* ---- the transport ---- */

static void look_at_time(void)
{
    static int64_t looked;
    int64_t now = tf_time();
    tf_beacon_look();
    if (now - looked < TF_SECOND / 4)
        return;
    looked = now;
    tf_ofi_look_at_failures(now);
}

static bool ofi_progress(void)
{
    bool any = tf_ofi_poll() > 0;
    tf_ofi_receive_again();
    if (tf_ofi_unsent)
        any |= tf_ofi_send_again();
    any |= tf_ofi_hand_over();
    any |= tf_ofi_tell_accesses();
    look_at_time();
    return any;
}

static struct tf_cell *ofi_fill(struct tf_peer *peer)
{
    struct tf_packets *from = tf_packets_of(peer);
    struct tf_cell *cell = tf_packets_take(from);
    if (cell)
        return cell;
    if (TF_UNLIKELY(tf_ofi_unsent))
        tf_ofi_send_again();
    return tf_ofi_poll() > 0 ? tf_packets_take(from) : NULL;
}

static bool ofi_unsent(void)
{
    return tf_ofi_unsent || tf_ofi_sending() > 0;
}

static int ofi_connect(struct tf_peer *peer)
{
    return tf_remote_rings_make(peer, TF_OFI_CAPACITY);
}

static void ofi_part(struct tf_peer *peer)
{
    if (peer->link)
        tf_ofi_forget(peer->link);
}

/* ---- opening and closing ---- */

/* Whoever is about to sleep holds no lock. */
static bool nothing_has_come(void)
{
    struct fid *queue = &tf_ofi.cq->fid;
    tf_lock_enter();
    bool quiet = !tf_ofi_unsent && fi_trywait(tf_ofi.fabric, &queue, 1) == FI_SUCCESS;
    tf_lock_leave();
    return quiet;
}

static int ofi_open(void)
{
    tf_ofi_leaving = false;
    int err = tf_ofi_endpoint_open();
    if (!err)
        err = tf_ofi_send_open();
    if (!err)
        err = tf_ofi_rma_open();
    if (!err)
        err = tf_beacon_open();
    if (!err)
        err = tf_key_agree();
    if (!err)
        err = tf_launch_barrier();
    if (!err)
        err = tf_key_learn();
    if (!err)
        err = tf_ofi_receive_open();
    if (!err)
        err = tf_ofi.sleeps ? tf_doze_open(tf_ofi.file, nothing_has_come) : tf_doze_open(-1, NULL);
    if (!err)
        tf_net_drive(&tf_net_ofi);
    return err;
}

static void ofi_close(void)
{
    if (tf_job.left && tf_ofi.ep)
        tf_ofi_leave();
    tf_net_rest(&tf_net_ofi);
    tf_doze_close();
    tf_beacon_close();
    tf_ofi_endpoint_close();
    tf_packets_close();
    tf_ofi_receive_close();
    tf_ofi_send_close();
    tf_ofi_rma_close();
    tf_ofi_memory_close();
}

const struct tf_net tf_net_ofi = {
    .name = "ofi",
    .what = "processes of other nodes, by a provider of libfabric",
    .describe = tf_ofi_describe,
    .grade = tf_ofi_grade,
    .open = ofi_open,
    .close = ofi_close,
    .connect = ofi_connect,
    .part = ofi_part,
    .wake = tf_ofi_flush,
    .fill = ofi_fill,
    .progress = ofi_progress,
    .unsent = ofi_unsent,
    .expose = tf_ofi_expose,
    .conceal = tf_ofi_conceal,
    .read = tf_ofi_read,
    .regions = tf_ofi_regions,
    .open_region = tf_ofi_open_region,
    .close_region = tf_ofi_close_region,
    .get = tf_ofi_read,
    .put = tf_ofi_put,
};
