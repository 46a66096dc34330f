/* rma.c - memory that other processes read and write, and reads and writes of theirs.
 *
 * Memory is registered for as long as it is offered, and what is read into or written from for as long as it takes,
 * where the provider wants that at all.  Whether the registration is kept for a next time is the provider's business,
 * since it knows when the program gives memory back to the system.
 *
 * An access ends where completions are taken, also while a process waits for one peer alone.  Its caller, who may then
 * go on with anything, is told in a pass of progress.
 */
#include "net/ofi/ofi.h"

#include "net/regions.h"

enum { ACCESSES = 64 /* under way at a time */ };

struct key {
    uint64_t key, base; /* addresses count from there */
};

struct access {
    struct tf_ofi_op op;
    struct access *next;
    struct tf_net_access *of;
    struct fid_mr *mr; /* of the memory here, if that is wanted */
    bool good;
};

static struct access *accesses, *unused;
static struct access *ended, **ended_end = &ended;

int tf_ofi_rma_open(void)
{
    accesses = calloc(ACCESSES, sizeof *accesses);
    if (!accesses)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate descriptions of %d reads and writes", ACCESSES);
    for (int i = 0; i < ACCESSES; i++) {
        accesses[i].op.kind = TF_OFI_ACCESS;
        accesses[i].next = unused;
        unused = &accesses[i];
    }
    return MPI_SUCCESS;
}

void tf_ofi_rma_close(void)
{
    free(accesses);
    accesses = unused = ended = NULL;
    ended_end = &ended;
}

/* ---- the side whose memory it is ---- */

static size_t offer(const void *at, size_t bytes, uint64_t rights, void *key, void **hold)
{
    struct fid_mr *mr;
    if (!tf_ofi.reads || tf_ofi_register(at, bytes, rights, &mr))
        return 0;
    bool virtual = tf_ofi.info->domain_attr->mr_mode & FI_MR_VIRT_ADDR;
    struct key made = {.key = fi_mr_key(mr), .base = virtual ? 0 : (uintptr_t)at};
    memcpy(key, &made, sizeof made);
    *hold = mr;
    return sizeof made;
}

size_t tf_ofi_expose(struct tf_peer *peer, const void *at, size_t bytes, void *key, void **hold)
{
    (void)peer;
    return offer(at, bytes, FI_REMOTE_READ, key, hold);
}

void tf_ofi_conceal(struct tf_peer *peer, void *hold)
{
    (void)peer;
    tf_ofi_close_region(hold);
}

bool tf_ofi_regions(void)
{
    return tf_ofi.reads && tf_regions_are_wanted(tf_ofi_drives_fabric(tf_ofi_name()));
}

size_t tf_ofi_open_region(const void *at, size_t bytes, void *key, void **hold)
{
    return offer(at, bytes, FI_REMOTE_READ | FI_REMOTE_WRITE, key, hold);
}

void tf_ofi_close_region(void *hold)
{
    fi_close(&((struct fid_mr *)hold)->fid);
}

/* ---- the side that reads and writes ---- */

static void give(struct access *access)
{
    if (access->mr)
        fi_close(&access->mr->fid);
    access->next = unused;
    unused = access;
}

/* A write is complete when it is in the peer's memory.  A short one need not be registered, as it is taken at once. */
static ssize_t post(struct access *access, fi_addr_t peer, const struct key *key, bool writes, bool inject)
{
    struct tf_net_access *of = access->of;
    void *desc = access->mr ? fi_mr_desc(access->mr) : NULL;
    struct iovec here = {of->here, of->bytes};
    struct fi_rma_iov there = {of->address - key->base, of->bytes, key->key};
    struct fi_msg_rma message = {.msg_iov = &here,
                                 .desc = &desc,
                                 .iov_count = 1,
                                 .addr = peer,
                                 .rma_iov = &there,
                                 .rma_iov_count = 1,
                                 .context = &access->op};
    if (!writes)
        return fi_read(tf_ofi.ep, of->here, of->bytes, desc, peer, there.addr, key->key, &access->op);
    return fi_writemsg(tf_ofi.ep, &message, FI_COMPLETION | FI_DELIVERY_COMPLETE | (inject ? FI_INJECT : 0));
}

static enum tf_net_outcome start(struct tf_peer *peer, struct tf_net_access *of, bool writes)
{
    struct key key;
    struct access *access = unused;
    bool registers = tf_ofi.info->domain_attr->mr_mode & FI_MR_LOCAL;
    bool inject = writes && registers && of->bytes <= tf_ofi.info->tx_attr->inject_size;
    if (!tf_ofi.reads || of->key_length != sizeof key)
        return TF_NET_REFUSED;
    if (!access)
        return TF_NET_BUSY;
    memcpy(&key, of->key, sizeof key);
    access->mr = NULL;
    access->of = of;
    if (registers && !inject && tf_ofi_register(of->here, of->bytes, writes ? FI_WRITE : FI_READ, &access->mr))
        return TF_NET_REFUSED;
    unused = access->next;
    ssize_t n = post(access, tf_ofi_address_of(tf_remote_link(peer)), &key, writes, inject);
    if (n != 0)
        give(access);
    return n == 0 ? TF_NET_STARTED : n == -FI_EAGAIN ? TF_NET_BUSY : TF_NET_REFUSED;
}

enum tf_net_outcome tf_ofi_read(struct tf_peer *peer, struct tf_net_access *access)
{
    return start(peer, access, false);
}

enum tf_net_outcome tf_ofi_put(struct tf_peer *peer, struct tf_net_access *access)
{
    return start(peer, access, true);
}

void tf_ofi_access_done(struct tf_ofi_op *op, bool good)
{
    struct access *access = TF_CONTAINER(op, struct access, op);
    access->good = good;
    access->next = NULL;
    *ended_end = access;
    ended_end = &access->next;
}

bool tf_ofi_tell_accesses(void)
{
    bool any = ended != NULL;
    while (ended) {
        struct access *access = ended;
        struct tf_net_access *of = access->of;
        ended = access->next;
        if (!ended)
            ended_end = &ended;
        give(access);
        of->done(of, access->good);
    }
    return any;
}
