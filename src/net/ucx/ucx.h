/* ucx.h - the pieces of the transport on UCX.
 *
 *     library.c   libucp, opened at run time, and what it finds on this machine
 *     link.c      endpoints: packets out, packets in, endpoints that fail
 *     rma.c       reads of a peer's memory, and writes to it
 *     whole.c     long messages over sockets, which are read whole
 *     leave.c     the end: everything that was sent arrives
 *     ucx.c       the transport: opening, progress, sleeping
 *
 * A packet (net/remote/) is one active message.
 */
#ifndef TF_UCX_H
#define TF_UCX_H

#include <ucp/api/ucp.h>

#include "base/library.h"
#include "net/remote/remote.h"

/* What is used of UCX. */
#define TF_UCX_FUNCTIONS(f)                                                                                            \
    f(ucp_get_version) f(ucp_init_version) f(ucp_cleanup) f(ucp_context_print_info) f(ucp_worker_create)               \
        f(ucp_worker_destroy) f(ucp_worker_get_address) f(ucp_worker_release_address) f(ucp_worker_get_efd)            \
            f(ucp_worker_arm) f(ucp_worker_progress) f(ucp_worker_set_am_recv_handler) f(ucp_worker_flush_nbx)         \
                f(ucp_am_send_nbx) f(ucp_am_recv_data_nbx) f(ucp_am_data_release) f(ucp_ep_create) f(ucp_ep_close_nbx) \
                    f(ucp_mem_map) f(ucp_mem_unmap) f(ucp_rkey_pack) f(ucp_rkey_buffer_release) f(ucp_ep_rkey_unpack)  \
                        f(ucp_rkey_destroy) f(ucp_get_nbx) f(ucp_put_nbx) f(ucp_ep_flush_nbx)                          \
                            f(ucp_request_check_status) f(ucp_request_free) f(ucs_status_string)
struct tf_ucx_functions {
    TF_UCX_FUNCTIONS(TF_LIBRARY_MEMBER)
};

enum { TF_UCX_CAPACITY = 512 * 1024 /* of a ring; a chunk is a quarter */ };

/* Where each rank's worker is: the key of the launcher's. */
#define TF_UCX_ADDRESS "treefold-ucx-%d"

struct tf_ucx_link {
    struct tf_packets packets;
    ucp_ep_h endpoint;             /* NULL: nothing was sent yet */
    int under_way;                 /* packets that UCX has not got rid of */
    struct tf_ucx_link *next_used; /* those to which something was sent, or from which something came */
    bool used;
    struct tf_ucx_rkey *rkey;       /* rma.c: of the latest access */
    struct tf_ucx_access *written;  /* rma.c: writes that no flush follows yet */
    struct tf_ucx_access *flushing; /* rma.c: those before the flush that is under way */
    struct tf_ucx_offered *offered; /* whole.c: by the peer, and not read */
    int offers;                     /* whole.c: to the peer, which UCX has not got rid of */
    bool said_last, heard_last;     /* the peer was told that nothing more comes; it has told so */
    ucs_status_t failure;           /* of the endpoint, UCS_OK: it works */
    int64_t failed;                 /* when */
};

/* library.c */
extern struct tf_ucx_functions tf_ucx;
/* Open the library and make a context; what is missing, in words, NULL: all is well. */
const char *tf_ucx_context_open(ucp_context_h *context);
/* Its version, and the transports and devices that the context found. */
bool tf_ucx_describe(char *words, size_t n);
enum tf_net_grade tf_ucx_grade(void);
/* Whether a value of UCX_TLS names only transports of which no memory is registered. */
bool tf_ucx_registers_nothing(const char *list);
/* What the transports that a context found can do, together. */
struct tf_ucx_abilities {
    bool leaves; /* the machine */
    bool fabric; /* a network that is faster than TCP */
    bool reads;  /* remote memory, without the other side's processor */
};
struct tf_ucx_abilities tf_ucx_find_abilities(ucp_context_h context);

/* ucx.c */
extern ucp_context_h tf_ucx_context;
extern ucp_worker_h tf_ucx_worker;
extern struct tf_ucx_abilities tf_ucx_abilities;

/* link.c */
/* Kinds of active messages. */
enum { TF_UCX_PACKET, TF_UCX_LAST, TF_UCX_OFFER, TF_UCX_WITHDRAWN, TF_UCX_NOTHING };
void tf_ucx_use(struct tf_ucx_link *link);     /* something was sent, or came */
bool tf_ucx_connect(struct tf_ucx_link *link); /* make the endpoint, unless there is one */
extern struct tf_ucx_link *tf_ucx_used;
extern size_t tf_ucx_unread; /* bytes of packets that have come and are not consumed */
int tf_ucx_links_open(void);
void tf_ucx_links_close(void); /* after the worker */
size_t tf_ucx_send(struct tf_ucx_link *link, const struct tf_header *header, const char *payload, size_t bytes,
                   uint32_t chunk); /* as net->send */
void tf_ucx_flush(struct tf_ucx_link *link);
void tf_ucx_greet(struct tf_ucx_link *link); /* before anything else is sent there */
/* A short word. */
void tf_ucx_say(struct tf_ucx_link *link, unsigned kind, const void *words, uint32_t length);
void tf_ucx_say_last(struct tf_ucx_link *link);
void tf_ucx_watch(int64_t now); /* ends the job if an endpoint failed and nobody else says why */

/* rma.c: of struct tf_net */
size_t tf_ucx_expose(struct tf_peer *peer, const void *at, size_t bytes, void *key, void **hold);
void tf_ucx_conceal(struct tf_peer *peer, void *hold);
enum tf_net_outcome tf_ucx_read(struct tf_peer *peer, struct tf_net_access *access);
bool tf_ucx_reads_whole(void);
bool tf_ucx_regions(void);
size_t tf_ucx_open_region(const void *at, size_t bytes, void *key, void **hold);
void tf_ucx_close_region(void *hold);
enum tf_net_outcome tf_ucx_get(struct tf_peer *peer, struct tf_net_access *access);
enum tf_net_outcome tf_ucx_put(struct tf_peer *peer, struct tf_net_access *access);
void tf_ucx_flush_writes(struct tf_ucx_link *link); /* if there are any, and no flush is under way */
bool tf_ucx_tell_accesses(void);                    /* those that have ended; true if there was one */
void tf_ucx_forget_rkey(struct tf_ucx_link *link);
void tf_ucx_rma_close(void);

/* When a read has ended that tf_ucx_accept() has started. */
void tf_ucx_accepted(void *request, ucs_status_t status, size_t length, void *of);

/* whole.c: where the network does not read by itself, what expose(), conceal() and read() are. */
size_t tf_ucx_offer(struct tf_ucx_link *link, const void *at, size_t bytes, void *key, void **hold);
void tf_ucx_withdraw(void *hold);
enum tf_net_outcome tf_ucx_accept(struct tf_ucx_link *link, struct tf_net_access *read, void *of);
ucs_status_t tf_ucx_take_offer(void *arg, const void *header, size_t header_length, void *data, size_t length,
                               const ucp_am_recv_param_t *param);
ucs_status_t tf_ucx_take_withdrawal(void *arg, const void *header, size_t header_length, void *data, size_t length,
                                    const ucp_am_recv_param_t *param);
void tf_ucx_drop_offers(struct tf_ucx_link *link); /* those that nobody reads any more */

/* leave.c */
void tf_ucx_take_leave(void);
void tf_ucx_close_endpoints(void);

#endif
