/* receive.c - packets in.
 *
 * A few large pieces of memory take packets of all processes, one after the other (FI_MULTI_RECV), so memory does not
 * grow with the job.  A piece goes back to the provider when it has said that it is full and all packets in it are
 * consumed.  Where the provider cannot fill a piece with several, or errs in it, each takes one, and there are more.
 */
#include "net/ofi/ofi.h"

#include <stdio.h>

enum { MORE = 256 };

struct piece {
    struct tf_ofi_op op;
    struct piece *next;
    unsigned char *bytes;
    int holders; /* the provider, and packets that are not consumed */
};

struct landed {
    struct tf_packet packet;
    struct piece *piece; /* NULL: the bytes are a copy */
    struct landed *next;
};

/* Descriptions of packets are made as many as are needed at a time, and never given back before the end. */
struct batch {
    struct batch *next;
    struct landed landed[MORE];
};

static struct piece *pieces, *idle; /* those that the provider has no place for */
static size_t piece_bytes;
static struct landed *unused;
static struct batch *batches;
static struct tf_ofi_link *listed;

static bool post(struct piece *piece)
{
    struct iovec part = {piece->bytes, piece_bytes};
    struct fi_msg message = {
        .msg_iov = &part, .desc = &tf_ofi.desc, .iov_count = 1, .addr = FI_ADDR_UNSPEC, .context = &piece->op};
    ssize_t n = fi_recvmsg(tf_ofi.ep, &message, tf_ofi.multi ? FI_MULTI_RECV : 0);
    if (n != 0 && n != -FI_EAGAIN)
        tf_fatal(1, "treefold[%d]: provider %s takes no memory to receive into: %s", tf_job.rank, tf_ofi_name(),
                 tf_ofi_library.fi_strerror((int)-n));
    piece->holders = n == 0;
    return n == 0;
}

static void post_or_keep(struct piece *piece)
{
    if (!tf_ofi.ep || post(piece))
        return;
    piece->next = idle;
    idle = piece;
}

void tf_ofi_receive_again(void)
{
    while (TF_UNLIKELY(idle != NULL)) {
        struct piece *piece = idle;
        if (!post(piece))
            return;
        idle = piece->next;
    }
}

static void let_go(struct piece *piece)
{
    if (--piece->holders == 0)
        post_or_keep(piece);
}

int tf_ofi_receive_open(void)
{
    int n = tf_ofi.multi ? TF_OFI_BUFFERS : TF_OFI_SINGLES;
    piece_bytes = (size_t)TF_OFI_PACKET * (tf_ofi.multi ? TF_OFI_IN_BUFFER : 1);
    pieces = calloc((size_t)n, sizeof *pieces);
    if (!pieces)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate %d descriptions of memory to receive into", n);
    for (int i = 0; i < n; i++) {
        pieces[i].op.kind = TF_OFI_RECEIVE;
        pieces[i].bytes = tf_ofi.memory + (size_t)TF_OFI_PACKET * TF_OFI_SLOTS + (size_t)i * piece_bytes;
        post_or_keep(&pieces[i]);
    }
    return MPI_SUCCESS;
}

void tf_ofi_receive_close(void)
{
    while (batches) {
        struct batch *next = batches->next;
        free(batches);
        batches = next;
    }
    free(pieces);
    pieces = idle = NULL;
    unused = NULL;
    listed = NULL;
}

/* ---- packets ---- */

static void release(struct tf_packet *packet)
{
    struct landed *landed = TF_CONTAINER(packet, struct landed, packet);
    if (landed->piece)
        let_go(landed->piece);
    else
        free((void *)packet->bytes);
    landed->next = unused;
    unused = landed;
}

static void make_more(void)
{
    struct batch *batch = calloc(1, sizeof *batch);
    if (!batch)
        tf_fatal(1, "treefold[%d]: no memory for what has come", tf_job.rank);
    batch->next = batches;
    batches = batch;
    for (int i = 0; i < MORE; i++) {
        batch->landed[i].packet.release = release;
        batch->landed[i].next = unused;
        unused = &batch->landed[i];
    }
}

/* Packets are a multiple of 32 long and so is where the next one begins, unless strangers send something else. */
static TF_COLD void copy(struct landed *landed)
{
    void *bytes =
        aligned_alloc(TF_FRAME_ALIGN, (landed->packet.length + TF_FRAME_ALIGN) & ~(size_t)(TF_FRAME_ALIGN - 1));
    if (!bytes)
        tf_fatal(1, "treefold[%d]: no memory for a packet", tf_job.rank);
    memcpy(bytes, landed->packet.bytes, landed->packet.length);
    let_go(landed->piece);
    landed->piece = NULL;
    landed->packet.bytes = bytes;
}

static void list(struct tf_ofi_link *link)
{
    if (link->listed)
        return;
    link->listed = true;
    link->next_listed = listed;
    listed = link;
}

static void file(struct piece *piece, const unsigned char *bytes, uint32_t length)
{
    if (TF_UNLIKELY(!unused))
        make_more();
    struct landed *landed = unused;
    unused = landed->next;
    landed->piece = piece;
    landed->packet.bytes = bytes;
    landed->packet.length = length;
    piece->holders++;
    if (TF_UNLIKELY((uintptr_t)bytes % TF_FRAME_ALIGN))
        copy(landed);
    struct tf_packets *from = tf_packets_put(&landed->packet);
    if (TF_LIKELY(from != NULL))
        list((struct tf_ofi_link *)from);
    else
        release(&landed->packet);
}

void tf_ofi_received(struct tf_ofi_op *op, const struct fi_cq_data_entry *entry)
{
    struct piece *piece = TF_CONTAINER(op, struct piece, op);
    const unsigned char *bytes = tf_ofi.multi ? entry->buf : piece->bytes;
    if (TF_UNLIKELY(entry->flags & FI_RECV && entry->len == TF_PACKET_HEAD))
        tf_ofi_leave_heard(bytes);
    else if (TF_LIKELY(entry->flags & FI_RECV && entry->len > 0 && !tf_ofi_leaving))
        file(piece, bytes, (uint32_t)entry->len);
    if (!tf_ofi.multi || entry->flags & FI_MULTI_RECV)
        let_go(piece);
}

/* What came was too long, say, which is a stranger's. */
void tf_ofi_receive_failed(struct tf_ofi_op *op, uint64_t flags)
{
    if (!tf_ofi.multi || flags & FI_MULTI_RECV)
        let_go(TF_CONTAINER(op, struct piece, op));
}

/* Who is in the list when this begins: what comes meanwhile is for the next pass. */
bool tf_ofi_hand_over(void)
{
    struct tf_ofi_link *link = listed;
    bool any = false;
    listed = NULL;
    while (link) {
        struct tf_ofi_link *next = link->next_listed;
        link->listed = false;
        any |= tf_packets_hand_over(&link->packets);
        if (link->packets.first)
            list(link);
        link = next;
    }
    return any;
}
