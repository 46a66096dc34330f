/* read.c - memory that other processes read, and reads of theirs.
 *
 * Memory is registered for as long as it is offered, and what is read into for as long as it takes, where the provider
 * wants that at all.  Whether the registration is kept for a next time is the provider's business, since it knows when
 * the program gives memory back to the system.
 *
 * A read ends where completions are taken, also while a process waits for one peer alone.  Its caller, who may then go
 * on with anything, is told in a pass of progress.
 */
#include "net/ofi/ofi.h"

enum { READS = 64 /* under way at a time */ };

struct key {
    uint64_t key, base; /* addresses count from there */
};

struct reading {
    struct tf_ofi_op op;
    struct reading *next;
    struct tf_net_read *read;
    struct fid_mr *mr; /* of where it is read to, if that is wanted */
    bool good;
};

static struct reading *readings, *unused;
static struct reading *ended, **ended_end = &ended;

int tf_ofi_read_open(void)
{
    readings = calloc(READS, sizeof *readings);
    if (!readings)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate descriptions of %d reads", READS);
    for (int i = 0; i < READS; i++) {
        readings[i].op.kind = TF_OFI_READ;
        readings[i].next = unused;
        unused = &readings[i];
    }
    return MPI_SUCCESS;
}

void tf_ofi_read_close(void)
{
    free(readings);
    readings = unused = ended = NULL;
    ended_end = &ended;
}

/* ---- the side that is read ---- */

size_t tf_ofi_expose(struct tf_peer *peer, const void *at, size_t bytes, void *key, void **hold)
{
    struct fid_mr *mr;
    (void)peer;
    if (!tf_ofi.reads || tf_ofi_register(at, bytes, FI_REMOTE_READ, &mr))
        return 0;
    bool virtual = tf_ofi.info->domain_attr->mr_mode & FI_MR_VIRT_ADDR;
    struct key made = {.key = fi_mr_key(mr), .base = virtual ? 0 : (uintptr_t)at};
    memcpy(key, &made, sizeof made);
    *hold = mr;
    return sizeof made;
}

void tf_ofi_conceal(struct tf_peer *peer, void *hold)
{
    (void)peer;
    fi_close(&((struct fid_mr *)hold)->fid);
}

/* ---- the side that reads ---- */

static void give(struct reading *reading)
{
    if (reading->mr)
        fi_close(&reading->mr->fid);
    reading->next = unused;
    unused = reading;
}

enum tf_net_reading tf_ofi_read(struct tf_peer *peer, struct tf_net_read *read)
{
    struct key key;
    struct reading *reading = unused;
    if (!tf_ofi.reads || read->key_length != sizeof key)
        return TF_NET_REFUSED;
    if (!reading)
        return TF_NET_BUSY;
    memcpy(&key, read->key, sizeof key);
    reading->mr = NULL;
    reading->read = read;
    if (tf_ofi.info->domain_attr->mr_mode & FI_MR_LOCAL &&
        tf_ofi_register(read->to, read->bytes, FI_READ, &reading->mr))
        return TF_NET_REFUSED;
    unused = reading->next;
    ssize_t n = fi_read(tf_ofi.ep, read->to, read->bytes, reading->mr ? fi_mr_desc(reading->mr) : NULL,
                        tf_ofi_address_of(tf_remote_link(peer)), read->address - key.base, key.key, &reading->op);
    if (n != 0)
        give(reading);
    return n == 0 ? TF_NET_STARTED : n == -FI_EAGAIN ? TF_NET_BUSY : TF_NET_REFUSED;
}

void tf_ofi_read_done(struct tf_ofi_op *op, bool good)
{
    struct reading *reading = TF_CONTAINER(op, struct reading, op);
    reading->good = good;
    reading->next = NULL;
    *ended_end = reading;
    ended_end = &reading->next;
}

bool tf_ofi_tell_readers(void)
{
    bool any = ended != NULL;
    while (ended) {
        struct reading *reading = ended;
        struct tf_net_read *read = reading->read;
        ended = reading->next;
        if (!ended)
            ended_end = &ended;
        give(reading);
        read->done(read, reading->good);
    }
    return any;
}
