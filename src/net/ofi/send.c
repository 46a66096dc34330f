/* send.c - packets out.
 *
 * What is unsent in a peer's ring is copied into a slot.  A short packet is injected, and its slot is free again at
 * once; a longer one keeps it until it is complete.  What the provider does not take now keeps its slot too, in a
 * queue; rings that find no slot wait in a list, and more of their messages go into a packet then.
 *
 * The first packet says nothing: where the provider has to connect first, it leaves when that is done, and the ring is
 * opened.
 */
#include "net/ofi/ofi.h"

#include <stdio.h>

#include "base/settings.h"

enum { GRACE = 5 }; /* seconds for the launcher to say how a peer has ended */

struct slot {
    struct tf_ofi_op op;
    struct slot *next, *made_before;
    unsigned char *bytes; /* NULL: another one has them, as nobody may ever say that this one's packet has left */
    uint32_t length;
    struct tf_ofi_link *link; /* to whom */
    bool tell;                /* not to be injected */
    bool posted;              /* the provider has it */
};

bool tf_ofi_unsent;

static struct slot *made, *unused;
static struct slot *queue, **queue_end = &queue; /* the provider took no more */
static struct tf_ofi_link *blocked, **blocked_end = &blocked;
static int sending;

static void set_up(void *made)
{
    struct tf_ofi_link *link = made;
    link->address = FI_ADDR_UNSPEC;
    tf_packets_set_up(&link->packets);
}

static bool make(unsigned char *bytes)
{
    struct slot *slot = calloc(1, sizeof *slot);
    if (!slot)
        return false;
    *slot = (struct slot){.op.kind = TF_OFI_SEND, .bytes = bytes, .made_before = made, .next = unused};
    made = unused = slot;
    return true;
}

int tf_ofi_send_open(void)
{
    tf_remote_links_open(sizeof(struct tf_ofi_link), set_up);
    for (int i = 0; i < TF_OFI_SLOTS; i++)
        if (!make(tf_ofi.memory + (size_t)i * TF_OFI_PACKET))
            return tf_error(MPI_ERR_NO_MEM, "cannot allocate %d descriptions of packets", TF_OFI_SLOTS);
    return MPI_SUCCESS;
}

void tf_ofi_send_close(void)
{
    while (made) {
        struct slot *before = made->made_before;
        free(made);
        made = before;
    }
    tf_remote_links_close();
    unused = queue = NULL;
    queue_end = &queue;
    blocked = NULL;
    blocked_end = &blocked;
    tf_ofi_unsent = false;
    sending = 0;
}

int tf_ofi_sending(void)
{
    return sending;
}

/* ---- links that fail ---- */

/* A process that has ended fails on the network too: the launcher knows better and is waited for. */
static TF_COLD void failed(struct tf_ofi_link *link, const char *why)
{
    if (link->failed > 0 || tf_ofi_leaving)
        return;
    link->failed = tf_time();
    snprintf(link->why, sizeof link->why, "%s", why);
    tf_log(1, "cannot send to rank %d: %s", link->packets.base.peer->rank, why);
}

void tf_ofi_look_at_failures(int64_t now)
{
    for (struct tf_remote_link *any = tf_remote_links; any; any = any->next) {
        struct tf_ofi_link *link = (struct tf_ofi_link *)any;
        if (link->failed > 0 && now - link->failed > GRACE * TF_SECOND)
            tf_net_peer_failed(
                any->peer,
                "cannot send to rank %d on host %s by provider %s of libfabric: %s; has the process ended, and does "
                "the network work? TREEFOLD_OFI_PROVIDER chooses another provider, TREEFOLD_NET=tcp does without "
                "libfabric",
                any->peer->rank, tf_address_host(any->peer->rank), tf_ofi_name(), link->why);
    }
}

/* ---- slots ---- */

static void free_slot(struct slot *slot)
{
    slot->posted = false;
    if (TF_LIKELY(slot->bytes != NULL)) {
        slot->next = unused;
        unused = slot;
    }
    slot->link->sending--;
    sending -= !slot->link->forgotten;
}

void tf_ofi_forget(struct tf_ofi_link *link)
{
    link->forgotten = true;
    sending -= link->sending;
    for (struct slot *slot = made; slot; slot = slot->made_before)
        if (slot->posted && slot->link == link && slot->bytes && make(slot->bytes))
            slot->bytes = NULL;
}

static struct slot *take_slot(struct tf_ofi_link *link)
{
    struct slot *slot = unused;
    if (!slot)
        return NULL;
    unused = slot->next;
    slot->link = link;
    slot->tell = false;
    link->sending++;
    sending++;
    return slot;
}

/* False: the provider takes no more now. */
static bool post(struct slot *slot)
{
    struct tf_ofi_link *link = slot->link;
    ssize_t n;
    if (TF_UNLIKELY(link->forgotten)) {
        free_slot(slot);
        return true;
    }
    fi_addr_t address = tf_ofi_address_of(link);
    /* The progress thread has to know what has not left. */
    bool inject = slot->length <= tf_ofi.info->tx_attr->inject_size && !slot->tell && !tf_settings.progress_thread;
    if (TF_UNLIKELY(address == FI_ADDR_UNSPEC))
        n = -FI_EHOSTUNREACH;
    else if (inject)
        n = fi_inject(tf_ofi.ep, slot->bytes, slot->length, address);
    else
        n = fi_send(tf_ofi.ep, slot->bytes, slot->length, tf_ofi.desc, address, &slot->op);
    if (TF_UNLIKELY(n == -FI_EAGAIN))
        return false;
    if (TF_UNLIKELY(n != 0))
        failed(slot->link, tf_ofi_library.fi_strerror((int)-n));
    slot->posted = true;
    if (inject || n != 0)
        free_slot(slot);
    link->injected = inject;
    return true;
}

static void post_or_queue(struct slot *slot)
{
    if (TF_LIKELY(!queue) && TF_LIKELY(post(slot)))
        return;
    slot->next = NULL;
    *queue_end = slot;
    queue_end = &slot->next;
    tf_ofi_unsent = true;
}

static void block(struct tf_ofi_link *link)
{
    tf_ofi_unsent = true;
    if (link->blocked)
        return;
    link->blocked = true;
    link->next_blocked = NULL;
    *blocked_end = link;
    blocked_end = &link->next_blocked;
}

static TF_COLD void greet(struct tf_ofi_link *link)
{
    link->packets.greeted = tf_ofi_send_nothing(link);
    if (!link->packets.greeted)
        block(link);
}

void tf_ofi_flush(struct tf_peer *peer)
{
    struct tf_ofi_link *link = tf_remote_link(peer);
    if (TF_UNLIKELY(!link->packets.greeted))
        greet(link);
    while (tf_frames_unsent(&link->packets.frames, peer)) {
        struct slot *slot = take_slot(link);
        if (!slot) {
            block(link);
            return;
        }
        slot->length = tf_packets_make(&link->packets, slot->bytes, TF_OFI_PACKET);
        post_or_queue(slot);
    }
}

static bool send_queue(void)
{
    bool any = false;
    while (queue) {
        struct slot *slot = queue, *next = slot->next;
        if (!post(slot))
            return any;
        queue = next;
        if (!next)
            queue_end = &queue;
        any = true;
    }
    return any;
}

bool tf_ofi_send_again(void)
{
    bool any = send_queue();
    while (blocked && unused && !queue) {
        struct tf_ofi_link *link = blocked;
        blocked = link->next_blocked;
        if (!blocked)
            blocked_end = &blocked;
        link->blocked = false;
        if (!link->forgotten)
            tf_ofi_flush(link->packets.base.peer);
        any = true;
    }
    tf_ofi_unsent = queue || blocked;
    return any;
}

bool tf_ofi_send(struct tf_ofi_link *link, const void *message, uint32_t length)
{
    struct slot *slot = take_slot(link);
    if (!slot)
        return false;
    memcpy(slot->bytes, message, length);
    slot->length = length;
    slot->tell = true;
    post_or_queue(slot);
    return true;
}

bool tf_ofi_send_nothing(struct tf_ofi_link *link)
{
    static const unsigned char nothing[TF_PACKET_HEAD]; /* proves nothing: leave.c */
    return tf_ofi_send(link, nothing, sizeof nothing);
}

/* ---- completions ---- */

void tf_ofi_sent(struct tf_ofi_op *op)
{
    struct slot *slot = TF_CONTAINER(op, struct slot, op);
    tf_packets_left(&slot->link->packets);
    free_slot(slot);
}

void tf_ofi_send_failed(struct tf_ofi_op *op, int error, const char *words)
{
    struct slot *slot = TF_CONTAINER(op, struct slot, op);
    char why[120];
    snprintf(why, sizeof why, "%s (%s)", tf_ofi_library.fi_strerror(error), words ? words : "");
    failed(slot->link, why);
    free_slot(slot);
}
