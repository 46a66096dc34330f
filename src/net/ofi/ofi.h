/* ofi.h - the pieces of the transport on libfabric (OpenFabrics Interfaces).
 *
 *     provider.c   libfabric, which is opened at run time, and the provider of it that is used
 *     endpoint.c   what is opened there: domain, endpoint, completion queue, addresses, memory
 *     send.c       packets out
 *     receive.c    packets in
 *     ofi.c        the transport: completions, progress, opening
 *     rma.c        memory of other processes
 *     leave.c      the end
 */
#ifndef TF_OFI_H
#define TF_OFI_H

#include "base/library.h"
#include "net/remote/remote.h"

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

enum {
    TF_OFI_CAPACITY = 256 * 1024,                      /* of a ring; a chunk is a quarter */
    TF_OFI_PACKET = TF_OFI_CAPACITY / 4 + 2 * 1024,    /* the longest packet: a chunk, and many short messages */
    TF_OFI_SLOTS = 16,                                 /* packets that are being sent */
    TF_OFI_BUFFERS = 4,                                /* memory to receive into: so many pieces */
    TF_OFI_IN_BUFFER = 8,                              /* long packets in each of them */
    TF_OFI_SINGLES = TF_OFI_BUFFERS * TF_OFI_IN_BUFFER /* pieces, where each takes one packet only */
};

/* ---- provider.c ---- */

#define TF_OFI_FUNCTIONS(f) f(fi_version) f(fi_getinfo) f(fi_freeinfo) f(fi_dupinfo) f(fi_fabric) f(fi_strerror)
extern struct tf_ofi_library {
    TF_OFI_FUNCTIONS(TF_LIBRARY_MEMBER)
} tf_ofi_library;

/* What is used here, to be freed by fi_freeinfo(); NULL: nothing can be, and *why in words. */
struct fi_info *tf_ofi_provider(const char **why);
bool tf_ofi_describe(char *words, size_t n);
enum tf_net_grade tf_ofi_grade(void);
/* Whether that provider reaches another machine by something else than the system's sockets. */
bool tf_ofi_drives_fabric(const char *provider);

/* ---- endpoint.c ---- */

/* What every operation's context begins with. */
enum tf_ofi_kind { TF_OFI_SEND, TF_OFI_RECEIVE, TF_OFI_ACCESS };
struct tf_ofi_op {
    struct fi_context2 context; /* the provider's, where it wants one */
    enum tf_ofi_kind kind;
};

extern struct tf_ofi {
    struct fi_info *info;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_ep *ep;
    struct fid_cq *cq;
    struct fid_av *av;
    struct fid_mr *mr; /* of `memory`, where the provider wants it registered */
    void *desc;
    unsigned char *memory; /* of all packets: those to send, then those to receive */
    size_t memory_bytes;
    bool multi;  /* a piece of memory takes many packets */
    bool reads;  /* memory of other processes can be read and written */
    bool sleeps; /* the completion queue has a file to wait for */
    int file;
} tf_ofi;

int tf_ofi_endpoint_open(void); /* and publish its address; before a barrier */
/* After it nothing comes any more, and packets that have come are still there. */
void tf_ofi_endpoint_close(void);
void tf_ofi_memory_close(void);
/* Look the address of that rank up. */
fi_addr_t tf_ofi_find(int rank);
/* Memory for operations of that kind (FI_SEND...); 0, or the provider's error.  It is undone by fi_close(). */
int tf_ofi_register(const void *at, size_t bytes, uint64_t access, struct fid_mr **mr);
/* In words: "tcp;ofi_rxm". */
const char *tf_ofi_name(void);

/* ---- send.c ---- */

struct tf_ofi_link {
    struct tf_packets packets;
    fi_addr_t address; /* FI_ADDR_UNSPEC: not known yet */
    bool blocked;      /* what is in its ring waits for a slot, or the first packet does */
    bool injected;     /* something was sent of which nobody says when it has left */
    bool listed;       /* receive.c: something of it has come */
    bool forgotten;    /* its process has died */
    int sending;       /* packets of tf_ofi_sending() */
    struct tf_ofi_link *next_blocked, *next_listed;
    int64_t failed; /* when, 0: it works */
    char why[120];
};
static inline fi_addr_t tf_ofi_address_of(struct tf_ofi_link *link)
{
    if (TF_UNLIKELY(link->address == FI_ADDR_UNSPEC))
        link->address = tf_ofi_find(link->packets.base.peer->rank);
    return link->address;
}
/* Its process has died: whether it gets anything is of no importance, and the provider may never say so. */
void tf_ofi_forget(struct tf_ofi_link *link);
/* Something waits for tf_ofi_send_again(). */
extern bool tf_ofi_unsent;

int tf_ofi_send_open(void);
void tf_ofi_send_close(void);
void tf_ofi_flush(struct tf_peer *peer);
/* What found no room before; true if some has left. */
bool tf_ofi_send_again(void);
/* A message of the transport's own, at most a packet; false: not now.  It counts in tf_ofi_sending() until it has left;
 * then so has all that went there before. */
bool tf_ofi_send(struct tf_ofi_link *link, const void *message, uint32_t length);
/* The same that says nothing. */
bool tf_ofi_send_nothing(struct tf_ofi_link *link);
int tf_ofi_sending(void); /* packets that have not left, or of which nobody has said so */
void tf_ofi_sent(struct tf_ofi_op *op);
void tf_ofi_send_failed(struct tf_ofi_op *op, int error, const char *words);
/* Those that failed a while ago, and the launcher says nothing: end the job. */
void tf_ofi_look_at_failures(int64_t now);

/* ---- receive.c ---- */

int tf_ofi_receive_open(void); /* once the endpoint is there */
void tf_ofi_receive_close(void);
void tf_ofi_received(struct tf_ofi_op *op, const struct fi_cq_data_entry *entry);
void tf_ofi_receive_failed(struct tf_ofi_op *op, uint64_t flags);
/* Give the provider the memory that it had no place for. */
void tf_ofi_receive_again(void);
/* What has come goes to tf_net_arrive(); true if there was anything. */
bool tf_ofi_hand_over(void);

/* ---- rma.c ---- */

/* As struct tf_net has them. */
size_t tf_ofi_expose(struct tf_peer *peer, const void *at, size_t bytes, void *key, void **hold);
void tf_ofi_conceal(struct tf_peer *peer, void *hold);
bool tf_ofi_regions(void);
size_t tf_ofi_open_region(const void *at, size_t bytes, void *key, void **hold);
void tf_ofi_close_region(void *hold);
enum tf_net_outcome tf_ofi_read(struct tf_peer *peer, struct tf_net_access *access);
enum tf_net_outcome tf_ofi_put(struct tf_peer *peer, struct tf_net_access *access);
int tf_ofi_rma_open(void);
void tf_ofi_rma_close(void);
void tf_ofi_access_done(struct tf_ofi_op *op, bool good);
/* Tell the callers whose reads and writes have ended; true if there was any. */
bool tf_ofi_tell_accesses(void);

/* ---- ofi.c ---- */

/* Take what has completed; how many. */
int tf_ofi_poll(void);

/* ---- leave.c ---- */

/* Collective, when MPI is over: when it returns everything that this process has sent is where it was to go, or lost
 * for other reasons. */
void tf_ofi_leave(void);
extern bool tf_ofi_leaving; /* packets that come are nobody's any more */
void tf_ofi_leave_heard(const void *message);

#endif
