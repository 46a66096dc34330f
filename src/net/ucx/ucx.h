/* ucx.h - the pieces of the transport on UCX.
 *
 *     library.c   libucp, opened at run time, and what it finds on this machine
 *     address.c   the address of each process's worker
 *     link.c      endpoints: packets out, packets in, endpoints that fail
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
                f(ucp_am_send_nbx) f(ucp_am_data_release) f(ucp_ep_create) f(ucp_ep_close_nbx)                         \
                    f(ucp_request_check_status) f(ucp_request_free) f(ucs_status_string)
struct tf_ucx_functions {
    TF_UCX_FUNCTIONS(TF_LIBRARY_MEMBER)
};

enum { TF_UCX_CAPACITY = 512 * 1024 /* of a ring; a chunk is a quarter */ };

/* One for each process of the job. */
struct tf_ucx_link {
    struct tf_peer *peer;          /* NULL: of this node */
    ucp_ep_h endpoint;             /* NULL: nothing was sent yet */
    int under_way;                 /* packets that UCX has not got rid of */
    struct tf_ucx_link *next_used; /* those to which something was sent, or from which something came */
    bool used;
    bool said_last, heard_last; /* the peer was told that nothing more comes; it has told so */
    ucs_status_t failure;       /* of the endpoint, UCS_OK: it works */
    double failed;              /* when */
};

/* library.c */
extern struct tf_ucx_functions tf_ucx;
/* Open the library and make a context; what is missing, in words, NULL: all is well. */
const char *tf_ucx_context_open(ucp_context_h *context);
/* Its version, and the transports and devices that the context found. */
bool tf_ucx_describe(char *words, size_t n);
enum tf_net_grade tf_ucx_grade(void);

/* address.c */
int tf_ucx_address_put(void); /* before a barrier */
int tf_ucx_address_get(int rank, void *address, size_t capacity);

/* link.c */
extern ucp_worker_h tf_ucx_worker;
extern struct tf_ucx_link *tf_ucx_links; /* [size] */
extern struct tf_ucx_link *tf_ucx_used;
extern bool tf_ucx_closing; /* MPI is over: what fails now no longer matters */
int tf_ucx_links_open(void);
void tf_ucx_links_close(void); /* after the worker */
void tf_ucx_flush(struct tf_ucx_link *link);
void tf_ucx_say_last(struct tf_ucx_link *link);
void tf_ucx_watch(double now); /* ends the job if an endpoint failed and nobody else says why */

/* leave.c */
void tf_ucx_take_leave(void);
void tf_ucx_close_endpoints(void);

#endif
