/* send.c - packets out.
 *
 * What is unsent in a peer's ring is copied into a slot.  A short packet is injected, and its slot is free again at
 * once; a longer one keeps it until it is complete.  What the provider does not take now keeps its slot too, in a
 * queue; rings that find no slot wait in a list, and more of their messages go into a packet then.
 */
#include "net/ofi/ofi.h"

#include <stdio.h>

enum { GRACE = 5 }; /* seconds for the launcher to say how a peer has ended */

struct slot {
    struct tf_ofi_op op;
    struct slot *next;
    unsigned char *bytes;
    uint32_t length;
    int rank;
    bool tell; /* not to be injected */
};

struct tf_ofi_link *tf_ofi_links;
bool tf_ofi_unsent;

static struct slot *slots, *unused;
static struct slot *queue, **queue_end = &queue; /* the provider took no more */
static struct tf_ofi_link *blocked, **blocked_end = &blocked;
static int sending;

int tf_ofi_send_open(void)
{
    slots = calloc(TF_OFI_SLOTS, sizeof *slots);
    tf_ofi_links = calloc((size_t)tf_world.size, sizeof *tf_ofi_links);
    if (!slots || !tf_ofi_links)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate the links of %d ranks", tf_world.size);
    for (int r = 0; r < tf_world.size; r++)
        tf_ofi_links[r].address = FI_ADDR_UNSPEC;
    for (int i = 0; i < TF_OFI_SLOTS; i++) {
        slots[i].op.kind = TF_OFI_SEND;
        slots[i].bytes = tf_ofi.memory + (size_t)i * TF_OFI_PACKET;
        slots[i].next = unused;
        unused = &slots[i];
    }
    return MPI_SUCCESS;
}

void tf_ofi_send_close(void)
{
    free(slots);
    free(tf_ofi_links);
    slots = unused = queue = NULL;
    queue_end = &queue;
    tf_ofi_links = blocked = NULL;
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
static TF_COLD void failed(int rank, const char *why)
{
    struct tf_ofi_link *link = &tf_ofi_links[rank];
    if (link->failed > 0 || tf_ofi_leaving)
        return;
    link->failed = tf_time();
    snprintf(link->why, sizeof link->why, "%s", why);
    tf_log(1, "cannot send to rank %d: %s", rank, why);
}

void tf_ofi_look_at_failures(double now)
{
    for (int r = 0; r < tf_world.size; r++) {
        struct tf_ofi_link *link = &tf_ofi_links[r];
        if (link->failed > 0 && now - link->failed > GRACE && !tf_ofi_leaving)
            tf_fatal(
                1,
                "treefold[%d]: cannot send to rank %d on host %s by provider %s of libfabric: %s; has the process "
                "ended, and does the network work? TREEFOLD_OFI_PROVIDER chooses another provider, TREEFOLD_NET=tcp "
                "does without libfabric",
                tf_world.rank, r, tf_address_host(r), tf_ofi_name(), link->why);
    }
}

/* ---- slots ---- */

static void free_slot(struct slot *slot)
{
    slot->next = unused;
    unused = slot;
    sending--;
}

static struct slot *take_slot(int rank)
{
    struct slot *slot = unused;
    if (!slot)
        return NULL;
    unused = slot->next;
    slot->rank = rank;
    slot->tell = false;
    sending++;
    return slot;
}

/* False: the provider takes no more now. */
static bool post(struct slot *slot)
{
    struct tf_ofi_link *link = &tf_ofi_links[slot->rank];
    ssize_t n;
    fi_addr_t address = tf_ofi_address_of(slot->rank);
    bool inject = slot->length <= tf_ofi.info->tx_attr->inject_size && !slot->tell;
    if (inject)
        n = fi_inject(tf_ofi.ep, slot->bytes, slot->length, address);
    else
        n = fi_send(tf_ofi.ep, slot->bytes, slot->length, tf_ofi.desc, address, &slot->op);
    if (TF_UNLIKELY(n == -FI_EAGAIN))
        return false;
    if (TF_UNLIKELY(n != 0))
        failed(slot->rank, tf_ofi_library.fi_strerror((int)-n));
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

void tf_ofi_flush(struct tf_peer *peer)
{
    struct tf_packets *to = &tf_packets[peer->rank];
    while (tf_frames_unsent(&to->frames, peer)) {
        struct slot *slot = take_slot(peer->rank);
        if (!slot) {
            block(&tf_ofi_links[peer->rank]);
            return;
        }
        slot->length = tf_packets_make(to, slot->bytes, TF_OFI_PACKET);
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
        tf_ofi_flush(tf_packets[link - tf_ofi_links].peer);
        any = true;
    }
    tf_ofi_unsent = queue || blocked;
    return any;
}

bool tf_ofi_send(int rank, const void *message, uint32_t length)
{
    struct slot *slot = take_slot(rank);
    if (!slot)
        return false;
    memcpy(slot->bytes, message, length);
    slot->length = length;
    slot->tell = true;
    post_or_queue(slot);
    return true;
}

/* ---- completions ---- */

void tf_ofi_sent(struct tf_ofi_op *op)
{
    free_slot(TF_CONTAINER(op, struct slot, op));
}

void tf_ofi_send_failed(struct tf_ofi_op *op, int error, const char *words)
{
    struct slot *slot = TF_CONTAINER(op, struct slot, op);
    char why[120];
    snprintf(why, sizeof why, "%s (%s)", tf_ofi_library.fi_strerror(error), words ? words : "");
    failed(slot->rank, why);
    free_slot(slot);
}
